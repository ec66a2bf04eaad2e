"""Reference data: the thesis' trials, users' tables and bags, mistakes with line and column."""

import math

import numpy as np
import pytest

from andante.errors import BadInput, UnknownName
from andante.experiments import Values, load_experiment
from andante.experiments.importing import guessed_experiment, import_trials, path_measures
from andante.experiments.reference import parse_labels, parse_reference, read_labels, read_reference, reference_names
from andante.experiments.statistics import agreement, mean_error
from andante.mapping import Trajectory

STRAIGHT, TURN = load_experiment("straight-walk"), load_experiment("turn-in-place")
HEAD = "source,speed,distance,x,y,planar\n"


def errors(experiment, measure):
    values = Values.of(experiment, read_reference(experiment.reference, experiment))
    real = {test: values.get("real", test, measure) for test in values.tests}
    commanded = {test: values.commanded(test, measure) for test in values.tests}
    found = {}
    for source in ("gazebo", "vrep_ode", "vrep_bullet"):
        found[source] = mean_error(
            agreement({t: values.get(source, t, measure) for t in values.tests}, real, commanded)
        )
    return values, found


def test_the_735_trials_give_the_errors_of_the_thesis():
    straight, planar = errors(STRAIGHT, "planar")
    turn, turned = errors(TURN, "turned")
    assert sum(straight.counts.values()) + sum(turn.counts.values()) == 735
    assert {name: round(100 * value) for name, value in planar.items()} == {
        "gazebo": 29,
        "vrep_ode": 17,
        "vrep_bullet": 37,
    }
    assert {name: round(100 * value) for name, value in turned.items()} == {
        "gazebo": 73,
        "vrep_ode": 74,
        "vrep_bullet": 44,
    }
    assert set(straight.counts.values()) == set(turn.counts.values()) == {7}
    assert all(np.sign(turn.get("real", test, "turned")).tolist() == [np.sign(turn.commanded(test, "turned"))] * 7
               for test in turn.tests)  # fmt: skip


def test_a_table_is_read_by_factors_or_by_test():
    rows = list(parse_reference(HEAD + "# a remark\n,40,0.5,0.5,0.1,\nme,40.0,0.50,0.6,,0.6\n", STRAIGHT))
    assert [(row.source, row.test, row.trial) for row in rows] == [("real", "A", 0), ("me", "A", 0)]
    assert rows[0].measures == {"x": 0.5, "y": 0.1}
    named = list(parse_reference("test,x\nB,1.0\nB,1.1\n", STRAIGHT))
    assert [(row.factors, row.trial) for row in named] == [
        ({"speed": 40, "distance": 1.0}, 0),
        ({"speed": 40, "distance": 1.0}, 1),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "mine.csv: the table is empty"),
        ("speed,distance,way\n", "mine.csv:1: column 'way' is not known; columns: believed_x"),
        ("speed,x\n40,1\n", "mine.csv:1: columns for speed, distance are needed, or `test`"),
        ("speed,distance\n40,1\n", "mine.csv:1: no measure among the columns"),
        ("test,x\nA,1\nJ,1\n", "mine.csv:3: no test 'J'; tests: A, B"),
        ("test,x\nA,far\n", "mine.csv:2: column 'x' needs a number, got 'far'"),
        ("test,x\n\n#\nA,nan\n", "mine.csv:4: column 'x' needs a number, got 'nan'"),
        ("test,x\nA,1,2\n", "mine.csv:2: 3 values for 2 columns"),
        ("speed,distance,x\nfast,1.0,1\n", "mine.csv:2: column 'speed' needs a number, got 'fast'"),
    ],
)
def test_mistakes_name_line_and_column(text, words):
    with pytest.raises(BadInput) as told:
        list(parse_reference(text, STRAIGHT, "mine.csv"))
    assert str(told.value).startswith(words)


def test_a_table_is_kept_under_a_name(tmp_path):
    file = tmp_path / "trials.csv"
    file.write_text(HEAD + "me,40,0.5,0.5,0.0,0.5\nme,40,0.5,0.6,0.0,0.6\n")
    assert guessed_experiment(file, {}).name == "straight-walk"
    made = import_trials(file, "mine", STRAIGHT)
    assert (made.trials, made.added, made.sources) == (2, 2, ("me",))
    assert "mine" in reference_names()
    assert [row.measures["x"] for row in read_reference("mine", STRAIGHT)] == [0.5, 0.6]
    assert [row.measures["x"] for row in read_reference(str(file), STRAIGHT)] == [0.5, 0.6]
    with pytest.raises(UnknownName, match="no reference 'other'; choices: mine, nao-straight-walk"):
        read_reference("other", STRAIGHT)


def test_ways_add_trials(tmp_path):
    for k in range(2):
        file = tmp_path / f"{k}.txt"
        file.write_text("".join(f"{t} {0.1 * t} {0.01 * k * t} 0 0 0 0 1\n" for t in range(11)))
        made = import_trials(file, "own", STRAIGHT, factors={"speed": 80, "distance": 1.0}, source="mine")
        assert (made.trials, made.added) == (k + 1, 1)
    rows = read_reference("own", STRAIGHT)
    assert [(row.source, row.test, row.trial) for row in rows] == [("mine", "E", 0), ("mine", "E", 1)]
    assert rows[1].measures["y"] == pytest.approx(0.1)
    assert rows[0].measures["planar"] == pytest.approx(1.0)
    assert guessed_experiment(file, {"speed": 1, "distance": 2}).name == "straight-walk"


def test_a_way_is_seen_from_its_first_pose():
    angles = np.linspace(0.0, 2.5 * math.pi, 60)
    poses = np.stack([np.cos(angles), np.sin(angles), angles + math.pi / 2], axis=1)
    told = path_measures(Trajectory(np.arange(60.0), poses))
    assert told["turned"] == pytest.approx(450.0)
    assert (told["x"], told["y"]) == pytest.approx((1.0, 1.0))
    still = np.repeat(poses[:1], 20, axis=0)
    standing = Trajectory(np.arange(100.0), np.concatenate([still, poses, np.repeat(poses[-1:], 20, axis=0)]))
    assert path_measures(standing)["time"] == pytest.approx(60.0, rel=0.1)
    assert path_measures(Trajectory([0.0, 1.0], np.zeros((2, 3))))["time"] == 0.0


@pytest.mark.parametrize(
    ("name", "file", "factors", "words"),
    [
        ("a/b", "0.txt", {}, "name: made of letters, digits, - and _, got 'a/b'"),
        ("a", "gone.txt", {}, "no such file"),
        ("a", "0.txt", {"speed": 40}, "which distance was this trial"),
        ("a", "0.txt", {"speed": 40, "distance": 1.0, "way": 1}, "factors.way: no such factor"),
        ("a", "one.txt", {"speed": 40, "distance": 1.0}, "needs at least two poses"),
    ],
)
def test_what_cannot_be_imported(name, file, factors, words, tmp_path):
    (tmp_path / "0.txt").write_text("0 0 0 0 0 0 0 1\n1 1 0 0 0 0 0 1\n")
    (tmp_path / "one.txt").write_text("0 0 0 0 0 0 0 1\n")
    with pytest.raises(BadInput, match=words):
        import_trials(tmp_path / file, name, STRAIGHT, factors=factors)
    with pytest.raises(BadInput, match="which experiment has these trials"):
        guessed_experiment(tmp_path / "0.txt", {"nothing": 1})


def test_a_reference_says_what_its_sources_are_called(monkeypatch, tmp_path):
    assert read_labels("nao-straight-walk")["vrep_ode"] == "V-REP with ODE (thesis)"
    assert parse_labels("#label a : The A\n# a comment: of a table\nsource,x\n") == {"a": "The A"}
    monkeypatch.setenv("ANDANTE_REFERENCES", str(tmp_path / "kept"))
    table = tmp_path / "mine.csv"
    table.write_text("# label old: The old simulator\n" + HEAD + "old,40,0.5,0.5,0,0.5\n")
    import_trials(table, "mine", STRAIGHT)
    assert read_labels("mine") == {"old": "The old simulator"}
    assert len(read_reference("mine", STRAIGHT)) == 1
