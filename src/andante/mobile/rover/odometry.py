"""Odometry of the rover from what its microcontroller tells over the line: wheel ticks, gyro and accelerometer."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from andante.geometry import Array, se2, so3
from andante.hardware import SerialBody
from andante.hardware.serial.messages import Inertial, Telemetry
from andante.localization import Ahrs, OdometryFilter

WRAP = 2**32  # of the microcontroller's clock [ms] and of its counters
KEPT = 256  # poses that are remembered
REACH = 0.2  # poses are told this far beyond the newest [s]
LOST = 0.5  # a line that was silent for so long has lost what it would have told [s]
LONGEST_GAP = 60.0  # between two counts of the wheels that still tell the way [s]


class BoardClock:
    """Time of the microcontroller on the computer's clock, by the message that came through fastest."""

    def __init__(self) -> None:
        self._last = 0  # [ms], as told
        self._turns = 0
        self._offset = math.inf

    def time(self, told: int, now: float) -> float:
        """When something was measured [s], by its stamp [ms] and the time at which it came [s]."""
        if told < self._last - WRAP // 2:
            self._turns += 1
        elif told < self._last:  # it was switched off and on
            self._offset = math.inf
        self._last = told
        board = (told + self._turns * WRAP) / 1000.0
        self._offset = min(self._offset, now - board)
        return board + self._offset


class PoseHistory:
    """Poses (3,) of the last seconds, to be asked for between their times."""

    def __init__(self) -> None:
        self._kept: deque[tuple[float, Array]] = deque(maxlen=KEPT)

    def add(self, time: float, pose: Array) -> None:
        """Keep a pose; one that is not newer than the last replaces it."""
        if self._kept and time <= self._kept[-1][0]:
            self._kept.pop()
        self._kept.append((time, pose))

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()

    def at(self, time: float) -> Array | None:
        """The pose at a time [s] along the arc between its neighbors, the nearest beyond the ends; None: none."""
        after: tuple[float, Array] | None = None
        for then, pose in reversed(self._kept):
            if then <= time:
                if after is None:
                    return pose
                fraction = (time - then) / (after[0] - then)
                return se2.compose(pose, se2.exp(fraction * se2.log(se2.between(pose, after[1]))))
            after = (then, pose)
        return None if after is None else after[1]


class RoverOdometry:
    """Pose (3,) x, y, yaw of the rear axle in a frame of its own, and roll and pitch, from the newest messages.

    Ticks of the two rear wheels give speed and turn, the gyro the turn; an extended Kalman filter joins them. Poses of
    the last seconds are kept, since a scan is as old as its first beam.
    """

    def __init__(self, body: SerialBody, ahrs: Ahrs) -> None:
        self.ahrs = ahrs
        self.filter = OdometryFilter()
        self._body, self._clock = body, BoardClock()
        self._felt: Inertial | None = None
        self._told: tuple[float, Telemetry] | None = None
        self._past = PoseHistory()
        self._turn = 0.0  # of the gyro about the vertical [rad/s]

    def restart(self) -> None:
        """Begin at x = y = yaw = 0: the rover was put elsewhere."""
        self.filter = OdometryFilter()
        self._told = None
        self._past.clear()

    def update(self, now: float) -> None:
        """Take the newest messages that have come by now [s]."""
        felt, told = self._body.inertial, self._body.telemetry
        if now - self.filter.time > LOST and (felt is not self._felt or told is not None):  # nothing came for a while
            self.filter = OdometryFilter(self.filter.state.pose)  # its speed of then says nothing about now
        if felt is not None and felt is not self._felt:
            self._felt = felt
            self._take_inertial(self._clock.time(felt.time, now), felt)
        if told is not None and (self._told is None or told is not self._told[1]):
            self._take_ticks(self._clock.time(told.time, now), told)
        if math.isfinite(self.filter.time):
            self._past.add(self.filter.time, self.filter.state.pose)

    def _take_inertial(self, time: float, felt: Inertial) -> None:
        gyro = np.array([felt.gyro_x, felt.gyro_y, felt.gyro_z])
        self.ahrs.imu(time, gyro, (felt.acc_x, felt.acc_y, felt.acc_z))
        roll, pitch, _ = self.ahrs.rpy
        self._turn = float((so3.from_rpy([roll, pitch, 0.0]) @ gyro)[2])
        self.filter.gyro(time, self._turn)

    def _take_ticks(self, time: float, told: Telemetry) -> None:
        before, self._told = self._told, (time, told)
        if before is None:
            return
        dt = ((told.time - before[1].time) % WRAP) / 1000.0
        if not 0 < dt < LONGEST_GAP:
            return
        car, turn = self._body.car, 2 * math.pi / self._body.ticks_per_turn
        speeds = {
            joint: _counted(getattr(before[1], field), getattr(told, field)) * turn / dt
            for joint, field in ((car.left, "ticks_left"), (car.right, "ticks_right"))
        }
        twist = car.drive.at_root(car.drive.twist(speeds).twist)
        if dt > LOST:  # the way since then counts, the speed does not
            self.filter = OdometryFilter(se2.compose(self.filter.state.pose, se2.exp(twist * dt)))
        else:
            self.filter.wheel_twist(time, twist)

    @property
    def pose(self) -> Array:
        """The newest pose (3,)."""
        return self.filter.state.pose

    @property
    def tilt(self) -> tuple[float, float]:
        """Roll and pitch [rad]."""
        roll, pitch, _ = self.ahrs.rpy
        return float(roll), float(pitch)

    def at(self, time: float) -> Array:
        """The pose (3,) at a time of the last seconds [s]."""
        past = self._past.at(time)
        return self.pose if past is None else past

    def ahead(self, time: float) -> Array:
        """The newest pose carried on with its twist to a time soon after it [s]."""
        state = self.filter.state
        gap = min(max(time - state.time, 0.0), REACH) if math.isfinite(state.time) else 0.0
        return se2.compose(state.pose, se2.exp(state.twist * gap))


def _counted(before: int, after: int) -> int:
    """Ticks between two counts that wrap in 32 bits."""
    return (after - before + WRAP // 2) % WRAP - WRAP // 2
