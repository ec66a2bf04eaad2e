"""A robot on two legs finds its way: odometry in six numbers, things that are not on the map, a short walk."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import andante as an
from andante.description import Box, Collision, Inertia, Link, Placement, Plane, Robot, World
from andante.errors import BadInput
from andante.geometry import SE3, so3
from andante.localization.space import SpaceField
from andante.locomotion.gaits import Request, prepare
from andante.mapping.octree import octree_of_world
from andante.mobile.feet import LiveObstacles, Sight, root_odometry
from andante.mobile.feet.navigator import ends_at
from andante.navigation.footsteps import Footstep, Terrain


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


def test_goals_where_nobody_can_stand_are_refused(tree):
    with pytest.raises(BadInput, match="nobody can stand at the goal"):
        an.navigate("nao", arguments={"head_lidar": "true"}, world=room(), map=tree, goal=(1.2, -0.9, 0.0))


def test_flat_maps_are_refused():
    with pytest.raises(BadInput, match="three dimensions"):
        an.navigate("nao", world=room(), map=an.mapping.map_of_world(room()), goal=(0.5, 0.0, 0.0))


def test_what_is_seen_often_is_in_the_way_and_fades(tree):
    field = SpaceField(tree)
    seen = LiveObstacles(Terrain.of_grid(tree.slice(0.04, 0.65)), field)
    pose = np.array([0.0, 0.0, 0.33, 0.0, 0.0, 0.0])
    thing = np.random.default_rng(1).uniform(-0.05, 0.05, (200, 3)) + np.array([0.6, 0.3, -0.1])
    wall = np.column_stack([np.full(50, 1.95), np.linspace(-1, 1, 50), np.full(50, 0.2)])
    assert seen.terrain() is None
    for _ in range(5):
        seen.see(pose, np.concatenate([thing, wall]))
    made = seen.terrain()
    assert made.clearance[made.cell(0.6, 0.3)] == 0.0
    assert made.clearance[made.cell(0.0, 0.3)] > 0.3
    assert seen.terrain() is None
    for _ in range(60):
        seen.see(pose, wall)
    again = seen.terrain()
    assert again.clearance[again.cell(0.6, 0.3)] > 0.2


def test_the_last_steps_are_those_of_the_goal():
    steps = (Footstep("right", 0.0, -0.05, 0.0, 0.0), Footstep("left", 0.1, 0.06, 0.0, 0.1))
    left = ends_at(steps, (0.1, 0.0, 0.2), 0.1)[1]
    assert (left.x, left.y, left.yaw) == pytest.approx((0.1 - 0.05 * math.sin(0.2), 0.05 * math.cos(0.2), 0.2))
    assert [step.foot for step in ends_at(steps[:1], (0.0, 0.0, 0.0), 0.1)] == ["right", "left"]


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
    points = sight.look(sim.read())
    assert points is not None
    assert sight.look(sim.read()) is None
    placed = so3.from_quaternion(sim.base_pose[3:]) @ points.T + sim.base_pose[:3, None]
    true = an.mapping.octree_of_world(room(), 0.1)
    near = [
        np.any(true.occupied(p + 0.1 * np.stack(np.meshgrid(*[[-1, 0, 1]] * 3), -1).reshape(-1, 3))) for p in placed.T
    ]
    assert np.mean(near) > 0.9
    sim.close()
