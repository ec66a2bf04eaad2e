"""How fast a way may be driven in the room that it has."""

import math

import numpy as np
import pytest

from andante.mapping import OccupancyGrid
from andante.navigation import Costmap, Vehicle
from andante.navigation.controllers import Margins, Surroundings
from andante.navigation.controllers.pace import SLOWEST
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
