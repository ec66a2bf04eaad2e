"""How far a fit is: steps that were simulated, and those that are likely to come."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable


class Meter:
    """Counts steps; stages that are expected leave the sum when they begin, and their rest when the next one does."""

    def __init__(self, told: Callable[[float, float], None] | None = None) -> None:
        self._told, self.done = told, 0.0
        self._ahead, self._left = deque[float](), 0.0

    def expect(self, steps: float) -> None:
        """A stage that is going to come."""
        self._ahead.append(steps)

    def begin(self) -> None:
        """The next stage begins."""
        self._left = self._ahead.popleft() if self._ahead else 0.0

    def count(self, steps: float) -> None:
        """Steps are about to be simulated."""
        if self._told is not None:
            self._told(self.done, self.done + self._left + sum(self._ahead))
        self.done += steps
        self._left = max(self._left - steps, 0.0)
