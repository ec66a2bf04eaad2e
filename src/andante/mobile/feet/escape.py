"""Leaving a place that is nearer to something than a body should be."""

from __future__ import annotations

import numpy as np

from andante.geometry import Array
from andante.navigation.footsteps import Terrain

KEPT = 0.95  # of the room that it has there
OUT = 0.5  # room to win per way that is made [m/m]
FREE = 0.1  # way on which no room must be won, to turn on the spot [m]

Pose = tuple[float, float, float]


def room_to_leave(terrain: Terrain, left: Pose, right: Pose, body: float) -> Terrain | None:
    """The terrain as it looks to a robot that stands too near to something; None: it has room.

    Between the feet there is a room r, less than the radius b of the body. At a distance d the room has to be

        min(b, KEPT r + OUT max(0, d - FREE)),

    so that it can leave, but goes nowhere else as near to things. Clearances grow by what is asked less than b.
    """
    x, y = 0.5 * (left[0] + right[0]), 0.5 * (left[1] + right[1])
    row, col = terrain.cell(x, y)
    rows, cols = terrain.clearance.shape
    if not (0 <= row < rows and 0 <= col < cols):
        return None
    room = float(terrain.clearance[row, col])
    if room >= body + terrain.resolution:
        return None
    xs = (np.arange(cols) + 0.5) * terrain.resolution + terrain.origin[0]
    ys = (np.arange(rows) + 0.5) * terrain.resolution + terrain.origin[1]
    away: Array = np.hypot(xs[None, :] - x, ys[:, None] - y)
    need = np.minimum(body, KEPT * room - 0.5 * terrain.resolution + OUT * np.maximum(0.0, away - FREE))
    eased = np.where(terrain.clearance > 0.0, terrain.clearance + (body - need), 0.0).astype(np.float32)
    return Terrain(terrain.resolution, terrain.origin, terrain.heights, eased)
