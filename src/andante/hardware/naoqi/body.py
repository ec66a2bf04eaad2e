"""`NaoqiBody`: a NAO that is led through its own NAOqi, and `OwnWalk`, which lets it walk by itself."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from typing import Self

import numpy as np

from andante.control.body import Health
from andante.description import Robot, load_robot
from andante.errors import BadInput, one_line
from andante.geometry import Array
from andante.hardware.ros.body import RosBody
from andante.hardware.ros.link import RosLink
from andante.hardware.ros.orders import BaseVelocity, JointAngles
from andante.hardware.ros.settings import RosTopics
from andante.locomotion import Command, Readings, Walker

from .link import WAKING, NaoqiLink
from .settings import OWN, NaoqiSettings
from .wire import ANGLES, FORCES, INERTIAL, JOINTS, ODOM, STIFFNESS, VELOCITY

STILL, STILL_TIME = 0.002, 0.4  # a robot whose odometry moves less in this time stands [m or rad, s]


class NaoqiBody(RosBody):
    """A NAO at naoqi://HOST:9559: its state by ALMemory in the cycle of its motion, joints by setAngles, velocities by
    move. Everything else (limits, silence, commands that are not heeded) is as with robots behind ROS.

    Args:
        address: of NAOqi, or a line that stands in for it.
        robot: its file or name.
        settings: how it walks, wakes up and rests.
        say: called with each line on what happens to the connection, from the line's thread.
    """

    def __init__(
        self,
        address: str | RosLink,
        robot: Robot | str,
        settings: NaoqiSettings = NaoqiSettings(),  # noqa: B008 (frozen)
        *,
        say: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        made = load_robot(robot) if isinstance(robot, str) else robot
        self.settings = settings
        line = NaoqiLink(address, made.joint_names, settings) if isinstance(address, str) else address
        super().__init__(
            line, made, joints=JointAngles(ANGLES, STIFFNESS, settings.speed),
            velocity=BaseVelocity(VELOCITY, max_speed=settings.max_speed, max_turn=settings.max_turn),
            topics=RosTopics(JOINTS, INERTIAL, ODOM, FORCES, ""), timeout=settings.timeout, say=say, clock=clock,
        )  # fmt: skip
        self.takes_twist = settings.walk == OWN
        self._woken = False

    def connect(self, timeout: float = 10.0, measure: float = 1.0, *, reach: float = math.inf) -> Self:
        """Wait until the robot answers, then let it wake up; refused in words when it does not within a time [s]."""
        super().connect(timeout, measure, reach=reach)
        if self.settings.wake:
            self.wake()
        return self

    def wake(self) -> None:
        """Let it wake up: no life of its own, all joints stiff, its fall manager on. Waits."""
        if not isinstance(self._link, NaoqiLink):
            return
        for call in (("ALAutonomousLife", "setState", "disabled"), ("ALMotion", "setFallManagerEnabled", True)):
            try:
                self._link.ask(*call, wait=WAKING)
            except RuntimeError as error:
                self._say_once(
                    f"{call[0]}.{call[1]}: {one_line(error)[:120]}"
                )  # older robots have no life of their own
        try:
            self._link.ask("ALMotion", "wakeUp", wait=WAKING)
        except RuntimeError as error:
            raise BadInput(f"body {self.name!r} does not wake up: {one_line(error)[:160]}") from None
        self._woken = True
        self._due = math.nan

    def rest(self) -> None:
        """Let it crouch and make its joints limp. Waits."""
        if isinstance(self._link, NaoqiLink):
            try:
                self._link.ask("ALMotion", "rest", wait=WAKING)
            except RuntimeError as error:
                self._say(f"ALMotion.rest: {one_line(error)[:160]}")

    def own_walk(self) -> Walker | None:
        """What lets it walk by itself; None where it is led joint by joint."""
        return OwnWalk(self) if self.takes_twist else None

    def _health(self, now: float) -> Health:
        if isinstance(self._link, NaoqiLink) and self._link.fallen:
            return Health(False, "it has fallen, its own fall manager has it", lost=True)
        return super()._health(now)

    def close(self) -> None:
        """Stop, rest where that is asked for, and let the robot go."""
        if not self._closed and self.settings.rest and self._woken:
            self.stop()
            self.rest()
        super().close()


class OwnWalk(Walker):
    """A robot that walks by itself: its base is told the velocity; where it is, is told by its odometry."""

    least_rate = 5.0

    def __init__(self, body: NaoqiBody) -> None:
        self._body = body
        self._held = np.nan_to_num(body.read().position)
        self._start: Array | None = None
        self._position = np.zeros(3)
        self._way: deque[tuple[float, Array]] = deque()
        self._standing = True

    @property
    def max_speed(self) -> float:
        """Straight ahead [m/s]."""
        return self._body.settings.max_speed

    @property
    def max_turn(self) -> float:
        """On the spot [rad/s]."""
        return self._body.settings.max_turn

    @property
    def stopping_time(self) -> float:
        """Two steps and the last double support [s]."""
        return 1.5

    @property
    def approach(self) -> float | None:
        """Steps of 0.42 s: the last ones are short [s]."""
        return 1.0

    slowest = 0.2

    @property
    def standing(self) -> bool:
        """Whether its odometry rests after the last command."""
        return self._standing

    @property
    def position(self) -> Array:
        """x, y [m] and heading, unwrapped [rad], by its odometry since the first reading."""
        return self._position

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """The joints as they are; the command goes to `base_twist`."""
        self.base_twist = (command.vx, command.vy, command.wz)
        told = self._body.odometry
        if told is not None:
            self._take(readings.time, np.array([told.x, told.y, told.yaw]))
        rests = bool(self._way) and float(np.ptp([place for _, place in self._way], axis=0).max()) < STILL
        spans = bool(self._way) and readings.time - self._way[0][0] > 0.9 * STILL_TIME
        self._standing = not command.moving and rests and spans
        self._held = np.where(np.isfinite(readings.position), readings.position, self._held)
        return self._held

    def _take(self, now: float, place: Array) -> None:
        if self._start is None:
            self._start, self._last = place, place[2]
        turned = self._position[2] + math.remainder(place[2] - self._last, 2 * math.pi)
        self._last = float(place[2])
        dx, dy = place[:2] - self._start[:2]
        c, s = math.cos(self._start[2]), math.sin(self._start[2])
        self._position = np.array([c * dx + s * dy, c * dy - s * dx, turned])
        self._way.append((now, self._position))
        while now - self._way[0][0] > STILL_TIME:
            self._way.popleft()
