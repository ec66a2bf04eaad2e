"""Falls by the simulator's truth."""

from __future__ import annotations

import pytest

import andante as an
from andante.description import Box, Collision, Link, Placement, Plane, Robot, World
from andante.geometry import SE3
from andante.simulation.truth import FallRule, Stance, lowest, stance


@pytest.mark.parametrize(
    ("start", "now", "fallen"),
    [
        ((0, 0, 0), (0.9, 0, 2.0), False),
        ((0, 0, 0), (1.1, 0, -1.0), True),
        ((0.5, 0, 0.3), (0.5, 0, 1.3), False),  # only turned
        ((0.5, 0, 0), (-0.4, 0, 0), False),
        ((0.5, 0, 0), (-0.6, 0, 0), True),
    ],
)
def test_the_lean_counts_from_how_it_stood(start, now, fallen):
    poses = [SE3.from_xyz_rpy((0, 0, 0.3), angles).vector for angles in (start, now)]
    assert FallRule().fallen(Stance(poses[0], 0.3), Stance(poses[1], 0.3)) == fallen


def test_the_height_of_a_stance_is_that_of_the_center_of_mass():
    sim = an.simulate("nao", start=(0.3, 0.1, 0.7))
    sim.run(0.1)
    robot = sim.robot
    poses = dict(zip([link.name for link in robot.links], sim.engine.link_poses(sim.model), strict=True))
    links = [each for each in robot.links if each.inertia is not None]
    weighed = [(each.inertia.mass, SE3.from_vector(poses[each.name]) @ each.inertia.com) for each in links]
    center = sum(mass * point[2] for mass, point in weighed) / sum(mass for mass, _ in weighed)
    assert stance(sim.engine, sim.model, 0.05).height == pytest.approx(center - 0.05, abs=1e-4)
    assert FallRule().fallen(Stance(sim.base_pose, 1.0), stance(sim.engine, sim.model, 0.0))


def solid(geometry, at, rpy=(0, 0, 0)):
    link = Link("l", collisions=(Collision(geometry),))
    return Placement("thing", Robot("thing", (link,)), SE3.from_xyz_rpy(at, rpy), fixed=True)


def test_the_lowest_point_of_a_world():
    assert lowest(World("w"), 0.5) == 0.5
    assert lowest(World("w", (solid(Box((1, 1, 2)), (0, 0, -3)),)), 0.0) == pytest.approx(-4)
    assert lowest(World("w", (solid(Plane(), (0, 0, -2)),)), 0.0) == pytest.approx(-2)
    assert lowest(World("w", (solid(Plane(), (0, 0, -2), (0.2, 0, 0)),)), 0.0) == float("-inf")  # a slope without end


def test_a_robot_that_nothing_catches_ends_its_run():
    gap = World("gap", (solid(Box((1, 1, 0.1)), (5, 0, 0)),))
    told = an.sim("waffle", world=gap, seconds=20.0)
    assert 1.0 <= told.seconds <= 3.0
    assert "below the world" in told.reason
    assert "below the world" in str(told)
    assert an.sim("waffle", seconds=1.5).reason == ""
