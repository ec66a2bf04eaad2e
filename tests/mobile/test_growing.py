"""A map that grows while the robot moves keeps its place where the wheels lie."""

import numpy as np
import pytest

from andante.description import Placement, World, load_world
from andante.description.io.moving_world import solid_body
from andante.description.shapes import Box
from andante.geometry import SE3, se2
from andante.mobile import mobile_robot
from andante.mobile.growing import Growing


@pytest.mark.parametrize("world", ["lab", "corridor"])
def test_a_robot_that_is_blocked_stays_where_it_is_on_its_map(world):
    """A sill below the lidar holds it up while its wheels turn on for a meter."""
    base = load_world(world)
    x, y = (0.5, -0.8) if world == "lab" else (1.7, 0.0)
    body = solid_body("sill", Box((0.05, 1.0, 0.06)), SE3.from_parts(np.eye(3), (0, 0, 0.03)), (0.5, 0.5, 0.5, 1.0))
    sill = Placement("sill", body, SE3.from_parts(np.eye(3), (x, y, 0.0)), fixed=True)
    start = (x - 0.4, y, 0.0)
    robot = mobile_robot("waffle", World("sill", (*base.models, sill), base.gravity, base.lights), start, seed=1)
    robot.scans.localizer = Growing(robot.from_root(start), robot.odometry)
    robot.settle()
    for _ in range(120):
        sensed = robot.step((0.22, 0.0, 0.0))
    true = robot.from_root(robot.truth.pose)
    assert sensed.odom[0] - (true[0] - start[0]) > 0.7  # by its wheels it has gone on
    assert np.hypot(*se2.between(true, sensed.pose)[:2]) < 0.08
    robot.close()
