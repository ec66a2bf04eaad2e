"""`LiveObstacles`: things that stand in the way and are not on the map, seen by the robot itself."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.geometry import Array
from andante.localization.space.field import SpaceField
from andante.navigation.footsteps import Terrain

from .kernels import looked_through
from .sight import Look

LOW, HIGH = 0.04, 0.65  # heights above the ground of what is in the way of a body [m]
STRANGE = 0.05  # fit to the map below which a point belongs to nothing that is known
SURE = 3.0  # looks in which a cell was seen before it counts
MOST = 8.0  # looks that a cell remembers
THROUGH = 0.5  # of a look that goes when beams pass through a cell where something was
FADES = 0.998  # per look that does not reach a cell: things move
TILTED = 0.03  # error of the tilt, by which the floor far away seems to rise [rad]
REACH = 3.0  # points further away err too much [m]
BELOW = 0.03  # the top of a thing by which a beam must pass to tell that it is gone [m]
SHORT = 0.08  # end of a beam that tells nothing of what it passes [m]
NEAR = 0.06  # of the top of a thing that a point of it may lie above [m]


class LiveObstacles:
    """Evidence per cell of a terrain: it grows with each look that meets something there.

    It goes where beams pass through the cell lower than what was seen there. What lies below or beside the view is
    remembered, since feet and arms come where eyes on a head do not reach.

    Args:
        terrain: the ground as it is known.
        field: of the same map: points that fit it are no news.
    """

    def __init__(self, terrain: Terrain, field: SpaceField) -> None:
        self.known, self._field = terrain, field
        self.evidence = np.zeros(terrain.heights.shape)
        self._tops = np.full(terrain.heights.shape, -np.inf)  # of what was seen [m]
        self._blocked: NDArray[np.bool_] = terrain.clearance <= 0.0
        self._told: NDArray[np.bool_] = np.zeros(terrain.heights.shape, dtype=np.bool_)

    def see(self, pose: Array, look: Look) -> None:
        """Take what was seen from the root link, which stands at a pose (6,) on the map."""
        t, (x, y) = self.known, self.known.origin
        away = np.hypot(look.points[:, 0], look.points[:, 1])
        ends, eyes = on_map(pose, look.points), on_map(pose, look.eyes)
        tall = (ends[:, 2] > LOW + TILTED * away) & (ends[:, 2] < HIGH) & (away < REACH)
        there = ends[tall]
        there = there[self._field.fits_at(there) < STRANGE] if len(there) else there
        rows, columns, inside = self._cells(there)
        seen = np.zeros_like(self._told)
        seen[rows[inside], columns[inside]] = True
        np.maximum.at(self._tops, (rows[inside], columns[inside]), there[inside, 2])
        through = np.zeros_like(self._told)
        looked_through(eyes, ends, self._tops - BELOW, x, y, t.resolution, LOW, SHORT, through)
        self.evidence *= FADES
        self.evidence[through & ~seen] -= THROUGH
        self.evidence[seen] = np.minimum(self.evidence[seen] + 1.0, MOST)
        gone = self.evidence <= 0.0
        self.evidence[gone], self._tops[gone] = 0.0, -np.inf

    def match(self, pose: Array, points: Array) -> float:
        """Mean fit to the map, 0 to 1, of points (n, 3) of the root link's frame above the ground; NaN: none is there.

        Those of things that are not on the map count too: on the map of another place everything is such a thing.
        """
        there = on_map(pose, points)
        above = there[:, 2] > LOW + TILTED * np.hypot(points[:, 0], points[:, 1])
        return float(self._field.fits_at(there[above]).mean()) if above.any() else math.nan

    def felt(self, x: float, y: float) -> None:
        """Something low was met at a place of the map [m]; beams that pass above do not undo that."""
        row, col = self.known.cell(x, y)
        near = np.s_[max(0, row - 1) : row + 2, max(0, col - 1) : col + 2]
        self.evidence[near] = MOST
        self._tops[near] = np.maximum(self._tops[near], LOW)

    def known_things(self, pose: Array, points: Array) -> NDArray[np.bool_]:
        """Which points (n, 3) of the root link's frame, at a pose (6,), belong to things that were seen already."""
        from scipy.ndimage import maximum_filter

        there = on_map(pose, points)
        rows, columns, inside = self._cells(there)
        out = np.zeros(len(points), dtype=np.bool_)
        sure = maximum_filter(np.where(self.evidence >= SURE, self._tops, -np.inf), 3)  # its own cells and those beside
        out[inside] = (there[inside, 2] > LOW) & (there[inside, 2] < sure[rows[inside], columns[inside]] + NEAR)
        return out

    def _cells(self, points: Array) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """Rows and columns of points (n, 3) of the map, and which of them lie on it."""
        t = self.known
        columns = np.floor((points[:, 0] - t.origin[0]) / t.resolution).astype(np.int64)
        rows = np.floor((points[:, 1] - t.origin[1]) / t.resolution).astype(np.int64)
        inside = (rows >= 0) & (columns >= 0) & (rows < t.heights.shape[0]) & (columns < t.heights.shape[1])
        return rows, columns, inside

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
