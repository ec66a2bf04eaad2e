"""The waves: exact ones equal the published formulas, smooth ones have no jumps, parameters are checked."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from andante.description import load_robot
from andante.errors import AndanteError, BadInput, UnknownName
from andante.locomotion.wave.gait import envelope, playback
from andante.locomotion.wave.model import (
    EXTRA,
    SAMPLES,
    SYMBOLS,
    TEN,
    VARIANTS,
    WaveModel,
    WaveParameters,
    default_gait,
)

from .reference import near_an_edge, reference

NAO = load_robot("nao")
PLAIN = {
    "T": 0.9, "A_h": 20.0, "s_h": -30.0, "A_k": 25.0, "f_k": 0.4, "s_k": 42.1, "A_a": 7.5, "f_a": -0.3, "s_a": -21.4,
    "b": 38.3,
}  # fmt: skip


def number(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False)


TENS = st.fixed_dictionaries(
    {
        "T": number(0.3, 3.0),
        "A_h": number(-62, 62),
        "s_h": number(-100, 25),
        "A_k": number(-65, 65),
        "f_k": number(-7, 7),
        "s_k": number(0, 130),
        "A_a": number(-60, 60),
        "f_a": number(-4, 4),
        "s_a": number(-75, 35),
        "b": number(0, 100),
    }
)


@settings(max_examples=150, deadline=None)
@given(TENS, st.lists(number(0.0, 10.0), min_size=1, max_size=6))
def test_exact_waves_are_the_published_formulas(values: dict[str, float], times: list[float]) -> None:
    assume(not any(near_an_edge(values, t) for t in times))
    angles = WaveModel(NAO, WaveParameters.of(values), "exact").angles(times)
    for row, t in zip(angles, times, strict=True):
        wanted = NAO.complete({name: math.radians(value) for name, value in reference(values, t).items()})
        np.testing.assert_allclose(row, [wanted[name] for name in NAO.joint_names], rtol=0, atol=1e-9)


def test_the_hip_is_a_flat_pulse_in_a_sine() -> None:
    model = WaveModel(NAO, WaveParameters.of(PLAIN), "exact")
    column = NAO.joint_names.index("RHipPitch")
    inside, outside = ((x + 1.5) * PLAIN["T"] / (2 * math.pi) for x in (0.9 * math.pi, 1.5 * math.pi))
    assert math.degrees(model.angles(inside)[column]) == pytest.approx(-10.0)
    assert math.degrees(model.angles(outside)[column]) == pytest.approx(-30.0 - 20.0 * 6 / 11)


def test_shapes_follow_time() -> None:
    model = WaveModel(NAO, WaveParameters.of(PLAIN))
    assert model.angles(0.3).shape == (26,)
    assert model.angles(np.zeros((2, 3))).shape == (2, 3, 26)
    np.testing.assert_array_equal(model.angles([0.1, 0.2])[1], model.angles(0.2))


@pytest.mark.parametrize("variant", VARIANTS)
def test_joints_without_a_wave_rest(variant: str) -> None:
    model = WaveModel(NAO, WaveParameters.of(PLAIN), variant)
    angles = model.angles(np.linspace(0, 2, 50))
    others = [k for k, name in enumerate(NAO.joint_names) if name not in model.joints.joints]
    assert "LHipYawPitch" in [NAO.joint_names[k] for k in others]
    assert not angles[:, others].any()


@settings(max_examples=60, deadline=None)
@given(TENS, number(-3, 3), number(0.15, 0.8), number(0, 1.4), number(0, 1))
def test_smooth_waves_have_neither_jumps_nor_kinks(
    values: dict[str, float], roll: float, fraction: float, level: float, pulse: float
) -> None:
    parameters = WaveParameters.of({**values, "f_r": roll, "w_k": fraction, "c_a": level, "p_h": pulse})
    model = WaveModel(NAO, parameters)
    slopes = []
    for count in (2000, 4000):
        t = np.arange(count + 1) * parameters.period / count
        slope = np.diff(model.angles(t), axis=0) * count  # per cycle
        slopes.append(np.abs(np.diff(slope, axis=0)).max())
    assert slopes[1] < 0.6 * slopes[0] + 1e-6  # a kink would leave its size, a jump would double it
    np.testing.assert_allclose(model.angles(0.123), model.angles(0.123 + parameters.period), atol=1e-9)


def test_the_exact_hip_does_jump() -> None:
    t = np.linspace(0, PLAIN["T"], 4001)
    steps = {
        variant: np.abs(np.diff(WaveModel(NAO, WaveParameters.of(PLAIN), variant).angles(t), axis=0)).max()
        for variant in VARIANTS
    }
    assert steps["exact"] > math.radians(5)
    assert steps["smooth"] < math.radians(0.2)


def test_both_smooth_legs_do_the_same_half_a_cycle_apart() -> None:
    parameters = default_gait("smooth").parameters
    model, half = WaveModel(NAO, parameters), parameters.period / 2
    t = np.linspace(0, 1, 23)
    names = NAO.joint_names
    for part in ("HipPitch", "KneePitch", "AnklePitch"):
        right, left = (names.index(side + part) for side in "RL")
        np.testing.assert_allclose(model.angles(t)[:, right], model.angles(t + half)[:, left], atol=1e-9)
    for part in ("HipRoll", "AnkleRoll"):
        right, left = (names.index(side + part) for side in "RL")
        np.testing.assert_allclose(model.angles(t)[:, right], -model.angles(t + half)[:, left], atol=1e-9)


def test_leveling_keeps_the_foot_as_it_stands() -> None:
    parameters = WaveParameters.of({**PLAIN, "A_a": 0.0, "c_a": 1.0})
    angles = WaveModel(NAO, parameters).angles(np.linspace(0, 2, 40))
    names = NAO.joint_names
    foot = sum(angles[:, names.index("R" + part)] for part in ("HipPitch", "KneePitch", "AnklePitch"))
    np.testing.assert_allclose(foot, math.radians(-30.0 + 42.1 - 21.4), atol=1e-12)


def test_fractions_scale_the_swings() -> None:
    model = WaveModel(NAO, WaveParameters.of(PLAIN))
    stand = model.angles([0.1, 0.4], fraction=0.0)
    np.testing.assert_array_equal(stand[0], stand[1])
    assert math.degrees(stand[0][NAO.joint_names.index("LKneePitch")]) == pytest.approx(42.1)
    whole, half = model.angles(0.3), model.angles(0.3, fraction=0.5)
    np.testing.assert_allclose(half, (whole + stand[0]) / 2, atol=1e-12)
    flat = model.angles(0.3, stride=0.0)
    column = NAO.joint_names.index("LHipPitch")
    assert flat[column] == stand[0][column] != whole[column]
    column = NAO.joint_names.index("LKneePitch")
    assert flat[column] == whole[column]


def test_exact_playback_holds_eighteen_samples() -> None:
    parameters = WaveParameters.of(PLAIN | {"T": 0.6})
    assert parameters.hold == 0.033  # 33.3 ms, cut
    model = WaveModel(NAO, parameters, "exact")
    played = playback(model, np.zeros(26), 1.0)
    np.testing.assert_allclose(played.times[:4], [0.0, 0.033, 0.066, 0.099])
    np.testing.assert_allclose(played.cycles, [0.0, 0.594])
    assert len(played.times) == math.ceil(1.0 / 0.033)
    np.testing.assert_array_equal(played.targets[0], model.angles(0.6 / 18))
    np.testing.assert_array_equal(played.targets[18], played.targets[0])
    np.testing.assert_array_equal(played.targets[17], model.angles(0.6))
    assert len(model.cycle()) == SAMPLES


def test_smooth_playback_leaves_the_first_pose_softly_and_ends_in_a_stand() -> None:
    model = WaveModel(NAO, WaveParameters.of(PLAIN | {"ramp": 0.8}))
    first = np.linspace(-0.1, 0.1, 26)
    played = playback(model, first, 4.0, stop=True)
    assert len(played.times) == 400
    np.testing.assert_allclose(played.targets[0], first, atol=1e-4)
    np.testing.assert_allclose(played.targets[150], model.angles(1.51), atol=1e-12)
    np.testing.assert_allclose(played.targets[-1], model.angles(0.0, fraction=0.0), atol=1e-4)
    jerky = np.abs(np.diff(played.targets, n=2, axis=0)).max()
    steady = np.abs(np.diff(model.angles(played.times), n=2, axis=0)).max()
    assert jerky < 1.2 * steady


def test_an_envelope_without_a_ramp_is_a_step() -> None:
    np.testing.assert_array_equal(envelope(np.array([0.0, 0.01, 1.0]), 0.0), [0.0, 1.0, 1.0])
    np.testing.assert_allclose(envelope(np.array([-1.0, 0.5, 2.0]), 1.0), [0.0, 0.5, 1.0])


def test_symbols_go_there_and_back() -> None:
    parameters = WaveParameters.of(PLAIN | {"f_r": 0.3})
    assert WaveParameters.of(parameters.symbols()) == parameters
    assert WaveParameters.of({"T": 1.1}, parameters) == replace(parameters, period=1.1)
    assert (*TEN, *EXTRA) == tuple(SYMBOLS)
    assert parameters.vector[0] == 0.9
    assert not parameters.vector.flags.writeable


@pytest.mark.parametrize(
    ("values", "kind", "message"),
    [
        ({"T": 0.0}, BadInput, "T must lie from 0.05 to 60"),
        ({"T": math.nan}, BadInput, "T must be a finite number"),
        ({"A_h": "big"}, BadInput, "A_h must be a number, got 'big'"),
        ({"A_h": True}, BadInput, "A_h must be a number, got True"),
        ({"b": math.inf}, BadInput, "b must be a finite number"),
        ({"w_k": 0.0}, BadInput, "w_k must lie from 0.02 to 1"),
        ({"ramp": -1.0}, BadInput, "ramp must lie from 0 to 60"),
        ({"A_x": 1.0}, UnknownName, "no wave parameter 'A_x'; choices: T, A_h"),
    ],
)
def test_bad_parameters_are_told(values: dict[str, Any], kind: type[AndanteError], message: str) -> None:
    with pytest.raises(kind, match=message):
        WaveParameters.of(PLAIN | values)


def test_a_missing_parameter_is_told() -> None:
    with pytest.raises(BadInput, match="parameter s_k is missing; a wave gait needs T, A_h"):
        WaveParameters.of({name: value for name, value in PLAIN.items() if name != "s_k"})


def test_other_robots_and_variants_are_refused() -> None:
    with pytest.raises(BadInput, match="'waffle' has no joint 'RHipPitch'"):
        WaveModel(load_robot("waffle"), WaveParameters.of(PLAIN))
    with pytest.raises(UnknownName, match="'round'; choices: exact, smooth"):
        WaveModel(NAO, WaveParameters.of(PLAIN), "round")
    with pytest.raises(UnknownName, match="'round'; choices: exact, smooth"):
        default_gait("round")
    with pytest.raises(BadInput, match="played for up to 3600 s, got 0"):
        playback(WaveModel(NAO, WaveParameters.of(PLAIN)), np.zeros(26), 0.0)
