"""Soft ground, told by how the standing sole turns as the pressure moves over it.

A sole on ground that gives way lies deeper where it is pressed: its tilt follows the place of the pressure point,
t = c p, a little later. On hard ground it does not turn; on a bar or an edge it turns while the pressure stays where it
is, or far more than soft ground lets it.
"""

from __future__ import annotations

import math

# Times in those of the pendulum, 1 / w.
FIRST = 0.3  # from when in a step both soles have come to rest
LATER = 0.18  # the sole follows the pressure in this time
LEAST = 0.48  # for so long a step has to be felt until it tells something
FORGETS = 12.0  # soft ground is forgotten in this time
TURNED = 1.8e-5  # squared tilt, summed up over time, of a sole that turns [rad²]
STILL = 0.3  # so much of it suffices where the ground is known to be soft
TRUE = 0.97  # correlation of tilt and pressure point
LOW, HIGH = (0.11, 0.39), (0.45, 3.8)  # c times the height of the center on soft ground, ahead and aside; 0.04 on hard
TOO_SOFT, SURE = 2.3, 2  # the same aside where it is too soft to stand on one sole, and in so many steps
LYING = 0.04  # a sole on soft ground lies no further off the slope of the ground in the mean of a step [rad]
KNOWN = 0.5


class Softness:
    """Whether the ground under the standing soles gives way."""

    def __init__(self, rate: float, center: float) -> None:
        self._rate, self._center = rate, center  # w of the pendulum [1/s], its height [m]
        self.soft = 0.0  # 1 where the ground is soft, fades after it
        self.sunk = 0  # steps that told that it is too soft
        self._sinks = False  # this one does
        self._point: tuple[float, float] | None = None  # at which the sole was pressed a little before [m]
        self._step = [[0.0] * 6, [0.0] * 6]  # weight, mean p and t, and p p, p t, t t about them; ahead and aside

    @property
    def known(self) -> bool:
        """Whether the ground is known to be soft."""
        return self.soft > KNOWN

    @property
    def too_soft(self) -> bool:
        """Whether it lets a sole that stands alone sink in at its side until it tips over."""
        return self.sunk >= SURE

    def change_foot(self) -> None:
        """Another foot stands from now on, on ground of its own height and slope."""
        self.sunk, self._sinks = self.sunk + self._sinks if self.known else 0, False
        self._point = None
        for step in self._step:
            step[:] = (0.0,) * 6

    def fade(self, dt: float) -> None:
        """Forget, a control step of dt [s] long."""
        if self.soft:
            self.soft *= math.exp(-dt * self._rate / FORGETS)

    def update(
        self, tilt: tuple[float, float], point: tuple[float, float], off: tuple[float, float], time: float, dt: float
    ) -> None:
        """Take a sole that alone carries the robot, for a control step of dt [s].

        tilt: its roll and pitch against the slope of the ground [rad]; point: where it is pressed, in its own frame
        [m]; off: how far that is outside of where its load cells tell, (0, 0): inside [m]; time: since the step
        began [s].
        """
        weight = self._rate * dt
        if time * self._rate < FIRST:
            return
        near = weight / (weight + LATER)
        x, y = self._point or point
        self._point = x, y = x + near * (point[0] - x), y + near * (point[1] - y)
        for i, p, t in ((0, x, tilt[1]), (1, -y, tilt[0])):
            if off[i] == 0.0:
                self._take(i, p, t, weight)

    def _take(self, i: int, p: float, t: float, weight: float) -> None:
        """Take a place of the pressure [m] and a tilt [rad], both ahead or both aside."""
        step = self._step[i]
        whole, mean, level, pp, pt, tt = step
        whole += weight
        part, dp, dt = weight / whole, p - mean, t - level
        mean, level = mean + part * dp, level + part * dt
        pp, pt, tt = pp + weight * dp * (p - mean), pt + weight * dp * (t - level), tt + weight * dt * (t - level)
        step[:] = whole, mean, level, pp, pt, tt
        if whole < LEAST or tt < (STILL if self.known else 1.0) * TURNED:
            return
        true = pt * pt > TRUE * TRUE * pp * tt
        if self.known and true and i == 1 and TOO_SOFT * pp < self._center * pt < HIGH[i] * pp:
            self._sinks = True
        if self.known or (true and abs(level) < LYING and LOW[i] * pp < self._center * pt < HIGH[i] * pp):
            self.soft = 1.0
