"""A robot on two legs finds its way: odometry in six numbers, things that are not on the map, a short walk."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import andante as an
from andante.control.body import BodyState
from andante.control.loop import ControlLoop
from andante.description import Box, Collision, Inertia, Link, Placement, Plane, Robot, World
from andante.errors import BadInput
from andante.geometry import SE3, so3
from andante.localization.space import SpaceField, SpaceLocalizer
from andante.locomotion.gaits import Request, prepare
from andante.mapping.octree import OcTree, octree_of_world
from andante.mobile.feet import (
    FootNavigator,
    FootSettings,
    FootState,
    Gaze,
    LiveObstacles,
    Look,
    Sight,
    root_odometry,
)
from andante.mobile.feet.escape import room_to_leave
from andante.mobile.feet.navigator import ends_at
from andante.navigation.footsteps import Footstep, FootstepPlanner, Terrain
from andante.simulation.simulation import Simulation
from andante.tasks.feet import step_set


def box(name, size, at) -> Placement:
    link = Link(name, Inertia(5.0, (0, 0, 0), (1, 0, 0, 1, 0, 1)), collisions=(Collision(Box(size)),))
    return Placement(name, Robot(name, (link,)), SE3.from_xyz_rpy(at), fixed=True)


def room() -> World:
    floor = Placement("floor", Robot("floor", (Link("floor", collisions=(Collision(Plane()),)),)), fixed=True)
    walls = [
        box("west", (0.1, 4.0, 1.0), (-1.5, 0.0, 0.5)), box("east", (0.1, 4.0, 1.0), (2.0, 0.0, 0.5)),
        box("south", (3.6, 0.1, 1.0), (0.25, -1.5, 0.5)), box("north", (3.6, 0.1, 1.0), (0.25, 1.5, 0.5)),
        box("block", (0.3, 0.4, 0.6), (1.2, -0.9, 0.3)),
    ]  # fmt: skip
    return World("room", (floor, *walls))


@pytest.fixture(scope="module")
def tree():
    return octree_of_world(room(), 0.05, top=1.2)


@pytest.fixture(scope="module")
def run(tree):
    """A walk of 0.7 m around a box that is not on the map, with the head lidar."""
    strange = replace(room(), models=(*room().models, box("strange", (0.15, 0.15, 0.4), (0.4, 0.0, 0.2))))
    return an.navigate(
        "nao", arguments={"head_lidar": "true"}, world=strange, map=tree, goal=(0.9, 0.1, 0.4), tolerance=0.08,
        timeout=60.0, seed=4,
    )  # fmt: skip


@pytest.mark.drill  # a whole walk; the example in docs/feet.md walks too
def test_it_arrives_around_what_is_not_on_the_map(run):
    assert run.success, (run.reason, run.events)
    assert run.final_error < 0.08
    assert run.final_yaw_error < math.radians(8.0)
    assert not run.collided
    assert run.estimate_error["rms"] < 0.05
    assert run.planner == "footsteps"


def test_what_it_did_can_be_drawn(run):
    assert len(run.plot().axes) == 2
    assert run.as_dict()["success"]


def test_odometry_of_a_stand_is_the_pose_of_the_root():
    ready = prepare(an.robot("nao"), Request("walk"))
    sim = an.simulate("nao", pose=ready.pose, sensors=True, seed=2)
    loop = an.ControlLoop(sim, ready.walker)
    loop.run(1.0)
    own, true = root_odometry(ready.walker, loop.state), sim.base_pose
    roll, pitch, yaw = so3.to_rpy(so3.from_quaternion(true[3:]))
    assert own[2] == pytest.approx(true[2], abs=0.004)
    assert own[3:] == pytest.approx([roll, pitch, yaw], abs=0.01)
    sim.close()


def test_a_robot_that_sees_nothing_is_told_what_it_lacks():
    sim = an.simulate("nao", sensors=True)
    with pytest.raises(BadInput, match="head_camera:=xtion"):
        Sight(sim)
    sim.close()


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ((1.2, -0.9, 0.0), "something stands there; the ground there is 0.60 m high, and this walk climbs at most"),
        ((9.0, 0.0, 0.0), "the goal is off the map, which goes from -2.40 to 2.80 m in x"),
        ((1.9, 0.0, 0.0), "something stands there"),
    ],
)
def test_goals_where_nobody_can_stand_are_refused(tree, goal, words):
    with pytest.raises(BadInput, match="nobody can stand at the goal.*" + words):
        an.navigate("nao", arguments={"head_lidar": "true"}, world=room(), map=tree, goal=goal)


def test_a_start_below_something_is_refused():
    """A robot is put on the highest thing below the sky; beginning at the floor, it would not know where it is."""
    under = replace(room(), models=(*room().models, box("board", (0.6, 0.6, 0.04), (0.0, 0.0, 0.8))))
    with pytest.raises(
        BadInput, match=r"cannot start at 0 0: something of 0\.82 m height stands there or hangs over it"
    ):
        an.navigate("nao", arguments={"head_lidar": "true"}, world=under, start=(0.0, 0.0, 0.0), goal=(0.5, 0.7, 0.0))


def test_the_map_of_another_place_is_told():
    """A larger hall with a pillar; the head sees all around, so that no looking around goes before."""
    walls = [
        box("west", (0.1, 9.0, 1.0), (-3.5, 0.0, 0.5)), box("east", (0.1, 9.0, 1.0), (4.0, 0.0, 0.5)),
        box("south", (8.6, 0.1, 1.0), (0.25, -2.4, 0.5)), box("north", (8.6, 0.1, 1.0), (0.25, 3.3, 0.5)),
    ]  # fmt: skip
    hall = World("hall", (room().models[0], *walls))
    run = an.navigate(
        "nao", arguments={"head_lidar": "true"}, world=room(), map=octree_of_world(hall, 0.05, top=1.2),
        goal=(0.9, 0.1, 0.4), timeout=20.0, seed=4,
    )  # fmt: skip
    assert not run.success
    assert "it is lost: health 0." in run.reason
    assert "is the map that of this place?" in run.reason
    assert run.time < 8.0
    assert not run.collided


def test_flat_maps_are_refused():
    with pytest.raises(BadInput, match="three dimensions"):
        an.navigate("nao", world=room(), map=an.mapping.map_of_world(room()), goal=(0.5, 0.0, 0.0))


EYE = np.array([0.0, 0.0, 0.25])  # in a root link that stands at 0.33 m
AT = np.array([0.0, 0.0, 0.33, 0.0, 0.0, 0.0])
BEHIND = np.column_stack([np.full(50, 1.95), np.linspace(0.0, 2.0, 50) - 0.1, np.full(50, 0.2)])  # on the wall


def look_at(*points: np.ndarray) -> Look:
    ends = np.concatenate(points)
    return Look(ends, np.broadcast_to(EYE, ends.shape), "Head")


@pytest.fixture
def met(tree):
    """A thing up to 0.28 m high was seen at 0.6, 0.3, and counts."""
    seen = LiveObstacles(Terrain.of_grid(tree.slice(0.04, 0.65)), SpaceField(tree))
    thing = np.random.default_rng(1).uniform(-0.05, 0.05, (200, 3)) + np.array([0.6, 0.3, -0.1])
    assert seen.terrain() is None
    for _ in range(5):
        seen.see(AT, look_at(thing, BEHIND))
    made = seen.terrain()
    assert made.clearance[made.cell(0.6, 0.3)] == 0.0
    assert made.clearance[made.cell(0.0, 0.3)] > 0.3
    assert seen.terrain() is None
    return seen


def test_what_lies_below_the_view_is_remembered(met):
    """Beams over a thing to the wall behind it do not tell that it is gone; nor do looks to another side."""
    for _ in range(60):
        met.see(AT, look_at(BEHIND))
    assert met.terrain() is None
    for _ in range(60):
        met.see(AT, look_at(BEHIND * [1.0, -1.0, 1.0]))
    assert met.terrain() is None


def test_what_is_looked_through_is_gone(met):
    floor = np.array([0.0, 0.0, -0.33]) + np.random.default_rng(2).uniform(-0.2, 0.2, (400, 3)) * [1.0, 1.0, 0.0]
    for _ in range(20):
        met.see(AT, look_at(floor + np.array([0.9, 0.45, 0.0]), BEHIND))
    again = met.terrain()
    assert again.clearance[again.cell(0.6, 0.3)] > 0.2


def test_points_of_what_was_seen_are_known(met):
    points = np.array([[0.6, 0.3, -0.1], [0.6, 0.3, 0.2], [1.0, -0.3, -0.1], [9.0, 9.0, 0.0]])
    assert met.known_things(AT, points).tolist() == [True, False, False, False]


def test_what_a_foot_has_met_is_in_the_way(tree):
    seen = LiveObstacles(Terrain.of_grid(tree.slice(0.04, 0.65)), SpaceField(tree))
    seen.felt(0.5, 0.5)
    floor = np.random.default_rng(2).uniform(-0.2, 0.2, (400, 3)) * [1.0, 1.0, 0.0] + [0.7, 0.7, -0.33]
    for _ in range(20):
        seen.see(AT, look_at(floor))
    made = seen.terrain()
    assert made.clearance[made.cell(0.5, 0.5)] == 0.0


def test_it_leaves_a_place_that_is_too_near(tree):
    """Where it has less room than its radius it may go where there is more; nowhere else as near to things."""
    terrain = Terrain.of_grid(tree.slice(0.04, 0.65))
    left, right = (-1.27, 0.05, 0.0), (-1.27, -0.05, 0.0)  # 0.2 m from the wall in the west
    assert room_to_leave(terrain, (0.0, 0.05, 0.0), (0.0, -0.05, 0.0), 0.3) is None
    made = room_to_leave(terrain, left, right, 0.3)
    assert made.clearance[made.cell(-1.27, 0.0)] >= 0.3
    assert made.clearance[made.cell(-1.27, 0.7)] < 0.3
    assert made.clearance[made.cell(-1.37, 0.0)] < 0.3
    assert made.clearance[made.cell(-0.9, 0.0)] >= 0.3


def gazing(arguments: dict[str, str]) -> tuple[Gaze, Simulation, ControlLoop, Sight]:
    robot = an.robot("nao", arguments=arguments)
    ready = prepare(robot, Request("walk"))
    sim = an.simulate(robot, room(), pose=ready.pose, sensors=True, seed=1)
    gaze = Gaze(ready.walker)
    return gaze, sim, ControlLoop(sim, gaze), Sight(sim)


def test_eyes_that_see_one_side_are_turned_to_all_sides():
    gaze, sim, loop, sight = gazing({"head_camera": "xtion"})
    loop.run(0.5)
    look = sight.look(loop.state)
    assert gaze.begin(look.link, look.points)
    assert gaze.wide == pytest.approx(math.radians(58.0), abs=0.25)  # wider at the lower edge, near its feet
    gaze.look_around()
    azimuths, loops = [], 0
    while gaze.busy and loops < 1500:
        loop.step()
        loops += 1
        look = sight.look(loop.state)
        if look is not None and gaze.seen(loop.state):
            azimuths.append(np.arctan2(look.points[:, 1], look.points[:, 0]))
    found = np.concatenate(azimuths)
    assert not gaze.busy
    assert found.min() < -2.3
    assert found.max() > 2.3
    assert not sim.fallen
    assert len(np.unique(np.floor(found / math.radians(10.0)))) > 26  # without gaps
    sim.close()


def test_eyes_that_see_all_around_stay():
    gaze, sim, loop, sight = gazing({"head_lidar": "true"})
    loop.run(0.5)
    look = sight.look(loop.state)
    assert gaze.begin(look.link, look.points)
    gaze.look_around()
    assert not gaze.busy
    assert not gaze.turns
    assert gaze.seen(loop.state)
    sim.close()


def standing(look: Callable[[BodyState], Look | None], tree: OcTree, **settings: float) -> tuple[FootNavigator, Any]:
    """A navigator whose eyes are a function, on a robot that stands at the origin."""
    robot = an.robot("nao")
    ready = prepare(robot, Request("walk"))
    sim = an.simulate(robot, room(), pose=ready.pose, sensors=True, seed=1)
    steps = step_set(robot, ready.walker, ready.pose, tree.resolution)
    planner = FootstepPlanner(Terrain.of_grid(tree.slice(0.04, 0.65)), steps)
    place = SpaceLocalizer(SpaceField(tree), seed=1)
    place.start_at(AT)
    made = FootNavigator(ready.walker, planner, place, look, (0.9, 0.1, 0.0), FootSettings(**settings))
    return made, ControlLoop(sim, ready.walker, command=made)


@pytest.mark.parametrize("look", [lambda state: None, lambda state: Look(np.zeros((0, 3)), np.zeros((0, 3)), "Head")])
def test_eyes_that_show_nothing_end_a_walk(look, tree):
    """A camera that is silent, or whose pictures are full of NaN."""
    made, loop = standing(look, tree, lost_after=0.5)
    loop.run(1.0)
    assert made.state is FootState.FAILED
    assert "eyes have shown nothing" in made.reason
    loop.body.close()


def test_the_last_steps_are_those_of_the_goal():
    steps = (Footstep("right", 0.0, -0.05, 0.0, 0.0), Footstep("left", 0.1, 0.06, 0.0, 0.1))
    left = ends_at(steps, (0.1, 0.0, 0.2), 0.1)[1]
    assert (left.x, left.y, left.yaw) == pytest.approx((0.1 - 0.05 * math.sin(0.2), 0.05 * math.cos(0.2), 0.2))
    assert [step.foot for step in ends_at(steps[:1], (0.0, 0.0, 0.0), 0.1)] == ["right", "left"]


def test_what_appears_right_ahead_stops_it_within_a_step_or_two(tree):
    """Something is met a hand ahead of its toes while it walks: it stands at once, and then goes round it."""
    robot = an.robot("nao", arguments={"head_lidar": "true"})
    ready = prepare(robot, Request("walk"))
    sim = an.simulate(robot, room(), pose=ready.pose, sensors=True, seed=3)
    steps = step_set(robot, ready.walker, ready.pose, tree.resolution)
    planner = FootstepPlanner(Terrain.of_grid(tree.slice(0.04, 0.65)), steps)
    place = SpaceLocalizer(SpaceField(tree), seed=1)
    place.start_at(AT)
    loop = ControlLoop(sim, ready.walker)
    loop.run(1.0)
    made = FootNavigator(ready.walker, planner, place, Sight(sim).look, (1.2, 0.2, 0.0))
    loop.command = made
    while made.middle()[0] < 0.3 if made.estimate is not None else True:
        loop.step()
    assert made.state is FootState.WALK
    x, y, _ = made.middle()
    made.obstacles.felt(float(x) + 0.3, float(y))
    begun = sim.time
    while made.state is FootState.WALK and sim.time < begun + 5.0:
        loop.step()
    assert made.state is FootState.LOCATE
    assert made.record.events[-1][1] == "something stands in the way of the plan"
    assert sim.time - begun < 1.5
    assert made.middle()[0] - x < 0.12
    loop.run(1.5)
    assert made.state is FootState.WALK
    assert not sim.fallen
    sim.close()


def test_clouds_are_told_by_the_body_once_each():
    """By any body: a simulated one tells those of its lidar of rings; a point straight ahead lies where the wall is."""
    robot = an.robot("nao", arguments={"head_lidar": "true"})
    sim = an.simulate(robot, room(), pose="StandInit", sensors=True, seed=1)
    sight = Sight(sim)
    sim.run(0.4)
    (cloud,) = sim.clouds({})
    assert cloud.link in robot.link_poses()
    assert 0.2 < cloud.time <= sim.time
    assert sim.clouds({cloud.sensor: cloud.time}) == ()
    look = sight.look(sim.read())
    assert look is not None
    points = look.points
    assert look.link == cloud.link
    assert np.ptp(look.eyes, axis=0) == pytest.approx([0.0, 0.0, 0.0])
    assert sight.look(sim.read()) is None
    placed = so3.from_quaternion(sim.base_pose[3:]) @ points.T + sim.base_pose[:3, None]
    true = an.mapping.octree_of_world(room(), 0.1)
    near = [
        np.any(true.occupied(p + 0.1 * np.stack(np.meshgrid(*[[-1, 0, 1]] * 3), -1).reshape(-1, 3))) for p in placed.T
    ]
    assert np.mean(near) > 0.9
    sim.close()
