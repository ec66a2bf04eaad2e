"""The collision monitor: what may be driven with something ahead, beside, behind, and with sensors that fall silent."""

import numpy as np
import pytest

from andante.errors import BadInput
from andante.geometry import se2
from andante.navigation import Vehicle
from andante.navigation.collision_monitor import CollisionMonitor, MonitorSettings, edges_of, first_contact

BOX = Vehicle(np.array([[0.3, 0.2], [-0.3, 0.2], [-0.3, -0.2], [0.3, -0.2]]), max_speed=2.0, max_acceleration=2.0)
HERE = np.zeros(3)


def seeing(*points, **settings):
    monitor = CollisionMonitor(BOX, MonitorSettings(**settings))
    monitor.see("lidar", 0.0, HERE, np.array(points, dtype=float).reshape(-1, 2))
    return monitor


def test_free_space_is_left_alone():
    verdict = seeing([5.0, 0.0], [0.0, 2.0]).check(0.0, HERE, (2.0, 0.0, 0.5))
    assert verdict.action == "clear"
    assert verdict.twist.tolist() == [2.0, 0.0, 0.5]


@pytest.mark.parametrize("distance", [0.1, 0.4, 0.9, 2.0])
def test_it_can_always_stop_before_the_wall(distance):
    """At the allowed speed, latency and braking end before the wall."""
    verdict = seeing([0.3 + distance, 0.0]).check(0.0, HERE, (2.0, 0.0, 0.0))
    v = verdict.twist[0]
    assert v * 0.1 + v * v / (2 * BOX.max_acceleration) <= distance
    assert v * 0.1 + v * v / (2 * BOX.max_acceleration) >= min(0.6 * distance, 0.9) - 0.03


def test_the_bend_stays_when_it_slows_down():
    verdict = seeing([0.8, 0.1]).check(0.0, HERE, (1.5, 0.0, 0.6))
    assert verdict.action == "approach"
    assert verdict.twist[2] / verdict.twist[0] == pytest.approx(0.4)


def test_at_a_wall_it_may_leave_but_not_go_on():
    monitor = seeing([0.305, 0.0])
    assert monitor.check(0.0, HERE, (0.3, 0.0, 0.0)).action == "stop"
    assert monitor.check(0.0, HERE, (-0.3, 0.0, 0.0)).twist[0] == -0.3
    beside = seeing([0.25, 0.205])
    assert beside.check(0.0, HERE, (0.0, 0.0, 0.5)).action == "stop"  # its corner would sweep over it
    assert beside.check(0.0, HERE, (0.3, 0.0, 0.0)).twist[0] == 0.3


def test_something_near_makes_it_slow():
    verdict = seeing([0.0, 0.23]).check(0.0, HERE, (2.0, 0.0, 0.0))
    assert verdict.action == "slow"
    assert verdict.twist[0] == pytest.approx(0.6 * 2.0)


def test_points_stay_where_they_were_seen_while_the_robot_moves():
    monitor = seeing([1.3, 0.0])
    free = monitor.check(0.0, HERE, (0.5, 0.0, 0.0))
    near = monitor.check(0.4, (0.92, 0.0, 0.0), (0.5, 0.0, 0.0))
    away = monitor.check(0.4, (0.92, 0.0, np.pi), (0.5, 0.0, 0.0))
    assert (free.action, near.action, away.action) == ("clear", "approach", "clear")


def test_echoes_of_the_robot_itself_do_not_count():
    assert seeing([0.2, 0.0], [0.0, 0.1]).check(0.0, HERE, (1.0, 0.0, 0.0)).action == "clear"


def test_a_lidar_that_falls_silent_stops_it_until_it_is_back():
    monitor = seeing([5.0, 0.0])
    blind = monitor.check(1.5, HERE, (0.5, 0.0, 0.0))
    assert (blind.action, blind.twist.tolist()) == ("blind", [0.0, 0.0, 0.0])
    assert "lidar has told nothing for 1.5 s" in blind.words
    assert monitor.check(1.5, HERE, (0.0, 0.0, 0.0)).action == "clear"  # who stands need not be told
    monitor.see("lidar", 1.6, HERE, np.zeros((0, 2)))
    assert monitor.check(1.7, HERE, (0.5, 0.0, 0.0)).action == "clear"


def test_bumpers_lie_on_the_edge():
    assert CollisionMonitor(BOX).on_edge((0.25, 0.0)).tolist() == pytest.approx([0.3, 0.0])
    assert CollisionMonitor(BOX).on_edge((0.5, 0.0)).tolist() == [0.5, 0.0]


def test_settings_are_checked():
    with pytest.raises(BadInput, match="latency must be a finite number"):
        MonitorSettings(latency=float("nan"))


def swept(point, twist, horizon, margin):
    """When a point first lies within a margin of the box that moves by a twist: looked at plainly, every 0.2 ms."""
    t = np.arange(0.0, horizon, 2e-4)
    at = se2.exp(np.outer(t, twist))
    x, y = se2.transform(se2.inverse(at), np.array(point)).T
    touched = np.maximum(np.abs(x) - 0.3, np.abs(y) - 0.2) < margin
    return t[touched.argmax()] if touched.any() else np.inf


@pytest.mark.parametrize(
    "twist", [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.01), (0.8, 0.0, 1.5), (0.0, 0.0, -2.0), (0.5, -0.7, 0.4)]
)
def test_contacts_are_those_of_a_plain_sweep(twist):
    rng = np.random.default_rng(1)
    edges, here, twist = edges_of(BOX.footprint), np.array([1.0, -2.0, 2.5]), np.array(twist, dtype=float)
    touched = 0
    for point in rng.uniform(-1.2, 1.2, (150, 2)) * [1.0, 0.5]:
        if max(abs(point[0]) - 0.3, abs(point[1]) - 0.2) < 0.02:
            continue  # it lies within the margin already
        seen = se2.transform(here, point)[None]
        found, _ = first_contact(seen, HERE, here, edges, BOX.circumscribed, 0.01, 0.05, 0.03, twist, 0.9)
        plain = swept(point, twist, 0.9, 0.01)
        touched += np.isfinite(plain)
        step = 0.03 / (np.hypot(*twist[:2]) + abs(twist[2]) * BOX.circumscribed)  # at most this much too early [s]
        assert plain - step - 1e-3 <= found <= plain + 1e-3 or (np.isinf(plain) and found > 0.9 - step)
    assert touched > 3


def test_what_is_not_finite_is_no_point():
    verdict = seeing([np.nan, 0.0], [np.inf, -np.inf], [0.0, np.nan]).check(0.0, HERE, (1.0, 0.0, 0.0))
    assert verdict.action == "clear"
