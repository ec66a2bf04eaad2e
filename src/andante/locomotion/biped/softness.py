"""Soft ground, told by how the standing sole turns as the pressure moves over it.

A sole on ground that gives way lies deeper where it is pressed: its tilt goes with the place of the pressure point,
t = c p. On hard ground it does not turn; on a bar or an edge it turns while the pressure stays where it is.
"""

from __future__ import annotations

import math

SUMMED = 0.37  # from when both soles have come to rest in a step, in times of the pendulum
LEAST = 5  # control steps from which a step tells something
KEPT = 0.6  # of what a step has told after the next one
CENTER = (0.08, 0.16)  # tilts over p / h from which ground is soft, ahead and aside: 0.04 on hard ground
TRUE = 0.9  # correlation of tilt and pressure point
TURNED = 1.8e-5  # squared tilt that goes with the pressure, summed up over times of the pendulum [rad²]
FORGETS = 12.0  # soft ground is forgotten in this time, in times of the pendulum
KNOWN = 0.5


class Softness:
    """Whether the ground gives way, along x and along y of the standing sole."""

    def __init__(self, rate: float, center: float) -> None:
        self._rate = rate  # w of the pendulum [1/s]
        self._least = tuple(each / center for each in CENTER)  # [rad/m]
        self.soft = 0.0  # 1 where the ground is soft, fades after it
        self._told = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]  # of the steps before: p p, p t and t t; ahead and aside
        self._step = [[0.0] * 6, [0.0] * 6]  # of this one: count, mean p and t, and the same sums about them

    @property
    def known(self) -> bool:
        """Whether the ground is known to be soft."""
        return self.soft > KNOWN

    def change_foot(self) -> None:
        """Another foot stands from now on, on ground of its own height and slope."""
        for told, step in zip(self._told, self._step, strict=True):
            told[:] = (KEPT * (a + b) for a, b in zip(told, step[3:], strict=True))
            step[:] = (0.0,) * 6

    def fade(self, dt: float) -> None:
        """Forget, a control step of dt [s] long."""
        if self.soft:
            self.soft *= math.exp(-dt * self._rate / FORGETS)

    def update(
        self, tilt: tuple[float, float], point: tuple[float, float], off: tuple[float, float], time: float, dt: float
    ) -> None:
        """Take a sole that alone carries the robot, for a control step of dt [s].

        tilt: its roll and pitch [rad]; point: where it is pressed, in its own frame [m]; off: how far that is outside
        of where its load cells tell, (0, 0): inside [m]; time: since the step began [s].
        """
        weight = self._rate * dt
        if time * self._rate < SUMMED:
            return
        for i in (0, 1):
            if off[i] != 0.0:
                continue
            p, t = (point[0], tilt[1]) if i == 0 else (-point[1], tilt[0])
            step, told = self._step[i], self._told[i]
            n, mean, mean_t, pp, pt, tt = step
            n += 1.0
            dp, dt_ = p - mean, t - mean_t
            mean, mean_t = mean + dp / n, mean_t + dt_ / n
            pp, pt, tt = pp + weight * dp * (p - mean), pt + weight * dp * (t - mean_t), tt + weight * dt_ * (t - mean_t)
            step[:] = n, mean, mean_t, pp, pt, tt
            if n < LEAST:
                continue
            pp, pt, tt = pp + told[0], pt + told[1], tt + told[2]
            if tt > TURNED and (
                self.known or (pt > self._least[i] * pp and pt * pt > max(TURNED, TRUE * TRUE * tt) * pp)
            ):
                self.soft = 1.0
