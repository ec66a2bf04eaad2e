"""A robot that lives behind ROS, as a body: over any rosbridge server, or directly at a ROS 1 master.

A thread keeps the line: it hears joint states, inertial unit and odometry, sends commands, connects again when the line
breaks, and stops a base whose driver or whose robot has fallen silent. No call of the user waits for the line, except
`connect`.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

from andante.bags import messages
from andante.bridges.base import SILENCE
from andante.control.body import BodyCommand, BodyState, Health
from andante.description import Robot
from andante.errors import AndanteError, BadInput, Unsupported
from andante.kinematics.wheels.finder import find_drive
from andante.physics.state import Mode

from ._remote_body import RemoteBody, measured
from .ros_body_link import Listener, RosLink
from .ros_body_orders import BaseVelocity, JointAngles, JointMove, JointOrders, Twist
from .ros_body_ros1 import Ros1Link
from .ros_body_rosbridge import RosbridgeLink
from .ros_body_senses import Odometry, RosSenses

SAID_KEPT = 1000  # lines that are said once only
HEARING = 2.0  # how long a robot that tells of itself may take until it hears commands [s]
STANDING: Twist = (0.0, 0.0, 0.0)
JOINT_STATE, IMU, ODOMETRY = "sensor_msgs/msg/JointState", "sensor_msgs/msg/Imu", "nav_msgs/msg/Odometry"


@dataclass(frozen=True)
class RosTopics:
    """Where the robot tells of itself; an empty name: nowhere. Joint states, else odometry, are its sign of life."""

    joint_states: str = "/joint_states"
    imu: str = "/imu/data"
    odometry: str = "/odom"

    def __post_init__(self) -> None:
        if not (self.joint_states or self.odometry):
            raise BadInput("a body needs the topic of its joint states or that of its odometry")


class RosBody(RemoteBody):
    """A robot at a rosbridge server (ws://host:9090), a ROS 1 master (http://host:11311), or behind a `RosLink`.

    Args:
        robot: its file or name: joint names, limits and wheels come from there.
        joints: how joint targets travel: `JointAngles`, `JointTrajectory`, None for not at all.
        velocity: how twists travel, None for not at all.
        timeout: a robot that tells nothing for so long counts as silent [s].
        say: called with each line on what happens to the connection, from the line's thread.
    """

    def __init__(
        self,
        address: str | RosLink,
        robot: Robot | str = "nao",
        *,
        joints: JointOrders | None = JointAngles(),  # noqa: B008 (frozen)
        velocity: BaseVelocity | None = BaseVelocity(),  # noqa: B008 (frozen)
        topics: RosTopics = RosTopics(),  # noqa: B008 (frozen)
        timeout: float = 1.0,
        say: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not (math.isfinite(timeout) and timeout > 0.0):
            raise BadInput(f"timeout is a time > 0 s, got {timeout}")
        super().__init__(robot, say)
        self.timeout, self.topics, self.clock = timeout, topics, clock
        self.dropped = 0  # commands that could not be obeyed
        self._limits = {joint.name: joint.limits for joint in self.robot.movable}
        self._wheels, self._velocity = _driven(self.robot, velocity)
        self._joints = joints if set(self.joint_names) - self._wheels else None
        for name in joints.together if joints is not None else ():
            self.robot.joint(name)  # refuses names that it does not have
        self._lock = threading.RLock()
        self._senses = RosSenses(self.joint_names)
        self._targets: dict[str, float] = {}  # of the joints that were commanded
        self._driving = False
        self._drove_at = -math.inf
        self._well = False
        self._unheard = ""
        self._said: set[str] = set()
        self._link = address if isinstance(address, RosLink) else link_to(address)
        hears = {topics.joint_states: JOINT_STATE, topics.imu: IMU, topics.odometry: ODOMETRY}
        told = [way for way in (self._joints, self._velocity) if way is not None]
        self._link.open(
            {topic: kind for topic, kind in hears.items() if topic},
            {way.topic: messages.type_name(way.type_name) for way in told},
            Listener(self._heard, self._joined, self._lost, self._tick, self._say),
        )

    # ---- the line --------------------------------------------------------------------------------
    def connect(self, timeout: float = 10.0) -> Self:
        """Wait until the robot tells of itself and hears us; refused in words when it does not within a time [s]."""
        deadline = time.monotonic() + timeout
        while why := self._trouble(self.clock()):
            if self._closed or time.monotonic() > deadline:
                raise BadInput(f"body {self.name!r}: {why}")
            time.sleep(0.005)
        deadline = min(deadline, time.monotonic() + HEARING)
        while self._deaf_topics() and time.monotonic() < deadline:
            time.sleep(0.005)
        for topic in self._deaf_topics():
            self._say(f"no subscriber on {topic} yet")
        missing = [name for i, name in enumerate(self.joint_names) if not math.isfinite(self._senses.joints_at[i])]
        if missing and self.topics.joint_states:
            self._say(f"{self.topics.joint_states} does not contain {', '.join(missing)}")
        return self

    @property
    def connected(self) -> bool:
        """Whether the server or master is there and the robot tells of itself."""
        return not self._trouble(self.clock())

    @property
    def age(self) -> float:
        """Time since the robot last told of itself [s], infinite before the first time."""
        return self.clock() - self._alive_at

    @property
    def odometry(self) -> Odometry | None:
        """Place and speed by the robot's odometry, None when it tells none."""
        with self._lock:
            return self._senses.odometry(self.clock(), self.timeout)

    @property
    def _alive_at(self) -> float:
        return self._senses.told_at if self.topics.joint_states else self._senses.moved_at

    def _trouble(self, now: float) -> str:
        """Why the robot cannot be commanded now, empty when it can."""
        if self._closed:
            return "the body is closed"
        if not self._link.connected:
            return f"no connection to {self._link.where}: {self._link.error}{self._hope}"
        topic, age = self.topics.joint_states or self.topics.odometry, now - self._alive_at
        if age == math.inf:
            return f"no message on {topic} from {self._link.where}; is the robot's driver running?"
        return f"no message on {topic} for {age:.1f} s" if age > self.timeout else ""

    @property
    def _hope(self) -> str:
        return "" if self._link.over else "; trying again"

    def _deaf_topics(self) -> list[str]:
        return [topic for topic in self._link.tells if self._link.listeners(topic) == 0]

    def _say_once(self, words: str) -> None:
        if words not in self._said and len(self._said) < SAID_KEPT:
            self._said.add(words)
            self._say(words)

    # ---- called from the line's thread -----------------------------------------------------------
    def _heard(self, topic: str, message: object) -> None:
        now = self.clock()
        try:
            with self._lock:
                if topic == self.topics.joint_states:
                    for name in self._senses.take_joints(message, now):
                        self._say_once(f"{topic} tells of {name!r}, which {self.robot.name} does not have; ignored")
                elif topic == self.topics.imu:
                    self._senses.take_inertial(message, now)
                else:
                    self._senses.take_odometry(message, now)
        except AndanteError as error:
            self._say_once(f"{topic}: {error}")

    def _joined(self) -> None:
        with self._lock:
            self._say(f"connected to {self._link.where}")
            if self._driving:
                self._stand("the connection was lost while the robot moved")

    def _lost(self, reason: str) -> None:
        with self._lock:
            self._senses.forget()
            self._well = False
            self._say(f"the connection to {self._link.where} is lost: {reason}{self._hope}")
            if self._driving and self._velocity is not None and self._link.listeners(self._velocity.topic):
                self._stand("the connection to the ROS master is lost")  # the way to the robot is still there

    def _tick(self) -> None:
        now = self.clock()
        with self._lock:
            trouble = self._trouble(now)
            if self._well and trouble:
                self._say(trouble)
            self._well = not trouble
            if self._driving and self._link.connected:
                if trouble:
                    self._link.clear()  # a line that hangs must not bring old motion later
                    self._stand("no messages from the robot")
                elif now - self._drove_at > SILENCE:
                    self._stand(f"no twist received for {SILENCE:g} s")

    def _stand(self, why: str) -> None:
        """Stop the base, once."""
        assert self._velocity is not None
        self._driving = False
        self._link.post(self._velocity.topic, self._velocity.message(STANDING, self._senses.robot_time(self.clock())))
        self._say(f"the base is stopped: {why}")

    # ---- the body --------------------------------------------------------------------------------
    def read(self) -> BodyState:
        """The newest that the robot told; NaN for what it does not tell or has not told for longer than `timeout`."""
        with self._lock:
            now, senses, timeout = self.clock(), self._senses, self.timeout
            position, velocity, effort = senses.joints(now, timeout)
            gyro, acceleration = senses.inertial(now, timeout)
            return BodyState(
                now, position, velocity, **measured(gyro, acceleration), effort=effort, yaw=senses.yaw(now, timeout),
                health=self._health(now),
            )  # fmt: skip

    def _health(self, now: float) -> Health:
        trouble = self._trouble(now)
        if not trouble and self.topics.joint_states:
            names = [self.joint_names[i] for i in self._senses.silent(now, self.timeout)]
            trouble = f"no message for {self.timeout:g} s from {', '.join(names)}" if names else ""
        if not trouble and self._unheard and self._link.listeners(self._unheard) == 0:
            trouble = f"no subscriber on {self._unheard}: commands have no effect"
        return Health(not trouble, trouble)

    def write(self, command: BodyCommand) -> None:
        """Send positions of joints, clipped to their limits, and a twist, to be repeated within 0.5 s.

        While the robot cannot obey, what would move it is dropped and counted; `health` says why.
        """
        with self._lock:
            self._refuse_closed()
            command.known_to(self)
            self._refuse(command)
            now = self.clock()
            twist = self._velocity.clipped(command.twist) if self._velocity and command.twist is not None else None
            moves = bool(command.joints) or (twist is not None and twist != STANDING)
            if moves and self._trouble(now):
                self.dropped += 1
                return
            if command.joints:
                self._send_joints({name: self._clipped(name, t.value) for name, t in command.joints.items()})
            if twist is not None:
                self._drive(twist, now)

    def _refuse(self, command: BodyCommand) -> None:
        """Refuse by name what the robot cannot be told."""
        if command.twist is not None and self._velocity is None:
            raise Unsupported(f"body {self.name!r} takes no twist; give it a BaseVelocity topic")
        for name, target in command.joints.items():
            if name in self._wheels:
                raise Unsupported(f"joint {name!r} belongs to the drive of {self.name!r}: give a twist instead")
            if self._joints is None:
                raise Unsupported(f"body {self.name!r} takes no joint targets; give it JointAngles or JointTrajectory")
            if target.mode is not Mode.POSITION:
                raise Unsupported(
                    f"joint {name!r} of {self.name!r} takes positions over {self._joints.topic}, not {target.mode.name}"
                )

    def _clipped(self, name: str, value: float) -> float:
        limits = self._limits[name]
        within = min(max(value, limits.lower), limits.upper)
        if within != value:
            self._say_once(f"targets of joint {name!r} are clipped to {limits.lower:.4g} ... {limits.upper:.4g}")
        return within

    def _send_joints(self, targets: dict[str, float]) -> None:
        way, senses = self._joints, self._senses
        assert way is not None
        position, _, _ = senses.joints(self.clock(), self.timeout)
        here = dict(zip(self.joint_names, position.tolist(), strict=True))
        for name in way.together:
            kept = self._targets.get(name, here[name])
            if name not in targets and not math.isfinite(kept):
                self.dropped += 1
                self._say_once(f"joints of {way.topic} move together only, and nothing is known of {name!r}: dropped")
                return
            targets.setdefault(name, kept)
        moves = [JointMove(name, value, here[name], self._limits[name].velocity) for name, value in targets.items()]
        self._targets |= targets
        self._tell(way.topic)
        self._link.post(way.topic, way.message(moves))

    def _drive(self, twist: Twist, now: float) -> None:
        assert self._velocity is not None
        self._driving, self._drove_at = twist != STANDING, now
        self._tell(self._velocity.topic)
        self._link.post(self._velocity.topic, self._velocity.message(twist, self._senses.robot_time(now)))

    def _tell(self, topic: str) -> None:
        """Note a topic that is told although nobody hears it."""
        if self._link.listeners(topic) == 0:
            self._unheard = topic
            self._say_once(f"no subscriber on {topic}: commands have no effect")

    def stop(self) -> None:
        """The base stands; joints that were commanded hold the place that they have now. What waits is forgotten."""
        with self._lock:
            if self._closed or not self._link.connected:
                return
            self._link.clear()
            now = self.clock()
            if self._velocity is not None:
                self._drive(STANDING, now)
            position, _, _ = self._senses.joints(now, self.timeout)
            here = {n: float(p) for n, p in zip(self.joint_names, position, strict=True) if math.isfinite(p)}
            held = {name: self._clipped(name, here[name]) for name in self._targets if name in here}
            if held:
                self._send_joints(held)

    def close(self) -> None:
        """Stop, let the robot go and end the thread; a line that hangs is left behind after some seconds."""
        with self._lock:
            if self._closed:
                return
            self.stop()
            self._closed = True
        if not self._link.close():
            self._say(f"{self._link.where} does not respond; its thread is abandoned")


def link_to(address: str) -> RosLink:
    """The line that an address asks for."""
    if address.startswith(("ws://", "wss://")):
        return RosbridgeLink(address)
    if address.startswith("http://"):
        return Ros1Link(address)
    raise BadInput(f"{address!r} is neither a rosbridge server (ws://host:9090) nor a ROS 1 master (http://host:11311)")


def _driven(robot: Robot, velocity: BaseVelocity | None) -> tuple[set[str], BaseVelocity | None]:
    """Joints of the drive, and the way of the twists with the limits of the drive; none for a robot without wheels."""
    try:
        drive = find_drive(robot)
    except AndanteError:
        return set(), velocity
    if velocity is not None:
        velocity = replace(
            velocity,
            max_linear=min(velocity.max_linear, drive.max_linear),
            max_angular=min(velocity.max_angular, drive.max_angular),
        )
    return set(drive.joint_commands(STANDING)), velocity
