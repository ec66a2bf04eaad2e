"""Publishers of a robot: its time, joints, frames, odometry, sensors and footsteps as messages on a bus.

A live session and every recording use these, so that all of them have the same topics, types and frames. The tree of
frames is map -> odom -> root link -> links and sensors. Nothing here knows the simulator's truth.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from andante.bags import messages
from andante.bus import Bus, Publisher
from andante.description import JointType, Robot
from andante.description.io.urdf.writer import write_urdf
from andante.errors import AndanteError
from andante.geometry import Array, se2, so3
from andante.mapping import Scan
from andante.physics.state import Mode
from andante.sensors.topics import plain, sensor_frame

from .estimate import BaseEstimate, quaternion_product
from .view import RobotView

CLOCK_RATE, STATE_RATE, IMU_RATE, STEP_RATE = 100.0, 50.0, 100.0, 10.0  # [Hz]
SWITCH_RATE, SWITCHES = 20.0, ("bumper", "touch", "button")  # [Hz], kinds of sensors
STEPS_KEPT = 24  # footsteps of the past
ODOM, MAP, WORLD = "odom", "map", "world"
EXECUTED_TARGETS = "/joint_targets/executed"
MOVING = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)

Header = messages.cls("std_msgs/msg/Header")
Time = messages.cls("builtin_interfaces/msg/Time")
Point = messages.cls("geometry_msgs/msg/Point")
Vector3 = messages.cls("geometry_msgs/msg/Vector3")
Quaternion = messages.cls("geometry_msgs/msg/Quaternion")
Pose = messages.cls("geometry_msgs/msg/Pose")
Pose2D = messages.cls("geometry_msgs/msg/Pose2D")
Clock = messages.cls("rosgraph_msgs/msg/Clock")
JointState = messages.cls("sensor_msgs/msg/JointState")
TransformStamped = messages.cls("geometry_msgs/msg/TransformStamped")
Transform = messages.cls("geometry_msgs/msg/Transform")
TFMessage = messages.cls("tf2_msgs/msg/TFMessage")
Twist = messages.cls("geometry_msgs/msg/Twist")
TwistStamped = messages.cls("geometry_msgs/msg/TwistStamped")
Footstep = messages.cls("andante_msgs/msg/Footstep")
Footsteps = messages.cls("andante_msgs/msg/Footsteps")
Switches = messages.cls("andante_msgs/msg/Switches")


class RobotPublisher:
    """One participant on a bus that tells of a robot. `view` gives the robot of the present scene."""

    name = "node"

    def __init__(self, bus: Bus, view: Callable[[], RobotView]) -> None:
        self.bus, self._view = bus, view
        self._handles: list[Any] = []

    @property
    def view(self) -> RobotView:
        """The robot of the present scene."""
        return self._view()

    def update(self) -> None:
        """A control period is over: publish what is due and wanted."""

    def rebuilt(self) -> None:
        """The scene is another one."""

    def repopulated(self) -> None:
        """Other models stand in the scene; the robot goes on."""

    def close(self) -> None:
        """Leave the bus."""
        for handle in self._handles:
            handle.close()
        self._handles = []

    def advertise(
        self, topic: str, kind: str, rate: float | None = None, latched: bool = False, sensor: bool = False
    ) -> Publisher:
        """A topic of this participant."""
        made = self.bus.advertise(topic, kind, rate, latched, self.name, sensor)
        self._handles.append(made)
        return made

    def drop(self, handle: Any) -> None:
        """Give one publisher, subscription or service back."""
        handle.close()
        self._handles.remove(handle)

    def header(self, frame: str = "", time: float | None = None) -> Any:
        """A header of now, or of a time of the body's clock [s]."""
        now = self.bus.clock.now
        return Header(stamp(now if time is None else now - self.view.time + time), self.bus.frame(frame))


class ClockPublisher(RobotPublisher):
    """/clock: simulated time, for whoever follows it."""

    name = "clock"

    def __init__(self, bus: Bus, view: Callable[[], RobotView]) -> None:
        super().__init__(bus, view)
        self._clock = self.advertise("/clock", "rosgraph_msgs/msg/Clock", CLOCK_RATE)

    def update(self) -> None:
        """The time now."""
        if self._clock.wanted():
            self._clock.publish(Clock(stamp(self.bus.clock.now)))


class StatePublisher(RobotPublisher):
    """/joint_states, /tf, /tf_static, /odom, /robot_description. Positions are those of the encoders."""

    name = "robot_state_publisher"

    def __init__(self, bus: Bus, view: Callable[[], RobotView]) -> None:
        super().__init__(bus, view)
        self._joints = self.advertise("/joint_states", "sensor_msgs/msg/JointState", STATE_RATE)
        self._tf = self.advertise("/tf", "tf2_msgs/msg/TFMessage", STATE_RATE)
        self._static = self.advertise("/tf_static", "tf2_msgs/msg/TFMessage", latched=True)
        self._text = self.advertise("/robot_description", "std_msgs/msg/String", latched=True)
        self._odom = self.advertise("/odom", "nav_msgs/msg/Odometry", STATE_RATE)
        self.map_from_odom = np.zeros(3)  # x, y, yaw, as the localizer says
        self.localized = False  # whether somebody tells where odom lies on the map
        self._covariance = np.zeros(36)
        self._covariance[[0, 7, 14, 21, 28, 35]] = (0.01, 0.01, 1e-4, 1e-4, 1e-4, 0.01)
        self.rebuilt()

    def rebuilt(self) -> None:
        """Another robot: its frames and description are told anew."""
        view = self.view
        self.estimate = BaseEstimate(view)
        self._frames = JointFrames(view.robot)
        self._parents = [self.bus.frame(name) for name in self._frames.parents]
        self._children = [self.bus.frame(name) for name in self._frames.children]
        self._names = list(view.robot.joint_names)
        self.localized = False
        self.map_from_odom = view.origin.copy()
        now, frame = stamp(self.bus.clock.now), self.bus.frame
        parts = [*self._frames.fixed]
        parts += [
            (spec.link, sensor_frame(spec), spec.pose.vector)
            for spec in view.robot.sensors
            if not spec.pose.is_identity()
        ]
        fixed = [_transform(Header(now, frame(parent)), frame(child), pose) for parent, child, pose in parts]
        x, y, yaw = view.map_pose
        fixed.append(_transform(Header(now, WORLD), MAP, (x, y, 0.0, 0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))))
        message = TFMessage(fixed)
        self.bus.clear_frames()
        self.bus.tf.set(message, static=True)
        self._static.publish(message)
        try:
            text = write_urdf(view.robot, (view.robot.folder or Path()) / f"{view.name}.urdf")
        except AndanteError as error:
            self.bus.log("warn", f"/robot_description: {error}", self.name)
            text = ""
        self._text.publish(messages.make("std_msgs/msg/String", data=text))

    def update(self) -> None:
        """What is due now."""
        self.estimate.update()
        now = self.bus.clock.now
        if self._joints.wanted():
            state = self.view.state
            values = (np.array(state.position), np.array(state.velocity), np.array(state.effort))
            self._joints.publish(JointState(Header(stamp(now), ""), self._names, *values))
        if self._tf.wanted():
            self._tf.publish(self._transforms(now))
        if self._odom.wanted():
            self._odom.publish(self._odometry(now))

    def refresh(self) -> None:
        """Let the tree of frames on the bus know the present, also while nobody hears /tf."""
        self._transforms(self.bus.clock.now)

    def _transforms(self, now: float) -> Any:
        when, frame = stamp(now), self.bus.frame
        table = self._frames.at(np.nan_to_num(self.view.state.position)).tolist()  # what nobody measures is at zero
        out = [
            _transform(Header(when, parent), child, pose)
            for parent, child, pose in zip(self._parents, self._children, table, strict=True)
        ]
        root = frame(self.view.robot.root)
        out.append(_transform(Header(when, frame(ODOM)), root, self.estimate.pose.tolist()))
        x, y, yaw = self.map_from_odom.tolist()
        placed = (x, y, 0.0, 0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))
        out.append(_transform(Header(when, MAP), frame(ODOM), placed))
        message = TFMessage(out)
        self.bus.tf.set(message)
        return message

    def _odometry(self, now: float) -> Any:
        vx, vy, wz = self.estimate.twist.tolist()
        return messages.make(
            "nav_msgs/msg/Odometry",
            header=Header(stamp(now), self.bus.frame(ODOM)),
            child_frame_id=self.bus.frame(self.view.robot.root),
            pose={"pose": pose_message(self.estimate.pose), "covariance": self._covariance},
            twist={
                "twist": {"linear": Vector3(vx, vy, 0.0), "angular": Vector3(0.0, 0.0, wz)},
                "covariance": self._covariance,
            },
        )


class FeltPublisher(RobotPublisher):
    """/imu/data, /NAME/foot_force and /scan of a real robot, as its body tells them."""

    name = "sensors"

    def __init__(self, bus: Bus, view: Callable[[], RobotView]) -> None:
        super().__init__(bus, view)
        robot = self.view.robot
        self._frames = {spec.kind: sensor_frame(spec) for spec in reversed(robot.sensors)}
        self._imu = self.advertise("/imu/data", "sensor_msgs/msg/Imu", IMU_RATE, sensor=True)
        kind = "andante_msgs/msg/FootForces"
        self._force = self.advertise(f"/{plain(robot.name)}/foot_force", kind, STATE_RATE, sensor=True)
        self._scan = self.advertise("/scan", "sensor_msgs/msg/LaserScan", sensor=True)
        self._scanned = self.view.time

    def update(self) -> None:
        """What was felt in the last control step."""
        state = self.view.state
        if "imu" in self._frames and self._imu.wanted():
            self._imu.publish(
                messages.make(
                    "sensor_msgs/msg/Imu",
                    header=self.header(self._frames["imu"], state.time),
                    orientation_covariance=[-1.0] + [0.0] * 8,
                    angular_velocity=Vector3(*state.gyro.tolist()),
                    linear_acceleration=Vector3(*state.acceleration.tolist()),
                )
            )
        if state.forces and self._force.wanted():
            feet = [{"link": link, "cells": cells, "total": float(cells.sum())} for link, cells in state.forces.items()]
            header = self.header(self.view.robot.root, state.time)
            self._force.publish(messages.make("andante_msgs/msg/FootForces", header=header, feet=feet))
        for scan in self.view.body.scans(self._scanned):
            self._scanned = scan.time
            self._scan.publish(self._laser_scan(scan))

    def _laser_scan(self, scan: Scan) -> Any:
        return messages.make(
            "sensor_msgs/msg/LaserScan",
            header=self.header(self._frames.get("lidar", ""), scan.time),
            angle_min=scan.angle_min,
            angle_max=scan.angle_min + scan.angle_increment * max(len(scan.ranges) - 1, 0),
            angle_increment=scan.angle_increment,
            time_increment=scan.time_increment,
            range_min=scan.range_min,
            range_max=scan.range_max,
            ranges=np.asarray(scan.ranges, dtype=np.float32),
        )


class SwitchPublisher(RobotPublisher):
    """/switches: what bumpers, touch pads and buttons feel."""

    name = "switches"

    def __init__(self, bus: Bus, view: Callable[[], RobotView]) -> None:
        super().__init__(bus, view)
        self._topic: Publisher | None = None
        self.rebuilt()

    def rebuilt(self) -> None:
        """Another robot has other switches."""
        if self._topic is not None:
            self.drop(self._topic)
            self._topic = None
        self.names = [spec.name for spec in self.view.robot.sensors if spec.kind in SWITCHES]
        if self.names:
            self._topic = self.advertise("/switches", "andante_msgs/msg/Switches", SWITCH_RATE, sensor=True)

    def pressed(self) -> list[bool]:
        """Of every switch."""
        felt = self.view.state.pressed
        return [bool(felt.get(name)) for name in self.names]

    def update(self) -> None:
        """What all of them feel now."""
        if self._topic is not None and self._topic.wanted():
            self._topic.publish(Switches(self.header(), list(self.names), np.array(self.pressed(), dtype=bool)))


class FootstepPublisher(RobotPublisher):
    """/footsteps: where the feet of a walking robot have stood, stand, and will come down, in odom.

    By the robot's own estimate; robots without feet have none.
    """

    name = "footsteps"

    def __init__(self, bus: Bus, view: Callable[[], RobotView]) -> None:
        super().__init__(bus, view)
        self._topic = self.advertise("/footsteps", "andante_msgs/msg/Footsteps", STEP_RATE)
        self.rebuilt()

    def rebuilt(self) -> None:
        """Forget the steps."""
        self._past: deque[tuple[str, Array]] = deque(maxlen=STEPS_KEPT)
        self._standing: dict[str, Array] = {}

    def update(self) -> None:
        """Follow the feet while somebody listens."""
        if not self._topic.wanted():
            return
        start = self.view.estimated_from
        standing, coming = self.view.walker.footsteps
        if not (standing or coming or self._past):
            return
        for foot, told in standing.items():
            place, before = se2.compose(start, told), self._standing.get(foot)
            if before is None or math.hypot(*(place - before)[:2]) > 0.01 or abs(place[2] - before[2]) > 0.05:
                self._past.append((foot, place))
                self._standing[foot] = place
        steps = [Footstep(foot, Pose2D(*place.tolist()), False) for foot, place in self._past]
        steps += [Footstep(foot, Pose2D(*se2.compose(start, told).tolist()), True) for foot, told in coming.items()]
        self._topic.publish(Footsteps(self.header(ODOM), steps))


class VelocityPublisher(RobotPublisher):
    """/velocity/asked and /velocity/executed: what is wanted of the walker, and what of it is carried out."""

    name = "velocity"

    def __init__(self, bus: Bus, view: Callable[[], RobotView]) -> None:
        super().__init__(bus, view)
        kind = "geometry_msgs/msg/TwistStamped"
        self._asked = self.advertise("/velocity/asked", kind, STEP_RATE)
        self._executed = self.advertise("/velocity/executed", kind, STEP_RATE)

    def update(self) -> None:
        """Both, while a loop runs the robot."""
        if self.view.loop is None:
            return
        asked = self.view.loop.asked
        for topic, told in ((self._asked, asked), (self._executed, self.view.walker.executed or asked)):
            if topic.wanted():
                twist = Twist(Vector3(told.vx, told.vy, 0.0), Vector3(0.0, 0.0, told.wz))
                topic.publish(TwistStamped(self.header("base_link"), twist))


class TargetPublisher(RobotPublisher):
    """/joint_targets/executed: what the servos are told in every control period, in the order of /joint_states.

    A joint has either a position or a velocity, NaN in place of the other. Stamps are those of the states that the
    targets follow from. /joint_targets alone is what others ask for.
    """

    name = "joint_targets"

    def __init__(self, bus: Bus, view: Callable[[], RobotView]) -> None:
        super().__init__(bus, view)
        self._targets = self.advertise(EXECUTED_TARGETS, "sensor_msgs/msg/JointState")

    def update(self) -> None:
        """What was sent last, while a loop runs the robot by its joints."""
        loop, names = self.view.loop, self.view.robot.joint_names
        if loop is None or loop.body.wants_twist or len(loop.targets) != len(names) or not self._targets.wanted():
            return
        modes = loop.behaviour.modes
        kinds = np.full(len(names), Mode.POSITION) if modes is None else np.asarray(modes)
        position = np.where(kinds == Mode.POSITION, loop.targets, np.nan)
        speed, effort = (np.where(kinds == kind, loop.targets, np.nan) for kind in (Mode.VELOCITY, Mode.TORQUE))
        told = (values if np.isfinite(values).any() else np.zeros(0) for values in (position, speed, effort))
        self._targets.publish(JointState(self.header(), list(names), *told))


class JointFrames:
    """parent_from_child of every joint: `moving` ones at given positions, `fixed` ones once."""

    def __init__(self, robot: Robot) -> None:
        names = robot.joint_names
        moving = [joint for joint in robot.topological if joint.type in MOVING and joint.name in names]
        self.parents = tuple(joint.parent for joint in moving)
        self.children = tuple(joint.child for joint in moving)
        self._index = np.array([names.index(joint.name) for joint in moving], dtype=int)
        self._slides = np.array([joint.type is JointType.PRISMATIC for joint in moving], dtype=bool)
        self._sliding = bool(self._slides.any())
        axes = np.array([np.asarray(j.axis, dtype=float) / np.linalg.norm(j.axis) for j in moving]).reshape(-1, 3)
        self._axes = axes
        self._place = np.array([joint.pose.translation for joint in moving]).reshape(-1, 3)
        self._turn = np.array([_quaternion(joint.pose.rotation) for joint in moving]).reshape(-1, 4)
        self._back_place = np.array([joint.joint_from_child.translation for joint in moving]).reshape(-1, 3)
        self._back_turn = np.array([_quaternion(joint.joint_from_child.rotation) for joint in moving]).reshape(-1, 4)
        self._plain = bool(np.all(self._back_place == 0) and np.allclose(self._back_turn, [0, 0, 0, 1]))
        fixed = [joint for joint in robot.topological if joint not in moving]
        self.fixed = tuple((joint.parent, joint.child, (joint.pose @ joint.joint_from_child).vector) for joint in fixed)

    def at(self, positions: Array) -> Array:
        """Poses (joints, 7) x y z qx qy qz qw of the children in their parents."""
        q = positions[self._index]
        angle = np.where(self._slides, 0.0, q) / 2
        spin = np.concatenate([self._axes * np.sin(angle)[:, None], np.cos(angle)[:, None]], axis=1)
        turn = _times(self._turn, spin)
        place = self._place
        if self._sliding:
            place = place + _rotate(self._turn, np.where(self._slides, q, 0.0)[:, None] * self._axes)
        if not self._plain:
            place = place + _rotate(turn, self._back_place)
            turn = _times(turn, self._back_turn)
        return np.concatenate([place, turn], axis=1)


def _quaternion(rotation: Array) -> Array:
    return np.asarray(so3.to_quaternion(rotation), dtype=float)


def _times(a: Array, b: Array) -> Array:
    """Products of quaternions (n, 4) x y z w."""
    return np.stack(quaternion_product(a.T, b.T), axis=1)


def _rotate(q: Array, v: Array) -> Array:
    """Vectors (n, 3) turned by quaternions (n, 4)."""
    u, w = q[:, :3], q[:, 3:]
    return v + 2 * np.cross(u, np.cross(u, v) + w * v)


def stamp(seconds: float) -> Any:
    """A time message of a time [s]."""
    whole = round(seconds * 1e9)
    return Time(whole // 1_000_000_000, whole % 1_000_000_000)


def pose_message(values: Any) -> Any:
    """geometry_msgs/Pose of x y z qx qy qz qw."""
    x, y, z, qx, qy, qz, qw = (float(v) for v in values)
    return Pose(Point(x, y, z), Quaternion(qx, qy, qz, qw))


def _transform(header: Any, child: str, pose: Any) -> Any:
    x, y, z, qx, qy, qz, qw = pose
    return TransformStamped(header, child, Transform(Vector3(x, y, z), Quaternion(qx, qy, qz, qw)))
