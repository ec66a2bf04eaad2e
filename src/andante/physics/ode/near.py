"""Standing geoms far from everything that moves are switched off in ODE, so that large worlds cost little.

ODE looks at every pair of geoms each step, standing or not. Which standing ones are near is asked anew every
`PERIOD` steps with a margin that a body could only cross in that time by gaining `SURPRISE` of speed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from panda3d.ode import OdeBody, OdeGeom, OdePlaneGeom

from andante.geometry import Array

PERIOD = 20  # steps
SURPRISE = 10.0  # [m/s]
LEAST = 8  # fewer standing geoms than this are left on


class Nearby:
    """The standing geoms of a scene and whether they are switched on."""

    def __init__(self, geoms: Sequence[OdeGeom], owners: Sequence[OdeBody | None], dt: float) -> None:
        self._margin, self._period = SURPRISE * dt * PERIOD, dt * PERIOD
        moving = [(geom, owner) for geom, owner in zip(geoms, owners, strict=True) if owner is not None]
        self._bodies = list({id(owner): owner for _, owner in moving}.values())
        place = {id(owner): i for i, owner in enumerate(self._bodies)}
        self._reach = np.zeros(len(self._bodies))
        for geom, owner in moving:
            low, high = _bounds(geom)
            centre = np.array([*owner.getPosition()])
            far = np.maximum(np.abs(low - centre), np.abs(high - centre))
            index = place[id(owner)]
            self._reach[index] = max(self._reach[index], float(np.linalg.norm(far)))
        self._standing = [
            geom
            for geom, owner in zip(geoms, owners, strict=True)
            if owner is None and not isinstance(geom, OdePlaneGeom)
        ]
        self._on = np.ones(len(self._standing), dtype=bool)
        self.measure()

    def ask(self) -> None:
        """A body was put elsewhere: ask again before the next step."""
        self._left = 0

    def measure(self) -> None:
        """Standing geoms were put elsewhere: measure them anew."""
        self._left = 0
        bounds = [_bounds(geom) for geom in self._standing]
        self._low = np.array([low for low, _ in bounds]).reshape(-1, 3)
        self._high = np.array([high for _, high in bounds]).reshape(-1, 3)

    def before_step(self) -> None:
        """Switch standing geoms on or off when it is time to."""
        self._left -= 1
        if self._left > 0 or len(self._standing) < LEAST:
            return
        self._left = PERIOD
        wanted = self._near()
        for index in np.flatnonzero(wanted != self._on):
            if wanted[index]:
                self._standing[index].enable()
            else:
                self._standing[index].disable()
        self._on = wanted

    def _near(self) -> np.ndarray:
        """Which standing boxes a moving body could reach before the next question."""
        state = np.array([(*b.getPosition(), *b.getLinearVel()) for b in self._bodies]).reshape(-1, 6)
        speed = np.linalg.norm(state[:, 3:], axis=1)
        reach: Array = (self._reach + self._margin + speed * self._period)[:, None]
        low, high = state[:, :3] - reach, state[:, :3] + reach
        apart = (low[:, None] > self._high[None]) | (high[:, None] < self._low[None])
        return np.asarray(~apart.any(axis=2).all(axis=0))


def _bounds(geom: OdeGeom) -> tuple[Array, Array]:
    """Low and high corner of the box around a geom in the world."""
    low, high = geom.getAABounds()
    box = np.array([*low]), np.array([*high])
    if all(math.isfinite(v) for side in box for v in side):
        return box
    return np.full(3, -math.inf), np.full(3, math.inf)
