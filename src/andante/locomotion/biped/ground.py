"""Ground that is not flat, found by the standing foot alone: how it slopes, and how far it is to be trusted.

A sole that carries the robot lies on the ground, so its tilt (encoders and IMU) is the ground's as long as it does not
change: a foot that tips over its edge turns, one that rests does not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from andante.geometry import Array

from .footsteps import beyond, leaning, seen_from

Pair = tuple[float, float]


@dataclass(frozen=True)
class GroundSettings:
    """How ground is felt."""

    felt_time: float = 0.3  # in which a new slope is believed [s]
    foot_time: float = 0.05  # in which the foot in the air turns to it [s]
    body_time: float = 0.15  # in which the body stands up on it [s]
    resting: float = 0.3  # load from which a foot rests, in body weights
    turning: float = 1.5  # a foot that turns faster does not rest [rad/s]
    landing: float = 0.14  # a foot that comes down yields to the ground for so long [s]
    inner: float = 0.6  # a pressure point within this part of the sole needs no yielding
    yielding: float = 25.0  # speed at which it turns, per body weight and meter of the pressure point [rad/s]
    flat: float = 0.012  # slopes below this are none
    steepest: float = 0.25  # slopes beyond this are not believed


@dataclass(frozen=True)
class Plane:
    """A slope: rise per meter along x and y of whoever looks."""

    x: float = 0.0
    y: float = 0.0

    def height(self, x: float, y: float) -> float:
        """Over the origin [m]."""
        return self.x * x + self.y * y

    @property
    def roll(self) -> float:
        """Of a sole that lies on it [rad]."""
        return math.atan(self.y * math.cos(self.pitch))

    @property
    def pitch(self) -> float:
        """Of a sole that lies on it [rad]."""
        return -math.atan(self.x)

    @property
    def tilt(self) -> Array:
        """(3, 3) rotation of a sole that lies on it."""
        return leaning(self.roll, self.pitch)

    def seen(self, yaw: float) -> Plane:
        """From somebody turned by yaw [rad]."""
        return Plane(*seen_from((0.0, 0.0, yaw), self.x, self.y))

    def toward(self, other: Plane, time: float, dt: float) -> Plane:
        """On the way to another one, as far as it comes in dt."""
        near = dt / (dt + time)
        return Plane(self.x + near * (other.x - self.x), self.y + near * (other.y - self.y))


FLAT = Plane()


class Ground:
    """The slope of the ground under a walk, seen from its standing foot."""

    def __init__(self, settings: GroundSettings | None = None) -> None:
        self.settings = settings or GroundSettings()
        self.felt = FLAT  # under the standing foot
        self.under = FLAT  # on which the body stands: follows slowly, since ankles that turn throw the body about
        self.ahead = FLAT  # on which the other foot comes down
        self._raw = FLAT
        self._last: Pair | None = None

    def update(self, roll: float, pitch: float, load: float, both: bool, dt: float) -> None:
        """Take the tilt of the standing sole [rad], its load [body weights] and whether both feet stand."""
        s, before = self.settings, self._last
        self._last = (roll, pitch)
        if before is not None and load > s.resting and math.hypot(roll - before[0], pitch - before[1]) < s.turning * dt:
            measured = Plane(-math.tan(pitch), math.tan(roll) / math.cos(pitch))
            if math.hypot(measured.x, measured.y) < s.steepest:
                self._raw = self._raw.toward(measured, s.felt_time, dt)
                self.felt = Plane(*beyond(self._raw.x, self._raw.y, s.flat))
                self.under = self.under.toward(Plane(*beyond(measured.x, measured.y, s.flat)), s.body_time, dt)
        if both:
            self.ahead = self.ahead.toward(self.felt, s.body_time, dt)

    def land(self, point: Pair, box: tuple[float, float, float, float], load: float, since: float, dt: float) -> None:
        """Let a foot that has just come down turn until its pressure point (sole frame [m]) is not at its rim.

        box: heel, toe, right and left bound of the sole [m]; load [body weights]; since: of the touch [s].
        """
        s = self.settings
        if since > s.landing:
            return
        heel, toe, right, left = (s.inner * each for each in box)
        turn = s.yielding * load * dt
        x = self.under.x + turn * (max(0.0, point[0] - toe) + min(0.0, point[0] - heel))
        y = self.under.y + turn * (max(0.0, point[1] - left) + min(0.0, point[1] - right))
        if math.hypot(x, y) < s.steepest:
            self.under = Plane(x, y)

    def swing(self, dt: float) -> None:
        """The other foot is in the air and turns to what is felt."""
        self.ahead = self.ahead.toward(self.felt, self.settings.foot_time, dt)

    def change_foot(self, yaw: float) -> None:
        """The foot that came down, turned by yaw [rad], stands from now on."""
        self._last = None
        self.under, self.ahead = self.ahead.seen(yaw), self.under.seen(yaw)
        self.felt, self._raw = self.felt.seen(yaw), self._raw.seen(yaw)
