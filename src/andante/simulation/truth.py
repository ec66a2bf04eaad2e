"""What a robot really did, by the simulator: for measuring, never for control."""

from __future__ import annotations

import math

import numpy as np

from andante.control.walking import Measure
from andante.geometry import Array, so3
from andante.physics.engine import check_bounds

from .simulation import Simulation


class TrueWalk(Measure):
    """Way, drift and unwrapped turn of the root by the simulator's truth. It looks on as an observer."""

    def __init__(self, sim: Simulation, rate: float = 50.0) -> None:
        self._sim, self._rate, self._count = sim, rate, 0
        self._turned = heading(sim)
        self._start, self._first = sim.base_pose.copy(), self._turned
        self._rows: list[list[float]] = []
        sim.observers.append(self)

    @property
    def next_time(self) -> float:
        """When the next look is due [s]."""
        return self._count / self._rate

    def update(self, sim: Simulation) -> None:
        """Look."""
        self._turned += math.remainder(heading(sim) - self._turned, 2 * math.pi)
        self._count = round(sim.time * self._rate) + 1
        x, y = sim.base_pose[:2].tolist()
        self._rows.append([sim.time, x, y, self._turned])

    def start(self) -> None:
        """Count from here on."""
        self._rows.clear()
        self.update(self._sim)
        self._start, self._first = self._sim.base_pose.copy(), self._turned

    @property
    def moved(self) -> tuple[float, float, float]:
        """Along x and y of the world [m], turned [rad]."""
        x, y, _ = (self._sim.base_pose[:3] - self._start[:3]).tolist()
        return x, y, self._turned - self._first

    @property
    def path(self) -> Array:
        """(n, 4) t [s], x, y [m], unwrapped yaw [rad] since the start, as from there."""
        rows = np.array(self._rows).reshape(-1, 4)
        moved: Array = rows - np.array([rows[0, 0] if len(rows) else 0.0, *self._start[:2], self._first])
        return moved

    @property
    def fallen(self) -> bool:
        """Whether it lies; a simulation that has flown apart raises `Diverged`."""
        check_bounds(self._sim.engine)
        return self._sim.fallen


def heading(sim: Simulation) -> float:
    """True yaw of the root [rad]."""
    rotation: Array = so3.from_quaternion(sim.base_pose[3:])
    return math.atan2(rotation[1, 0], rotation[0, 0])
