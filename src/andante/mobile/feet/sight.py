"""What a walking robot sees of the room as points in the axes of its root link, and its own odometry in six numbers."""

from __future__ import annotations

import math

import numpy as np

from andante.control.body import Body, BodyState
from andante.errors import BadInput
from andante.geometry import Array
from andante.locomotion.biped.footsteps import angles_of, leaning
from andante.locomotion.biped.walk import BipedWalk

OWN = 0.2  # what is nearer to the vertical through the root is the robot itself [m]


class Sight:
    """The newest points of the depth cameras and lidars of several rows of a robot.

    Args:
        body: which carries them; its depth cameras are turned on.
    """

    def __init__(self, body: Body) -> None:
        self._body, self._told = body, dict[str, float]()
        if body.clouds(self._told) is None:
            raise BadInput(
                f"robot {body.robot.name!r} has neither a depth camera nor a lidar of rings to see the room by; add "
                "one to its file, by an argument where the file has one, such as head_camera:=xtion or head_lidar:=true"
            )

    def look(self, state: BodyState) -> Array | None:
        """Points (n, 3) [m] in the axes of the root link that came since the last look; None: nothing new."""
        clouds = self._body.clouds(self._told)
        if not clouds:
            return None
        robot = self._body.robot
        poses = robot.link_poses(dict(zip(robot.joint_names, state.position, strict=True)))
        self._told |= {cloud.sensor: cloud.time for cloud in clouds}
        points: Array = np.concatenate(
            [np.asarray(poses[cloud.link] @ cloud.pose @ cloud.points).reshape(-1, 3) for cloud in clouds]
        )
        far: Array = points[np.hypot(points[:, 0], points[:, 1]) > OWN]
        return far


def root_odometry(walk: BipedWalk, state: BodyState) -> Array:
    """x, y, z [m], roll, pitch, yaw [rad] of the root link in the frame of the walk's odometry.

    From the standing foot, whose place is summed up step by step, through the joints as they are measured; roll and
    pitch are those that the walk's IMU tells, the height is that above the standing sole.
    """
    body, k = walk.body, walk.stance
    body.center(np.asarray(state.position, dtype=float))
    turn, place = body.sole_pose(k)
    roll, pitch = walk.tilt
    level = leaning(roll, pitch)
    foot_yaw, _, _ = angles_of(level @ turn)
    x, y, yaw = walk.odometry.foot
    seen = level @ place
    heading = yaw - foot_yaw
    c, s = math.cos(heading), math.sin(heading)
    return np.array([
        x - (c * seen[0] - s * seen[1]), y - (s * seen[0] + c * seen[1]), -seen[2], roll, pitch, heading,
    ])  # fmt: skip
