"""Identification: parameters of a known truth are found again; arcs; tests that are left out take no part."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from andante.errors import BadInput, UnknownName
from andante.experiments import Values, load_experiment
from andante.experiments.fit import FitJob, FitObjective, Targets, run_fit, targets_of
from andante.experiments.fit.identify import _rounds
from andante.experiments.fit.objective import end_of_arc, fit_space, guess, moved, predicted, split, usual_values
from andante.experiments.reference import read_reference
from andante.experiments.variation import read_model

STRAIGHT, TURN = load_experiment("straight-walk"), load_experiment("turn-in-place")


def real_targets(experiment):
    return targets_of(experiment, Values.of(experiment, read_reference(experiment.reference, experiment)), "real")


def test_the_end_of_an_arc_is_that_of_many_small_steps():
    for stride, curl, aim in ((1.05, 0.6, -0.2), (1.0, 0.0, 0.3), (0.9, 1e-9, 0.0), (1.0, -2.0, 1.0)):
        s = (np.arange(200_000) + 0.5) / 200_000 * stride * 2.5
        heading = aim + curl * s
        ds = stride * 2.5 / 200_000
        assert end_of_arc(2.5, stride, curl, aim) == pytest.approx(
            (np.cos(heading).sum() * ds, np.sin(heading).sum() * ds)
        )


def test_a_guess_finds_the_model_that_made_the_ends():
    space = fit_space(STRAIGHT, real_targets(STRAIGHT))
    assert {"stride", "curl@speed=40", "aim@speed=100", "friction"} <= set(space)
    truth = {**usual_values(space), "stride": 1.07, "curl@speed=40": 0.5, "aim@speed=40": -0.2, "curl@speed=100": 0.1}
    cells = {STRAIGHT.test_of(cell): cell for cell in STRAIGHT.cells()}
    means = {t: {m: v for m, v in predicted(truth, c).items() if m != "x"} for t, c in cells.items()}
    found = guess(space, Targets(means, {t: c["distance"] for t, c in cells.items()}, cells), usual_values(space))
    for name, value in truth.items():
        assert found[name] == pytest.approx(value, abs=0.01), name


def test_turns_to_either_side_have_gains_of_their_own():
    targets = real_targets(TURN)
    space = fit_space(TURN, targets)
    found = guess(space, targets, usual_values(space))
    assert 1.1 < found["turn_left"] < 1.18 < found["turn_right"] < 1.25
    assert found["friction"] == 1.0


@pytest.fixture
def slipping(monkeypatch):
    """An objective whose robot goes along the arc but slips and veers; what was evaluated is kept."""
    objective, models = FitObjective(STRAIGHT.as_dict(), "mujoco", real_targets(STRAIGHT).as_dict()), []

    def reached(model):
        models.append(model)
        away = {**model, "stride": 0.9 * model["stride"]}
        ends = {test: predicted(away, factors) for test, factors in objective.targets.factors.items()}
        return {t: {m: ends[t][m] + 0.02 for m in means} for t, means in objective.targets.means.items()}, 0

    monkeypatch.setattr(objective, "reached", reached)
    return objective, models


def test_rounds_come_nearer_and_are_not_gone_twice(slipping, tmp_path):
    objective, models = slipping
    usual, nothing = _rounds(FitJob(STRAIGHT, tmp_path, rounds=0), objective)
    assert (usual, nothing) == (usual_values(objective.space), -math.inf)
    first = _rounds(FitJob(STRAIGHT, tmp_path, rounds=1), objective)
    best = _rounds(FitJob(STRAIGHT, tmp_path, rounds=4), objective)
    assert len(models) == 4
    assert best[1] > first[1] + 0.05
    assert best[0]["stride"] > 1.05 * first[0]["stride"]  # what slips has to want more
    assert _rounds(FitJob(STRAIGHT, tmp_path, rounds=4), objective) == best
    assert len(models) == 4
    kept = json.loads((tmp_path / "rounds.json").read_text())
    assert max(each["fitness"] for each in kept) == best[1]


@pytest.mark.parametrize("text", ["", "{}x", "[1]", '[{"model": {}}]', '[{"model": 1, "fitness": 1, "reached": {}}]'])
def test_rounds_that_nobody_wrote_are_refused(slipping, tmp_path, text):
    (tmp_path / "rounds.json").write_text(text)
    with pytest.raises(BadInput, match=r"rounds\.json: not what a fit has written; remove it"):
        _rounds(FitJob(STRAIGHT, tmp_path, rounds=2), slipping[0])


def test_an_aim_moves_by_what_was_missed():
    real = Targets({"A": {"x": 1.0}}, {"A": 1.0}, {"A": {}})
    aim = moved(real, real, {"A": {"x": 0.9}})
    assert aim.means["A"]["x"] == pytest.approx(1.1)
    assert moved(aim, real, {"A": {"x": 1.05}}).means["A"]["x"] == pytest.approx(1.05)
    assert Targets.from_dict(real.as_dict()) == real


def test_targets_and_splits():
    targets = real_targets(STRAIGHT)
    assert targets.means["A"]["planar"] == pytest.approx(0.5427, abs=1e-3)
    assert targets.scales["C"] == 3.0
    fitted, left = split(targets, ("B", "E", "H"))
    assert (fitted, left) == (tuple("ACDFGI"), tuple("BEH"))
    assert set(targets.only(fitted).means) == set(fitted)
    with pytest.raises(UnknownName, match="no test 'X'"):
        split(targets, ("X",))
    with pytest.raises(BadInput, match="all tests are left out"):
        split(targets, tuple("ABCDEFGHI"))


@pytest.mark.parametrize(
    ("fit", "words"),
    [
        ({}, "fit.space: experiment 'straight-walk' names no"),
        ({"space": {"curl": {"low": 1, "high": 0}}}, "fit.space: parameter curl: a range needs finite low < high"),
        ({"space": {"curl": {"low": 0, "high": 1}}, "own": ["curl"]}, "fit.per: must be a factor"),
        ({"space": {"curl": {"low": 0, "high": 1}}, "own": ["x"], "per": "speed"}, "no parameter 'x' in fit.own"),
        ({"spaces": {}}, "fit.spaces: no such entry"),
    ],
)
def test_mistakes_in_what_can_be_identified(fit, words):
    with pytest.raises((BadInput, UnknownName), match=words):
        fit_space(replace(STRAIGHT, fit=fit), real_targets(STRAIGHT))


@pytest.fixture
def real(tmp_path):
    """A robot that goes 1.2 times as far as it is told."""
    lines = [
        f"{pace},{way},{1.2 * way + 0.05 * k}" for pace in ("slow", "fast") for way in (1.0, 2.0) for k in (-1, 0, 1)
    ]
    (tmp_path / "real.csv").write_text("pace,way,x\n" + "\n".join(lines) + "\n")
    return str(tmp_path / "real.csv")


@pytest.mark.usefixtures("no_figures")
def test_a_known_gain_is_found_and_proven(toy, real, tmp_path):
    job = FitJob(toy, tmp_path / "fit", budget=64, workers=0, reference=real, repeats=3, sampler="cmaes")
    outcome = run_fit(job)
    assert outcome.model["gain"] == pytest.approx(1.2, abs=0.02)
    assert outcome.held_out_tests == ("pace=fast way=2",)
    (before,), (left,) = outcome.before, outcome.held_out
    assert before.error == pytest.approx(0.2, abs=0.02)
    assert left.error < 0.02
    assert (left.inside, left.tests) == (1, 1)
    assert read_model(tmp_path / "fit" / "model.toml") == outcome.model
    assert json.loads((tmp_path / "fit" / "fit.json").read_text())["model"] == outcome.model
    assert outcome.report.exists()
    again = run_fit(job)
    assert again.model == outcome.model
    further = run_fit(replace(job, budget=160))
    assert further.candidates == 160
    assert further.held_out[0].error < 0.02
    assert further.model == outcome.model or (tmp_path / "fit" / "after-1").is_dir()


def test_left_out_tests_take_no_part(toy, real):
    targets = targets_of(replace(toy, reference=real), Values.of(toy, read_reference(real, toy)), "real")
    fitted, _ = split(targets, ("pace=fast way=2",))
    objective = FitObjective(toy.as_dict(), "mujoco", targets.only(fitted).as_dict())
    told = objective.evaluate({"gain": 1.2})
    assert set(told["reached"]) == set(fitted)
    assert told["fitness"] > objective.evaluate({"gain": 1.0})["fitness"]
    assert told == objective.evaluate({"gain": 1.2}, seed=9)
    assert objective.stamp()["engine"] == "mujoco"


def test_what_cannot_be_fitted(toy, real, tmp_path):
    with pytest.raises(BadInput, match="has no reference; name one"):
        run_fit(FitJob(toy, tmp_path / "a"))
    with pytest.raises(UnknownName, match="no source 'robot'"):
        run_fit(FitJob(toy, tmp_path / "a", reference=real, standard="robot"))
    with pytest.raises(BadInput, match="rounds >= 0"):
        run_fit(FitJob(toy, tmp_path / "a", reference=real, rounds=-1))
    with pytest.raises(UnknownName, match=r"no measure 'z' in fit.compare"):
        run_fit(FitJob(replace(toy, fit={**toy.fit, "compare": ["z"]}), tmp_path / "a", reference=real))
    assert not (tmp_path / "a").exists()
    assert math.isfinite(usual_values(fit_space(TURN, real_targets(TURN)))["latency"])
