"""Zones of a map: robots keep out, go slowly and prefer lanes; zones that close every way are told."""

import math

import numpy as np
import pytest

from andante.errors import BadInput, UnknownName
from andante.geometry.polygon import inside
from andante.mapping import OccupancyGrid
from andante.mapping.repair import repaint, without_specks
from andante.navigation import (
    AStar,
    LayeredCostmap,
    Navigator,
    NavigatorInput,
    NavigatorSettings,
    State,
    Vehicle,
    rectangle,
)
from andante.navigation.zones import Zone, covered, speed_limit

ROBOT = Vehicle(rectangle(0.4, 0.3), max_speed=1.0)


def box(x0: float, y0: float, x1: float, y1: float) -> tuple[tuple[float, float], ...]:
    return ((x0, y0), (x1, y0), (x1, y1), (x0, y1))


def room() -> OccupancyGrid:
    cells = np.zeros((80, 160), dtype=np.int8)
    cells[[0, -1]], cells[:, [0, -1]] = 100, 100
    return OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells)  # 8 x 4 m


def path_of(layers: LayeredCostmap) -> np.ndarray:
    plan = AStar().plan([1.0, 2.0, 0.0], [7.0, 2.0, 0.0], layers.costmap)
    assert plan.path is not None, plan.reason
    return plan.path.resampled(0.05).poses


def test_points_inside_a_concave_outline() -> None:
    corner = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    assert inside([(0.5, 0.5), (1.5, 0.5), (0.5, 1.5), (1.5, 1.5), (-1, 0.5)], corner).tolist() == [
        True, True, True, False, False,
    ]  # fmt: skip
    turned = covered([Zone("slow", box(0, 0, 1, 1), speed=1)], "slow", (20, 20), 0.1, (1.0, 0.0, math.pi / 2))
    assert turned.sum() == 100  # the zone turned into the frame of the grid
    assert turned[:10, :10].all()


def test_a_path_goes_around_a_keep_out_zone_and_back_through_when_it_is_gone() -> None:
    layers = LayeredCostmap(ROBOT, room())
    zone = Zone("keep_out", box(3.0, 0.0, 5.0, 2.6), "stairs")
    assert zone.holds(path_of(layers)[:, :2]).any()
    layers.set_zones([zone])
    gaps = path_of(layers)[:, :2]
    assert not Zone("keep_out", box(2.86, -1, 5.14, 2.74)).holds(gaps).any()  # with the footprint's inner radius
    layers.set_zones([])
    assert zone.holds(path_of(layers)[:, :2]).any()


def test_preferred_lanes_are_worth_a_detour_but_not_any() -> None:
    layers = LayeredCostmap(ROBOT, room())
    layers.set_zones([Zone("preferred", box(0.5, 2.8, 7.5, 3.6))])
    lane = path_of(layers)
    assert (lane[:, 1] > 2.8).mean() > 0.5
    layers.set_zones([Zone("preferred", box(0.2, 3.7, 0.4, 3.9))])  # far off the way
    assert np.abs(path_of(layers)[:, 1] - 2.0).max() < 0.3


def test_slow_zones_limit_the_speed_in_time_to_brake() -> None:
    zone = Zone("slow", box(3, 0, 5, 4), speed=0.2)
    assert speed_limit([zone], [1.0, 2.0, 0.0], [1.0, 0.0, 0.0], 1.0) == math.inf
    assert speed_limit([zone], [2.6, 2.0, 0.0], [1.0, 0.0, 0.0], 1.0) == 0.2  # (1 - 0.04) / 2 m are needed
    assert speed_limit([zone], [2.6, 2.0, math.pi], [1.0, 0.0, 0.0], 1.0) == math.inf  # it drives away
    assert speed_limit([zone], [4.0, 2.0, 0.0], [0.0, 0.0, 0.0], 1.0) == 0.2


def drive(navigator: Navigator, seconds: float) -> tuple[np.ndarray, list[str]]:
    """A robot that does as it is told; its poses and speeds (n, 4), and what was said."""
    pose, velocity, rows, said = np.array([1.0, 2.0, 0.0]), np.zeros(3), [], []
    for k in range(round(seconds / 0.1)):
        out = navigator.update(NavigatorInput(0.1 * k, pose, velocity))
        velocity = out.velocity
        said += out.events
        c, s = math.cos(pose[2]), math.sin(pose[2])
        pose = pose + 0.1 * np.array([c * velocity[0] - s * velocity[1], s * velocity[0], velocity[2]])
        rows.append([*pose, float(velocity[0])])
        if out.state is not State.DRIVING:
            break
    return np.array(rows), said


def test_a_drive_keeps_out_and_goes_slowly() -> None:
    navigator = Navigator(ROBOT, room(), settings=NavigatorSettings(scan_timeout=math.inf))
    slow, out = Zone("slow", box(4.0, 0, 6.0, 4), speed=0.3), Zone("keep_out", box(2.5, 0.0, 3.2, 2.3), "machine")
    navigator.layers.set_zones([slow, out])
    navigator.set_goal([7.0, 2.0, math.nan])
    rows, _ = drive(navigator, 30.0)
    assert navigator.state is State.ARRIVED
    assert not out.holds(rows[:, :2]).any()
    within = slow.holds(rows[:, :2])
    assert rows[within, 3].max() <= 0.3 + 1e-9
    assert rows[~within, 3].max() > 0.6


def test_zones_that_close_every_way_are_told_at_once() -> None:
    navigator = Navigator(ROBOT, room(), settings=NavigatorSettings(scan_timeout=math.inf))
    navigator.layers.set_zones([Zone("keep_out", box(3.0, -1.0, 3.5, 5.0), "gate")])
    navigator.set_goal([7.0, 2.0, math.nan])
    rows, said = drive(navigator, 5.0)
    assert navigator.state is State.FAILED
    assert len(rows) < 5
    assert "keep-out zones close every way" in said[-1]
    assert "gate" in said[-1]


def test_zones_of_rubbish_are_refused() -> None:
    with pytest.raises(UnknownName, match="kind of zone"):
        Zone("forbidden", box(0, 0, 1, 1))
    with pytest.raises(BadInput, match="three corners"):
        Zone("keep_out", ((0, 0), (1, 1)))
    with pytest.raises(BadInput, match="speed > 0"):
        Zone("slow", box(0, 0, 1, 1))
    with pytest.raises(BadInput, match="corners lie within"):
        Zone("keep_out", ((0, 0), (1, 1), (math.nan, 0)))
    with pytest.raises(BadInput, match="drawn on a map"):
        LayeredCostmap(ROBOT).set_zones([Zone("keep_out", box(0, 0, 1, 1))])


def test_maps_are_erased_and_mended() -> None:
    cells = np.zeros((40, 40), dtype=np.int8)
    cells[10:20, 10:20], cells[30, 30], cells[5, 5:12] = 100, 100, 100
    grid = OccupancyGrid(0.1, (1.0, 0.0, 0.0), cells)
    erased = repaint(grid, [(1.9, 0.9), (3.1, 0.9), (3.1, 2.1), (1.9, 2.1)])
    assert not erased.occupied()[9:21, 9:21].any()
    assert erased.occupied()[5, 5:12].all()
    walled = repaint(grid, [(1.0, 3.5), (5.0, 3.5), (5.0, 3.8), (1.0, 3.8)], "occupied")
    assert walled.occupied()[35:38].all()
    assert (repaint(grid, [(1, 0), (2, 0), (2, 1), (1, 1)], "unknown").cells[:10, :10] == -1).all()
    clean = without_specks(grid, 3)
    assert not clean.occupied()[30, 30]
    assert clean.occupied().sum() == grid.occupied().sum() - 1
    with pytest.raises(UnknownName, match="state"):
        repaint(grid, [(0, 0), (1, 0), (1, 1)], "gone")
