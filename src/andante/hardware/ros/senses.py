"""What a robot behind ROS has told of itself: joints, inertial unit, odometry, foot force and scans, with their age."""

from __future__ import annotations

import math
from collections import deque
from typing import Any, NamedTuple

import numpy as np

from andante.bags import messages
from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import SE3, Array
from andante.mapping import Scan
from andante.sensors.topics import sensor_frame
from andante.simulation.scans import mounted_scan

KEPT = 200  # messages that the robot's time is told from
SPAN = 2.0  # over which the pace of a simulated robot is told [s of the wall clock]


class RobotClock:
    """The robot's time [s] at a time of the wall clock here [s].

    A robot that publishes /clock is simulated: its time is that of the newest /clock and stands still between two, so
    that a slow simulation is led slowly. The time of others goes by the wall clock, from the stamps of their messages:
    of many the one that took least tells how far both clocks are apart. Without stamps it is the time here.
    """

    def __init__(self) -> None:
        self.simulated = False
        self._ticks: deque[tuple[float, float]] = deque(maxlen=KEPT)  # time of the robot, time here
        self._apart: deque[float] = deque(maxlen=KEPT)  # robot's time minus time here
        self._last = -math.inf

    def tick(self, time: float, here: float) -> None:
        """A /clock came."""
        if self._ticks and time < self._ticks[-1][0]:  # it has started anew
            self._ticks.clear()
        self.simulated = True
        self._ticks.append((time, here))
        while len(self._ticks) > 2 and here - self._ticks[1][1] > SPAN:
            self._ticks.popleft()

    def note(self, stamp: float, here: float) -> None:
        """A message with a stamp came."""
        if stamp > 0.0:
            self._apart.append(stamp - here)

    def now(self, here: float) -> float:
        """The robot's time."""
        if self.simulated:
            return self._ticks[-1][0]
        self._last = max(self._last, here + max(self._apart, default=0.0))
        return self._last

    @property
    def pace(self) -> float:
        """How fast the robot's time goes in that of the wall clock: 1 but for a simulated one."""
        if len(self._ticks) < 2:
            return 1.0
        (first, began), (last, ended) = self._ticks[0], self._ticks[-1]
        return min(1.0, max(0.02, (last - first) / (ended - began))) if ended > began else 1.0


LONGEST_STEP = 2.0  # between two joint states that still give a velocity [s]
SCANS_KEPT = 50
WINDOW = 1.0  # over which the rate of the state is told [s]


class Odometry(NamedTuple):
    """Where the robot believes to be in its odometry frame, and how fast it moves in its own axes."""

    x: float  # [m]
    y: float
    yaw: float  # [rad]
    vx: float  # [m/s]
    vy: float
    wz: float  # [rad/s]


def yaw_of(q: Any) -> float:
    """Heading of a geometry_msgs/Quaternion [rad], NaN when it is none."""
    size = q.x**2 + q.y**2 + q.z**2 + q.w**2
    if not size > 0.25:
        return math.nan
    return math.atan2(2.0 * (q.w * q.z + q.x * q.y), q.w**2 + q.x**2 - q.y**2 - q.z**2)


class RosSenses:
    """The newest values; joints may come in several messages, each with some of them. Times are the reader's [s]."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self._index = {name: i for i, name in enumerate(robot.joint_names)}
        self.missed = 0  # signs of life that did not come, by the gaps between their stamps
        self.forget()

    def forget(self) -> None:
        """Nothing is known, as before the first message."""
        count = len(self._index)
        self.position, self.velocity, self.effort = (np.full(count, np.nan) for _ in range(3))
        self._stamps = np.full(count, np.nan)  # of the robot's clock
        self.joints_at = np.full(count, -math.inf)  # when each joint last came
        self.stamp = math.nan  # of the newest joint state, by the robot's clock
        self.told_at = -math.inf  # last joint state
        self._felt = np.full(6, np.nan)  # gyro and acceleration
        self._felt_sum, self._felt_count, self._heading = np.zeros(6), 0, math.nan
        self.felt_at = -math.inf
        self._odometry: Odometry | None = None
        self.moved_at = -math.inf  # last odometry
        self.forces: dict[str, Array] = {}
        self.pressed_at = -math.inf  # last foot force
        self.scans: deque[Scan] = deque(maxlen=SCANS_KEPT)
        self._signs: deque[float] = deque(maxlen=1000)  # times of the signs of life, by the robot's clock where told

    # ---- what comes ------------------------------------------------------------------------------
    def take_joints(self, message: Any, now: float) -> list[str]:
        """Take a sensor_msgs/JointState; names of joints that are not the robot's. Finds velocities where none come."""
        names, stamp = list(message.name), messages.seconds(message.header.stamp)
        for field in ("position", "velocity", "effort"):
            count = len(getattr(message, field))
            if count not in (0, len(names)):
                raise BadInput(f"a joint state has {count} values of {field} for {len(names)} names")
        for at, name in enumerate(names):
            i = self._index.get(name)
            if i is None:
                continue
            before, step = self.position[i], stamp - self._stamps[i]
            if len(message.position):
                self.position[i] = _number(message.position[at])
            if len(message.velocity):
                self.velocity[i] = _number(message.velocity[at])
            elif 0.0 < step < LONGEST_STEP:
                self.velocity[i] = (self.position[i] - before) / step
            if len(message.effort):
                self.effort[i] = _number(message.effort[at])
            self._stamps[i], self.joints_at[i] = stamp, now
        self.told_at, self.stamp = now, stamp
        return [name for name in names if name not in self._index]

    def take_inertial(self, message: Any, now: float) -> None:
        """Take a sensor_msgs/Imu; a covariance that begins with -1 says that nobody measures it."""
        values = np.full(6, np.nan)
        for at, part, covariance in (
            (0, message.angular_velocity, message.angular_velocity_covariance),
            (3, message.linear_acceleration, message.linear_acceleration_covariance),
        ):
            if covariance[0] != -1.0:
                values[at : at + 3] = [_number(v) for v in (part.x, part.y, part.z)]
        self._felt_sum, self._felt_count = self._felt_sum + values, self._felt_count + 1
        self._heading = yaw_of(message.orientation) if message.orientation_covariance[0] != -1.0 else math.nan
        self.felt_at = now

    def take_odometry(self, message: Any, now: float) -> None:
        """Take a nav_msgs/Odometry."""
        place, twist = message.pose.pose, message.twist.twist
        self._odometry = Odometry(
            place.position.x, place.position.y, yaw_of(place.orientation),
            twist.linear.x, twist.linear.y, twist.angular.z,
        )  # fmt: skip
        self.moved_at = now

    def take_forces(self, message: Any, now: float) -> None:
        """Take an andante_msgs/FootForces."""
        self.forces = {str(foot.link): np.array(foot.cells, dtype=float) for foot in message.feet}
        self.pressed_at = now

    def take_scan(self, message: Any) -> None:
        """Take a sensor_msgs/LaserScan; where its sensor sits is told by the robot's file."""
        frame = str(message.header.frame_id).lstrip("/")
        lidars = [spec for spec in self.robot.sensors if spec.kind == "lidar"]
        named = [spec for spec in lidars if frame in (sensor_frame(spec), spec.link, spec.name)]
        if named or (lidars and frame not in self.robot.link_poses()):
            spec = (named or lidars)[0]
            link, pose = spec.link, spec.pose
        elif frame in self.robot.link_poses():
            link, pose = frame, SE3.identity()
        else:
            raise BadInput(f"a scan comes from {frame!r}, which {self.robot.name} does not have")
        told = Scan(
            messages.seconds(message.header.stamp),
            np.asarray(message.ranges, dtype=float),
            float(message.angle_min),
            float(message.angle_increment),
            float(message.range_min),
            float(message.range_max),
            float(message.time_increment),
        )
        self.scans.append(mounted_scan(self.robot, link, pose, told))

    def note_life(self, time: float) -> None:
        """A sign of life of a time [s] came; gaps between them are counted as messages that did not."""
        if len(self._signs) > 2:
            usual = (self._signs[-1] - self._signs[0]) / (len(self._signs) - 1)
            gap = time - self._signs[-1]
            if usual > 0 and gap > 1.6 * usual:
                self.missed += round(gap / usual) - 1
        self._signs.append(time)
        while len(self._signs) > 2 and time - self._signs[1] >= WINDOW:
            self._signs.popleft()

    def count_anew(self) -> None:
        """The rate is that of the signs of life from now on."""
        self._signs.clear()

    # ---- what is known ---------------------------------------------------------------------------
    @property
    def rate(self) -> float:
        """Signs of life per second, over the last second; 0 before the second one."""
        span = self._signs[-1] - self._signs[0] if len(self._signs) > 1 else 0.0
        return (len(self._signs) - 1) / span if span > 0 else 0.0

    def joints(self, now: float, timeout: float) -> tuple[Array, Array, Array]:
        """Position, velocity and effort; NaN for joints that have been silent for longer than `timeout` [s]."""
        old = now - self.joints_at > timeout
        position, velocity, effort = (
            np.where(old, np.nan, values) for values in (self.position, self.velocity, self.effort)
        )
        return position, velocity, effort

    def silent(self, now: float, timeout: float) -> list[int]:
        """Joints that came once and have been silent for longer than `timeout` [s]."""
        return [int(i) for i in np.flatnonzero(np.isfinite(self.joints_at) & (now - self.joints_at > timeout))]

    def inertial(self, now: float, timeout: float) -> tuple[Array, Array]:
        """Angular velocity [rad/s] and specific force [m/s²], mean since the last time; NaN after `timeout` [s]."""
        if self._felt_count:
            self._felt = self._felt_sum / self._felt_count
            self._felt_sum, self._felt_count = np.zeros(6), 0
        felt = self._felt if now - self.felt_at <= timeout else np.full(6, np.nan)
        return felt[:3].copy(), felt[3:].copy()

    def odometry(self, now: float, timeout: float) -> Odometry | None:
        """The newest odometry, None when none came within `timeout` [s]."""
        return self._odometry if now - self.moved_at <= timeout else None

    def yaw(self, now: float, timeout: float) -> float:
        """Heading by odometry, else by the inertial unit, else NaN [rad]."""
        told = self.odometry(now, timeout)
        if told is not None and math.isfinite(told.yaw):
            return told.yaw
        return self._heading if now - self.felt_at <= timeout else math.nan


def _number(value: float) -> float:
    """The value, NaN for infinities: nobody measures them."""
    return float(value) if math.isfinite(value) else math.nan
