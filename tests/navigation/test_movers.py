"""Moving things in scans: a walker is told with its velocity, walls and the map are not."""

import math

import numpy as np

from andante.mapping import OccupancyGrid, Scan
from andante.navigation import MoverTracker

from .samples import box_walls, room
from .world2d import World, cast

ANGLES = np.linspace(-math.pi, math.pi, 720, endpoint=False)


def watch(tracker, world, poses, dt=0.1):
    rng = np.random.default_rng(0)
    for k, pose in enumerate(poses):
        ranges = cast(pose[0], pose[1], pose[2] + ANGLES, world.all_discs(k * dt), world.segments, 10.0)
        scan = Scan(k * dt, ranges + 0.01 * rng.normal(size=720), -math.pi, 2 * math.pi / 720, 0.02, 10.0)
        tracker.update(pose, scan, k * dt)
    return tracker.movers


def test_a_walker_is_found_with_its_velocity():
    world = World(np.array([[2.0, -1.5, 0.2]]), box_walls(8, 6) - [4, 3, 4, 3], np.array([[1.5, 1.0, 0.3, -0.8, 0.2]]))
    grid = OccupancyGrid(0.05, (-4.0, -3.0, 0.0), room(8, 6))
    movers = watch(MoverTracker(grid), world, np.zeros((15, 3)))
    assert len(movers) == 1
    np.testing.assert_allclose(movers[0, 2:4], [0.3, -0.8], atol=0.2)
    np.testing.assert_allclose(movers[0, :2], [1.5 + 0.3 * 1.4, 1.0 - 0.8 * 1.4], atol=0.25)


def test_nothing_moves_for_a_robot_that_drives_past_pillars():
    world = World(np.array([[2.0, 1.0, 0.2], [3.0, -1.0, 0.1], [4.0, 1.5, 0.3]]))
    poses = np.column_stack([np.linspace(0, 1.5, 15), np.zeros(15), np.zeros(15)])
    assert len(watch(MoverTracker(), world, poses)) == 0
    assert len(watch(MoverTracker(), World(), poses)) == 0


def test_a_walker_who_turns_back_is_followed_still():
    """He comes by where he was first seen, and moves all the same."""
    grid, rng = OccupancyGrid(0.05, (-4.0, -3.0, 0.0), room(8, 6)), np.random.default_rng(0)
    walls, tracker = box_walls(8, 6) - [4, 3, 4, 3], MoverTracker(grid)
    for k in range(40):
        y = 1.6 - 0.1 * k if k < 20 else -0.3 + 0.1 * (k - 20)
        disc = np.array([[1.5, y, 0.2]])
        ranges = cast(0.0, 0.0, ANGLES, disc, walls, 10.0) + 0.01 * rng.normal(size=720)
        tracker.update(np.zeros(3), Scan(k * 0.1, ranges, -math.pi, 2 * math.pi / 720, 0.02, 10.0), k * 0.1)
    (mover,) = tracker.movers
    np.testing.assert_allclose(mover[2:4], [0.0, 1.0], atol=0.25)
