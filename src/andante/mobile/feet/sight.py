"""What a walking robot sees of the room as points in the axes of its root link, and its own odometry in six numbers."""

from __future__ import annotations

import math

import numpy as np

from andante.control.body import BodyState
from andante.description.robot import Robot
from andante.errors import BadInput
from andante.geometry import Array
from andante.locomotion.biped.footsteps import angles_of, leaning
from andante.locomotion.biped.walk import BipedWalk
from andante.sensors import Channel, DepthCamera, Lidar, SensorSuite

EVERY = 8  # pixels of a depth image between those that are used
OWN = 0.2  # what is nearer to the vertical through the root is the robot itself [m]
ROWS = 2  # rows that make a lidar one of rings


class Sight:
    """The newest points of the depth cameras and lidars of several rows of a robot.

    Args:
        robot: which carries them.
        sensors: its channels; its depth cameras are turned on.
    """

    def __init__(self, robot: Robot, sensors: SensorSuite) -> None:
        self._robot = robot
        self._channels: list[Channel] = []
        for channel in sensors:
            sensor = channel.sensor
            if isinstance(sensor, DepthCamera):
                sensor.turn_on()
                self._channels.append(channel)
            elif isinstance(sensor, Lidar) and sensor.model.rows >= ROWS:
                self._channels.append(channel)
        if not self._channels:
            raise BadInput(
                f"robot {robot.name!r} has neither a depth camera nor a lidar of rings to see the room by; add one to "
                "its file, by an argument where the file has one, such as head_camera:=xtion or head_lidar:=true"
            )
        self._told = dict.fromkeys((channel.name for channel in self._channels), -math.inf)

    @property
    def names(self) -> tuple[str, ...]:
        """The sensors that it looks with."""
        return tuple(self._told)

    def look(self, state: BodyState) -> Array | None:
        """Points (n, 3) [m] in the axes of the root link that came since the last look; None: nothing new."""
        clouds: list[Array] = []
        poses = None
        for channel in self._channels:
            reading = channel.reading
            if reading is None or reading.time <= self._told[channel.name]:
                continue
            self._told[channel.name] = reading.time
            sensor = channel.sensor
            assert isinstance(sensor, DepthCamera | Lidar)
            if isinstance(sensor, Lidar):
                points = sensor.model.points(reading.values)
            else:
                picture = sensor.picture(float(reading.values[0]))
                if picture is None:
                    continue
                points = sensor.model.points(picture.image, EVERY)
            if poses is None:
                poses = self._robot.link_poses(dict(zip(self._robot.joint_names, state.position, strict=True)))
            clouds.append(np.asarray(poses[sensor.link] @ sensor.pose @ points).reshape(-1, 3))
        if not clouds:
            return None
        points = np.concatenate(clouds)
        return points[np.hypot(points[:, 0], points[:, 1]) > OWN]


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
