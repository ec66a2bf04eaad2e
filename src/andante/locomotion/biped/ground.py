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

    settle: float = 0.2  # time in which a new slope is believed [s]
    resting: float = 0.5  # load from which a foot rests, in body weights
    turning: float = 0.6  # a foot that turns faster does not rest [rad/s]
    flat: float = 0.012  # slopes below this are none
    steepest: float = 0.2  # slopes beyond this are not believed


class Ground:
    """The slope of the ground under a walk: rise per meter along x and y of the start."""

    def __init__(self, settings: GroundSettings | None = None) -> None:
        self.settings = settings or GroundSettings()
        self.slope: Pair = (0.0, 0.0)
        self._last: Pair | None = None

    def update(self, roll: float, pitch: float, heading: float, load: float, dt: float) -> None:
        """Take the tilt of the standing sole [rad], its heading in the frame of the start and its load [weights]."""
        s, before = self.settings, self._last
        self._last = (roll, pitch)
        if before is None or load < s.resting or math.hypot(roll - before[0], pitch - before[1]) > s.turning * dt:
            return
        measured = seen_from((0.0, 0.0, -heading), -math.tan(pitch), math.tan(roll) / math.cos(pitch))
        size = math.hypot(*measured)
        if size > s.steepest:
            return
        near = dt / (dt + s.settle)
        self.slope = (
            self.slope[0] + near * (measured[0] - self.slope[0]),
            self.slope[1] + near * (measured[1] - self.slope[1]),
        )

    def change_foot(self) -> None:
        """Another foot stands from now on."""
        self._last = None

    def seen(self, heading: float) -> Plane:
        """The ground seen from a foot of a heading."""
        return Plane(*seen_from((0.0, 0.0, heading), *beyond(*self.slope, self.settings.flat)))


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
