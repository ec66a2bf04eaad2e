"""Moving things in scans: a walker is told with its velocity, walls and the map are not."""

import math

import numpy as np

from andante.mapping import OccupancyGrid, Scan
from andante.navigation import MoverTracker
from andante.navigation.movers import on_outline

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


def followed(tracker, walk, others, seconds=4.0):
    """What the tracker says of a walker at every scan from the second on: off by how far, in place and velocity."""
    walls, rng, out = box_walls(8, 6) - [4, 3, 4, 3], np.random.default_rng(1), []
    for k in range(round(seconds / 0.1)):
        at, speed = walk(0.1 * k)
        discs = np.array([[*at, 0.2], *others])
        ranges = cast(0.0, 0.0, ANGLES, discs, walls, 10.0) + 0.01 * rng.normal(size=720)
        tracker.update(np.zeros(3), Scan(k * 0.1, ranges, -math.pi, 2 * math.pi / 720, 0.02, 10.0), k * 0.1)
        if k >= 10:
            near = [row for row in tracker.movers_at(0.1 * k) if np.hypot(*(row[:2] - at)) < 0.5]
            out.append(min((np.hypot(*(row[2:4] - speed)) for row in near), default=math.inf))
    return np.array(out)


def test_a_walker_who_turns_back_is_told_all_the_time_but_for_a_moment():
    grid = OccupancyGrid(0.05, (-4.0, -3.0, 0.0), room(8, 6))
    off = followed(
        MoverTracker(grid),
        lambda t: ((1.5, 1.6 - 1.2 * t), (0.0, -1.2)) if t < 2.0 else ((1.5, -0.8 + 1.2 * (t - 2.0)), (0.0, 1.2)),
        [],
    )
    assert np.isinf(off).sum() <= 3
    assert (off > 0.5).sum() <= 8


def test_a_walker_behind_another_keeps_his_way():
    grid = OccupancyGrid(0.05, (-4.0, -3.0, 0.0), room(8, 6))
    off = followed(MoverTracker(grid), lambda t: ((2.5, 2.2 - 1.1 * t), (0.0, -1.1)), [[1.0, 0.0, 0.25]])
    assert np.isfinite(off).all()
    assert off.max() < 0.5


def test_a_walker_out_of_view_goes_on_for_a_while():
    tracker, view = MoverTracker(), np.linspace(-2.35, 2.35, 540)
    rng = np.random.default_rng(2)
    for k in range(30):  # behind the robot after two seconds
        x = 2.0 - 0.15 * k
        ranges = cast(0.0, 0.0, view, np.array([[x, 1.0, 0.2]]), box_walls(8, 6) - [4, 3, 4, 3], 10.0)
        scan = Scan(k * 0.1, ranges + 0.01 * rng.normal(size=540), -2.35, 4.7 / 539, 0.02, 10.0)
        tracker.update(np.zeros(3), scan, k * 0.1)
    (mover,) = [row for row in tracker.movers_at(2.9) if row[2] < -1.0]
    np.testing.assert_allclose(mover[:2], [2.0 - 1.5 * 2.9, 1.0], atol=0.35)


def test_who_leaves_the_view_of_a_robot_that_turns_grows_no_thinner():
    """The robot turns while the beams are taken: the last one is the edge of the view, wherever it looks."""
    tracker, rng = MoverTracker(), np.random.default_rng(4)
    n, sweep, turn = 540, 0.05, -1.5  # beams, seconds of a scan, rad/s
    view = np.linspace(-2.356, 2.356, n)
    walls, widths = box_walls(8, 6) - [4, 3, 4, 3], []
    for k in range(40):
        time = k * sweep
        yaw = 0.6 + turn * time
        ranges = np.full(n, math.inf)
        for part in np.array_split(np.arange(n), 18):  # each from where the robot looks then
            then = time + sweep * part.mean() / n
            disc = np.array([[-0.45, 1.1, 0.22]])
            disc[0, :2] += [0.5 * then - 0.5, 0.0]
            seen = yaw + turn * sweep * part.mean() / n
            ranges[part] = cast(0.0, 0.0, seen + view[part], disc, walls, 10.0)
        scan = Scan(time, ranges + 0.01 * rng.normal(size=n), -2.356, 4.712 / (n - 1), 0.02, 10.0, sweep / n)
        tracker.update((0.0, 0.0, yaw), scan, time + 0.5 * sweep, (0.0, 0.0, turn))
        widths += [float(row[4]) for row in tracker.movers_at(time, careful=False)]
    assert len(widths) > 10
    assert min(widths) > 0.19  # [m], he is 0.22


def arc(center, radius, begin, end):
    """Echoes on a part of a round outline, angles about its center."""
    a = np.linspace(begin, end, 12)
    return center + radius * np.stack([np.cos(a), np.sin(a)], axis=1)


def test_a_part_of_somebody_tells_of_his_middle_only_what_it_can():
    """A quarter of the outline, seen at the edge of the view, does not draw the middle aside."""
    center, spread = np.array([2.0, 1.0]), np.diag([0.01, 0.01, 0.04, 0.04])
    state = np.array([2.05, 0.98, 0.0, -1.0])
    points = arc(center, 0.22, math.pi, 1.5 * math.pi)
    after, left, surprise = on_outline(state, spread, points, points.mean(axis=0), 0.22, 0.05, 4.0)
    assert np.hypot(*(after[:2] - center)) < 0.03
    assert surprise < 5.0
    assert (np.linalg.eigvalsh(spread - left) > -1e-12).all()  # nothing is known less
    far, _, surprise = on_outline(state + np.array([0.0, 1.0, 0.0, 0.0]), spread, points, center, 0.22, 0.05, 4.0)
    assert surprise > 16.0
    assert far[1] < state[1] + 1.0


def test_who_turns_back_is_told_soon_and_not_as_too_fast():
    grid = OccupancyGrid(0.05, (-4.0, -3.0, 0.0), room(8, 6))
    walls, rng, tracker, told = box_walls(8, 6) - [4, 3, 4, 3], np.random.default_rng(3), MoverTracker(grid), []
    for k in range(60):  # at 20 Hz; he turns after 1.5 s
        y = 1.6 - 1.2 * 0.05 * min(k, 60 - k)
        ranges = cast(0.0, 0.0, ANGLES, np.array([[1.5, y, 0.22]]), walls, 10.0) + 0.01 * rng.normal(size=720)
        tracker.update(np.zeros(3), Scan(k * 0.05, ranges, -math.pi, 2 * math.pi / 720, 0.02, 10.0), k * 0.05)
        told.append(max((float(row[3]) for row in tracker.movers), default=0.0))
    assert max(told) < 1.6  # [m/s], he walks 1.2
    assert min(told[38:]) > 0.8  # 0.4 s after he turned
