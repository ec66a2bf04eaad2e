"""Octrees of worlds against their shapes, and the ground that feet can stand on."""

import numpy as np
import pytest

from andante.description import load_world
from andante.description.link import Collision, Link
from andante.description.robot import Robot
from andante.description.shapes import Box, Plane, Sphere
from andante.description.world import Placement, World
from andante.errors import BadInput
from andante.geometry import SE3
from andante.mapping.octree import height_map, octree_of_world
from andante.mapping.worlds import map_of_world


def world_of(*shapes, ground=True):
    models = []
    if ground:
        models.append(Placement("g", Robot("g", (Link("g", collisions=(Collision(Plane()),)),), ()), fixed=True))
    for n, (shape, x, y, z) in enumerate(shapes):
        link = Link("l", collisions=(Collision(shape, SE3.from_xyz_rpy([x, y, z])),))
        models.append(Placement(f"m{n}", Robot(f"m{n}", (link,), ()), fixed=True))
    return World("w", tuple(models))


def test_solids_have_their_volume():
    tree = octree_of_world(world_of((Sphere(0.4), 0.0, 0.0, 0.8), ground=False), 0.02, top=1.5)
    ball, around = (4 / 3 * np.pi * radius**3 for radius in (0.4, 0.4 + 0.02 * np.sqrt(3)))
    assert 0.99 * ball < tree.volume() < around  # all voxels that the surface meets count
    box = octree_of_world(world_of((Box((0.4, 0.6, 0.2)), 0.5, 0.3, 0.3), ground=False), 0.05, top=1.0)
    assert box.volume() == pytest.approx(0.4 * 0.6 * 0.2)


def test_boards_thinner_than_a_voxel_are_there():
    tree = octree_of_world(world_of((Box((1.0, 1.0, 0.004)), 0.0, 0.0, 0.511)), 0.05)
    assert tree.occupied([[0.0, 0.0, 0.512], [0.3, -0.3, 0.512]]).all()
    assert not tree.occupied([[0.0, 0.0, 0.4], [0.0, 0.0, 0.6]]).any()
    assert (tree.log_odds([[0.0, 0.0, 0.4]]) < 0).all()  # below it is free


def test_a_slice_is_the_plan_of_the_world():
    world = load_world("lab")
    plan = octree_of_world(world, 0.05).slice(0.2, 0.25)
    truth = map_of_world(world, height=0.225)
    rows, cols = np.nonzero(truth.occupied())
    points = np.column_stack([cols + 0.5, rows + 0.5]) * 0.05 + truth.origin[:2]
    at = np.floor(plan.to_grid(points)).astype(int)
    assert (plan.cells[at[:, 1], at[:, 0]] == 100).mean() > 0.99


def test_the_ground_is_found_below_boards_and_upon_platforms():
    shapes = (
        (Box((1.0, 1.0, 0.1)), 2.0, 0.0, 0.05),
        (Box((1.0, 1.0, 0.1)), -2.0, 0.0, 0.85),
        (Box((0.2, 4.0, 1.5)), 0.0, 0.0, 0.75),
    )
    ground = height_map(octree_of_world(world_of(*shapes), 0.05), 0.6)
    assert ground.at([[2.0, 0.0], [-2.0, 0.0], [1.0, 0.0]]) == pytest.approx([0.1, 0.0, 0.0])
    low = height_map(octree_of_world(world_of(*shapes), 0.05), 0.9, high=1.5)
    assert np.isnan(low.at([[9.0, 9.0]])).all()
    assert low.at([[-2.0, 0.0]])[0] == pytest.approx(0.9)  # nothing of that height fits below the board
    walk = ground.traversable(0.05, 0.2)
    cell = np.floor((np.array([[1.0, 0.0], [1.5, 0.0], [2.0, 0.0]]) - ground.origin) / 0.05).astype(int)
    assert walk[cell[:, 1], cell[:, 0]].tolist() == [True, False, True]  # not on the edge of the platform


def test_bad_arguments_are_told():
    with pytest.raises(BadInput, match="nothing in it has a collision shape"):
        octree_of_world(World("w"), 0.1)
    with pytest.raises(BadInput, match="top of a map"):
        octree_of_world(world_of(), 0.1, top=0.05)
    with pytest.raises(BadInput, match="coarser resolution"):
        octree_of_world(world_of((Box((200, 200, 1)), 0, 0, 0.5)), 0.01)
    with pytest.raises(BadInput, match="clearance"):
        height_map(octree_of_world(world_of((Box((1, 1, 1)), 0, 0, 0.5)), 0.1), 0.0)
