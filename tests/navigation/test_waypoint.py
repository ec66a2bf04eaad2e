"""The waypoint controller of the rover: throttle by distance, steering by bearing, pulses, arrival."""

import math

import numpy as np
import pytest

from andante.errors import BadInput
from andante.navigation import (
    MotionState,
    Path,
    Pulses,
    WaypointDriver,
    WaypointSettings,
    pulses_of,
    twist_of,
    waypoint_command,
)

from .samples import BOX, CAR, costmap


def test_throttle_and_steering_follow_the_gains():
    s = WaypointSettings()
    ahead = waypoint_command((0, 0, 0), (0.5, 0.0))
    assert ahead.throttle == pytest.approx(0.8 * 0.5)
    assert (ahead.steering, ahead.bearing, ahead.arrived) == (0.0, 0.0, False)
    assert ahead.pulses == Pulses(1500 + 500 * 0.4, 1500)
    far = waypoint_command((0, 0, 0), (5.0, 0.5))
    assert far.throttle == s.most_throttle
    assert far.steering == pytest.approx(1.5 * math.atan2(0.5, 5.0))
    left = waypoint_command((0, 0, math.pi), (0.0, -2.0))
    assert left.bearing == pytest.approx(math.pi / 2)
    assert left.steering == 1.0
    near = waypoint_command((0, 0, 0), (0.2, 0.1))
    assert near.arrived
    assert near.pulses == Pulses(1500, 1500)


def test_pulses_become_twists():
    np.testing.assert_allclose(twist_of(pulses_of(1.0, 1.0, WaypointSettings()), CAR), [1.0, 0.0, 1.0 / 0.8])
    np.testing.assert_allclose(twist_of(Pulses(1250, 1500), CAR), [-0.25, 0.0, 0.0])
    assert twist_of(Pulses(9999, 1500), CAR)[0] == CAR.max_speed
    half = twist_of(pulses_of(0.5, 0.5, WaypointSettings()), CAR)
    lock = math.atan(0.33 / 0.8)
    assert half[2] == pytest.approx(0.5 * math.tan(lock / 2) / 0.33)
    assert twist_of(pulses_of(0.5, 1.0, WaypointSettings()), BOX)[2] == pytest.approx(BOX.max_turn)


@pytest.mark.parametrize("goal", [(1.7, 0.0), (0.0, 1.7), (1.7, -1.4), (2.0, 0.0), (1.0, 1.5)])
def test_the_car_arrives_within_a_quarter_meter(goal):
    driver = WaypointDriver(CAR)
    m = costmap(np.zeros((80, 80), dtype=np.int8), CAR, resolution=0.1, origin=(-4.0, -4.0, 0.0))
    path = Path.through(np.linspace([0.0, 0.0], goal, 20))
    pose = np.array([0.0, 0.0, math.atan2(goal[1], goal[0]) + 0.4])
    for k in range(600):
        decision = driver.plan(MotionState(pose, np.zeros(3), 0.05 * k), path, m)
        vx, _, w = decision.velocity
        assert abs(w) <= abs(vx) / CAR.turning_radius + 1e-9
        pose = pose + 0.05 * np.array([math.cos(pose[2]) * vx, math.sin(pose[2]) * vx, w])
        if decision.reason == "the last waypoint is reached":
            break
    assert np.hypot(*(pose[:2] - goal)) <= 0.26
    assert vx == 0


def test_words():
    with pytest.raises(BadInput, match="finite pose"):
        waypoint_command((0, 0, math.nan), (1, 1))
    with pytest.raises(BadInput, match="gains"):
        WaypointSettings(throttle_gain=0.0)
    with pytest.raises(BadInput, match="least_throttle"):
        WaypointSettings(least_throttle=0.9, most_throttle=0.5)


def test_a_waypoint_inside_the_turning_circle_is_driven_away_from_until_it_is_outside():
    settings = WaypointSettings(turning_radius=1.0)
    beside = waypoint_command((0.0, 0.0, 0.0), (0.1, 0.8), settings)
    assert beside.away
    assert beside.steering == 0.0
    border = (-0.5, 1.0 + math.sqrt(1.05**2 - 0.5**2) - 1e-3)  # 1.05 radii from the center of the circle to the left
    assert not waypoint_command((0.0, 0.0, 0.0), border, settings).away
    assert waypoint_command((0.0, 0.0, 0.0), border, settings, away=True).away
    assert not waypoint_command((0.0, 0.0, 0.0), (0.1, 0.8)).away
