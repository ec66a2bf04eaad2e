"""Where the body has come to, from the feet that stand and the gyro: dead reckoning without any truth."""

from __future__ import annotations

import math

import numpy as np

from andante.geometry import Array


class LegOdometry:
    """Planar position in the frame of the start: standing feet do not slide, so the body moves against them.

    A round foot rolls: the point of it that touches the ground is what stands still, not its middle.
    """

    def __init__(self, radii: Array) -> None:
        self.radii = radii
        self.position = np.zeros(2)  # [m]
        self._before: tuple[Array, Array, float] | None = None

    def update(self, points: Array, rotations: Array, standing: Array, tilt: Array, heading: float) -> None:
        """One step: middles and rotations of the feet as measured, which of them stand, tilt (3, 3), heading [rad].

        The tilt is the rotation from the body to level axes with the same heading.
        """
        level, turned = points @ tilt.T, tilt @ rotations
        before, self._before = self._before, (level, turned, heading)
        if before is None or not standing.any():
            return
        down = np.zeros((len(points), 3))
        down[:, 2] = -self.radii
        touch_then = before[0] + down
        in_foot = np.einsum("nji,nj->ni", before[1], down)
        touch_now = level + np.einsum("nij,nj->ni", turned, in_foot)
        move = -np.mean((touch_now - touch_then)[standing, :2], axis=0)
        # a turn of the body alone moves the feet too: p' = p - turn × p
        turn = heading - before[2]
        centre = np.mean(touch_then[standing, :2], axis=0)
        move = move - turn * np.array([-centre[1], centre[0]])
        c, s = math.cos(heading), math.sin(heading)
        self.position = self.position + np.array([c * move[0] - s * move[1], s * move[0] + c * move[1]])
