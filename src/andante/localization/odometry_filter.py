"""`OdometryFilter`: an extended Kalman filter over wheels, IMU and absolute poses, the usual `odom` source."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.compiling import njit
from andante.errors import BadInput
from andante.geometry import Array
from andante.mapping.planar import between, wrap

CLOCK_RESET = 1.0  # a stamp further back than this means a clock reset [s]
STANDING = 1e-4  # wheels slower than this stand [m/s, rad/s]
LONGEST_STEP = 0.05  # longer gaps are predicted in parts [s]
LONGEST_GAP = 5.0  # longer gaps count as this long [s]
TWIST_ROWS = np.eye(7)[3:6].copy()  # H of a twist of the wheels
GYRO_ROWS = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]])  # ... of a gyro: turn rate and bias


@dataclass(frozen=True)
class OdometryNoise:
    """Deviations of the sensors and of the motion."""

    along: float = 1.0  # white acceleration, per root second [m/s^2]
    across: float = 0.05  # small: wheels do not slide; use `along` for an omni robot [m/s^2]
    turn: float = 2.0  # [rad/s^2]
    wheel_speed: float = 0.03  # of a wheel twist [m/s]
    wheel_across: float = 0.02  # [m/s]
    wheel_turn: float = 0.3  # wide: wheels that slip err together for long [rad/s]
    standing: float = 0.01  # of a twist of wheels that stand [m/s, rad/s]
    gyro: float = 0.01  # [rad/s]
    gyro_bias: float = 0.01  # of its bias at the start [rad/s]
    gyro_walk: float = 1e-4  # of its bias, per root second [rad/s]
    gate: float = 5.0  # absolute poses further off than this many deviations are refused


@dataclass(frozen=True)
class FilterState:
    """State of the filter at a time."""

    time: float  # [s]
    pose: Array  # (3,) x, y, yaw [m, m, rad]
    twist: Array  # (3,) vx, vy, w in the robot's frame [m/s, m/s, rad/s]
    gyro_bias: float  # [rad/s]
    covariance: Array  # (7, 7) of x, y, yaw, vx, vy, w, bias


class OdometryFilter:
    """State x, y, yaw, vx, vy, w, gyro bias. Readings may come in any mix, each with its time.

    A reading that is older than the filter is taken at the filter's own time when it is late by less than a second
    (`late` counts them); one from further back means a clock reset (`resets`).
    """

    def __init__(
        self,
        pose: ArrayLike = (0.0, 0.0, 0.0),
        noise: OdometryNoise | None = None,
        deviation: ArrayLike = (1e-3, 1e-3, 1e-3),
    ) -> None:
        self.noise = noise or OdometryNoise()
        at, spread = np.asarray(pose, dtype=float), np.asarray(deviation, dtype=float)
        if at.shape != (3,) or spread.shape != (3,) or not (np.isfinite(at).all() and np.isfinite(spread).all()):
            raise BadInput(f"the filter starts at x, y, yaw with three deviations, got {pose!r} and {deviation!r}")
        self._x = np.concatenate([at, np.zeros(4)])
        self._P = np.diag([*(spread**2), 0.5**2, 0.1**2, 0.5**2, self.noise.gyro_bias**2])
        n = self.noise
        self._rolls = np.diag([n.wheel_speed**2, n.wheel_across**2, n.wheel_turn**2])  # R of a twist of the wheels
        self._stands = np.diag([n.standing**2] * 3)
        self._feels = np.array([[n.gyro**2]])  # ... of a gyro
        self._q = np.array([self.noise.along, self.noise.across, self.noise.turn, self.noise.gyro_walk])
        self.time = math.nan
        self.late = self.resets = self.refused = 0
        self._wheels: tuple[float, Array] | None = None

    @property
    def state(self) -> FilterState:
        """The state at the time of the newest reading."""
        return FilterState(self.time, self.pose, self.twist, float(self._x[6]), self._P.copy())

    @property
    def pose(self) -> Array:
        """x, y, yaw at the time of the newest reading [m, m, rad]."""
        pose = self._x[:3].copy()
        pose[2] = wrap(pose[2])
        return pose

    @property
    def twist(self) -> Array:
        """vx, vy, w in the robot's frame at that time [m/s, m/s, rad/s]."""
        return self._x[3:6].copy()

    def wheel_twist(self, time: float, twist: ArrayLike) -> float:
        """Take a twist vx, vy, w of the wheels; return its NIS (3 degrees of freedom).

        Standing wheels have less noise than rolling ones: the robot stands still, and the gyro shows its bias.
        """
        z = _finite(twist, 3, "a wheel twist")
        self._to(time)
        R = self._stands if np.abs(z).max() < STANDING else self._rolls
        return float(kalman_update(self._x, self._P, z - self._x[3:6], TWIST_ROWS, R))

    def wheel_pose(self, time: float, pose: ArrayLike) -> float:
        """Take a pose of wheel odometry: its change since the last one counts as a twist."""
        now = _finite(pose, 3, "a wheel pose")
        last, self._wheels = self._wheels, (time, now)
        if last is None or not 1e-4 < time - last[0] < LONGEST_GAP:
            return math.nan
        step = between(last[1], now) / (time - last[0])
        return self.wheel_twist(time, step)

    def gyro(self, time: float, rate: float) -> float:
        """Take a turn rate about the vertical [rad/s]; return its NIS (1)."""
        z = _finite(rate, 0, "a turn rate")
        self._to(time)
        gap = np.array([float(z) - self._x[5] - self._x[6]])
        return float(kalman_update(self._x, self._P, gap, GYRO_ROWS, self._feels))

    def heading(self, time: float, yaw: float, deviation: float) -> float:
        """Take an absolute heading [rad]; return its NIS (1)."""
        z = _finite(yaw, 0, "a heading")
        self._to(time)
        H = np.zeros((1, 7))
        H[0, 2] = 1.0
        return float(
            kalman_update(self._x, self._P, np.array([wrap(float(z) - self._x[2])]), H, np.array([[deviation**2]]))
        )

    def absolute_pose(self, time: float, pose: ArrayLike, covariance: ArrayLike) -> float:
        """Take a pose x, y, yaw with covariance (3, 3), of a localizer or of tags; return its NIS (3).

        A pose that is out of the gate is refused, counted, and changes nothing.
        """
        z, R = _finite(pose, 3, "a pose"), np.ascontiguousarray(covariance, dtype=float)
        if R.shape != (3, 3) or not np.isfinite(R).all():
            raise BadInput(f"the covariance of a pose is 3 x 3 finite numbers, got shape {R.shape}")
        self._to(time)
        gap = z - self._x[:3]
        gap[2] = wrap(gap[2])
        S = self._P[:3, :3] + R
        try:
            size = float(gap @ np.linalg.solve(S, gap))
        except np.linalg.LinAlgError:
            raise BadInput("the covariance of a pose must be positive") from None
        if size > self.noise.gate**2:
            self.refused += 1
            return size
        H = np.zeros((3, 7))
        H[0, 0] = H[1, 1] = H[2, 2] = 1.0
        return float(kalman_update(self._x, self._P, gap, H, R))

    def _to(self, time: float) -> None:
        """Predict to a time."""
        if not math.isfinite(time):
            raise BadInput(f"the time of a reading must be a finite number, got {time}")
        gap = time - self.time if math.isfinite(self.time) else 0.0
        if gap < 0 and gap > -CLOCK_RESET:
            self.late += 1
            return
        if gap < 0:
            self.resets += 1
        self.time = time
        gap = min(max(gap, 0.0), LONGEST_GAP)
        parts = math.ceil(gap / LONGEST_STEP)
        for _ in range(parts):
            predict_twist(self._x, self._P, gap / parts, self._q)


def _finite(value: ArrayLike, size: int, what: str) -> Array:
    z = np.asarray(value, dtype=float)
    if z.shape != ((size,) if size else ()) or not np.isfinite(z).all():
        raise BadInput(f"{what} must be {size or 1} finite number{'s' if size else ''}, got {value!r}")
    return z


@njit()
def kalman_update(x: Array, P: Array, gap: Array, H: Array, R: Array) -> float:
    """Correct state x (n,) and covariance P (n, n) in place by an innovation (m,); return its NIS y' S^-1 y.

    Joseph form: P = (I - K H) P (I - K H)' + K R K'.
    """
    PH = P @ H.T
    S = H @ PH + R
    S_inverse = np.linalg.inv(S)
    K = PH @ S_inverse
    x += K @ gap
    A = np.eye(len(x)) - K @ H
    P[:] = A @ P @ A.T + K @ R @ K.T
    P[:] = 0.5 * (P + P.T)
    return float(np.sum(gap * (S_inverse @ gap)))


@njit()
def predict_twist(x: Array, P: Array, dt: float, noise: Array) -> None:
    """Move x = (px, py, yaw, vx, vy, w, gyro bias) and P in place by dt under a constant body twist.

    noise (4,): densities of the white accelerations along, across and in turn, and of the walk of the gyro's bias
    [m/s^2, m/s^2, rad/s^2, rad/s per root second].
    """
    middle = x[2] + 0.5 * x[5] * dt
    c, s = math.cos(middle), math.sin(middle)
    vx, vy = x[3], x[4]
    F = np.eye(7)
    F[0, 2], F[1, 2] = dt * (-s * vx - c * vy), dt * (c * vx - s * vy)
    F[0, 3], F[0, 4] = dt * c, -dt * s
    F[1, 3], F[1, 4] = dt * s, dt * c
    F[0, 5], F[1, 5] = 0.5 * dt * F[0, 2], 0.5 * dt * F[1, 2]
    F[2, 5] = dt
    x[0] += dt * (c * vx - s * vy)
    x[1] += dt * (s * vx + c * vy)
    x[2] += dt * x[5]
    P[:] = F @ P @ F.T
    for k in range(3):
        q = noise[k] * noise[k]
        P[3 + k, 3 + k] += q * dt
    P[6, 6] += noise[3] * noise[3] * dt
    P[:] = 0.5 * (P + P.T)
