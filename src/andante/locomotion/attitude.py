"""Tilt and heading of a body from a gyro and an accelerometer, and where its standing feet say it has come to."""

from __future__ import annotations

import math

import numpy as np

from andante.compiling import njit
from andante.geometry import Array
from andante.gravity import GRAVITY

QUIET = 2.0  # accelerations further from gravity than this are no measure of the vertical [m/s²]
UP, HEADING, RATE, SETTLED = 0, 3, 4, 5  # where things stand in the state
STATE = 6


@njit()
def attitude_step(state: Array, gyro: Array, acceleration: Array, settle: float, dt: float) -> None:
    """One step of the filter on its state: the vertical (3), heading, rate about the vertical, 1 once settled.

    d(up)/dt = up x w in body axes, then up += dt / settle (a / |a| - up) when |a| is about that of gravity; the first
    such reading is taken whole.
    """
    wx = 0.0 if math.isnan(gyro[0]) else gyro[0]
    wy = 0.0 if math.isnan(gyro[1]) else gyro[1]
    wz = 0.0 if math.isnan(gyro[2]) else gyro[2]
    x, y, z = state[0], state[1], state[2]
    state[RATE] = wx * x + wy * y + wz * z
    state[HEADING] += state[RATE] * dt
    ux = x + dt * (y * wz - z * wy)
    uy = y + dt * (z * wx - x * wz)
    uz = z + dt * (x * wy - y * wx)
    ax, ay, az = acceleration[0], acceleration[1], acceleration[2]
    size = math.sqrt(ax * ax + ay * ay + az * az)
    if math.isfinite(size) and abs(size - GRAVITY) < QUIET:
        fraction = min(1.0, dt / settle) if state[SETTLED] else 1.0
        ux += fraction * (ax / size - ux)
        uy += fraction * (ay / size - uy)
        uz += fraction * (az / size - uz)
        state[SETTLED] = 1.0
    length = math.sqrt(ux * ux + uy * uy + uz * uz)
    state[0], state[1], state[2] = ux / length, uy / length, uz / length


@njit()
def level_from_body(state: Array) -> Array:
    """(3, 3) shortest rotation that brings the body's axes level, R up = z."""
    x, y, z = state[0], state[1], state[2]
    k = 1.0 / max(1.0 + z, 1e-6)
    return np.array([[1.0 - k * x * x, -k * x * y, -x], [-k * x * y, 1.0 - k * y * y, -y], [x, y, z]])


@njit()
def leans(state: Array) -> tuple[float, float]:
    """Lean to the right and to the front [rad]: atan2(up_y, up_z) and -asin(up_x)."""
    return math.atan2(state[1], state[2]), -math.asin(max(-1.0, min(1.0, state[0])))


class Attitude:
    """Complementary filter: the vertical turns with the gyro and leans slowly toward the accelerometer.

    Axes are those of the walking frame. Axes that the gyro lacks (NaN) count as not turning.
    """

    def __init__(self, settle: float = 3.0) -> None:
        self.settle = settle  # time in which the accelerometer wins [s]
        self.state = np.zeros(STATE)
        self.state[2] = 1.0

    def update(self, gyro: Array, acceleration: Array, dt: float) -> None:
        """Take one reading of angular velocity [rad/s] and specific force [m/s²]."""
        attitude_step(self.state, gyro, acceleration, self.settle, dt)

    @property
    def up(self) -> Array:
        """The vertical seen from the body (3,)."""
        return self.state[:3]

    @property
    def heading(self) -> float:
        """Turned since the start, unwrapped [rad]."""
        return float(self.state[HEADING])

    @property
    def rate(self) -> float:
        """Turning about the vertical [rad/s]."""
        return float(self.state[RATE])

    @property
    def level_from_body(self) -> Array:
        """(3, 3) shortest rotation that brings the body's axes level, R up = z."""
        return np.asarray(level_from_body(self.state))

    @property
    def roll(self) -> float:
        """Lean to the right [rad]."""
        return float(leans(self.state)[0])

    @property
    def pitch(self) -> float:
        """Lean to the front [rad]."""
        return float(leans(self.state)[1])


PLACE, BEGUN, LAST_HEADING = 0, 2, 3  # where things stand in the state of `LegOdometry`
PLACE_STATE = 4


@njit()
def odometry_step(
    state: Array, before: Array, radii: Array, feet: Array, standing: np.ndarray, tilt: Array, heading: float
) -> None:
    """One step: state is x, y, whether there was a step before, its heading; `before` (legs, 3, 4) its level feet.

    With p the level middle of a foot, R its level rotation and d = (0, 0, -radius), the point that touched the ground
    is at p + d, and now at p' + R' Rᵀ d. The body moves by the mean of their differences, reversed, over the feet that
    stand, less what its own turn explains (p' = p - turn x p).
    """
    n = feet.shape[0]
    count, mx, my, cx, cy = 0, 0.0, 0.0, 0.0, 0.0
    level = np.empty((3, 4))
    begun = state[BEGUN] != 0.0
    for leg in range(n):
        for i in range(3):
            for j in range(4):
                level[i, j] = tilt[i, 0] * feet[leg, 0, j] + tilt[i, 1] * feet[leg, 1, j] + tilt[i, 2] * feet[leg, 2, j]
        if begun and standing[leg]:
            # the touching point in the foot's own axes: Rᵀ d
            dx, dy, dz = (
                -radii[leg] * before[leg, 2, 0],
                -radii[leg] * before[leg, 2, 1],
                -radii[leg] * before[leg, 2, 2],
            )
            now_x = level[0, 3] + level[0, 0] * dx + level[0, 1] * dy + level[0, 2] * dz
            now_y = level[1, 3] + level[1, 0] * dx + level[1, 1] * dy + level[1, 2] * dz
            mx -= now_x - before[leg, 0, 3]
            my -= now_y - before[leg, 1, 3]
            cx += before[leg, 0, 3]
            cy += before[leg, 1, 3]
            count += 1
        for i in range(3):
            for j in range(4):
                before[leg, i, j] = level[i, j]
    if count:
        turn = heading - state[LAST_HEADING]
        mx = mx / count + turn * cy / count
        my = my / count - turn * cx / count
        c, s = math.cos(heading), math.sin(heading)
        state[0] += c * mx - s * my
        state[1] += s * mx + c * my
    state[BEGUN], state[LAST_HEADING] = 1.0, heading


class LegOdometry:
    """Planar position in the frame of the start: standing feet do not slide, so the body moves against them.

    A round foot rolls: the point of it that touches the ground is what stands still, not its middle.
    """

    def __init__(self, radii: Array) -> None:
        self.radii = radii
        self.state = np.zeros(PLACE_STATE)
        self.before = np.zeros((len(radii), 3, 4))

    @property
    def position(self) -> Array:
        """x, y in the frame of the start [m]."""
        return self.state[:2]

    def update(self, feet: Array, standing: np.ndarray, tilt: Array, heading: float) -> None:
        """One step: poses (legs, 4, 4) of the feet's middles as measured, which stand, tilt (3, 3), heading [rad].

        The tilt is the rotation from the body to level axes with the same heading.
        """
        odometry_step(self.state, self.before, self.radii, feet, standing, tilt, heading)
