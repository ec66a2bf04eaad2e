"""`LiveObstacles`: things that stand in the way and are not on the map, seen by the robot itself."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.geometry import Array
from andante.localization.space.field import SpaceField
from andante.navigation.footsteps import Terrain

LOW, HIGH = 0.04, 0.65  # heights above the ground of what is in the way of a body [m]
STRANGE = 0.05  # fit to the map below which a point belongs to nothing that is known
SURE = 3.0  # looks in which a cell was seen before it counts
MOST = 8.0  # looks that a cell remembers
FADES = 0.97  # per look
TILTED = 0.03  # error of the tilt, by which the floor far away seems to rise [rad]
REACH = 3.0  # points further away err too much [m]


class LiveObstacles:
    """Evidence per cell of a terrain; it grows with each look that meets something there and fades without.

    Args:
        terrain: the ground as it is known.
        field: of the same map: points that fit it are no news.
    """

    def __init__(self, terrain: Terrain, field: SpaceField) -> None:
        self.known, self._field = terrain, field
        self.evidence = np.zeros(terrain.heights.shape)
        self._blocked: NDArray[np.bool_] = terrain.clearance <= 0.0
        self._told: NDArray[np.bool_] = np.zeros(terrain.heights.shape, dtype=np.bool_)

    def see(self, pose: Array, points: Array) -> None:
        """Take points (n, 3) of the root link's frame, which stands at a pose (6,) on the map."""
        t = self.known
        away = np.hypot(points[:, 0], points[:, 1])
        near = away < REACH
        there = on_map(pose, points[near])
        tall = (there[:, 2] > LOW + TILTED * away[near]) & (there[:, 2] < HIGH)
        there = there[tall]
        self.evidence *= FADES
        if not len(there):
            return
        fit = self._field.fits_at(there)
        there = there[fit < STRANGE]
        columns = np.floor((there[:, 0] - t.origin[0]) / t.resolution).astype(int)
        rows = np.floor((there[:, 1] - t.origin[1]) / t.resolution).astype(int)
        inside = (rows >= 0) & (columns >= 0) & (rows < t.heights.shape[0]) & (columns < t.heights.shape[1])
        seen = np.zeros_like(self._told)
        seen[rows[inside], columns[inside]] = True
        self.evidence[seen] = np.minimum(self.evidence[seen] + 1.0, MOST)

    def terrain(self) -> Terrain | None:
        """The terrain with what was seen, None where that has not changed since it was last asked for."""
        found = self.evidence >= SURE
        if (found == self._told).all():
            return None
        self._told = found
        blocked = self._blocked | found
        heights = np.where(found, np.nan, self.known.heights)
        return Terrain.of(self.known.resolution, self.known.origin, heights, blocked)


def on_map(pose: Array, points: Array) -> Array:
    """Points (n, 3) of a frame at a pose x, y, z, roll, pitch, yaw, on the map."""
    cr, sr = math.cos(pose[3]), math.sin(pose[3])
    cp, sp = math.cos(pose[4]), math.sin(pose[4])
    cy, sy = math.cos(pose[5]), math.sin(pose[5])
    turn = np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ])  # fmt: skip
    out: Array = points @ turn.T + pose[:3]
    return out
