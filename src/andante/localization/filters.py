"""Filters: moving average, fading memory of first and second order, and `Ahrs`, attitude and heading by gyroscope,
accelerometer and the vector between two tags.
"""

from __future__ import annotations

import math
from collections import deque

import numpy as np
from numpy.typing import ArrayLike

from andante.compiling import njit
from andante.errors import BadInput
from andante.geometry import Array, so3
from andante.mapping.planar import three_numbers


class MovingAverage:
    """Mean of the latest samples (5 in the source)."""

    def __init__(self, length: int = 5) -> None:
        if length < 1:
            raise BadInput(f"a moving average needs at least 1 sample, got {length}")
        self._samples: deque[Array] = deque(maxlen=length)

    def update(self, sample: ArrayLike) -> Array:
        """The mean with a new sample (...,); samples that are not finite change nothing."""
        if _good(sample):
            self._samples.append(np.array(sample, dtype=float))
        return np.mean(self._samples, axis=0) if self._samples else np.array(sample, dtype=float)


class FadingFilter1:
    """x = b x + (1 - b) z."""

    def __init__(self, memory: float = 0.9) -> None:
        self._b = _memory(memory)
        self._x: Array | None = None

    def update(self, sample: ArrayLike) -> Array:
        """The filtered value with a new sample (...,)."""
        if _good(sample):
            z = np.asarray(sample, dtype=float)
            self._x = z.copy() if self._x is None else self._b * self._x + (1 - self._b) * z
        return np.array(sample, dtype=float) if self._x is None else self._x.copy()


class FadingFilter2:
    """x = xp + G (z - xp), v = v + H/T (z - xp), xp = x + v T with G = 1 - b², H = (1 - b)².

    It follows a constant speed without lag. A step T that is given with a sample stands for the time since the one
    before; samples that are not finite let it coast.
    """

    def __init__(self, memory: float = 0.9, step: float = 0.1) -> None:
        self._b = _memory(memory)
        if not step > 0:
            raise BadInput(f"the step of a fading filter must be above 0, got {step}")
        self._step = step
        self._x: Array | None = None
        self._v = np.zeros(0)

    @property
    def velocity(self) -> Array:
        """Rate of change [1/s]."""
        return self._v.copy()

    def update(self, sample: ArrayLike, step: float | None = None) -> Array:
        """The filtered value with a new sample (...,)."""
        T = self._step if step is None else step
        if not T > 0:
            raise BadInput(f"time must go on between samples, got a step of {T} s")
        z = np.asarray(sample, dtype=float)
        if self._x is None:
            if _good(z):
                self._x, self._v = z.copy(), np.zeros_like(z)
            return z.copy()
        ahead = self._x + self._v * T
        if _good(z):
            gap = z - ahead
            ahead = ahead + (1 - self._b**2) * gap
            self._v = self._v + (1 - self._b) ** 2 / T * gap
        self._x = ahead
        return self._x.copy()


def filtered(filter_: MovingAverage | FadingFilter1 | FadingFilter2, samples: ArrayLike) -> Array:
    """All samples (n, ...) through a filter, one after another."""
    return np.array([filter_.update(sample) for sample in np.asarray(samples, dtype=float)])


def _memory(b: float) -> float:
    if not 0 <= b < 1:
        raise BadInput(f"the memory of a fading filter lies within 0 to 1 (not 1 itself), got {b}")
    return b


def _good(sample: ArrayLike) -> bool:
    return bool(np.isfinite(sample).all())


LONGEST_STEP = 0.5  # gaps of the gyro count as this long [s]
SHORTEST_VECTOR = 0.05  # a tag vector whose horizontal part is shorter than this gives no heading [m]


class Ahrs:
    """A complementary filter; the tag vector stands in for a magnetometer and corrects the heading alone.

    World and robot frames are z-up (REP 103); `z_down` gives the angles in the z-down frame of the source.
    """

    def __init__(
        self, tag_vector: ArrayLike = (-1.0, 0.0, 0.0), *, level: float = 0.5, learn: float = 0.02, settle: float = 2.0
    ) -> None:
        """tag_vector: from tag 0 to tag 1 on the robot [m]; level, learn: gains of gravity on the attitude [1/s] and
        on the gyro's bias [1/s²]; settle: time constant of the heading toward the tags [s]."""
        self._body = three_numbers("the tag vector", tag_vector, "x, y, z")
        if math.hypot(self._body[0], self._body[1]) < SHORTEST_VECTOR:
            raise BadInput("the two tags must stand apart in the horizontal plane to give a heading")
        if min(level, learn, settle) < 0 or settle == 0:
            raise BadInput("gains of the attitude filter must not be negative, and settle must be above 0")
        self._level, self._learn, self._settle = level, learn, settle
        self._q = np.array([0.0, 0.0, 0.0, 1.0])
        self._bias = np.zeros(3)
        self._time = self._tag_time = math.nan
        self.heading_known = False
        self.stale = 0  # readings whose time did not go on

    @property
    def quaternion(self) -> Array:
        """Orientation (4,) x y z w, world_from_robot."""
        return self._q.copy()

    @property
    def rpy(self) -> Array:
        """Roll, pitch, yaw (3,) [rad]."""
        return so3.to_rpy(so3.from_quaternion(self._q))

    @property
    def z_down(self) -> Array:
        """Roll, pitch, yaw (3,) [rad] of the same attitude in frames whose y and z point right and down."""
        return self.rpy * (1.0, -1.0, -1.0)

    @property
    def gyro_bias(self) -> Array:
        """Bias (3,) of the gyroscope [rad/s]."""
        return self._bias.copy()

    def imu(self, time: float, gyro: ArrayLike, force: ArrayLike) -> None:
        """Take a reading: rates (3,) [rad/s] and specific force (3,) [m/s²], about +9.81 along z at rest."""
        w, f = np.asarray(gyro, dtype=float), np.asarray(force, dtype=float)
        if w.shape != (3,) or f.shape != (3,) or not math.isfinite(time):
            raise BadInput("an IMU reading is a time, three rates and three accelerations")
        if not (np.isfinite(w).all() and np.isfinite(f).all()):
            self.stale += 1
            return
        if not math.isfinite(self._time):
            self._begin(f)
            self._time = time
            return
        gap = time - self._time
        self._time = time
        if gap <= 0:
            self.stale += 1
            return
        ahrs_step(self._q, self._bias, w, f, min(gap, LONGEST_STEP), self._level, self._learn)

    def tags(self, time: float, vector: ArrayLike) -> None:
        """Take the vector from tag 0 to tag 1 in the UWB frame [m]; the first one sets the heading."""
        v = np.asarray(vector, dtype=float)
        if v.shape != (3,):
            raise BadInput(f"a tag vector is x, y, z, got {vector!r}")
        ahead = so3.from_quaternion(self._q) @ self._body
        if not np.isfinite(v).all() or math.hypot(v[0], v[1]) < SHORTEST_VECTOR:
            return
        gap = math.atan2(ahead[0] * v[1] - ahead[1] * v[0], ahead[0] * v[0] + ahead[1] * v[1])
        if not self.heading_known:
            self._turn(gap)
            self.heading_known, self._tag_time = True, time
            return
        dt = min(max(time - self._tag_time, 0.0), self._settle)
        self._tag_time = time
        fraction = 1.0 - math.exp(-dt / self._settle)
        self._turn(fraction * gap)
        up = so3.from_quaternion(self._q)[2]
        self._bias -= 0.5 * fraction * gap * self._learn * up

    def _begin(self, force: Array) -> None:
        """Level the robot by its first reading."""
        roll, pitch = math.atan2(force[1], force[2]), math.atan2(-force[0], math.hypot(force[1], force[2]))
        self._q = so3.to_quaternion(so3.from_rpy([roll, pitch, 0.0]))

    def _turn(self, angle: float) -> None:
        """Turn about the world's vertical."""
        x, y, z, w = self._q
        s, c = math.sin(0.5 * angle), math.cos(0.5 * angle)
        self._q = np.array([c * x - s * y, c * y + s * x, c * z + s * w, c * w - s * z])


@njit()
def ahrs_step(q: Array, bias: Array, gyro: Array, force: Array, dt: float, level: float, learn: float) -> None:
    """Turn the quaternion q (4,) x y z w, world_from_body, in place by the gyro for dt, drawn toward gravity.

    Mahony et al. (2008): w = gyro - bias + level e, bias' = -learn e, with e the cross product of the measured and the
    predicted direction of the specific force. Forces that are not about gravity alone (10 %) draw nothing.
    """
    x, y, z, w = q[0], q[1], q[2], q[3]
    ex = ey = ez = 0.0
    size = math.sqrt(force[0] ** 2 + force[1] ** 2 + force[2] ** 2)
    if 8.8 < size < 10.8:
        ux, uy, uz = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
        ax, ay, az = force[0] / size, force[1] / size, force[2] / size
        ex, ey, ez = ay * uz - az * uy, az * ux - ax * uz, ax * uy - ay * ux
    bias[0] -= learn * ex * dt
    bias[1] -= learn * ey * dt
    bias[2] -= learn * ez * dt
    wx, wy, wz = gyro[0] - bias[0] + level * ex, gyro[1] - bias[1] + level * ey, gyro[2] - bias[2] + level * ez
    angle = math.sqrt(wx * wx + wy * wy + wz * wz) * dt
    half = 0.5 * dt * (math.sin(0.5 * angle) / (0.5 * angle) if angle > 1e-9 else 1.0)
    dx, dy, dz, dw = half * wx, half * wy, half * wz, math.cos(0.5 * angle)
    q[0] = w * dx + x * dw + y * dz - z * dy
    q[1] = w * dy - x * dz + y * dw + z * dx
    q[2] = w * dz + x * dy - y * dx + z * dw
    q[3] = w * dw - x * dx - y * dy - z * dz
    length = math.sqrt(q[0] ** 2 + q[1] ** 2 + q[2] ** 2 + q[3] ** 2)
    for k in range(4):
        q[k] /= length
