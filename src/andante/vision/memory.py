"""`TargetMemory`: where something is that is seen now and then, in a frame that stays."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.geometry import Array


@dataclass(frozen=True)
class Seen:
    """A place x, y [m] and when it was seen last [s]."""

    place: Array
    time: float


class TargetMemory:
    """An average of sightings that forgets, x += g (z - x), and starts anew after a jump.

    Args:
        gain: g of a sighting at 1 m; farther ones, which are less sure, count less: g / max(1, distance).
        jump: a sighting farther off than this, by the distance from which it was seen, is of another place [m/m].
    """

    def __init__(self, gain: float = 0.5, jump: float = 0.35) -> None:
        self._gain, self._jump = gain, jump
        self.seen: Seen | None = None
        self.count = 0  # sightings since the last jump

    def see(self, place: Array, time: float, distance: float) -> None:
        """It was seen at x, y [m] from a distance [m]."""
        here = np.asarray(place, dtype=float)
        if self.seen is None or math.dist(here, self.seen.place) > max(0.15, self._jump * distance):
            self.seen, self.count = Seen(here, time), 1
            return
        gain = max(self._gain / max(1.0, distance), 1.0 / (self.count + 1))
        self.count += 1
        self.seen = Seen(self.seen.place + gain * (here - self.seen.place), time)

    def forget(self) -> None:
        """It is not there any more."""
        self.seen, self.count = None, 0

    def age(self, now: float) -> float:
        """Time since it was seen last [s]; inf: never."""
        return math.inf if self.seen is None else now - self.seen.time
