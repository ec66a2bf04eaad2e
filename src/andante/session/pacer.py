"""`Pacer`: lets a loop go no faster than the wall clock, and tells how fast it goes."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

WINDOW = 1.0  # over which the real-time factor is told [s]
BEHIND = 0.25  # a loop that is later than this does not try to catch up [s]


class Pacer:
    """`wait` sleeps until the wall clock has caught up with simulated time.

    Args:
        clock, sleep: of the wall.
        behind: a loop that is later than this does not try to catch up [s]; 0: it never does.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
        behind: float = BEHIND,
    ) -> None:
        self._clock, self._sleep, self._behind = clock, sleep, behind
        self._due = clock()
        self._marks: deque[tuple[float, float, float]] = deque()  # wall, simulated, worked [s]
        self._worked, self._busy_since = 0.0, clock()
        self.missed = 0.0  # wall time by which it was late in all [s]

    def start(self) -> None:
        """Begin now."""
        self._due = self._busy_since = self._clock()
        self._marks.clear()
        self._worked = 0.0

    def mark(self, simulated: float) -> None:
        """A control period is done: remember it for the factor."""
        now = self._clock()
        self._worked += now - self._busy_since
        self._busy_since = now
        self._marks.append((now, simulated, self._worked))
        while len(self._marks) > 2 and now - self._marks[1][0] > WINDOW:
            self._marks.popleft()

    def wait(self, period: float) -> None:
        """Sleep until `period` [s] after the last due time; a loop that has fallen behind starts afresh."""
        self._due += period
        now = self._clock()
        self._worked += now - self._busy_since
        gap = self._due - now
        if gap > 0:
            self._sleep(gap)
        elif gap < -self._behind:
            self.missed -= gap
            self._due = now
        self._busy_since = self._clock()

    @property
    def factor(self) -> float:
        """Simulated by wall time over the last second; 0 before anything is known."""
        return self._per_wall_time(1)

    @property
    def load(self) -> float:
        """Share of the wall time that the loop worked over the last second."""
        return min(1.0, self._per_wall_time(2))

    def _per_wall_time(self, which: int) -> float:
        """How much a number of the marks has grown by wall time."""
        if len(self._marks) < 2 or self._marks[-1][0] <= self._marks[0][0]:
            return 0.0
        first, last = self._marks[0], self._marks[-1]
        return (last[which] - first[which]) / (last[0] - first[0])
