"""The capture point by hand, the step rule at its border, and what is no fall."""

import math

import numpy as np
import pytest

import andante as an
from andante.errors import BadInput
from andante.locomotion.falls.detector import FallDetector, FallRules, load_fraction
from andante.locomotion.rigs.rig import root_from_imu

from .samples import NAO, felt

DT = 0.01


def run(detector, seconds, **reading):
    for k in range(round(seconds / DT)):
        state = detector.update(felt(k * DT, **reading), DT)
    return state


def test_standing_still_is_no_fall():
    state = run(FallDetector(NAO), 1.0)
    assert not state.falling
    assert state.outside < -0.04
    assert state.tilt < 0.01
    assert state.omega == pytest.approx(math.sqrt(9.81 / 0.278), rel=0.02)


def test_capture_point_of_a_turning_body():
    detector = FallDetector(NAO, FallRules(slack=0.0))
    still = run(detector, 0.5)
    rate = 0.3
    state = detector.update(felt(0.5, pitch=0.0, gyro=(0.0, rate)), 1e-6)  # too short to tilt
    center, soles = detector.balance.at(felt(0.0).position)
    height = center[2] - min(points[:, 2].min() for points in soles)
    lever = (center - np.mean([points.mean(axis=0) for points in soles], axis=0))[2]
    assert state.capture[0] - still.capture[0] == pytest.approx(rate * lever / math.sqrt(9.81 / height), rel=1e-3)
    assert state.capture[1] == pytest.approx(still.capture[1], abs=1e-6)


@pytest.mark.parametrize(
    ("roll", "pitch", "gyro", "direction"),
    [
        (0.0, 0.5, (0.0, 1.0), "front"),
        (0.0, -0.5, (0.0, -1.0), "back"),
        (-0.7, 0.0, (-1.0, 0.0), "left"),
        (0.7, 0.0, (1.0, 0.0), "right"),
    ],
)
def test_tipping_bodies_fall_that_way(roll, pitch, gyro, direction):
    state = run(FallDetector(NAO, FallRules(step_reach=0.0)), 0.3, roll=roll, pitch=pitch, gyro=gyro)
    assert state.falling
    assert state.direction == direction
    assert state.outside > 0


def test_a_step_catches_up_to_its_reach():
    """d exp(omega T) = r is the border; just inside is no fall, just outside is one."""
    probe = run(FallDetector(NAO), 0.3, pitch=0.45)
    assert probe.outside > 0.01
    reach = (probe.outside - 0.01) * math.exp(probe.omega * 0.2)
    for fraction, falls in ((1.05, False), (0.95, True)):
        assert run(FallDetector(NAO, FallRules(step_reach=fraction * reach)), 0.3, pitch=0.45).falling is falls


def test_patience_and_certainty():
    detector = FallDetector(NAO, FallRules(step_reach=0.0, patience=0.1))
    assert not run(detector, 0.09, pitch=0.6).falling
    assert run(detector, 0.05, pitch=0.6).falling
    assert run(FallDetector(NAO, FallRules(step_reach=10.0)), 0.02, pitch=0.85).falling  # beyond certain_lean at once


def test_a_lean_over_the_feet_is_no_fall():
    assert not run(FallDetector(NAO, FallRules(step_reach=0.0)), 0.5, pitch=0.1).falling


def test_a_foot_that_lifts_makes_no_jump():
    """When a body rolls over one foot the other leaves the support; no velocity may come from that."""
    detector, drifts = FallDetector(NAO), []
    for k in range(60):
        state = detector.update(felt(k * DT, roll=0.6 * k / 60, gyro=(0.6, 0.0)), DT)
        drifts.append(np.linalg.norm(detector._drift))
    assert max(drifts) < 1e-9  # the joints did not move
    assert state.direction == "right"


def test_load_fraction():
    assert load_fraction({}, 50.0) != load_fraction({}, 50.0)  # NaN
    assert load_fraction({"a": np.array([10.0, 5.0]), "b": np.array([10.0])}, 50.0) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("rules", "said"),
    [({"patience": -1.0}, "patience"), ({"step_reach": math.nan}, "step_reach"), ({"certain_lean": 0.1}, "certain")],
)
def test_rules_are_checked(rules, said):
    with pytest.raises(BadInput, match=said):
        FallRules(**rules)


def test_without_an_imu():
    with pytest.raises(BadInput, match="no IMU"):
        root_from_imu(an.robot("shell").__class__(name="bare", links=an.robot("shell").links[:1], joints=()))
