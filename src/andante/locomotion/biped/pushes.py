"""Pushes from outside, told from the ground by what the ground can do.

Whatever the ground is like, it acts where the soles are pressed. A pendulum of height h over that point p is moved by
it as c'' = w² (c - p); what the accelerometer shows beyond that is somebody else's push. Summed up over a short time it
is how far the divergent component was thrown, dx = int (c'' - w² (c - p)) / w dt.
"""

from __future__ import annotations

import math

from .footsteps import seen_from

Pair = tuple[float, float]

SUMMED = 0.73  # over which pushes are summed up, in times of the pendulum
USUAL = 8.0  # over which what is always there is learned, in times of the pendulum: masses that swing, dull soles
STRUCK = 0.05  # a push that throws the divergent component this far is one, in heights of the center
LATELY = 12.0  # a robot that was pushed still rocks for so long, in times of the pendulum


class Pushes:
    """Pushes that are not the ground's; in the frame of the standing sole."""

    def __init__(self, rate: float, center: float) -> None:
        self._rate, self._most = rate, STRUCK * center  # w of the pendulum [1/s], [m]
        self.thrown: Pair = (0.0, 0.0)  # how far the divergent component has been thrown [m]
        self._usual: Pair = (0.0, 0.0)  # the same as it always is
        self._since = math.inf  # the last push [s]

    @property
    def now(self) -> bool:
        """Whether it is being pushed."""
        return self._since == 0.0

    @property
    def lately(self) -> bool:
        """Whether it was pushed a while ago: it still rocks then."""
        return self._since < LATELY / self._rate

    def update(self, acceleration: Pair, place: Pair, pressed: Pair, dt: float) -> None:
        """Take the acceleration [m/s²] and place [m] of the center of mass and where the ground presses [m]."""
        w = self._rate
        keep, slow = math.exp(-dt * w / SUMMED), dt * w / USUAL
        x = keep * self.thrown[0] + dt / w * (acceleration[0] - w * w * (place[0] - pressed[0]))
        y = keep * self.thrown[1] + dt / w * (acceleration[1] - w * w * (place[1] - pressed[1]))
        self.thrown = (x, y)
        off = math.hypot(x - self._usual[0], y - self._usual[1])
        self._since = 0.0 if off > self._most else self._since + dt
        if not self.lately:
            self._usual = (self._usual[0] + slow * (x - self._usual[0]), self._usual[1] + slow * (y - self._usual[1]))

    def change_foot(self, yaw: float) -> None:
        """See everything from a foot turned by yaw [rad]."""
        turn = (0.0, 0.0, yaw)
        self.thrown, self._usual = seen_from(turn, *self.thrown), seen_from(turn, *self._usual)
