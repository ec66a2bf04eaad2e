"""The layered costmap: marking, clearing, forgetting, rolling, and the incremental update against a full one."""

import math

import numpy as np
import pytest

from andante.errors import BadInput
from andante.mapping import OccupancyGrid, Scan
from andante.navigation import Inflation, LayeredCostmap, LayerSettings
from andante.navigation.costmap import inflate

from .samples import BOX, room
from .world2d import World, cast

ANGLES = np.linspace(-math.pi, math.pi, 360, endpoint=False)


def scan_of(world, pose, time=0.0, most=8.0):
    ranges = cast(pose[0], pose[1], pose[2] + ANGLES, world.all_discs(time), world.segments, most)
    return Scan(time, ranges, -math.pi, 2 * math.pi / 360, 0.02, most)


def test_marks_what_is_there_and_frees_what_is_seen():
    layers = LayeredCostmap(BOX)
    world = World(np.array([[2.0, 0.5, 0.3]]))
    layers.update((0.0, 0.0, 0.4), scan_of(world, (0.0, 0.0, 0.4)))
    m = layers.costmap
    assert m.cost[m.cell_of((1.72, 0.43))] in (253, 254)
    assert m.cost[m.cell_of((-2.0, -1.0))] == 0
    assert m.cost[m.cell_of((4.0, 1.0))] == 255  # behind the disc
    rows, cols = np.nonzero(m.cost == 254)
    places = m.point_of(np.column_stack([rows, cols]))
    assert np.abs(np.hypot(*(places - [2.0, 0.5]).T) - 0.3).max() < 0.04


def test_a_thing_that_leaves_is_cleared_by_beams():
    layers = LayeredCostmap(BOX)
    pose = (0.0, 0.0, 0.0)
    there, away = World(np.array([[2.0, 0.0, 0.2]])), World(np.array([[2.0, 3.0, 0.2]]))
    for k in range(5):
        layers.update(pose, scan_of(there, pose, 0.1 * k))
    assert (layers.costmap.cost == 254).sum() > 3
    for k in range(5, 10):
        layers.update(pose, scan_of(away, pose, 0.1 * k))
    m = layers.costmap
    rows, cols = np.nonzero(m.cost == 254)
    assert (m.point_of(np.column_stack([rows, cols]))[:, 1] > 2.5).all()


def test_the_incremental_update_equals_a_full_one():
    rng = np.random.default_rng(3)
    cells = room(8, 6)
    layers = LayeredCostmap(BOX, OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells))
    for k in range(8):
        world = World(np.column_stack([rng.uniform(0.5, 5.5, (4, 2)), np.full(4, 0.2)]))
        pose = np.array([rng.uniform(1, 7), rng.uniform(1, 5), rng.uniform(-3, 3)])
        layers.update(pose, scan_of(world, pose, 0.1 * k, 3.0))
        again = inflate(layers._state, 0.05, (0.0, 0.0, 0.0), BOX, layers.settings.inflation)
        np.testing.assert_array_equal(layers.costmap.cost, again.cost)
        np.testing.assert_array_equal(layers.costmap.distance, again.distance)


def test_obstacles_out_of_sight_are_forgotten_after_a_while():
    layers = LayeredCostmap(BOX, settings=LayerSettings(decay=2.0))
    pose, behind = (0.0, 0.0, 0.0), World(np.array([[-2.0, 0.0, 0.2]]))
    layers.update(pose, scan_of(behind, pose, 100.0))
    for time in (101.0, 103.0):
        front = Scan(time, np.full(10, np.inf), -0.2, 0.04, 0.02, 8.0)  # looks elsewhere
        layers.update(pose, front)
        assert (layers.costmap.cost == 254).any() == (time < 102.0)


def test_what_was_not_seen_lately_is_forgotten_and_becomes_unknown():
    layers = LayeredCostmap(BOX)
    pose, behind = (0.0, 0.0, 0.0), World(np.array([[-2.0, 0.0, 0.2]]))
    assert layers.forget(1.0) == 0  # before any scan
    layers.update(pose, scan_of(behind, pose, 100.0))
    m = layers.costmap
    rows, cols = np.nonzero(m.cost == 254)
    layers.update(pose, Scan(105.0, np.full(10, 2.0), -0.2, 0.04, 0.02, 8.0))  # a thing ahead
    assert layers.forget(4.0) == len(rows)
    cost = layers.costmap.cost
    assert (cost[rows, cols] == 255).all()  # no beam has passed there
    ahead = layers.costmap.cell_of((2.0, 0.0))
    assert cost[ahead] == 254


def test_the_map_stays_and_clear_forgets_the_rest():
    layers = LayeredCostmap(BOX, OccupancyGrid(0.05, (0.0, 0.0, 0.0), room(6, 6)))
    before = layers.costmap.cost.copy()
    pose = (3.0, 3.0, 0.0)
    layers.update(pose, scan_of(World(np.array([[4.0, 3.0, 0.2], [1.0, 3.0, 0.2]])), pose))
    layers.clear((4.0, 3.0), 0.8)
    m = layers.costmap
    assert m.cost[m.cell_of((3.82, 3.0))] == 0
    assert m.cost[m.cell_of((1.18, 3.0))] == 254
    layers.clear()
    np.testing.assert_array_equal(layers.costmap.cost, before)


def test_the_window_rolls_with_the_robot_and_remembers():
    layers = LayeredCostmap(BOX, settings=LayerSettings(window=8.0))
    world = World(np.array([[2.0, 1.0, 0.2]]))
    for x in np.linspace(0.0, 3.0, 16):
        layers.update((x, 0.0, 0.0), scan_of(world, (x, 0.0, 0.0), float(x)))
    m = layers.costmap
    assert m.origin[0] > -4.0
    assert m.cost[m.cell_of((2.0, 0.82))] == 254
    assert m.inside(m.cell_of((6.2, 0.0)))
    layers.center((100.0, 100.0))
    assert (layers.costmap.cost == 255).all()


def test_odd_scans_do_no_harm():
    layers = LayeredCostmap(BOX)
    before = layers.costmap.cost.copy()
    layers.update((0.0, 0.0, 0.0), Scan(0.0, np.empty(0), 0.0, 0.01))
    layers.update((0.0, 0.0, 0.0), Scan(0.1, np.full(50, np.nan), 0.0, 0.01, 0.1, 5.0))
    np.testing.assert_array_equal(layers.costmap.cost, before)
    layers.update((0.0, 0.0, 0.0), Scan(0.2, np.full(50, np.inf), 0.0, 0.01, 0.1, 5.0))
    assert (layers.costmap.cost == 0).any()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: LayeredCostmap(BOX).update((0.0, math.nan, 0.0), Scan(0.0, np.ones(3), 0.0, 0.1)), "pose of a scan"),
        (lambda: LayerSettings(resolution=0.0), "costmap resolution must be a number > 0"),
        (lambda: LayerSettings(window=1e4, resolution=0.01), "has over"),
        (lambda: LayerSettings(gain=5, most=4), "0 < gain <= most"),
        (lambda: Inflation(padding=-1.0), "padding"),
    ],
)
def test_words(make, words):
    with pytest.raises(BadInput, match=words):
        make()
