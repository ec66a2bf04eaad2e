"""`--set solver.NAME=VALUE` on the commands that simulate, with `check` and `doctor` telling what engines have."""

import json
from pathlib import Path

import pytest

WORLD = """<sdf version="1.7"><world name="gz"><physics type="ode"><max_step_size>{step}</max_step_size><ode>
  <solver><type>quick</type><iters>50</iters></solver><constraints><cfm>0</cfm><erp>0.2</erp></constraints></ode></physics>
  <model name="floor"><static>true</static><link name="l"><collision name="c"><geometry><plane/></geometry>
  <surface><contact><ode><max_vel>0.1</max_vel></ode></contact></surface></collision></link></model></world></sdf>"""
SIMULATING = (
    "sim", "walk", "play", "navigate", "tune", "explore", "studio", "gait eval", "gait search", "experiment run"
)  # fmt: skip


@pytest.fixture
def gazebo(tmp_path):
    def make(step: float = 0.001) -> Path:
        path = tmp_path / "gz.sdf"
        path.write_text(WORLD.format(step=step))
        return path

    return make


@pytest.mark.parametrize("command", SIMULATING)
def test_every_command_that_simulates_has_it(andante, command):
    code, out, _ = andante(*command.split(), "--help")
    assert code == 0
    assert "--set" in out
    assert "solver.NAME" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["solver.iteration=5"], "no setting 'solver.iteration'; did you mean solver.iterations?"),
        (["iterations=5"], "no setting 'iterations'; did you mean solver.iterations?"),
        (["solver.iterations=five"], "solver.iterations is a whole number, got 'five'"),
        (["solver.iterations"], "'solver.iterations' should look like NAME=VALUE"),
        (["solver.erp=0.2"], "engine 'mujoco' has no solver.erp; it has solver.dt"),
        (["solver.method=quick"], "engine 'mujoco' has no solver.method=quick; it has newton, cg, pgs"),
        (["solver.dt=5"], "solver.dt must lie between 1e-06 and 1 s, got 5"),
    ],
)
def test_mistakes_are_one_line(andante, words, told):
    code, out, err = andante("sim", "waffle", *(part for word in words for part in ("--set", word)))
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1


HALF = ("--set", "solver.dt=0.0005")


@pytest.mark.parametrize(
    ("words", "step"), [((), 0.001), (("--dt", 0.002), 0.002), (HALF, 0.0005), (("--dt", 0.002, *HALF), 0.002)]
)
def test_a_world_has_its_step_unless_another_is_given(andante, gazebo, words, step):
    code, out, _ = andante("sim", "waffle", "--world", gazebo(), "--seconds", 0.1, "--json", *words)
    told = json.loads(out)
    assert code == 0
    assert told["dt"] == pytest.approx(step)
    assert told["steps"] == round(0.1 / step)


def test_a_longer_step_of_a_world_is_told(andante, gazebo):
    code, out, _ = andante("sim", "waffle", "--world", gazebo(0.01), "--seconds", 0.1, "--json")
    told = json.loads(out)
    assert code == 0
    assert told["dt"] == 0.002
    assert any("longer than 0.002 s, which is used; --dt 0.01" in each["message"] for each in told["problems"])


def test_play_tells_settings_of_the_solver_from_parameters(andante):
    code, _, err = andante("play", "nao", "StandInit", "--seconds", 0.2, "--set", "solver.iterations=9", "--json")
    assert (code, err) == (0, "")
    code, _, err = andante("play", "nao", "StandInit", "--seconds", 0.2, "--set", "solver.cfm=0.1")
    assert code == 2
    assert "engine 'mujoco' has no solver.cfm" in err


def test_a_gait_is_tried_with_other_settings(andante):
    figures = []
    for words in ([], ["--set", "solver.dt=0.004"], ["--set", "T=0.5", "--set", "solver.dt=0.004"]):
        code, out, _ = andante("gait", "eval", "nao", "--seconds", 1, "--json", *words)
        assert code == 0
        figures.append(json.loads(out))
    assert len({json.dumps(each) for each in figures}) == 3


def test_an_experiment_refuses_what_an_engine_or_its_trial_has_not(andante, tmp_path):
    run = ("experiment", "run")
    code, _, err = andante(
        *run, "straight-walk", "--out", tmp_path / "a", "--engines", "dart", "--set", "solver.cfm=0.1"
    )
    assert code == 2
    assert "engine 'dart' has no solver.cfm" in err
    code, _, err = andante(*run, "localization", "--out", tmp_path / "b", "--set", "solver.dt=0.001")
    assert code == 2
    assert "no setting of" in err
    assert not (tmp_path / "b").exists()


def test_check_says_what_each_engine_lacks(andante, gazebo):
    code, out, _ = andante("check", gazebo(), "--json")
    told = [each["message"] for each in json.loads(out)["problems"]]
    assert code == 0
    assert "engine 'mujoco' has no cfm, erp, method=quick, which the world asks for" in told
    assert "engine 'dart' does not use max_velocity (1 surface)" in told
    assert not any("engine 'ode'" in each for each in told)
    _, out, _ = andante("check", gazebo())
    assert "asks the solver for dt 0.001, iterations 50, cfm 0.0, erp 0.2, method quick" in out


@pytest.mark.parametrize("name", ["lab", "nao", "empty"])
def test_check_is_silent_where_nothing_is_asked(andante, name):
    _, out, _ = andante("check", name, "--json")
    assert not any("engine '" in each["message"] for each in json.loads(out)["problems"])


def test_doctor_has_a_table_of_settings(andante):
    code, out, _ = andante("doctor", "--json")
    rows = {row["name"]: row["engines"] for row in json.loads(out)["settings"]}
    assert code == 0
    assert rows["solver.iterations"]["bullet"] == 30
    assert rows["solver.iterations"]["ode"] is True
    assert rows["solver.cone"]["ode"] is None
    assert rows["surface.fdir1"] == {"mujoco": None, "bullet": True, "dart": None, "ode": True}
    _, out, _ = andante("doctor")
    assert "solver.surface_layer" in out
