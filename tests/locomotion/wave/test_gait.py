"""The wave gait as a behaviour: started, stopped, changed as it runs; as a way to walk by name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from andante.description import load_robot
from andante.errors import AndanteError, BadInput, UnknownName
from andante.locomotion import Command, Readings
from andante.locomotion.gaits import Request, check_walker, gait_names, prepare
from andante.locomotion.wave.gait import CHANGE_TIME, WaveGait, playback, speed_guess
from andante.locomotion.wave.model import SAMPLES, TEN, WaveModel, WaveParameters, default_gait
from andante.tasks.walk import walk

NAO = load_robot("nao")
SMOOTH, EXACT = default_gait("smooth").parameters, default_gait("exact").parameters
FELT = Readings(0.0, np.zeros(26), np.zeros(26))
FIRST = np.array([NAO.complete(NAO.pose("StandInit"))[name] for name in NAO.joint_names])
GO = Command(vx=1.0)


def smooth_gait(**changes: float) -> WaveGait:
    return WaveGait(NAO, WaveParameters.of(changes, SMOOTH), "smooth", 0.1, FIRST)


def play(gait: WaveGait, command: Command, steps: int) -> np.ndarray:
    return np.array([gait.update(FELT, command, 0.01) for _ in range(steps)])


def test_it_stands_until_it_is_asked() -> None:
    gait = smooth_gait()
    assert gait.standing
    np.testing.assert_allclose(play(gait, Command(), 5), np.tile(FIRST, (5, 1)))
    assert gait.standing
    assert gait.position.tolist() == [0.0, 0.0, 0.0]


def test_the_smooth_gait_is_its_playback() -> None:
    targets = play(smooth_gait(), GO, 300)
    wanted = playback(WaveModel(NAO, SMOOTH), FIRST, 3.0).targets
    np.testing.assert_allclose(targets, wanted, atol=1e-9)


def test_its_stop_is_that_of_the_playback() -> None:
    gait = smooth_gait(ramp=0.6)
    targets = np.concatenate([play(gait, GO, 160), play(gait, Command(), 90)])
    wanted = playback(WaveModel(NAO, gait.parameters), FIRST, 2.5, stop=True).targets
    np.testing.assert_allclose(targets, wanted, atol=1e-6)


def test_it_may_go_on_while_it_stops() -> None:
    gait = smooth_gait()
    parts = [play(gait, command, steps) for command, steps in ((GO, 40), (Command(), 30), (GO, 300))]
    steps = np.abs(np.diff(np.concatenate(parts), axis=0)).max(axis=1)
    assert steps.max() < 1.3 * steps[-100:].max()
    wanted = WaveModel(NAO, gait.parameters).angles(3.7)
    np.testing.assert_allclose(parts[-1][-1], wanted, atol=1e-9)


def test_the_exact_gait_is_its_playback() -> None:
    gait = WaveGait(NAO, WaveParameters.of({"T": 0.9}, EXACT), "exact", 0.1, FIRST)  # held 50 ms
    targets = play(gait, GO, 200)
    wanted = playback(WaveModel(NAO, WaveParameters.of({"T": 0.9}, EXACT), "exact"), FIRST, 2.0)
    np.testing.assert_allclose(targets, wanted.targets[np.arange(200) // 5], atol=1e-12)


def test_it_stops_softly_and_starts_again() -> None:
    gait = smooth_gait(ramp=0.5)
    walked = play(gait, GO, 150)
    assert not gait.standing
    halted = play(gait, Command(), 80)
    assert gait.standing
    assert gait.stopping_time == 0.75
    steps = np.abs(np.diff(np.concatenate([walked, halted]), axis=0)).max(axis=1)
    assert steps.max() < 0.12
    np.testing.assert_allclose(halted[-1], WaveModel(NAO, SMOOTH).angles(0.0, fraction=0.0), atol=1e-9)
    place = gait.position[0]
    play(gait, GO, 100)
    assert gait.position[0] > place


def test_the_exact_gait_ends_with_its_cycle_in_the_first_pose() -> None:
    gait = WaveGait(NAO, WaveParameters.of({"T": 0.9}, EXACT), "exact", 0.1, FIRST)
    play(gait, GO, 130)
    end = play(gait, Command(), 50 + round(CHANGE_TIME / 0.01) + 5)
    assert gait.standing
    last_sample = WaveModel(NAO, gait.parameters, "exact").cycle()[SAMPLES - 1]
    np.testing.assert_allclose(end[48], last_sample, atol=1e-9)
    np.testing.assert_allclose(end[-1], FIRST, atol=1e-9)
    assert gait.stopping_time == pytest.approx(0.9 + CHANGE_TIME)


def test_parameters_change_as_it_runs_without_a_jump() -> None:
    gait = smooth_gait()
    before = play(gait, GO, 200)
    new = WaveParameters.of({"T": SMOOTH.period * 1.3, "s_k": SMOOTH.knee_shift + 5.0}, SMOOTH)
    gait.set_parameters(new)
    after = play(gait, GO, 100)
    assert gait.parameters == new
    usual = np.abs(np.diff(before, axis=0)).max()
    assert np.abs(after[0] - before[-1]).max() < 1.5 * usual
    phase = 2.0 / SMOOTH.period + 1.0 / new.period
    np.testing.assert_allclose(after[-1], WaveModel(NAO, new).angles(phase * new.period), atol=1e-9)


def test_speed_sets_the_stride_the_swing_and_the_reckoning() -> None:
    full, half = smooth_gait(), smooth_gait()
    play(full, GO, 400)
    play(half, Command(vx=0.05), 400)
    assert (full.stride, half.stride) == (1.0, 0.5)
    assert half.position[0] == pytest.approx(full.position[0] / 2)
    assert full.max_speed == 0.1
    column = NAO.joint_names.index("LHipPitch")
    swings = [np.ptp([gait.advance(0.01)[column] for _ in range(100)]) for gait in (full, half)]
    assert swings[1] == pytest.approx(swings[0] / 2, rel=1e-6)


def test_a_guess_of_the_speed() -> None:
    parameters = WaveParameters.of({"T": 1.0, "A_h": 22.0}, SMOOTH)
    assert speed_guess(parameters) == pytest.approx(2 * 0.2 * math.radians(24.0))
    assert speed_guess(WaveParameters.of({"A_h": 0.0}, SMOOTH)) == 1e-3


@pytest.mark.parametrize("command", [Command(wz=0.1), Command(vx=-0.1), Command(vx=0.1, wz=0.1), Command(vy=0.1)])
def test_other_ways_are_refused(command: Command) -> None:
    with pytest.raises(BadInput, match="gait 'wave' only goes straight ahead"):
        smooth_gait().update(FELT, command, 0.01)


def test_it_is_a_way_to_walk_of_the_nao() -> None:
    assert "wave" in gait_names(NAO)
    ready = prepare(NAO, Request("wave"))
    check_walker(ready.walker, NAO, "wave")
    assert ready.gait == "wave"
    assert ready.walker.max_speed == default_gait("smooth").speed
    assert ready.pose == NAO.complete(NAO.pose("StandInit"))
    exact = prepare(NAO, Request("wave", parameters={"variant": "exact", "T": 1.0})).walker
    assert isinstance(exact, WaveGait)
    assert (exact.variant, exact.parameters.period) == ("exact", 1.0)
    assert exact.max_speed == speed_guess(exact.parameters)
    ten = {name: value for name, value in EXACT.symbols().items() if name in TEN}
    told = prepare(NAO, Request("wave", parameters={**ten, "speed": 0.07})).walker
    assert isinstance(told, WaveGait)
    assert (told.variant, told.parameters, told.max_speed) == ("exact", EXACT, 0.07)


@pytest.mark.parametrize(
    ("parameters", "kind", "message"),
    [
        ({"variant": "round"}, UnknownName, "no wave variant 'round'"),
        ({"variant": 3}, BadInput, "variant is a word, exact or smooth, got 3"),
        ({"speed": "fast"}, BadInput, "speed is a number of m/s, got 'fast'"),
        ({"speed": 0.0}, BadInput, "must be > 0 m/s, got 0"),
        ({"stride": 1.0}, UnknownName, "no wave parameter 'stride'"),
    ],
)
def test_bad_requests_are_told(parameters: dict[str, Any], kind: type[AndanteError], message: str) -> None:
    with pytest.raises(kind, match=message):
        prepare(NAO, Request("wave", parameters=parameters))


def test_it_walks_where_it_is_told() -> None:
    outcome = walk("nao", gait="wave", distance=0.4)
    assert outcome.arrived
    assert not outcome.fallen
    assert outcome.distance == pytest.approx(0.4, rel=0.2)
    assert abs(outcome.drift) < 0.1 * outcome.distance + 0.01
