"""Step and solver as a trial: what is stable, what flies apart, what an engine has not."""

import math

import pytest

from andante.errors import BadInput, UnknownName
from andante.experiments import commands
from andante.experiments.setup import Setup
from andante.experiments.trials.solver import MEASURES, TRIAL, solver_trial, stack


def trial(engine, **factors):
    return solver_trial(Setup(engine, factors, 0, 3))


@pytest.mark.parametrize("engine", ["mujoco", "bullet"])
def test_a_stack_stands_as_usual(engine):
    told = trial(engine, scene="stack", set="usual")
    assert told["stable"]
    assert 0 < told["off"] < 0.01
    assert told["real_time_factor"] > 0
    assert set(told) == {"success", *MEASURES}


def test_too_few_iterations_let_it_sink():
    poor, fine = (trial("bullet", scene="stack", set=f"iterations={n}") for n in (2, 100))
    assert not poor["stable"]
    assert fine["stable"]
    assert fine["off"] < 0.2 * poor["off"]


def test_an_engine_without_the_setting_has_no_measures():
    told = trial("mujoco", scene="stack", set="cfm=0.001")
    assert not told["applies"]
    assert all(math.isnan(told[name]) for name in MEASURES[1:])


def test_several_settings_at_once_and_a_solver_for_all():
    made = Setup(
        "mujoco", {"scene": "stack", "set": "method=pgs, iterations=2"}, 0, 3, arguments={"solver": {"dt": 0.004}}
    )
    assert not solver_trial(made)["stable"]


def test_a_robot_of_any_kind_stands():
    made = Setup("mujoco", {"scene": "standing", "set": "dt=0.001"}, 0, 3, arguments={"robot": "waffle"})
    assert solver_trial(made)["stable"]


@pytest.mark.parametrize(
    ("factors", "error"), [({"set": "erp"}, BadInput), ({"set": "epr=1"}, UnknownName), ({"scene": "x"}, UnknownName)]
)
def test_mistakes(factors, error):
    with pytest.raises(error):
        trial("mujoco", **factors)


def test_boxes_touch_and_differ_by_the_seed():
    first, again, other = stack(TRIAL, 1), stack(TRIAL, 1), stack(TRIAL, 2)
    heights = [placed.pose.translation[2] for placed in first]
    assert heights == pytest.approx([TRIAL.side / 2 * (i + 0.5) for i in range(TRIAL.boxes)])
    assert [a.pose.vector.tolist() for a in first] == [a.pose.vector.tolist() for a in again]
    assert first[0].pose.vector.tolist() != other[0].pose.vector.tolist()


def test_the_built_in_experiment_runs(tmp_path):
    factors = {"scene": ["stack"], "set": ["usual", "iterations=5", "erp=0.2"]}
    outcome = commands.run(
        "solver-settings", tmp_path / "run", engines=["mujoco", "bullet"], factors=factors, trials=1, workers=0
    )
    assert outcome.as_dict()
    made = commands.report(tmp_path / "run")
    assert "real-time factor" in made.path.read_text()
