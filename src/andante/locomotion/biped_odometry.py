"""Where a robot on two legs has come to, from its own steps: each is measured while both feet carry."""

from __future__ import annotations

from .biped_turns import placed, reversed_step

Step = tuple[float, float, float]  # x, y [m], yaw [rad]

CARRIES = 0.1  # load from which a foot is taken to rest on the ground, in body weights
LANDING = 0.015  # after a change of feet the new one still comes to rest for this long [s]


class BipedOdometry:
    """Pose of the standing foot in the frame of the start, summed up step by step.

    A foot that is put down still moves for some hundredths of a second, so the step is measured again in every control
    step of the double support and the mean of these readings counts.
    """

    def __init__(self, foot: Step) -> None:
        self.foot = foot  # the standing one
        self._before: Step | None = None  # the foot before, as long as the last step is being measured
        self._mean: Step = (0.0, 0.0, 0.0)
        self._count = 0

    def change_foot(self, other: Step) -> None:
        """The other foot, seen at `other` from the standing one, stands from now on."""
        self._before, self._mean, self._count = self.foot, other, 0
        self.foot = placed(self.foot, other)

    def measure(self, other: Step, loads: tuple[float, float], since: float) -> None:
        """Look at the foot before, seen at `other`; loads of both feet [body weights], time since it changed [s]."""
        if self._before is None or since < LANDING or min(loads) < CARRIES:
            return
        self._count += 1
        x, y, yaw = reversed_step(other)
        if self._count == 1:
            self._mean = (x, y, yaw)
        else:
            mx, my, mt = self._mean
            n = self._count
            self._mean = (mx + (x - mx) / n, my + (y - my) / n, mt + (yaw - mt) / n)
        self.foot = placed(self._before, self._mean)

    def lifted(self) -> None:
        """The foot before is in the air: the step is measured."""
        self._before = None

    def middle(self, other: Step) -> Step:
        """Half way between the feet, the other one seen at `other`: x, y [m] and mean heading [rad]."""
        x, y, yaw = other
        there = placed(self.foot, (0.5 * x, 0.5 * y, 0.0))
        return there[0], there[1], self.foot[2] + 0.5 * yaw
