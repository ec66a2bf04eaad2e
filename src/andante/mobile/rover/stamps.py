"""Stamps of live readings: what cannot be true is replaced by the time of arrival."""

from __future__ import annotations

import math
from collections.abc import Callable

OLDEST = 1.0  # a reading that comes later than this after it was taken is not believed [s]
AHEAD = 0.005  # clocks of one computer differ by this at most [s]


class Stamps:
    """Times of one stream of readings, brought onto the computer's clock."""

    def __init__(self, name: str, say: Callable[[str], None]) -> None:
        self.wrong = 0  # stamps that were replaced
        self._name, self._say = name, say
        self._newest = -math.inf
        self._sound = True  # the last one was

    def time(self, stamp: float, now: float, age: float = 0.0) -> float:
        """The stamp [s] where it goes on and lies in the near past, else the time of arrival less the usual age [s].

        The first of a spell of wrong stamps is told in words.
        """
        sound = math.isfinite(stamp) and stamp > self._newest and now - OLDEST <= stamp <= now + AHEAD
        if not sound:
            if self._sound:
                self._say(f"stamps of {self._name} do not follow the clock; arrival times are used instead")
            self.wrong += 1
        self._sound = sound
        self._newest = stamp if sound else now - age
        return self._newest
