"""What a walking robot sees of the room as points in the axes of its root link, and its own odometry in six numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.control.body import Body, BodyState
from andante.errors import BadInput
from andante.geometry import Array
from andante.locomotion.biped.footsteps import angles_of, leaning
from andante.locomotion.biped.walk import BipedWalk

OWN = 0.2  # what is nearer to the vertical through the root is the robot itself [m]


@dataclass(frozen=True)
class Look:
    """What was seen since the last look, in the axes of the root link."""

    points: Array  # (n, 3) where beams ended [m]
    eyes: Array  # (n, 3) where they came from [m]
    link: str  # that carries the eyes, the last of several


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

    def look(self, state: BodyState) -> Look | None:
        """What came since the last look; None: nothing new. Readings that are not finite are left out."""
        clouds = self._body.clouds(self._told)
        if not clouds:
            return None
        robot = self._body.robot
        poses = robot.link_poses(dict(zip(robot.joint_names, state.position, strict=True)))
        self._told |= {cloud.sensor: cloud.time for cloud in clouds}
        points, eyes = [], []
        for cloud in clouds:
            placed = poses[cloud.link] @ cloud.pose
            seen = np.asarray(cloud.points, dtype=float).reshape(-1, 3)
            seen = np.asarray(placed @ seen[np.isfinite(seen).all(axis=1)]).reshape(-1, 3)
            seen = seen[np.hypot(seen[:, 0], seen[:, 1]) > OWN]
            points.append(seen)
            eyes.append(np.broadcast_to(placed.translation, seen.shape))
        return Look(np.concatenate(points), np.concatenate(eyes), clouds[-1].link)


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
