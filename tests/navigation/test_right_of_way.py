"""Right of way: who meets whom in narrow places, who goes first, and where the other one waits."""

import math

import numpy as np
import pytest

from andante.errors import BadInput
from andante.mapping import OccupancyGrid
from andante.navigation import Costmap, Path, Vehicle, rectangle
from andante.navigation.right_of_way import (
    Intent,
    RoomMap,
    WaySettings,
    meeting,
    off_the_way,
    siding,
    way_of,
    yields_to,
)

SETTINGS = WaySettings()
ROBOT = Vehicle(rectangle(0.4, 0.3))
RADIUS = ROBOT.circumscribed


def two_rooms() -> OccupancyGrid:
    """8 x 4 m with a wall across the middle that has a door of 0.8 m."""
    cells = np.zeros((80, 160), dtype=np.int8)
    cells[[0, -1]], cells[:, [0, -1]] = 100, 100
    cells[:32, 78:82], cells[48:, 78:82] = 100, 100
    return OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells)


def intent(name: str, *points: tuple[float, float], before: tuple[str, ...] = (), stuck: bool = False) -> Intent:
    path = Path.through(np.array(points)).resampled(0.1)
    way = way_of(path, path.poses[0], RoomMap(two_rooms()), SETTINGS)
    return Intent(name, path.poses[0], RADIUS, way, before, stuck)


def test_robots_meet_in_the_door_and_not_in_the_open() -> None:
    east, west = intent("a", (2.0, 2.0), (6.0, 2.0)), intent("b", (7.0, 2.0), (2.0, 2.2))
    assert 1.2 < meeting(east, west, SETTINGS) < 2.0  # the door is at 4 m, its jambs are near from 3.4 m on
    assert meeting(west, east, SETTINGS) > meeting(east, west, SETTINGS)
    assert meeting(intent("a", (1.0, 2.0), (3.0, 2.0)), intent("b", (3.0, 2.0), (1.0, 2.0)), SETTINGS) == math.inf
    behind = intent("c", (1.0, 2.0), (6.0, 2.0))
    assert meeting(behind, east, SETTINGS) == math.inf  # it follows
    assert meeting(east, Intent("d", np.zeros(3), RADIUS), SETTINGS) == math.inf  # who stands wants no way


def test_the_nearer_one_goes_first_and_keeps_that() -> None:
    near, far = intent("b", (3.0, 2.0), (6.0, 2.0)), intent("a", (7.0, 2.0), (2.0, 2.0))
    assert yields_to([near, far], SETTINGS)["a"].keys() == {"b"}
    assert yields_to([near, far], SETTINGS)["b"] == {}
    kept = intent("a", (7.0, 2.0), (2.0, 2.0), before=("b",))
    assert yields_to([near, kept], SETTINGS)["b"].keys() == {"a"}
    helpless = intent("a", (7.0, 2.0), (2.0, 2.0), stuck=True)
    assert yields_to([near, helpless], SETTINGS)["b"].keys() == {"a"}


def test_nobody_waits_in_a_circle() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        intents = []
        for k in range(4):
            a, b = (rng.uniform(1, 3), rng.uniform(1, 3)), (rng.uniform(5, 7), rng.uniform(1, 3))
            ends = (a, (4.0, 2.0), b) if k % 2 else (b, (4.0, 2.0), a)
            intents.append(intent(f"r{k}", *ends))
        waits = yields_to(intents, SETTINGS)
        assert any(not first for first in waits.values())


def test_who_yields_steps_off_the_way() -> None:
    first = intent("a", (5.0, 2.0), (2.0, 2.0))
    costmap = Costmap.of(two_rooms(), ROBOT)
    here = np.array([3.0, 2.0, 0.0])
    assert not off_the_way(here, RADIUS, [first], SETTINGS)
    place = siding(here, RADIUS, [first], [], costmap, SETTINGS)
    assert place is not None
    assert off_the_way(place, RADIUS, [first], SETTINGS)
    assert np.linalg.norm(place - here[:2]) < 1.5
    assert place[0] < 4.0  # on its own side of the door
    other = Intent("c", np.array([*place, 0.0]), RADIUS)
    again = siding(here, RADIUS, [first], [other], costmap, SETTINGS)
    assert again is not None
    assert np.linalg.norm(again - place) > 2 * RADIUS


def test_settings_are_checked() -> None:
    with pytest.raises(BadInput, match="margin"):
        WaySettings(margin=-1.0)
