"""`PoseGuide`: the velocity of every instant on the way of a walker to a pose, straight and turning evenly."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.locomotion import Command, Walker

FRACTION = 0.6  # of the top speeds where none are given
SIDE = 0.35  # top speed to the side in terms of that ahead
FARTHEST, MOST_TURN = 100.0, 100.0  # [m], [rad]
TRIES = 3  # times that it corrects after it has come to a stand
SLOWEST = 0.12  # of the last steps, in top speeds


@dataclass(frozen=True)
class PoseTolerance:
    """What may be missing of a goal."""

    place: float = 0.02  # [m]
    heading: float = math.radians(3.0)  # [rad]
    waste: float = 6.0  # times that the way may take as long as it should
    grace: float = 15.0  # ... and so much longer [s]


class PoseGuide:
    """Leads a walker to x, y [m], heading [rad] in the frame in which `here` is told to `command`.

    With e what is missing in the axes of the robot and c the top speeds, T = max |e_i| / c_i and the velocity is e / T:
    all three end together. Near the end it is at most e / approach of the walker. Once it stands, what is missing is
    looked at again, and walked if it is more than the tolerance, up to three times.
    """

    def __init__(
        self,
        walker: Walker,
        start: Array,
        goal: tuple[float, float, float],
        tops: tuple[float, float, float] = (0.0, 0.0, 0.0),
        tolerance: PoseTolerance | None = None,
    ) -> None:
        if not all(map(math.isfinite, (*goal, *tops))) or math.hypot(*goal[:2]) > FARTHEST or abs(goal[2]) > MOST_TURN:
            raise BadInput(f"a goal is x, y up to {FARTHEST:g} m and theta, got {goal}")
        if not walker.max_speed > 0:
            raise BadInput(f"{type(walker).__name__} cannot walk to a goal: its top speed is {walker.max_speed:g} m/s")
        self.walker, self.tolerance = walker, tolerance or PoseTolerance()
        ahead, turn = walker.max_speed, walker.max_turn or 0.1
        usual = (FRACTION * ahead, FRACTION * SIDE * ahead, FRACTION * turn)
        most = (ahead, SIDE * ahead, turn)
        self.tops = np.array([min(t or u, m) for t, u, m in zip(tops, usual, most, strict=True)])
        self.goal: Array = np.asarray(se2.compose(np.asarray(start, dtype=float), np.array(goal)), dtype=float)
        self.goal[2] = start[2] + goal[2]  # unwrapped: a whole turn is one
        self._braking, self._tries = False, 0
        expected = float(np.max(np.abs(np.array(goal)) / self.tops))
        self.patience = self.tolerance.waste * expected + self.tolerance.grace  # [s]
        self.over = self.reached = False

    def left(self, here: Array) -> Array:
        """What is missing from a pose, x, y [m] in the robot's axes and turn [rad]."""
        out = np.asarray(se2.compose(se2.inverse(np.asarray(here, dtype=float)), self.goal), dtype=float)
        out[2] = self.goal[2] - here[2]
        return out

    def within(self, left: Array) -> bool:
        """Whether so little is missing that it has arrived."""
        near = math.hypot(left[0], left[1]) <= self.tolerance.place
        return near and abs(float(left[2])) <= self.tolerance.heading

    def command(self, here: Array) -> Command:
        """The velocity of this instant; sets `over` and `reached` once it stands."""
        left = self.left(here)
        if self._braking:
            if self.walker.standing:
                self.reached = self.within(left)
                self._tries += 1
                self.over = self.reached or self._tries > TRIES
                self._braking = self.over
            return Command()
        if self.within(left) and self._tries == 0 and self.walker.standing:
            self._braking = True
            return Command()
        share = np.abs(left) / self.tops
        longest = float(share.max())
        approach = self.walker.approach or 0.5 * self.walker.stopping_time
        slowest = max(SLOWEST, self.walker.slowest)
        if longest <= max(self.walker.last_step * approach * slowest, 1e-3) or self._small(left):
            self._braking = True
            return Command()
        fraction = min(1.0, max(longest / (approach * 2.0), slowest))
        velocity = left / longest * fraction
        return Command(float(velocity[0]), float(velocity[1]), float(velocity[2]))

    def _small(self, left: Array) -> bool:
        """Whether a step could not make it better."""
        near = math.hypot(left[0], left[1]) <= 0.5 * self.tolerance.place
        return near and abs(float(left[2])) <= 0.5 * self.tolerance.heading
