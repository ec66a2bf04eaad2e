"""Experiments from files: what is read, and mistakes with line and key."""

from dataclasses import replace

import pytest

from andante.description import RobotPackage
from andante.errors import BadInput, UnknownName
from andante.experiments import (
    Experiment,
    Measure,
    Variation,
    builtin_names,
    load_experiment,
    parse_experiment,
    setup,
    trial_function,
)
from andante.experiments.definition import from_dict
from andante.parsing import key_lines

GOOD = """\
name = "slide"
trial = "walk"
trials = 3

[factors]
distance = [0.5, 1.0]

[measures]
x = { unit = "m", commanded = "distance" }

[vary]
friction = [0.5, 0.9]
"""


@pytest.mark.parametrize("name", builtin_names())
def test_built_in_experiments_are_whole(name):
    made = load_experiment(name)
    assert made.name == name
    assert made.title
    assert from_dict(made.as_dict()) == made
    assert len(list(made.cells())) * len(made.engines) * made.trials == made.count == made.space.cells


def test_the_thesis_has_9_and_12_tests_of_7_trials():
    straight, turn = load_experiment("straight-walk"), load_experiment("turn-in-place")
    assert (straight.count, turn.count) == (63, 84)
    assert [straight.test_of(cell) for cell in straight.cells()] == list("ABCDEFGHI")
    assert [turn.test_of(cell) for cell in turn.cells()] == list("LMNOPQRSTUVZ")


MODES = GOOD.replace("[vary]", "[arguments]\nspeed = 80\n\n[modes.usual]\n\n[modes.slow]\nvelocity = 0.08\n\n[vary]")


def test_a_mode_replaces_arguments_and_the_usual_one_leaves_no_trace():
    made = parse_experiment(MODES)
    assert from_dict(made.as_dict()) == made
    assert made.settled() == replace(made, mode="usual").settled() == replace(made, modes={})
    slow = parse_experiment('mode = "slow"\n' + MODES).settled()
    assert (slow.mode, slow.arguments) == ("slow", {"speed": 80, "velocity": 0.08})
    assert slow.settled() == slow == from_dict(slow.as_dict())


def test_the_thesis_can_be_walked_as_it_was():
    for name in ("straight-walk", "turn-in-place"):
        made = load_experiment(name)
        assert list(made.modes) == ["line-following", "open-loop"]
        assert "velocity" not in made.settled().arguments
        assert set(made.modes["open-loop"]["velocity"]) == {str(level) for level in made.factors["speed"]}


def test_a_trial_of_an_installed_module_is_named_by_its_function():
    named = GOOD.replace('trial = "walk"', 'trial = "andante.experiments.trials.walk:walk_trial"')
    assert trial_function(parse_experiment(named).trial) is trial_function("walk")
    with pytest.raises(BadInput, match=r"measures\.height: no measure of a walk 'height'"):
        parse_experiment(named.replace("x = {", "height = {"))


def test_of_two_experiments_with_one_name_the_general_one_counts(monkeypatch, tmp_path):
    for name in ("navigation", "own"):
        (tmp_path / f"{name}.toml").write_text(GOOD)
    monkeypatch.setattr(setup, "ROBOTS", {"robot": RobotPackage(tmp_path / "robot.urdf", experiments=tmp_path)})
    assert {"engine-parity", "localization", "navigation", "own"} <= set(builtin_names())
    assert "straight-walk" not in builtin_names()
    assert load_experiment("own").name == "slide"
    assert load_experiment("navigation").name == "navigation"


def test_a_file_is_read():
    made = parse_experiment(GOOD)
    assert made.factors == {"distance": (0.5, 1.0)}
    assert made.measures == {"x": Measure("x", "m", "", "distance")}
    assert made.vary == Variation(friction=(0.5, 0.9))
    assert made.test_of({"distance": 0.5}) == "distance=0.5"
    assert made.measures["x"].title == "x [m]"


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (('name = "slide"', "name = 3"), 1, "name: must be a string, got 3"),
        (('name = "slide"', 'name = "a/b"'), 1, "name: an experiment needs a name without slashes"),
        (
            ('trial = "walk"', 'trial = "fly"'),
            2,
            "trial: no trial 'fly'; choices: walk, localization, navigation",
        ),
        (('trial = "walk"', 'trial = "no.py:f"'), 2, "no such file"),
        (('trial = "walk"', 'trial = "nowhere:f"'), 2, "trial: nowhere:f cannot be loaded: No module named 'nowhere'"),
        (("trials = 3", "trials = 0"), 3, "trials: a whole number from 1 to"),
        (("trials = 3", "trials = true"), 3, "trials: a whole number"),
        (("trials = 3", "trails = 3"), 3, "trails: no such entry; entries: name, trial"),
        (("trials = 3", "seed = -1"), 3, "seed: a whole number from 0 on"),
        (("trials = 3", 'timeout = "long"'), 3, "timeout: a time above 0 s"),
        (("trials = 3", "timeout = -1.0"), 3, "timeout: a time above 0 s"),
        (("trials = 3", "engines = []"), 3, "engines: must be a list of levels"),
        (("distance = [0.5, 1.0]", "distance = 0.5"), 6, "factors.distance: must be a list of levels, got 0.5"),
        (("distance = [0.5, 1.0]", "distance = [0.5, 0.5]"), 6, "factors.distance: a choice needs values that differ"),
        (("distance = [0.5, 1.0]", "distance = [0.5, [1]]"), 6, "factors.distance"),
        (("distance = [0.5, 1.0]", "engine = [0.5]"), 6, "factors.engine: not a name for a factor"),
        (('x = { unit = "m", commanded = "distance" }', "x = 3"), 9, "measures.x: must be a table with unit"),
        (('unit = "m"', "unit = 3"), 9, "measures.x.unit: must be a string"),
        (('unit = "m"', 'units = "m"'), 9, "measures.x.units: no such entry"),
        (
            ('commanded = "distance"', 'commanded = "way"'),
            9,
            "measures.x.commanded: no factor 'way'; choices: distance",
        ),
        (("x = {", "distance = {"), 9, "measures.distance: not a name for a measure"),
        (("friction = [0.5, 0.9]", "friction = [0.9, 0.5]"), 12, "vary.friction: two numbers, 0 < low <= high <= 10"),
        (("friction = [0.5, 0.9]", "friction = 0.5"), 12, "vary.friction: two numbers"),
        (("friction = [0.5, 0.9]", "mass = 2.0"), 12, "vary.mass: a number from 0 to 0.9, got 2.0"),
        (("friction = [0.5, 0.9]", "wind = 1"), 12, "vary.wind: no such entry; entries: friction, mass"),
        (("[vary]", "[tests]\nA = 3\n[vary]"), 12, "tests.A: must be a table of levels"),
        (("[vary]", "[tests]\nA = { way = 3 }\n[vary]"), 12, "tests.A: needs a level of every factor (distance)"),
        (("[vary]", "[tests.A]\ndistance = 3\n[vary]"), 11, "tests.A: 3 is no level of distance; choices: 0.5, 1.0"),
        (("[vary]", "[modes]\nfast = 3\n[vary]"), 12, "modes.fast: must be a table of arguments, got 3"),
        (("[vary]", "[modes.fast]\npace = 3\n[vary]"), 12, "modes.fast.pace: no setting of a walk 'pace'"),
        (("[factors]", 'mode = "slow"\n[modes.fast]\n[factors]'), 5, "mode: no mode 'slow'; choices: fast"),
        (("trials = 3", "trials = = 3"), 3, "Invalid value"),
        (
            ("distance = [0.5, 1.0]", "distance = [1.0]\npace = [1]"),
            7,
            "factors.pace: no setting of a walk 'pace'; choices",
        ),
        (("[vary]", "[arguments]\nhigh = 1\n[vary]"), 12, "arguments.high: no setting of a walk 'high'; choices"),
        (("x = { unit", "yaw = {}\nx = { unit"), 9, "measures.yaw: no measure of a walk 'yaw'; choices: x, y, planar"),
        (("[vary]", "[arguments]\nfriction = 0.4\n[vary]"), 14, "vary.friction: the friction is set in [arguments]"),
    ],
)
def test_mistakes_name_line_and_key(change, line, words):
    text = GOOD.replace(*change)
    assert text != GOOD
    with pytest.raises(BadInput) as told:
        parse_experiment(text, "mine.toml")
    assert str(told.value).startswith(f"mine.toml:{line}: ")
    assert words in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("key", ["name", "trial"])
def test_missing_entries_are_named(key):
    text = "\n".join(line for line in GOOD.splitlines() if not line.startswith(f"{key} "))
    with pytest.raises(BadInput, match=f"mine.toml:1: {key}: this entry is missing"):
        parse_experiment(text, "mine.toml")


def test_lines_of_keys_pass_over_texts():
    text = 'a = 1\nt = """\nb = 2\n[c]\n"""\n[d]\n"e f" = 1\n[d.g]\nh.i = 2\n'
    assert key_lines(text) == {"a": 1, "t": 2, "d": 6, "d.e f": 7, "d.g": 8, "d.g.h.i": 9}


def test_python_experiments(toys, toy):
    assert toy.trial == f"{toys}:toy"
    assert load_experiment(f"{toys}:make_toy") == toy
    with pytest.raises(BadInput, match="no Experiment and no function that makes one"):
        load_experiment(f"{toys}:NO_TRIAL")
    with pytest.raises(UnknownName, match="no experiment 'nothing'; choices: engine-parity"):
        load_experiment("nothing")
    with pytest.raises(BadInput, match=r"gone.toml: no such file"):
        load_experiment("gone.toml")


def test_a_trial_is_seen_from_the_file(toys, tmp_path):
    (tmp_path / "trials").mkdir()
    (tmp_path / "trials" / "own.py").write_text("def f(setup):\n    return {'x': 1.0}\n")
    file = tmp_path / "mine.toml"
    file.write_text(GOOD.replace('"walk"', '"trials/own.py:f"'))
    assert load_experiment(str(file)).trial == f"{(tmp_path / 'trials' / 'own.py').resolve()}:f"
    file.write_text(GOOD.replace('"walk"', f'"{toys}:NO_TRIAL"'))
    with pytest.raises(BadInput, match=r"mine.toml:2: trial: .* is no function of a Setup"):
        load_experiment(str(file))


def test_files_beside_the_experiment_are_found(tmp_path):
    (tmp_path / "robot.urdf").write_text("<robot/>")
    text = GOOD.replace("[factors]", '[arguments]\nrobot = "robot.urdf"\nworld = "empty"\n\n[factors]')
    (tmp_path / "mine.toml").write_text(text)
    made = load_experiment(str(tmp_path / "mine.toml"))
    assert made.arguments == {"robot": str((tmp_path / "robot.urdf").resolve()), "world": "empty"}


def test_numbers_of_cells(toy):
    cells = list(toy.cells())
    assert [toy.cell_number(cell) for cell in cells] == [0, 1, 2, 3]
    with pytest.raises(UnknownName, match="no level of way '7'"):
        toy.cell_number({"pace": "slow", "way": 7})
    with pytest.raises(BadInput, match="at least one measure"):
        replace(toy, measures={})
    with pytest.raises(BadInput, match="at least one factor"):
        Experiment("a", "walk", {}, {"x": Measure("x")})


def test_draws_follow_the_seed_and_entries_do_not_disturb_each_other():
    vary = Variation(friction=(0.5, 0.9), yaw=0.1, latency=0.01, noise=2.0, place=0.3)
    one = vary.draw(7)
    assert one == vary.draw(7) != vary.draw(8)
    assert 0.5 <= one.friction <= 0.9
    assert abs(one.yaw) <= 0.1
    assert 0 <= one.latency <= 0.01
    assert Variation(yaw=0.1).draw(7).yaw == one.yaw
    assert Variation().draw(7).figures() == {}
    assert set(one.figures()) == {f"drawn_{name}" for name in ("friction", "x", "y", "yaw", "noise", "latency")}
