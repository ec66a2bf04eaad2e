"""`Clock`: the one time of a session; `Timer`: functions called on it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from andante.errors import BadInput

if TYPE_CHECKING:
    from .bus import Bus


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


CLOSE = 1e-9  # [s]


class Timer:
    """A function called every period [s], on the grid of its start; instants that were missed are passed over."""

    __slots__ = ("_bus", "_start", "callback", "closed", "due", "missed", "node", "period")

    def __init__(self, bus: Bus, period: float, callback: Callable[[], None], node: str) -> None:
        if not (math.isfinite(period) and period > 0):
            raise BadInput(f"the period of a timer must be > 0 s, got {period}")
        self._bus, self.period, self.callback, self.node = bus, period, callback, node
        self.closed, self.missed = False, 0
        self.restart()

    def restart(self) -> None:
        """Count the period from now on."""
        self._start = self._bus.clock.now
        self.due = self._start + self.period

    def run(self, now: float) -> None:
        """Call the function, and set the next instant after now."""
        periods = math.floor((now - self._start + CLOSE) / self.period)
        self.missed += max(0, periods - round((self.due - self._start) / self.period))
        self.due = self._start + (periods + 1) * self.period
        self._bus._guard(lambda _none: self.callback(), None, "timer", self.node)

    def close(self) -> None:
        """Stop it."""
        self.closed = True
        if self in self._bus._timers:
            self._bus._timers.remove(self)
