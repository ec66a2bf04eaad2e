"""Maps of worlds and worlds of maps."""

import numpy as np
import pytest

from andante.description import load_world
from andante.description.link import Collision, Link
from andante.description.robot import Robot
from andante.description.shapes import Box, Cylinder, Sphere
from andante.description.world import Placement, World
from andante.errors import BadInput
from andante.geometry import SE3
from andante.mapping import UNKNOWN, OccupancyGrid
from andante.mapping.worlds import map_of_world, merge_cells, world_of_map


def scene(*shapes, fixed=True):
    """A world of single shapes at poses."""
    models = tuple(
        Placement(f"m{k}", Robot(f"m{k}", (Link("l", collisions=(Collision(shape),)),), ()), pose, fixed)
        for k, (shape, pose) in enumerate(shapes)
    )
    return World("scene", models)


def test_solids_are_cut_at_the_height():
    world = scene(
        (Box((1.0, 0.5, 0.4)), SE3.from_xyz_rpy([2.0, 0.0, 0.2], [0, 0, 0.5])),
        (Cylinder(0.5, 1.0), SE3.from_xyz_rpy([0.0, 3.0, 0.5])),
        (Sphere(1.0), SE3.from_xyz_rpy([-3.0, 0.0, 0.0])),
        (Box((1.0, 1.0, 0.1)), SE3.from_xyz_rpy([0.0, 1.0, 0.05])),  # too low to be seen
    )
    grid = map_of_world(world, height=0.3, resolution=0.02)
    points = grid.point_of(np.stack(np.nonzero(grid.occupied()), axis=1))
    inside = np.zeros(len(points), dtype=bool)
    turned = (points - [2.0, 0.0]) @ np.array([[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]])
    inside |= (np.abs(turned) < [0.52, 0.27]).all(axis=1)
    inside |= np.linalg.norm(points - [0.0, 3.0], axis=1) < 0.52
    inside |= np.linalg.norm(points - [-3.0, 0.0], axis=1) < np.sqrt(1 - 0.3**2) + 0.02
    assert inside.all()
    area = grid.occupied().sum() * 0.02**2
    assert area == pytest.approx(0.5 + np.pi * 0.25 + np.pi * (1 - 0.09), rel=0.05)
    assert (grid.cells == UNKNOWN).sum() == 0  # an open world
    assert grid.at([0.0, 1.0]) == 0


def test_thin_walls_are_not_lost():
    world = scene((Box((4.0, 0.003, 1.0)), SE3.from_xyz_rpy([0.0, 1.01, 0.5])))
    assert map_of_world(world).occupied().sum() >= 80


def test_outside_of_closed_walls_is_unknown():
    grid = map_of_world(load_world("lab"))
    assert grid.at([0.0, 0.0]) == 0
    assert grid.at([4.05, 0.0]) == 100
    assert grid.at([4.4, 0.0]) == UNKNOWN
    assert grid.at([3.8, 2.8]) in (0, 100)


def test_movable_things_on_demand():
    world = scene((Box((1.0, 1.0, 1.0)), SE3.from_xyz_rpy([0.0, 2.0, 0.5])), fixed=False)
    assert map_of_world(world).occupied().any()
    with pytest.raises(BadInput, match=r"nothing stands 0\.2 m above"):
        map_of_world(world, fixed_only=True)


def test_there_and_back_keeps_every_cell():
    generator = np.random.default_rng(0)
    cells = np.where(generator.random((30, 40)) < 0.2, 100, 0).astype(np.int8)
    grid = OccupancyGrid(0.1, (-2.0, 1.0, 0.0), cells)
    back = map_of_world(world_of_map(grid), resolution=0.1, margin=0.0)
    rows, cols = np.nonzero(cells)
    assert (back.at(grid.point_of(np.stack([rows, cols], axis=1))) == 100).all()
    assert back.occupied().sum() == grid.occupied().sum()


def test_a_turned_map_turns_its_walls():
    cells = np.zeros((10, 10), dtype=np.int8)
    cells[4, 2:9] = 100
    grid = OccupancyGrid(0.2, (1.0, 2.0, 0.6), cells)
    back = map_of_world(world_of_map(grid, height=0.5), resolution=0.02)
    assert (back.at(grid.point_of(np.argwhere(cells == 100))) == 100).all()
    assert back.occupied().sum() * 0.02**2 == pytest.approx(7 * 0.04, rel=0.15)


def test_rectangles_cover_all_once():
    generator = np.random.default_rng(3)
    occupied = generator.random((40, 50)) < 0.6
    rectangles = np.zeros((2000, 4), dtype=np.int64)
    count = merge_cells(occupied, rectangles)
    seen = np.zeros(occupied.shape, dtype=int)
    for row, col, rows, cols in rectangles[:count]:
        seen[row : row + rows, col : col + cols] += 1
    assert (seen == occupied).all()
    assert count < occupied.sum() / 2
    assert merge_cells(np.ones((5, 7), dtype=bool), rectangles) == 1
    assert merge_cells(occupied, rectangles[:3]) == -1


def test_bad_wishes():
    with pytest.raises(BadInput, match="resolution above 0"):
        map_of_world(load_world("lab"), resolution=0.0)
    with pytest.raises(BadInput, match="too large"):
        map_of_world(load_world("lab"), resolution=1e-4)
    with pytest.raises(BadInput, match="height above 0"):
        world_of_map(OccupancyGrid(0.1, (0, 0, 0), np.zeros((2, 2))), height=0.0)
    empty = world_of_map(OccupancyGrid(0.1, (0, 0, 0), np.zeros((2, 2))))
    assert [model.name for model in empty.models] == ["ground"]


def test_a_table_is_in_the_plan_of_a_robot_that_is_taller():
    world = scene(
        (Box((1.0, 1.0, 0.04)), SE3.from_xyz_rpy([2.0, 0.0, 0.7])),
        (Box((0.05, 0.05, 0.7)), SE3.from_xyz_rpy([1.6, 0.3, 0.35])),
    )
    low, tall = (map_of_world(world, height=0.03, top=top, resolution=0.05) for top in (0.5, 0.9))
    assert low.occupied().sum() <= 4
    assert tall.occupied().sum() * 0.05**2 == pytest.approx(1.0, abs=0.15)
    with pytest.raises(BadInput, match=r"at least 0.2 m, got 0.1"):
        map_of_world(world, height=0.2, top=0.1)


def test_points_that_are_named_lie_on_the_map_too():
    world = load_world("lab")
    tight = map_of_world(world)
    wide = map_of_world(world, around=[(20.0, 1.0), (0.0, -15.0)])
    assert tight.size[0] < 12.0
    x, y = wide.origin[:2]
    assert x + wide.size[0] >= 20.5 - 1e-9
    assert y <= -15.5 + 1e-9
    assert wide.occupied().sum() == tight.occupied().sum()
