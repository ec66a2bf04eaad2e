"""Trials, objectives and the benchmark of gaits: as plain stepping, the same again, ended by falls, errors told."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from andante.bench.physics import Unequal
from andante.description import load_robot, load_world
from andante.errors import AndanteError, BadInput, Diverged, UnknownName
from andante.experiments.perturbed import with_friction
from andante.locomotion.wave.fitness import statistics
from andante.locomotion.wave.gait import Playback, playback
from andante.locomotion.wave.model import EXTRA, TEN, WaveModel, WaveParameters, default_gait
from andante.physics.registry import ENGINES, installed
from andante.robots.nao.experiments import bench as bench_gait
from andante.robots.nao.experiments.bench import command_steps
from andante.robots.nao.experiments.objective import (
    SOURCE_RANGES,
    Robustness,
    WaveObjective,
    scene,
    shove,
    wave_space,
)
from andante.robots.nao.experiments.trial import SETTLE, Shove, WaveTrial
from andante.search import ObjectiveSpec
from andante.simulation.simulation import simulate

SMOOTH = default_gait("smooth").parameters
EXACT = default_gait("exact").parameters
FALLS = WaveParameters.of({"s_h": -70.0, "s_k": 40.0, "s_a": 10.0}, SMOOTH)
LEGS = {"A_h": 0.0, "A_k": 0.0, "A_a": 0.0, "b": 0.0, "s_h": -24.0, "s_k": 40.0, "s_a": -18.0}
STANDS = WaveParameters.of(LEGS, SMOOTH)


@pytest.fixture(scope="module")
def trial() -> WaveTrial:
    return WaveTrial()


@pytest.mark.parametrize("variant", ["smooth", "exact"])
def test_a_trial_goes_as_plain_commands_go(variant: str, trial: WaveTrial) -> None:
    parameters = SMOOTH if variant == "smooth" else EXACT
    track = trial.run(parameters, variant, 1.2)
    sim = simulate("nao")
    sim.run(SETTLE)
    first = np.array(sim.engine.commands[sim.model].references)
    played = playback(WaveModel(sim.robot, parameters, variant), first, 1.2)
    at = np.round(played.times / 0.002).astype(int)
    for target, begin, end in zip(played.targets, at, [*at[1:], 600], strict=True):
        sim.engine.command(sim.model, target)
        sim.engine.step(int(end - begin))
    assert not track.fallen
    assert track.times[-1] == pytest.approx(1.2)
    np.testing.assert_allclose(track.poses[-1], sim.base_pose, atol=1e-6)
    sim.close()


def test_every_trial_begins_anew(trial: WaveTrial) -> None:
    first = trial.run(SMOOTH, seconds=1.0)
    trial.run(FALLS, seconds=2.0, shove=Shove((5.0, 0.0, 0.0), 0.1))
    again = trial.run(SMOOTH, seconds=1.0)
    np.testing.assert_allclose(again.poses, first.poses, atol=1e-9)
    np.testing.assert_allclose(again.power, first.power, rtol=1e-6)


def test_a_fall_ends_a_trial(trial: WaveTrial) -> None:
    track = trial.run(FALLS, seconds=6.0)
    assert track.fallen
    assert 0.3 < track.times[-1] < 3.0
    assert len(track.times) == len(track.poses) == len(track.power)
    assert track.seconds == 6.0


def test_a_push_moves_and_fells(trial: WaveTrial) -> None:
    still = trial.run(STANDS, seconds=2.0)
    nudged = trial.run(STANDS, seconds=2.0, shove=Shove((0.0, 1.0, 0.0), 1.2))
    assert not still.fallen
    assert not nudged.fallen
    leans = nudged.poses[:, 1] - still.poses[:, 1]
    assert np.abs(leans[still.times < 1.2]).max() < 1e-9
    assert leans.max() > 2e-3
    assert trial.run(STANDS, seconds=3.0, shove=Shove((0.0, 8.0, 0.0), 1.2)).fallen
    np.testing.assert_allclose(trial.run(STANDS, seconds=2.0).poses, still.poses, atol=1e-9)


@pytest.mark.parametrize("engine", [name for name, entry in ENGINES.items() if installed(entry)])
def test_every_engine_tries_and_rewinds(engine: str) -> None:
    trial = WaveTrial(engine=engine, dt=0.004)
    first = trial.run(STANDS, seconds=0.4)
    again = trial.run(STANDS, seconds=0.4)
    assert not first.fallen
    assert first.times[-1] == pytest.approx(0.4)
    np.testing.assert_allclose(again.poses, first.poses, atol=2e-3 if engine == "ode" else 1e-6)
    assert (first.power[1:] > 0).all()
    trial.close()


def test_a_scene_that_flies_apart_counts_as_a_fall(trial: WaveTrial, monkeypatch: pytest.MonkeyPatch) -> None:
    def burst(count: int) -> None:
        raise Diverged("it flew apart")

    monkeypatch.setattr(trial.engine, "step", burst)
    track = trial.run(STANDS, seconds=1.0)
    assert track.fallen
    assert track.times.tolist() == [0.0]
    assert statistics(track).time == 0.0


def test_of_several_targets_for_one_step_the_last_counts() -> None:
    targets = np.arange(4.0)[:, None]
    played = Playback(np.array([0.0, 0.001, 0.004, 0.02]), targets, np.zeros(1))
    commands = command_steps(played, 0.004, 3)
    assert {step: float(row[0]) for step, row in commands.items()} == {0: 1.0, 1: 2.0}


def test_a_trial_needs_time(trial: WaveTrial) -> None:
    with pytest.raises(BadInput, match=r"at least one step of 0.002 s, got 0.0 s"):
        trial.run(SMOOTH, seconds=0.0)


def test_the_shipped_gaits_walk(trial: WaveTrial) -> None:
    for parameters, variant in ((SMOOTH, "smooth"), (EXACT, "exact")):
        found = statistics(trial.run(parameters, variant, 6.0))
        assert not found.fallen
        assert found.along >= 0.30
        assert abs(found.aside) < 0.10 * found.along


def test_the_speed_that_ships_is_reached(trial: WaveTrial) -> None:
    track = trial.run(SMOOTH, seconds=6.0)
    late = track.times > 2.0
    speed = np.polyfit(track.times[late], track.poses[late, 0], 1)[0]
    assert speed == pytest.approx(default_gait("smooth").speed, rel=0.1)


# ---- the objective ---------------------------------------------------------------------------------
def test_an_objective_by_its_specification() -> None:
    spec = ObjectiveSpec("andante.robots.nao.experiments.objective:WaveObjective", {"seconds": 0.6})
    objective = spec.build()
    assert objective.space.names == TEN
    found = objective.evaluate({name: SMOOTH.symbols()[name] for name in TEN}, 3)
    assert json.loads(json.dumps(found)) == found
    assert {"fitness", "distance", "drift", "time", "fallen", "energy"} <= set(found)
    assert found["time"] == pytest.approx(0.6)
    assert found["fallen"] is False
    assert found["objectives"][0] == found["fitness"]
    stamp = objective.stamp()
    assert json.loads(json.dumps(stamp))["engine"] == "mujoco"
    assert stamp["engine_version"]
    assert stamp["seconds"] == 0.6


def test_the_same_candidate_in_another_objective_gives_the_same() -> None:
    results = []
    for _ in range(2):
        objective = WaveObjective(seconds=0.8, robust={"trials": 2, "push": 0.4})
        results.append(objective.evaluate(SMOOTH.symbols(), 7))
        objective.close()
    assert results[0] == results[1]
    assert results[0]["trials"] == 2


def test_seeds_draw_the_pushes() -> None:
    robust = Robustness(push=0.5)
    one, same, other = (shove(robust, seed, 0, 6.0) for seed in (1, 1, 2))
    assert one == same != other
    assert one is not None
    assert math.hypot(*one.impulse) <= 0.5
    assert 0 <= one.time <= 6.0
    assert shove(Robustness(push=0.0), 1, 0, 6.0) is None


def test_scenes_differ_a_little_and_always_in_the_same_way() -> None:
    robot, world = load_robot("nao"), load_world("empty")
    robust = Robustness(mass=0.1, pose=0.02)
    pose = robot.pose("StandInit")
    first, again, other = (scene(robot, world, pose, robust, k) for k in (0, 0, 1))
    assert first.pose == again.pose != other.pose
    assert max(abs(first.pose[name] - pose[name]) for name in pose) <= 0.02
    assert first.robot.mass == again.robot.mass != robot.mass
    assert abs(first.robot.mass / robot.mass - 1) < 0.1
    frictions = {c.surface.mu for link in first.robot.links for c in link.collisions}
    assert len(frictions) == 1
    assert 0.6 <= frictions.pop() <= 1.0


def test_friction_is_set_everywhere() -> None:
    robot = with_friction(load_robot("nao"), 0.3)
    assert {c.surface.mu for link in robot.links for c in link.collisions} == {0.3}


def test_mean_and_worst_of_several() -> None:
    results = {}
    for take in ("mean", "worst"):
        objective = WaveObjective(seconds=0.5, robust={"trials": 3, "take": take, "push": 0.5})
        results[take] = objective.evaluate(SMOOTH.symbols(), 1)
        objective.close()
    assert results["worst"]["fitness"] == results["mean"]["worst"] <= results["mean"]["fitness"]
    assert results["mean"]["falls"] == 0
    assert len(results["mean"]["start"]) == 2


def test_strides_are_spread_from_the_longest() -> None:
    assert Robustness(trials=3, stride=(0.5, 1.0)).strides == (1.0, 0.75, 0.5)
    assert Robustness(trials=2).strides == (1.0, 1.0)


def test_spaces() -> None:
    space = wave_space("smooth", "source", ("f_r", "w_k"))
    assert space.names == (*TEN, "f_r", "w_k")
    assert set(space) == {*TEN, *EXTRA}
    assert space.frozen["c_a"] == SMOOTH.leveling
    assert wave_space("exact", "source").cells == 1_128_960
    assert tuple(SOURCE_RANGES) == TEN
    for variant in ("smooth", "exact"):
        near = wave_space(variant)
        shipped = default_gait(variant).parameters.symbols()
        assert near.clip({name: shipped[name] for name in near}) == pytest.approx(
            {name: shipped[name] for name in near}
        )


def test_a_fitness_of_the_user(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def slow(figures): return -figures.time\n")
    objective = WaveObjective(seconds=0.2, fitness=f"{file}:slow")
    assert objective.evaluate(SMOOTH.symbols())["fitness"] == pytest.approx(-0.2)
    objective.close()


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"variant": "round"}, UnknownName, "no wave variant 'round'; choices: exact, smooth"),
        ({"seconds": 0}, BadInput, "a trial lasts up to 600 s, got 0"),
        ({"seconds": "long"}, BadInput, "a trial lasts up to 600 s, got 'long'"),
        ({"fitness": "best"}, UnknownName, "no fitness 'best'"),
        ({"ranges": "far"}, UnknownName, "no ranges 'far'; choices: near, source"),
        ({"extras": ["A_h"]}, UnknownName, "no extra 'A_h'"),
        ({"variant": "exact", "extras": ["f_r"]}, BadInput, "the exact variant has no parameter 'f_r'"),
        ({"robot": "waffel"}, AndanteError, "waffel"),
        ({"robust": {"trails": 3}}, UnknownName, "no entry 'trails' in robust"),
        ({"robust": {"trials": 0}}, BadInput, "trials must be 1 to 64, got 0"),
        ({"robust": {"trials": "three"}}, BadInput, "trials cannot be 'three'"),
        ({"robust": {"friction": [0.9, 0.5]}}, BadInput, "friction needs two numbers"),
        ({"robust": {"friction": 0.5}}, BadInput, "friction cannot be 0.5"),
        ({"robust": {"stride": [0.5, 2]}}, BadInput, "stride needs two numbers"),
        ({"robust": {"mass": 1.0}}, BadInput, "mass must be at least 0 and below 1"),
        ({"robust": {"take": "best"}}, UnknownName, "no take 'best' in robust; choices: mean, worst"),
    ],
)
def test_bad_arguments_are_told(arguments: dict[str, Any], kind: type[AndanteError], message: str) -> None:
    with pytest.raises(kind, match=message):
        WaveObjective(**arguments)


def test_a_candidate_must_be_whole() -> None:
    objective = WaveObjective(seconds=0.2)
    with pytest.raises(BadInput, match="A_h is missing"):
        objective.evaluate({"T": 0.6})
    with pytest.raises(UnknownName, match="no parameter 'X'"):
        objective.evaluate({**SMOOTH.symbols(), "X": 1.0})


# ---- the benchmark ---------------------------------------------------------------------------------
def test_both_sides_of_the_benchmark_go_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_gait, "LONG", 0.4)
    monkeypatch.setattr(bench_gait, "SAME_PLACE", 1e-9)
    row = bench_gait.measure("mujoco", 2)
    assert row.case == "trial (mujoco)"
    assert row.andante > 0
    assert row.baseline > 0


def test_sides_that_part_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_gait, "LONG", 0.2)
    monkeypatch.setattr(bench_gait, "bare_trial", lambda trial, parameters, seconds: lambda: None)
    monkeypatch.setattr(bench_gait, "SAME_PLACE", 1e-6)
    with pytest.raises(Unequal, match=r"trial \(mujoco\): the sides end"):
        bench_gait.measure("mujoco", 1)


def test_half_of_the_candidates_fall() -> None:
    found = [bench_gait._evaluate(each) for each in bench_gait.candidates(4)]
    assert [fell for fell, _, _ in found] == [False, True, False, True]
    rows = bench_gait.search_rows([(False, 6.0, 0.2), (True, 1.0, 0.1)], 0.5)
    assert [row.andante for row in rows] == [pytest.approx(4.0), pytest.approx(2 * 2 / 0.3)]
    with pytest.raises(Unequal, match="0 of 2 candidates fell; about half should"):
        bench_gait.search_rows([(False, 6.0, 0.2)] * 2, 0.5)
