"""`Clock`: the one time of a session."""

from __future__ import annotations

import math
from collections.abc import Callable

from andante.errors import BadInput


class Clock:
    """Simulated time [s]; it only moves when it is told to, and only forwards except by `reset`."""

    __slots__ = ("_resets", "now")

    def __init__(self, now: float = 0.0) -> None:
        self.now = float(now)
        self._resets: list[Callable[[], None]] = []

    def advance_to(self, time: float) -> None:
        """Move on to a time [s] that is not before now."""
        if not time >= self.now:
            raise BadInput(f"the clock stands at {self.now} s and cannot go to {time} s; reset it instead")
        if math.isinf(time):
            raise BadInput("the clock cannot go to an infinite time")
        self.now = float(time)

    def reset(self, time: float = 0.0) -> None:
        """Jump to any time [s]; whoever asked by `on_reset` is told."""
        if not math.isfinite(time):
            raise BadInput(f"the clock cannot go to {time} s")
        self.now = float(time)
        for told in list(self._resets):
            told()

    def on_reset(self, told: Callable[[], None]) -> None:
        """Have a function called after every jump."""
        self._resets.append(told)
