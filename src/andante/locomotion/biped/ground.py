"""Ground that is not flat, found by the standing foot alone: how it slopes, and how far it is to be trusted.

A sole that carries the robot lies on the ground, so its tilt (encoders and IMU) is the ground's as long as it does not
change: a foot that tips over its edge turns, one that rests does not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from andante.geometry import Array

from .footsteps import beyond, leaning, seen_from

Pair = tuple[float, float]
Triple = tuple[float, float, float]


@dataclass(frozen=True)
class GroundSettings:
    """How ground is felt; times in those of the pendulum, 1 / w."""

    felt_time: float = 1.83  # in which a new slope is believed
    doubt: float = 8.0  # so many times longer on uneven ground: feet stand for steps on a bar too
    body_time: float = 0.91  # in which the body stands up on it
    resting: float = 0.3  # load from which a foot rests, in body weights
    inner: float = 0.9  # part of its load cells within which a resting foot is pressed
    turning: float = 0.246  # a foot that turns faster does not rest [rad]
    tipping: float = 0.03  # nor does one of two that stand, when it turns faster than this [rad]
    flat: float = 0.012  # slopes below this are none
    steepest: float = 0.25  # slopes beyond this are not believed
    yielding: float = 0.3  # how fast a sole that is pressed at its rim when it comes down turns [w rad]
    tipped: float = 0.02  # a sole that lies so far off what is believed of it and goes on turning tips [rad]
    tips_at: float = 0.015  # when it turns faster than this [w rad]
    creeping: float = 0.25  # how fast a foot that has lost the ground looks for it, beside how it was put down
    longest_wait: float = 0.5  # for a foot to find the ground
    touched: float = 0.15  # load at which it has met the ground, in body weights
    usual_tilt: float = 0.04  # a sole that lies so far off what was expected is uneven ground [rad]
    usual_height: float = 0.012  # or one that is so much higher or lower, in heights of the center
    higher: float = 0.6  # feet are lifted by so much more where the ground is uneven
    sooner: float = 0.25  # and sooner: the exponent in `Swing.advance` is less by this
    stuck: float = 0.04  # a swinging foot that is so far behind has hit something, in heights of the center
    climbed: float = 0.06  # from two slopes that put a foot before so far apart one is told, in heights of the center
    highest: float = 0.8  # a sole whose middle comes to lie so much higher stands on too high a step, in lifts
    forgets: float = 12.0  # uneven ground is forgotten in this time


class Plane(NamedTuple):
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

    @staticmethod
    def of(roll: float, pitch: float) -> Plane:
        """That a sole of roll and pitch [rad] lies on."""
        return Plane(-math.tan(pitch), math.tan(roll) / math.cos(pitch))

    def seen(self, yaw: float) -> Plane:
        """From somebody turned by yaw [rad]."""
        return Plane(*seen_from((0.0, 0.0, yaw), self.x, self.y))

    def toward(self, other: Plane, time: float, dt: float, axes: tuple[bool, bool] = (True, True)) -> Plane:
        """On the way to another one, as far as it comes in dt; along these axes."""
        near = dt / (dt + time)
        return Plane(self.x + axes[0] * near * (other.x - self.x), self.y + axes[1] * near * (other.y - self.y))


FLAT = Plane()
DOUBTFUL = 0.1  # less doubt than this does not matter
FEET = 6  # that stood one after the other, by which a slope is told from what is smaller than itself
ALIKE = (0.5, 2.0)  # how far they lie off the slope that was felt, in what the tilt of the sole lets expect


class Ground:
    """The slope of the ground under a walk, seen from its standing foot."""

    def __init__(self, rate: float, center: float, settings: GroundSettings | None = None) -> None:
        self.rate, self.settings = rate, settings or GroundSettings()  # w of the pendulum [1/s]
        self._most = self.settings.climbed * center  # [m]
        self.felt = FLAT  # as far as it is known: where the next foot comes down
        self.under = FLAT  # under the standing foot: follows slowly, since ankles that turn throw the body about
        self._raw = FLAT
        self._last: Pair | None = None
        self._measured = FLAT  # as the standing sole lies
        self.before = FLAT  # as the one before lay, or both when they stood last
        self._met: tuple[Triple, Pair] | None = None  # see `meet`
        self._older: list[Triple] = []  # feet that stood before the last one, seen from that [m]

    def update(
        self, roll: float, pitch: float, rests: tuple[bool, bool], dt: float, both: bool = False, uneven: float = 0.0
    ) -> None:
        """Take the tilt of the standing sole [rad].

        rests: whether it lies on the ground along x and y; both: whether both feet stand; uneven: 1 where a foot may
        lie on something smaller than itself, which is no slope.
        """
        s, before = self.settings, self._last
        self._last = (roll, pitch)
        most = (s.tipping if both else s.turning) * self.rate * dt
        if before is None or not any(rests) or math.hypot(roll - before[0], pitch - before[1]) > most:
            return
        self._measured = measured = Plane.of(roll, pitch)
        if both:
            self.before = measured
        if math.hypot(measured.x, measured.y) < s.steepest:
            doubt = s.doubt * uneven
            if doubt > DOUBTFUL and self.goes_on(measured):
                doubt = 0.0
            doubtful = s.felt_time * (1.0 + doubt) / self.rate
            self._raw = self._raw.toward(measured, doubtful, dt, rests)
            self.felt = Plane(*beyond(self._raw.x, self._raw.y, s.flat))
            flat = Plane(*beyond(measured.x, measured.y, s.flat))
            self.under = self.under.toward(flat, s.body_time / self.rate, dt, rests)

    def goes_on(self, measured: Plane) -> bool:
        """Whether the feet before lie where a standing sole that is tilted so lets expect, not on the felt slope.

        A bar or an edge tilts soles too, but the feet do not go on to rise on it.
        """
        for x, y, z in self._feet(measured):
            felt = self.felt.height(x, y)
            apart = measured.height(x, y) - felt
            if abs(apart) > self._most and ALIKE[0] < (z - felt) / apart < ALIKE[1]:
                return True
        return False

    @property
    def met(self) -> bool:
        """Whether it is known where the standing sole meets the ground."""
        return self._met is not None

    def meet(self, other: Triple, at: Pair) -> None:
        """Take where the standing sole meets the ground, in its own frame, and from there the foot before, level [m].

        A sole that comes down askew turns about that point until it lies; its height is known then.
        """
        self._met = other, at

    def _feet(self, measured: Plane) -> list[Triple]:
        """Feet that stood before, the last one at the end, seen from the standing sole, which lies as measured [m]."""
        if self._met is None:
            return []
        (ox, oy, oz), at = self._met
        x, y, z = ox + at[0], oy + at[1], oz + measured.height(*at)
        return [*((x + a, y + b, z + c) for a, b, c in self._older), (x, y, z)][-FEET:]

    def change_foot(self, yaw: float) -> None:
        """A foot turned by yaw [rad] has come down and stands from now on."""
        self._last = None
        turn = (0.0, 0.0, yaw)
        self._older = [(*seen_from(turn, x, y), z) for x, y, z in self._feet(self._measured)]
        self._met = None
        self.before = self._measured.seen(yaw)
        self.felt, self._raw = self.felt.seen(yaw), self._raw.seen(yaw)
        self.under = self.felt
