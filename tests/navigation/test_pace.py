"""How fast a way may be driven in the room that it has."""

import math

import numpy as np
import pytest

from andante.mapping import OccupancyGrid
from andante.navigation import Costmap, Vehicle
from andante.navigation.controllers import Margins, Surroundings
from andante.navigation.controllers.pace import BESIDE, NOTICED, SLOWEST, pace_beside
from andante.navigation.vehicle import rectangle

BOX = Vehicle(rectangle(0.4, 0.3), max_speed=2.0, stray=0.1, max_acceleration=1.5)


def pace(gap, at=1.0, vehicle=BOX):
    """Along a straight corridor that has a room of `gap` on both sides from a distance `at` on."""
    cells = np.zeros((200, 400), dtype=np.int8)
    half = 0.15 + gap
    low, high = round((2.0 - half) / 0.02), round((2.0 + half) / 0.02)
    begin = round((1.0 + at) / 0.02)
    cells[:low, begin:] = cells[high:, begin:] = 100
    costmap = Costmap.of(OccupancyGrid(0.02, (0.0, 0.0, 0.0), cells), vehicle)
    around = Surroundings(vehicle, Margins(padding=0.0))
    along = np.arange(0.0, 4.0, 0.05)
    path = np.column_stack([1.0 + along, np.full(len(along), 2.0), np.zeros(len(along)), along])
    limits = around.limits(math.inf, 1)
    return float(around.paced(limits, path, costmap)[1])


def test_an_open_way_is_driven_at_top_speed():
    assert pace(1.5) == 2.0


def test_a_narrow_place_is_passed_at_the_speed_that_its_room_allows():
    assert pace(0.12, at=0.0) == pytest.approx(0.12 / 0.1, rel=0.25)
    assert pace(0.0, at=0.0) == SLOWEST


def test_it_is_slowed_down_for_in_time():
    speeds = [pace(0.03, at=distance) for distance in (0.3, 0.6, 1.0)]
    there = max(0.03 / 0.1, SLOWEST)
    for speed, distance in zip(speeds, (0.3, 0.6, 1.0), strict=True):
        ahead = distance - 0.2  # the nose comes first
        assert speed == pytest.approx(math.sqrt(there**2 + 2 * 1.5 * ahead), rel=0.15)


def test_a_slow_robot_is_hardly_slowed_down():
    slow = Vehicle(rectangle(0.4, 0.3), max_speed=0.26, stray=0.1)
    assert pace(0.06, at=0.0, vehicle=slow) == 0.26
    assert pace(0.0, at=0.0, vehicle=slow) == 0.13


def beside(x, y, vx, vy, way=1.0, yaw=0.0):
    """For a person at x, y before a robot of one disc."""
    pose, discs = np.array([5.0, 5.0, yaw]), np.array([[0.0, 0.0, 0.2]])
    c, s = math.cos(yaw), math.sin(yaw)
    person = np.array([[5.0 + c * x - s * y, 5.0 + s * x + c * y, c * vx - s * vy, s * vx + c * vy, 0.22]])
    return pace_beside(pose, person, discs, way, 1.0, 0.1, 3.0)


@pytest.mark.parametrize(("gap", "speed"), [(0.6, 0.5), (0.8, 1.2), (1.0, 1.2)])
def test_who_turns_back_on_his_heels_meets_a_robot_that_stands(gap, speed):
    v = beside(gap + 0.42, 0.0, speed, 0.0)
    assert BESIDE < v < 1.0
    noticed = (v + speed) * (NOTICED + 0.1)
    assert noticed + v * v / 6.0 + speed * v / 3.0 == pytest.approx(gap)


def test_nearer_ones_are_passed_slowly_and_those_beside_and_behind_do_not_count():
    assert beside(0.5, 0.0, 1.2, 0.0) == BESIDE
    assert beside(0.0, 0.6, 0.0, 1.2) == beside(-0.6, 0.0, 1.2, 0.0) == beside(3.0, 0.0, -1.2, 0.0) == 1.0
    assert beside(-0.6, 0.0, -1.2, 0.0, way=-1.0) == pytest.approx(beside(0.6, 0.0, 1.2, 0.0))
    assert beside(0.9, 0.2, 1.0, 0.0, yaw=2.0) == pytest.approx(beside(0.9, 0.2, 1.0, 0.0))
