"""The robot state publisher: joint states, frames, odometry and the robot's description."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.bags import messages
from andante.description.io.urdf_writer import write_urdf
from andante.errors import AndanteError
from andante.runtime.live.estimate import BaseEstimate
from andante.runtime.live.tree_frames import JointFrames

from .node import Header, LiveNode, Quaternion, Vector3, pose_message, stamp

if TYPE_CHECKING:
    from andante.runtime.live.session import LiveSession

RATE = 50.0  # [Hz]
ODOM, MAP, WORLD = "odom", "map", "world"

JointState = messages.cls("sensor_msgs/msg/JointState")
TransformStamped = messages.cls("geometry_msgs/msg/TransformStamped")
Transform = messages.cls("geometry_msgs/msg/Transform")
TFMessage = messages.cls("tf2_msgs/msg/TFMessage")


class RobotStateNode(LiveNode):
    """/joint_states, /tf, /tf_static, /odom, /robot_description. Positions are those of the encoders."""

    name = "robot_state_publisher"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._joints = self.advertise("/joint_states", "sensor_msgs/msg/JointState", RATE)
        self._tf = self.advertise("/tf", "tf2_msgs/msg/TFMessage", RATE)
        self._static = self.advertise("/tf_static", "tf2_msgs/msg/TFMessage", latched=True)
        self._text = self.advertise("/robot_description", "std_msgs/msg/String", latched=True)
        self._odom = self.advertise("/odom", "nav_msgs/msg/Odometry", RATE)
        self.map_from_odom = np.zeros(3)  # x, y, yaw, as the localiser says
        self.localised = False  # whether somebody tells where odom lies on the map
        self._covariance = np.zeros(36)
        self._covariance[[0, 7, 14, 21, 28, 35]] = (0.01, 0.01, 1e-4, 1e-4, 1e-4, 0.01)
        self.rebuilt()

    def rebuilt(self) -> None:
        """Another robot: its frames and description are told anew."""
        stage = self.stage
        self.estimate = BaseEstimate(stage)
        self._frames = JointFrames(stage.robot)
        self._names = list(stage.robot.joint_names)
        self.localised = False
        x, y, yaw = stage.origin
        self.map_from_odom = np.array([x, y, yaw])
        now = stamp(self.bus.clock.now)
        fixed = [_transform(Header(now, parent), child, pose) for parent, child, pose in self._frames.fixed]
        fixed += [_transform(Header(now, link), frame, pose) for link, frame, pose in sensor_frames(stage.robot)]
        fixed.append(_transform(Header(now, WORLD), MAP, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)))
        message = TFMessage(fixed)
        self.bus.tf.clear(static=True)
        self.bus.tf.set(message, static=True)
        self._static.publish(message)
        try:
            text = write_urdf(stage.robot, (stage.robot.folder or Path()) / f"{stage.name}.urdf")
        except AndanteError as error:
            self.bus.log("warn", f"/robot_description: {error}", self.name)
            text = ""
        self._text.publish(messages.make("std_msgs/msg/String", data=text))

    def update(self) -> None:
        """What is due now."""
        self.estimate.update()
        stage, now = self.stage, self.bus.clock.now
        if self._joints.wanted():
            suite = stage.sim.sensors
            assert suite is not None
            effort = suite["efforts"].values
            readings = stage.readings
            none = np.zeros(0)
            self._joints.publish(
                JointState(
                    Header(stamp(now), ""),
                    self._names,
                    np.array(readings.position),
                    np.array(readings.velocity),
                    none if effort is None else np.array(effort),
                )
            )
        if self._tf.wanted():
            self._tf.publish(self._transforms(now))
        if self._odom.wanted():
            self._odom.publish(self._odometry(now))

    def _transforms(self, now: float) -> Any:
        when = stamp(now)
        frames = self._frames
        table = frames.at(self.stage.readings.position).tolist()
        out = [
            _transform(Header(when, parent), child, pose)
            for parent, child, pose in zip(frames.parents, frames.children, table, strict=True)
        ]
        out.append(_transform(Header(when, ODOM), self.stage.robot.root, self.estimate.pose.tolist()))
        x, y, yaw = self.map_from_odom.tolist()
        placed = (x, y, 0.0, 0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))
        out.append(_transform(Header(when, MAP), ODOM, placed))
        message = TFMessage(out)
        self.bus.tf.set(message)
        return message

    def _odometry(self, now: float) -> Any:
        vx, vy, wz = self.estimate.twist.tolist()
        return messages.make(
            "nav_msgs/msg/Odometry",
            header=Header(stamp(now), ODOM),
            child_frame_id=self.stage.robot.root,
            pose={"pose": pose_message(self.estimate.pose), "covariance": self._covariance},
            twist={
                "twist": {"linear": Vector3(vx, vy, 0.0), "angular": Vector3(0.0, 0.0, wz)},
                "covariance": self._covariance,
            },
        )


def sensor_frames(robot: Any) -> list[tuple[str, str, Any]]:
    """Link, frame and pose of every sensor that does not sit in the frame of its link."""
    return [(s.link, sensor_frame(s), s.pose.vector) for s in robot.sensors if not s.pose.is_identity()]


def sensor_frame(spec: Any) -> str:
    """Frame in which a sensor tells its readings."""
    if spec.pose.is_identity():
        return str(spec.link)
    return "".join(c if c.isalnum() else "_" for c in spec.name) + "_sensor"


def _transform(header: Any, child: str, pose: Any) -> Any:
    x, y, z, qx, qy, qz, qw = pose
    return TransformStamped(header, child, Transform(Vector3(x, y, z), Quaternion(qx, qy, qz, qw)))
