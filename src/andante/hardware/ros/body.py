"""A robot that lives behind ROS, as a body: over any rosbridge server, or directly at a ROS 1 master.

A thread keeps the line: it hears joint states, inertial unit, foot force, scans and odometry, sends commands, connects
again when the line breaks, and stops a base whose driver or whose robot has fallen silent. No call of the user waits
for the line, except `connect`.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from andante.bags import messages
from andante.bridges.base import SILENCE
from andante.control.body import BodyCommand, BodyState, Health, LinkState, StopPlan, Twist
from andante.description import Robot
from andante.errors import AndanteError, BadInput, Unsupported
from andante.geometry import Array
from andante.hardware.remote import RemoteBody, measured
from andante.mapping import Scan
from andante.physics.state import Mode

from . import link_to, orders
from .link import HOPE, Listener, RosLink
from .senses import Odometry, RobotClock, RosSenses
from .settings import RosTopics

SAID_KEPT = 1000  # lines that are said once only
HEARING = 2.0  # how long a robot that tells of itself may take until it hears commands [s]
MEASURING = 1.0  # how long its rate is measured, of its own time [s]
LONGEST_MEASURING = 20.0  # ... and of the wall clock [s]
UNHEEDED = 1.0  # a robot that has not followed its commands for so long is not reached by them [s]
LATE = 2.0  # states older than this are late, in usual periods


class RosBody(RemoteBody):
    """A robot at a rosbridge server (ws://host:9090), a ROS 1 master (http://host:11311), or behind a `RosLink`.

    Its time is that of the robot (see `RobotClock`). Targets are kept within the limits of positions and velocities of
    the robot's file.

    Args:
        robot: its file or name: joint names, limits, wheels and sensors come from there.
        joints: how joint targets travel: `JointTargets`, `JointAngles`, `JointTrajectory`, `JointPositions`, None for
            not at all.
        velocity: how twists travel, None for not at all.
        timeout: a robot that tells nothing for so long counts as silent [s].
        say: called with each line on what happens to the connection, from the line's thread.
    """

    def __init__(
        self,
        address: str | RosLink,
        robot: Robot | str,
        *,
        joints: orders.JointOrders | None = orders.JointTargets(),  # noqa: B008 (frozen)
        velocity: orders.BaseVelocity | None = orders.BaseVelocity(),  # noqa: B008 (frozen)
        topics: RosTopics = RosTopics(),  # noqa: B008 (frozen)
        timeout: float = 0.5,
        say: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not (math.isfinite(timeout) and timeout > 0.0):
            raise BadInput(f"timeout is a time > 0 s, got {timeout}")
        super().__init__(robot, say)
        self.timeout, self.topics, self.clock = timeout, topics.of(self.robot), clock
        self.dropped = 0  # commands that could not be obeyed
        self.late = 0  # control periods whose state was older than usual
        self._index = {name: i for i, name in enumerate(self.joint_names)}
        self._wheels, self.velocity = orders.driven_by(self.robot, velocity)  # within the limits of the drive
        self.wants_twist = bool(self._wheels) and self.velocity is not None
        self.joints = joints if set(self.joint_names) - self._wheels else None
        for name in joints.together if joints is not None else ():
            self.robot.joint(name)  # refuses names that it does not have
        self.takes_stop_plan = self.joints is not None and bool(self.joints.stop_topic) and not self.wants_twist
        self._lock = threading.RLock()
        self._ticked = threading.Condition(self._lock)  # the robot's clock has gone on
        self._clock = RobotClock()
        self._senses = RosSenses(self.robot)
        self._stream = None if self.joints is None else orders.JointStream(self.joints, self.robot, self._say_once)
        self._strength: dict[str, float] | None = None  # stiffness of the joints that was sent last
        self._watch = orders.CommandWatch()
        self._read_at = 0.0  # time of the state that the next commands follow from [s]
        self._rate = math.inf
        self._driving = False
        self._unsure = False  # whether the last stop went out on a line that may have been dead
        self._drove_at = -math.inf
        self._well, self._given_up_at = False, math.inf  # the latter: age of its state when it fell silent [s]
        self._unheard = ""
        self._said: set[str] = set()
        self._link = address if isinstance(address, RosLink) else link_to(address)
        told = {way.topic: messages.type_name(way.type_name) for way in (self.joints, self.velocity) if way is not None}
        if self.takes_stop_plan and self.joints is not None:
            told[self.joints.stop_topic] = orders.TRAJECTORY
        if self.joints is not None and self.joints.stiffness_topic:
            told[self.joints.stiffness_topic] = orders.JOINT_STATE
        self._link.open(self.topics.types, told, Listener(self._heard, self._joined, self._lost, self._tick, self._say))

    # ---- the line --------------------------------------------------------------------------------
    def connect(self, timeout: float = 10.0, measure: float = MEASURING, *, reach: float = math.inf) -> Self:
        """Wait until the robot tells of itself and hears us; refused in words when it does not within a time [s].

        measure: how long the rate of its state is measured then, of its own time [s].
        reach: how long an address that refuses connections is tried [s].
        """
        began = time.monotonic()
        deadline = began + timeout
        while why := self._trouble(self.clock()):
            now = time.monotonic()
            if self._closed or now > deadline or (self._link.refused and now > began + reach):
                raise BadInput(f"body {self.name!r}: {why.removesuffix(HOPE)}")
            time.sleep(0.005)
        deadline = min(deadline, time.monotonic() + HEARING)
        while self._deaf_topics() and time.monotonic() < deadline:
            time.sleep(0.005)
        for topic in self._deaf_topics():
            self._say(f"no subscriber on {topic} yet")
        missing = [name for i, name in enumerate(self.joint_names) if not math.isfinite(self._senses.joints_at[i])]
        if missing and self.topics.joint_states:
            self._say(f"{self.topics.joint_states} does not contain {', '.join(missing)}")
        if measure > 0:
            self._measure_rate(measure)
        self._due, self.late, self._senses.missed = math.nan, 0, 0
        return self

    def _measure_rate(self, seconds: float) -> None:
        """Count its signs of life for a while; a robot that pauses (its computer is busy) is counted from then on."""
        begin, deadline = self.time, time.monotonic() + LONGEST_MEASURING
        while self.time < begin + seconds or self._trouble(self.clock()):
            if self._closed or time.monotonic() > deadline:
                break
            if self._trouble(self.clock()):
                begin = self.time
                with self._lock:
                    self._senses.count_anew()
            time.sleep(0.01)
        if why := self._trouble(self.clock()):
            raise BadInput(f"body {self.name!r}: {why.removesuffix(HOPE)}")
        with self._lock:
            self._rate = self._senses.rate

    @property
    def address(self) -> str:
        """Of the server or master."""
        return self._link.where

    @property
    def link(self) -> LinkState:
        """How well the robot is heard."""
        with self._lock:
            lost = self._senses.missed + self.dropped + self._link.dropped
            age = self.age if self._well else min(self.age, self._given_up_at)  # how it was when it was given up
            return LinkState(self._rate, age, self.late, lost, self._watch.unheeded)

    @property
    def time(self) -> float:
        """Of the robot's clock [s]."""
        with self._lock:
            return self._clock.now(self.clock())

    @property
    def connected(self) -> bool:
        """Whether the server or master is there and the robot tells of itself."""
        return not self._trouble(self.clock())

    @property
    def age(self) -> float:
        """Time since the robot last told of itself [s], infinite before the first time."""
        return (self.clock() - self._alive_at) * self._clock.pace

    @property
    def odometry(self) -> Odometry | None:
        """Place and speed by the robot's odometry, None when it tells none."""
        with self._lock:
            return self._senses.odometry(self.clock(), self._patience)

    @property
    def _alive_at(self) -> float:
        return self._senses.told_at if self.topics.joint_states else self._senses.moved_at

    @property
    def _patience(self) -> float:
        """The timeout by the wall clock [s]: longer for a simulated robot that goes slowly."""
        return self.timeout / self._clock.pace

    def _trouble(self, now: float) -> str:
        """Why the robot cannot be commanded now, empty when it can."""
        if self._closed:
            return "the body is closed"
        if not self._link.connected:
            return f"no connection to {self._link.where}: {self._link.error}{self._link.hope}"
        topic, age = self.topics.joint_states or self.topics.odometry, now - self._alive_at
        if age == math.inf:
            return f"no message on {topic} from {self._link.where}; is the robot's driver running?"
        if age > self._patience:
            return f"no message on {topic} for {age * self._clock.pace:.1f} s"
        for topic, at in ((self.topics.imu, self._senses.felt_at), (self.topics.foot_force, self._senses.pressed_at)):
            if self._patience < now - at < math.inf:
                return f"no message on {topic} for {(now - at) * self._clock.pace:.1f} s"
        return ""

    def _deaf_topics(self) -> list[str]:
        spare = self.joints.stiffness_topic if self.joints is not None else ""
        return [topic for topic in self._link.advertised if topic != spare and self._link.listeners(topic) == 0]

    def _say_once(self, words: str) -> None:
        if words not in self._said and len(self._said) < SAID_KEPT:
            self._said.add(words)
            self._say(words)

    # ---- called from the line's thread -----------------------------------------------------------
    def _heard(self, topic: str, message: Any) -> None:
        now, topics, senses = self.clock(), self.topics, self._senses
        try:
            with self._lock:
                if topic == topics.clock:
                    self._clock.tick(messages.seconds(message.clock), now)
                    self._ticked.notify_all()
                    return
                stamp = messages.seconds(message.header.stamp)
                self._clock.note(stamp, now)
                if topic == topics.joint_states:
                    for name in senses.take_joints(message, now):
                        self._say_once(f"{topic} tells of {name!r}, which {self.robot.name} does not have; ignored")
                elif topic == topics.imu:
                    senses.take_inertial(message, now)
                elif topic == topics.foot_force:
                    senses.take_forces(message, now)
                elif topic == topics.scan:
                    senses.take_scan(message)
                else:
                    senses.take_odometry(message, now)
                if topic == (topics.joint_states or topics.odometry):
                    senses.note_life(stamp or now)
        except AndanteError as error:
            self._say_once(f"{topic}: {error}")

    def _joined(self) -> None:
        with self._lock:
            self._say(f"connected to {self._link.where}")
            if self._driving or self._unsure:
                self._stand("the connection was lost while the robot moved")
            self._unsure = False

    def _lost(self, reason: str) -> None:
        with self._lock:
            self._senses.forget()
            self._well = False
            self._say(f"the connection to {self._link.where} is lost: {reason}{self._link.hope}")
            if self._driving and self.velocity is not None and self._link.listeners(self.velocity.topic):
                self._stand("the connection to the ROS master is lost")  # the way to the robot is still there
            self._ticked.notify_all()

    def _tick(self) -> None:
        now = self.clock()
        with self._lock:
            trouble = self._trouble(now)
            if self._well and trouble:
                self._given_up_at = self.age
                self._say(trouble)
            self._well = not trouble
            self._unsure = self._unsure and bool(trouble)
            if self._driving and self._link.connected:
                if trouble:
                    self._link.clear()  # a line that hangs must not bring old motion later
                    self._stand("no messages from the robot")
                    self._unsure = True
                elif now - self._drove_at > SILENCE / self._clock.pace:
                    self._stand(f"no twist received for {SILENCE:g} s")
            if trouble:
                self._ticked.notify_all()

    def _stand(self, why: str) -> None:
        """Stop the base, once."""
        assert self.velocity is not None
        self._driving = False
        self._link.post(self.velocity.topic, self.velocity.message(orders.STANDING, self.time))
        self._say(f"the base is stopped: {why}")

    # ---- the body --------------------------------------------------------------------------------
    def read(self) -> BodyState:
        """The newest that the robot told; NaN for what it does not tell or has not told for longer than `timeout`.

        Gyro and acceleration are means since the last time.
        """
        with self._lock:
            now, senses, timeout = self.clock(), self._senses, self._patience
            self._read_at = at = self._clock.now(now)
            if self._rate > 0 and self.age > LATE / self._rate + 1e-3:
                self.late += 1
            position, velocity, effort = senses.joints(now, timeout)
            gyro, acceleration = senses.inertial(now, timeout)
            fresh = now - senses.pressed_at <= timeout
            return BodyState(
                at, position, velocity, **measured(gyro, acceleration), effort=effort, yaw=senses.yaw(now, timeout),
                forces=senses.forces if fresh else {}, health=self._health(now),
                measured_at=min(at, senses.stamp) if senses.stamp > 0 else math.nan,
            )  # fmt: skip

    @property
    def has_scans(self) -> bool:
        """Whether its file has a lidar and a topic for it."""
        return bool(self.topics.scan)

    def scans(self, since: float) -> tuple[Scan, ...]:
        """Scans whose first beam came after a time [s], oldest first."""
        with self._lock:
            return tuple(scan for scan in self._senses.scans if scan.time > since)

    def _health(self, now: float) -> Health:
        trouble = self._trouble(now)
        if trouble:
            return Health(False, trouble, lost=True)
        if self.topics.joint_states:
            names = [self.joint_names[i] for i in self._senses.silent(now, self._patience)]
            trouble = f"no message for {self.timeout:g} s from {', '.join(names)}" if names else ""
        if not trouble and self._unheard and self._link.listeners(self._unheard) == 0:
            trouble = f"no subscriber on {self._unheard}: commands have no effect"
        if self._watch.silent >= UNHEEDED:
            trouble = f"commands have had no effect for {self._watch.silent:.1f} s although it tells of itself"
            return Health(False, trouble, lost=not self.wants_twist)
        return Health(not trouble, trouble)

    def _wait_until(self, due: float) -> None:
        with self._ticked:
            while (left := due - self.time) > 1e-6 and not self._trouble(self.clock()):
                self._ticked.wait(0.05 if self._clock.simulated else left)

    # ---- commands --------------------------------------------------------------------------------
    def write(self, command: BodyCommand) -> None:
        """Send positions of joints, within their limits, and a twist, to be repeated within 0.5 s.

        While the robot cannot obey, what would move it is dropped and counted; `health` says why.
        """
        with self._lock:
            self._refuse_closed()
            command.known_to(self)
            self._refuse(command)
            twist = self.velocity.clipped(command.twist) if self.velocity and command.twist is not None else None
            moves = bool(command.joints) or (twist is not None and twist != orders.STANDING)
            if moves and self._trouble(self.clock()):
                self.dropped += 1
                return
            if command.joints:
                targets = np.full(len(self._index), np.nan)
                for name, target in command.joints.items():
                    targets[self._index[name]] = target.value
                self._send_joints(targets)
            if twist is not None:
                self._drive(twist)

    def follow(self, targets: Array, modes: Array | None = None, stiffness: Array | None = None) -> None:
        """Send targets (joints,) of all joints; see `Body.follow`."""
        with self._lock:
            self._refuse_closed()
            topic = self._streaming().way.topic
            if modes is not None and (np.asarray(modes)[np.isfinite(targets)] != Mode.POSITION).any():
                raise Unsupported(f"body {self.name!r} takes positions over {topic}, no speeds or torques")
            if self._trouble(self.clock()):
                self.dropped += 1
                return
            self._send_joints(np.asarray(targets, dtype=float), stiffness)

    def stop_plan(self, plan: StopPlan) -> None:
        """Tell the robot how to come to rest when targets cease."""
        with self._lock:
            if self.joints is None or not self.joints.stop_topic:
                super().stop_plan(plan)
            elif not self._trouble(self.clock()):
                self._link.post(self.joints.stop_topic, self.joints.plan_message(plan, self.joint_names))

    def _refuse(self, command: BodyCommand) -> None:
        """Refuse by name what the robot cannot be told."""
        if command.twist is not None and self.velocity is None:
            raise Unsupported(f"body {self.name!r} takes no twist; give it a BaseVelocity topic")
        for name, target in command.joints.items():
            if name in self._wheels:
                raise Unsupported(f"joint {name!r} belongs to the drive of {self.name!r}: give a twist instead")
            topic = self._streaming().way.topic
            if target.mode is not Mode.POSITION:
                raise Unsupported(
                    f"joint {name!r} of {self.name!r} takes positions over {topic}, not {target.mode.name}"
                )

    def _streaming(self) -> orders.JointStream:
        """How joint targets are sent; refused where they are not."""
        if self._stream is None:
            raise Unsupported(f"body {self.name!r} takes no joint targets; give it JointTargets or JointAngles")
        return self._stream

    def _send_joints(self, targets: Array, stiffness: Array | None = None) -> None:
        stream = self._streaming()
        way = stream.way
        now, here = self.time, self._senses.joints(self.clock(), self._patience)[0]
        moves = stream.moves(targets, here, now)
        if moves is None:
            self.dropped += 1
            return
        self._watch.note(now, stream.targets, here)
        self._tell(way.topic)
        strength = None if stiffness is None else dict(zip(self.joint_names, stiffness.tolist(), strict=True))
        self._link.post(way.topic, way.message(moves, self._read_at, strength))
        if way.stiffness_topic and strength is not None and strength != self._strength:
            self._strength = strength
            self._link.post(way.stiffness_topic, way.stiffness_message(strength, self._read_at))

    def _drive(self, twist: Twist) -> None:
        assert self.velocity is not None
        odometry = self._senses.odometry(self.clock(), self._patience)
        went = None if odometry is None else (odometry.vx, odometry.vy, odometry.wz)
        turned = self._senses.joints(self.clock(), self._patience)[0][[self._index[name] for name in self._wheels]]
        self._watch.drive(self.time, twist, went, turned)
        self._driving, self._drove_at = twist != orders.STANDING, self.clock()
        self._tell(self.velocity.topic)
        self._link.post(self.velocity.topic, self.velocity.message(twist, self.time))

    def _tell(self, topic: str) -> None:
        """Note a topic that is told although nobody hears it."""
        if self._link.listeners(topic) == 0:
            self._unheard = topic
            self._say_once(f"no subscriber on {topic}: commands have no effect")

    def stop(self) -> None:
        """The base stands; joints that were commanded hold the place that they have now. What waits is forgotten.

        A stream of targets ceases: the robot comes to rest by its stop plan, else it holds the last targets.
        """
        with self._lock:
            if self._closed or not self._link.connected:
                return
            self._link.clear()
            if self.velocity is not None:
                self._drive(orders.STANDING)
            here, _, _ = self._senses.joints(self.clock(), self._patience)
            self._watch.silent = 0.0
            if self._stream is None or self._stream.way.streams:
                return
            held = np.where(np.isfinite(self._stream.targets), here, np.nan)
            if np.isfinite(held).any():
                self._send_joints(held)

    def close(self) -> None:
        """Stop, let the robot go and end the thread; a line that hangs is left behind after some seconds."""
        with self._lock:
            if self._closed:
                return
            self.stop()
            self._closed = True
            self._ticked.notify_all()
        if not self._link.close():
            self._say(f"{self._link.where} does not respond; its thread is abandoned")
