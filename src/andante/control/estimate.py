"""Where a live robot believes its root to be: by its own estimate, its joints and its IMU; never by truth."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeVar

import numpy as np

from andante.description.solids import robot_bounds
from andante.errors import AndanteError
from andante.geometry import Array, so3
from andante.locomotion.attitude import Attitude
from andante.locomotion.falls.pose_routes import two_feet
from andante.locomotion.rigs.balance import Balance
from andante.locomotion.rigs.rig import root_from_imu

from .view import RobotView

FIRST, LONGEST = 0.01, 0.1  # time before the first update, and most between two that counts [s]
SETTLE = 1.0  # in which the accelerometer wins over the gyro [s]
SPAN = 0.1  # over which a velocity is told [s]

Quaternion = tuple[float, float, float, float]  # x y z w
Part = TypeVar("Part", float, Array)


class BaseEstimate:
    """Pose of the root in odom, and its twist. The IMU is followed once per control period; the rest is computed when
    it is asked for."""

    def __init__(self, view: RobotView) -> None:
        self.view = view
        self.attitude = Attitude(SETTLE)
        self.imu: Quaternion | None = None  # root_from_imu; None: the robot has none
        self._body_from_imu = np.eye(3)
        try:
            self._body_from_imu = np.ascontiguousarray(root_from_imu(view.robot))
            self.imu = _tuple(so3.to_quaternion(self._body_from_imu))
        except AndanteError:
            pass
        self._balance = Balance(view.robot) if two_feet(view.robot) else None
        box = robot_bounds(view.robot, view.robot.complete(view.pose))
        self._height = 0.0 if box is None else -float(box[0][2])
        self._felt = self._told = -1.0  # times of the last reading and the last pose [s]
        self._past: list[tuple[float, Array]] = []
        self._pose = np.zeros(7)
        self._twist = np.zeros(3)
        self._start: tuple[float, float] | None = None  # of the root over the feet
        self.update()

    def update(self) -> None:
        """Take the readings of the last control step."""
        now = self.view.time
        if now == self._felt:
            return
        dt, self._felt = min(now - self._felt, LONGEST) if self._felt >= 0 else FIRST, now
        if self.imu is not None and dt > 0:
            turn, readings = self._body_from_imu, self.view.state
            gyro = np.where(np.isnan(readings.gyro), 0.0, readings.gyro)  # axes that the robot lacks
            self.attitude.update(turn @ gyro, turn @ readings.acceleration, dt)

    @property
    def pose(self) -> Array:
        """x y z qx qy qz qw of the root in odom."""
        self._report()
        return self._pose

    @property
    def twist(self) -> Array:
        """vx, vy [m/s], wz [rad/s] in the axes of straight ahead."""
        self._report()
        return self._twist

    def _report(self) -> None:
        view, now = self.view, self.view.time
        if now == self._told:
            return
        self._told = now
        place = view.position
        yaw = float(place[2]) - view.forward
        x, y, height = float(place[0]), float(place[1]), self._height
        turn = quaternion_product((0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)), leveling(self.attitude.up))
        if self._balance is not None:
            across, height = self._over_feet()
            c, s = math.cos(yaw), math.sin(yaw)
            x, y = x + c * across[0] - s * across[1], y + s * across[0] + c * across[1]
        if view.walker.orientation is not None:
            began = float(view.estimated_from[2])
            attitude = _tuple(so3.to_quaternion(view.walker.orientation))
            turn = quaternion_product((0.0, 0.0, math.sin(began / 2), math.cos(began / 2)), attitude)
        self._pose = np.array([x, y, height, *turn])
        self._speed(now, place)

    def _over_feet(self) -> tuple[tuple[float, float], float]:
        """Where the root is over the middle of its feet, against the start, in level axes; and its height [m]."""
        assert self._balance is not None
        _, soles = self._balance.at(self.view.state.position)
        tilt = self.attitude.level_from_body
        height = -min(float((points @ tilt[2]).min()) for points in soles)
        middle = sum((points.sum(axis=0) / len(points) for points in soles), np.zeros(3)) / len(soles)
        x, y, _ = (-(tilt @ middle)).tolist()
        if self._start is None:
            self._start = (x, y)
        return (x - self._start[0], y - self._start[1]), height

    def _speed(self, now: float, place: Array) -> None:
        self._past.append((now, np.array(place)))
        while len(self._past) > 2 and now - self._past[1][0] >= SPAN:
            self._past.pop(0)
        then, was = self._past[0]
        if now > then:
            dx, dy, turned = ((place - was) / (now - then)).tolist()
            c, s = math.cos(place[2]), math.sin(place[2])
            self._twist = np.array([c * dx + s * dy, c * dy - s * dx, turned])


def leveling(up: Array) -> Quaternion:
    """The shortest rotation that brings a direction (3,) to the vertical, x y z w."""
    x, y, z = up.tolist()
    size = math.sqrt(x * x + y * y + (1.0 + z) ** 2)
    if size < 1e-6:  # upside down
        return 1.0, 0.0, 0.0, 0.0
    return y / size, -x / size, 0.0, (1.0 + z) / size


def quaternion_product(a: Iterable[Part], b: Iterable[Part]) -> tuple[Part, Part, Part, Part]:
    """a b, the rotation b followed by a, x y z w; of numbers, or of arrays of them."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def _tuple(quaternion: Array) -> Quaternion:
    x, y, z, w = (float(v) for v in quaternion)
    return x, y, z, w
