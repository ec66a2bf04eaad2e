"""`RangeInertialFilter`: odometry from UWB ranges and an IMU, tightly coupled."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from andante.compiling import njit
from andante.errors import BadInput
from andante.geometry import Array, so3
from andante.mapping.planar import three_numbers, wrap

from .filters import Ahrs

TOO_LONG = 2.0  # ranges longer than expected by this mean no line of sight [sigma]
DOUBT_GAIN = 0.2  # gain of one range on the NLOS estimate of its anchor
DOUBTED = 8.0  # an anchor behind a wall is this much noisier, besides [sigma]
LONGEST_STEP = 0.1  # longer gaps are predicted in parts [s]
SOFT = 0.25  # fraction of the gate from which ranges are doubted
LONGEST_GAP = 2.0  # ... and longer ones than this count as this long [s]


@dataclass(frozen=True)
class RangeNoise:
    """Deviations of ranges, IMU and motion."""

    range_sigma: float = 0.1  # of a range in line of sight [m]
    gate: float = 3.0  # ranges that are longer by this are refused, shorter ones by twice this [deviations]
    acceleration: float = 0.4  # of the accelerometer, with residual gravity, per root second [m/s^2]
    free_acceleration: float = 0.8  # of the motion where the heading is not known, per root second [m/s^2]
    vertical: float = 0.05  # acceleration along z, per root second [m/s^2]
    gyro: float = 0.02  # per root second [rad/s]
    gyro_walk: float = 1e-3  # per root second [rad/s]
    acceleration_walk: float = 0.01  # per root second [m/s^2]
    patience: int = 12  # rejected ranges in a row after which the position is reinitialized

    def __post_init__(self) -> None:
        for each in fields(self):
            if not (math.isfinite(getattr(self, each.name)) and getattr(self, each.name) > 0):
                raise BadInput(f"UWB parameter {each.name} must be a number above 0, got {getattr(self, each.name)}")


class RangeInertialFilter:
    """State: position, velocity, heading, gyro bias and accelerometer biases; predicted by the IMU, corrected by
    single ranges that pass a gate. Without a heading (one tag) velocities turn with the gyro instead.
    """

    def __init__(self, anchors: ArrayLike, tags: ArrayLike, noise: RangeNoise | None = None) -> None:
        """anchors (m, 3) in the UWB frame, tags (k, 3) on the robot [m]."""
        self.anchors, self.tags = np.array(anchors, dtype=float), np.array(tags, dtype=float)
        self.noise = noise or RangeNoise()
        n = self.noise
        self._q = np.array([n.acceleration, n.free_acceleration, n.vertical, n.gyro, n.gyro_walk, n.acceleration_walk])
        self._x, self._P = np.zeros(10), np.eye(10)
        self._levels = Ahrs()  # only roll and pitch are taken from it
        self._rate = 0.0
        self._doubt = np.zeros(len(self.anchors))  # recent fraction of ranges that were too long: no line of sight
        self._push = np.zeros(2)
        self.time = math.nan
        self.started = self.heading_known = False
        self.accepted = self.refused = self.in_a_row = 0

    def start(self, time: float, position: ArrayLike, yaw: float | None, deviation: float = 0.3) -> None:
        """Begin at a position (3,) of the robot, standing or slow; yaw None: the heading is not known."""
        at = three_numbers("the start of the filter", position, "x, y, z")
        biases = self._x[7:10].copy() if self.started else np.zeros(3)
        self._x = np.concatenate([at, np.zeros(3), [0.0 if yaw is None else yaw], biases])
        spread = [deviation] * 3 + [0.5, 0.5, 0.05, 0.3 if yaw is not None else 1e-6, 0.02, 0.2, 0.2]
        self._P = np.diag(np.square(spread))
        self.heading_known = yaw is not None
        self.time, self.started, self.in_a_row = time, True, 0

    @property
    def position(self) -> Array:
        """Position (3,) of the robot [m]."""
        return self._x[:3].copy()

    @property
    def velocity(self) -> Array:
        """Velocity (3,) in the UWB frame [m/s]."""
        return self._x[3:6].copy()

    @property
    def yaw(self) -> float:
        """Heading [rad]; the direction of travel without a second tag."""
        if self.heading_known or math.hypot(self._x[3], self._x[4]) < 0.05:
            return wrap(float(self._x[6]))
        return math.atan2(self._x[4], self._x[3])

    @property
    def covariance(self) -> Array:
        """Covariance (10, 10)."""
        return self._P.copy()

    def imu(self, time: float, gyro: ArrayLike, force: ArrayLike) -> None:
        """Take a reading; it holds until the next one. Readings that are not finite are left out."""
        w, f = np.asarray(gyro, dtype=float), np.asarray(force, dtype=float)
        if not (np.isfinite(w).all() and np.isfinite(f).all()):
            return
        self._levels.imu(time, w, f)
        if self.started:
            self._to(time)
        roll, pitch, _ = self._levels.rpy
        level = so3.from_rpy([roll, pitch, 0.0])
        self._rate = float((level @ w)[2])
        self._push = (level @ f)[:2]

    def range(self, time: float, tag: int, anchor: int, distance: float) -> bool:
        """Take a range [m]; return whether it passed the gate."""
        if not self.started or not (math.isfinite(distance) and distance > 0):
            return False
        self._to(time)
        lever = self.tags[tag] if self.heading_known else np.array([0.0, 0.0, self.tags[tag][2]])
        n = self.noise
        sigma = n.range_sigma * (1.0 + DOUBTED * self._doubt[anchor])
        size, gap = range_update(self._x, self._P, self.anchors[anchor], lever, distance, sigma, n.gate)
        self._doubt[anchor] += DOUBT_GAIN * (float(gap > TOO_LONG * n.range_sigma) - self._doubt[anchor])
        good = size <= 1.0
        self.accepted += good
        self.refused += not good
        self.in_a_row = 0 if good else self.in_a_row + 1
        return bool(good)

    def hold_height(self, height: float, deviation: float = 0.02) -> None:
        """Take the robot's height in the UWB frame as known [m]."""
        P_z = self._P[:, 2].copy()
        gain = P_z / (P_z[2] + deviation**2)
        self._x += gain * (height - self._x[2])
        self._P -= np.outer(gain, P_z)

    @property
    def lost(self) -> bool:
        """Whether so many ranges were rejected in a row that the position must be reinitialized."""
        return self.in_a_row >= self.noise.patience

    def _to(self, time: float) -> None:
        gap = time - self.time
        if not gap > 0:
            if gap < -LONGEST_GAP:
                self.time = time  # clock reset
            return
        self.time = time
        gap = min(gap, LONGEST_GAP)
        parts = math.ceil(gap / LONGEST_STEP)
        ax, ay = float(self._push[0]), float(self._push[1])
        for _ in range(parts):
            predict_inertial(self._x, self._P, gap / parts, self._rate, ax, ay, self.heading_known, self._q)


@njit()
def predict_inertial(
    x: Array, P: Array, dt: float, turn_rate: float, ax: float, ay: float, heading_known: bool, noise: Array
) -> None:
    """Move x = (p 3, v 3, yaw, gyro bias, accelerometer bias 2) and P in place by dt.

    turn_rate: about the vertical [rad/s]; ax, ay: acceleration in the level plane, along and across the robot [m/s²].
    With a known heading the velocity follows the acceleration; otherwise it turns as the robot does. noise (6,):
    accelerometer [m/s²], free acceleration where the heading is unknown, vertical acceleration, gyro [rad/s], walks of
    the biases of gyro and accelerometer, each per root second.
    """
    F = np.eye(10)
    F[0, 3], F[1, 4], F[2, 5] = dt, dt, dt
    rate = turn_rate - x[7]
    px, py, pz = x[0] + dt * x[3], x[1] + dt * x[4], x[2] + dt * x[5]
    if heading_known:
        yaw = x[6] + 0.5 * dt * rate
        c, s = math.cos(yaw), math.sin(yaw)
        bx, by = ax - x[8], ay - x[9]
        wx, wy = c * bx - s * by, s * bx + c * by
        half = 0.5 * dt * dt
        F[3, 6], F[4, 6] = -dt * wy, dt * wx
        F[0, 6], F[1, 6] = -half * wy, half * wx
        F[3, 8], F[3, 9], F[4, 8], F[4, 9] = -dt * c, dt * s, -dt * s, -dt * c
        F[0, 8], F[0, 9], F[1, 8], F[1, 9] = -half * c, half * s, -half * s, -half * c
        px, py = px + half * wx, py + half * wy
        x[3] += dt * wx
        x[4] += dt * wy
        free = noise[0]
    else:
        c, s = math.cos(dt * rate), math.sin(dt * rate)
        vx, vy = x[3], x[4]
        F[3, 3], F[3, 4], F[4, 3], F[4, 4] = c, -s, s, c
        F[3, 7], F[4, 7] = dt * (s * vx + c * vy), -dt * (c * vx - s * vy)
        x[3], x[4] = c * vx - s * vy, s * vx + c * vy
        free = noise[1]
    F[6, 7] = -dt
    fade = math.exp(-2.0 * dt)  # a ground robot's height has no lasting speed
    F[5, 5] = fade
    x[0], x[1], x[2] = px, py, pz
    x[5] *= fade
    x[6] += dt * rate
    P[:] = F @ P @ F.T
    P[3, 3] += free * free * dt
    P[4, 4] += free * free * dt
    P[5, 5] += noise[2] * noise[2] * dt
    P[6, 6] += noise[3] * noise[3] * dt
    P[7, 7] += noise[4] * noise[4] * dt
    P[8, 8] += noise[5] * noise[5] * dt
    P[9, 9] += noise[5] * noise[5] * dt
    P[:] = 0.5 * (P + P.T)


@njit()
def range_update(
    x: Array, P: Array, anchor: Array, lever: Array, measured: float, sigma: float, gate: float
) -> tuple[float, float]:
    """Correct the state of `predict_inertial` by one range; return the innovation over its gate (> 1: refused) and [m].

    The tag sits at `lever` (3,) on the robot. Walls and reflections make ranges longer, never shorter. So ranges that
    are too long are doubted early: beyond a quarter of the gate they count as noisier, in proportion (Huber), beyond
    the gate they change nothing; ranges that are too short have twice the room.
    """
    c, s = math.cos(x[6]), math.sin(x[6])
    lx, ly = c * lever[0] - s * lever[1], s * lever[0] + c * lever[1]
    dx, dy, dz = x[0] + lx - anchor[0], x[1] + ly - anchor[1], x[2] + lever[2] - anchor[2]
    d = max(math.sqrt(dx * dx + dy * dy + dz * dz), 1e-6)
    H = np.zeros(10)
    H[0], H[1], H[2] = dx / d, dy / d, dz / d
    H[6] = -H[0] * ly + H[1] * lx
    PH = P @ H
    S = float(np.sum(H * PH)) + sigma * sigma
    gap = measured - d
    room = gate if gap > 0.0 else 2.0 * gate
    size = abs(gap) / math.sqrt(S)
    if size > room:
        return size / room, gap
    doubt = size / (SOFT * room)
    if doubt > 1.0:
        S += (doubt - 1.0) * (sigma * sigma) * doubt
    K = PH / S
    x += K * gap
    P -= np.outer(K, PH)
    P[:] = 0.5 * (P + P.T)
    return size / room, gap
