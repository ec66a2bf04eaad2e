"""Timers on simulated time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from andante.errors import BadInput

if TYPE_CHECKING:
    from .bus import Bus

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
