"""Zones of a map: where a robot must not go, where it goes slowly, and lanes that it prefers.

Keep-out zones are obstacles to planners and controllers alike. Slow zones limit the speed of a robot inside, or so near
ahead that it would enter before it has braked. Where there are preferred zones, a meter outside of them costs planners
as much as `DETOUR` meters inside: they are lanes that are worth a detour, not walls.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput, UnknownName
from andante.geometry import Array, se2
from andante.geometry.polygon import inside

KINDS = ("keep_out", "slow", "preferred")
PLAIN = 120  # cost of a cell outside of all preferred zones, where there are any
DETOUR = 1 + 3.0 * PLAIN / 252  # what a meter there costs by the planners' usual weight
FARTHEST, MOST_CORNERS = 1e5, 10_000


@dataclass(frozen=True)
class Zone:
    """An area of the map."""

    kind: str
    outline: tuple[tuple[float, float], ...]  # corners x, y on the map, in either direction [m]
    name: str = ""
    speed: float = math.nan  # most that is driven inside a slow one [m/s]

    def __post_init__(self) -> None:
        UnknownName.check("kind of zone", [self.kind], KINDS)
        corners = np.array(self.outline, dtype=float)
        if corners.ndim != 2 or corners.shape[1:] != (2,) or not 3 <= len(corners) <= MOST_CORNERS:
            raise BadInput(f"zone {self.name!r}: an outline has three corners x, y or more")
        if not (np.abs(corners) <= FARTHEST).all():  # NaN too
            raise BadInput(f"zone {self.name!r}: corners lie within {FARTHEST:g} m")
        if self.kind == "slow" and not 0 < self.speed < math.inf:
            raise BadInput(f"zone {self.name!r}: a slow zone has a speed > 0 m/s, got {self.speed}")

    def holds(self, points: ArrayLike) -> np.ndarray:
        """Which points (n, 2) lie inside, (n,) of bool."""
        return inside(points, self.outline)


def covered(
    zones: Sequence[Zone], kind: str, shape: tuple[int, int], resolution: float, origin: tuple[float, float, float]
) -> np.ndarray:
    """Mask (rows, cols) of the cells of a grid whose middles lie in zones of a kind."""
    mask = np.zeros(shape, dtype=bool)
    for zone in zones:
        if zone.kind != kind:
            continue
        inner = se2.transform(se2.inverse(origin), np.array(zone.outline, dtype=float)) / resolution
        low = np.clip(np.floor(inner.min(axis=0)).astype(int), 0, [shape[1], shape[0]])
        high = np.clip(np.ceil(inner.max(axis=0)).astype(int) + 1, 0, [shape[1], shape[0]])
        if (high <= low).any():
            continue
        cols, rows = np.meshgrid(np.arange(low[0], high[0]), np.arange(low[1], high[1]))
        middles = np.stack([cols.ravel() + 0.5, rows.ravel() + 0.5], axis=1)
        mask[rows.ravel(), cols.ravel()] |= inside(middles, inner)
    return mask


def speed_limit(zones: Sequence[Zone], pose: ArrayLike, velocity: ArrayLike, braking: float) -> float:
    """Most that a robot may drive now [m/s]: by the slow zones that it is in or reaches before it can brake; inf: any.

    With a braking deceleration a [m/s²] it needs (v² - u²) / 2a to slow down from v to the speed u of a zone.
    """
    slow = [zone for zone in zones if zone.kind == "slow"]
    if not slow:
        return math.inf
    x, y, yaw = np.asarray(pose, dtype=float)
    vx, vy, _ = np.asarray(velocity, dtype=float)
    speed = math.hypot(vx, vy)
    heading = yaw + (math.atan2(vy, vx) if speed > 1e-6 else 0.0)
    limit = math.inf
    for zone in slow:
        reach = max(0.0, speed**2 - zone.speed**2) / (2 * braking) + 0.1
        ahead = np.linspace(0.0, reach, 8)
        points: Array = np.stack([x + ahead * math.cos(heading), y + ahead * math.sin(heading)], axis=1)
        if zone.holds(points).any():
            limit = min(limit, zone.speed)
    return limit
