"""Where the body has come to, from the feet that stand and the gyro: dead reckoning without any truth."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array

PLACE, BEGUN, HEADING = 0, 2, 3  # where things stand in the state
STATE = 4


@njit(cache=True)
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
        turn = heading - state[HEADING]
        mx = mx / count + turn * cy / count
        my = my / count - turn * cx / count
        c, s = math.cos(heading), math.sin(heading)
        state[0] += c * mx - s * my
        state[1] += s * mx + c * my
    state[BEGUN], state[HEADING] = 1.0, heading


class LegOdometry:
    """Planar position in the frame of the start: standing feet do not slide, so the body moves against them.

    A round foot rolls: the point of it that touches the ground is what stands still, not its middle.
    """

    def __init__(self, radii: Array) -> None:
        self.radii = radii
        self.state = np.zeros(STATE)
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
