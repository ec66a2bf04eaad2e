"""`RobotClock`: the time of a robot behind ROS, as it can be told here."""

from __future__ import annotations

import math
from collections import deque

KEPT = 200  # messages that the robot's time is told from
SPAN = 2.0  # over which the pace of a simulated robot is told [s of the wall clock]


class RobotClock:
    """The robot's time [s] at a time of the wall clock here [s].

    A robot that publishes /clock is simulated: its time is that of the newest /clock and stands still between two, so
    that a slow simulation is led slowly. The time of others goes by the wall clock, from the stamps of their messages:
    of many the one that took least tells how far both clocks are apart. Without stamps it is the time here.
    """

    def __init__(self) -> None:
        self.simulated = False
        self._ticks: deque[tuple[float, float]] = deque(maxlen=KEPT)  # time of the robot, time here
        self._apart: deque[float] = deque(maxlen=KEPT)  # robot's time minus time here
        self._last = -math.inf

    def tick(self, time: float, here: float) -> None:
        """A /clock came."""
        if self._ticks and time < self._ticks[-1][0]:  # it has started anew
            self._ticks.clear()
        self.simulated = True
        self._ticks.append((time, here))
        while len(self._ticks) > 2 and here - self._ticks[1][1] > SPAN:
            self._ticks.popleft()

    def note(self, stamp: float, here: float) -> None:
        """A message with a stamp came."""
        if stamp > 0.0:
            self._apart.append(stamp - here)

    def now(self, here: float) -> float:
        """The robot's time."""
        if self.simulated:
            return self._ticks[-1][0]
        self._last = max(self._last, here + max(self._apart, default=0.0))
        return self._last

    @property
    def pace(self) -> float:
        """How fast the robot's time goes in that of the wall clock: 1 but for a simulated one."""
        if len(self._ticks) < 2:
            return 1.0
        (first, began), (last, ended) = self._ticks[0], self._ticks[-1]
        return min(1.0, max(0.02, (last - first) / (ended - began))) if ended > began else 1.0
