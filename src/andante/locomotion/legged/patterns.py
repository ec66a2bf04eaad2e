"""Which leg swings when, phase offsets and duty factors of the gaits for any number of legs, and the arcs of its foot.

Legs are numbered in ring order (see `Rig`): the first half of the ring is the left side from front to back, the second
half the right side from back to front. An offset is the moment within the cycle, 0 to 1, at which a leg lifts off; the
duty factor is the fraction of the cycle that it spends on the ground.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from andante.compiling import njit
from andante.errors import BadInput, UnknownName
from andante.geometry import Array

PATTERNS = ("tripod", "ripple", "wave", "crawl", "trot")


@dataclass(frozen=True)
class GaitPattern:
    """Timing of a gait."""

    name: str
    offsets: tuple[float, ...]  # per leg, in cycles
    duty: float
    period: float = 1.0  # of a cycle, in stride times of the rig
    static: bool = True  # the robot may stop at any moment: legs wait until the rest carries it
    sway: bool = False  # the body moves over the legs that will carry it

    def __post_init__(self) -> None:
        if not (0.0 < self.duty < 1.0):
            raise BadInput(f"gait {self.name!r}: the duty factor must lie between 0 and 1, got {self.duty}")
        if not (math.isfinite(self.period) and self.period > 0):
            raise BadInput(f"gait {self.name!r}: the period must be > 0, got {self.period}")
        if not all(0.0 <= offset < 1.0 for offset in self.offsets):
            raise BadInput(f"gait {self.name!r}: offsets must lie in 0 <= offset < 1, got {self.offsets}")


def pattern(name: str, legs: int) -> GaitPattern:
    """The gait of that name for a number of legs."""
    UnknownName.check("gait", name, PATTERNS)
    if legs < 4:
        raise BadInput(f"gait {name!r} needs 4 or more legs, the rig has {legs}")
    many = legs > 4
    if name == "tripod":
        duty = max(0.55, 3.1 / legs) if many else 0.6  # three legs always stand
        return GaitPattern(name, alternate(legs), duty, static=many)
    if name == "trot":
        return GaitPattern(name, alternate(legs), 0.6, period=1.0 if many else 0.8, static=False)
    if name == "ripple":
        if many:
            return GaitPattern(name, ripple(legs), 0.7, period=1.5)
        return GaitPattern(name, crawl(legs), 0.8, period=4.0, sway=True)
    if name == "wave":
        one = 1.0 - 1.0 / legs
        if many:
            return GaitPattern(name, wave(legs), one + 0.15 / legs, period=0.45 * legs)
        return GaitPattern(name, crawl(legs), 0.85, period=5.0, sway=True)
    fraction = 1.0 - 1.0 / legs
    return GaitPattern(name, crawl(legs), fraction + 0.4 / legs, period=5.0 if not many else 0.6 * legs, sway=True)


def alternate(legs: int) -> tuple[float, ...]:
    """Every second leg of the ring half a cycle later: tripods of six, diagonals of four."""
    if legs % 2:
        return tuple((i * (legs // 2) / legs) % 1.0 for i in range(legs))
    return tuple(0.5 * (i % 2) for i in range(legs))


def sides(legs: int) -> tuple[list[int], list[int]]:
    """Legs of the left and of the right side, each from the back to the front."""
    half = (legs + 1) // 2
    return list(range(half))[::-1], list(range(half, legs))


def wave(legs: int) -> tuple[float, ...]:
    """One leg after the other, from back to front on the left, then on the right."""
    left, right = sides(legs)
    out = [0.0] * legs
    for i, leg in enumerate([*left, *right]):
        out[leg] = i / legs
    return tuple(out)


def ripple(legs: int) -> tuple[float, ...]:
    """A wave on either side, the right one half a beat later, so that two waves run through each other."""
    left, right = sides(legs)
    out = [0.0] * legs
    for i, leg in enumerate(left):
        out[leg] = i / len(left)
    shift = 0.5 if len(right) % 2 else 0.5 + 0.5 / len(right)
    for i, leg in enumerate(right):
        out[leg] = (i / len(right) + shift) % 1.0
    return tuple(out)


def crawl(legs: int) -> tuple[float, ...]:
    """One leg at a time, each side from back to front: left hind, left fore, right hind, right fore of four.

    It is the order of `wave`; a quadruped has no other in which the body need not shift to and fro between steps.
    """
    return wave(legs)


@njit()
def moved(x: float, y: float, twist: Array, seconds: float) -> tuple[float, float]:
    """A point fixed on the ground as the body sees it after moving by a constant twist (vx, vy, wz) for a time.

    p' = exp(twist t)⁻¹ p: the exact arc, [m, m/s, rad/s]; a negative time looks back.
    """
    w = twist[2] * seconds
    half = 0.5 * w
    chord = math.sin(half) / half if abs(half) > 1e-9 else 1.0
    c, s = math.cos(half), math.sin(half)
    dx = x - chord * (c * twist[0] - s * twist[1]) * seconds
    dy = y - chord * (s * twist[0] + c * twist[1]) * seconds
    cw, sw = math.cos(w), math.sin(w)
    return cw * dx + sw * dy, cw * dy - sw * dx


@njit()
def smooth(fraction: float) -> float:
    """0 to 1 with zero velocity and acceleration at both ends: 10 s³ - 15 s⁴ + 6 s⁵."""
    s = min(1.0, max(0.0, fraction))
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


@njit()
def lift(fraction: float) -> float:
    """Height of a swinging foot, 0 to 1 and back, with zero velocity at both ends: 16 s² (1 - s)²."""
    s = min(1.0, max(0.0, fraction))
    return 16.0 * (s * (1.0 - s)) ** 2


@njit()
def forward_fraction(fraction: float) -> float:
    """How far a swinging foot has come along the ground: it rises first, and stands above its place before it sinks.

    It is there after three quarters of the swing, so that a foot whose servos lag, or that meets the ground early, does
    not push the body back as it lands.
    """
    return smooth((fraction - 0.1) / 0.65)


@njit()
def swing(start: Array, end: tuple[float, float, float], fraction: float, height: float) -> tuple[float, float, float]:
    """A foot between its lift-off and touchdown points, at a fraction of the swing, lifted by a height [m]."""
    along, up = forward_fraction(fraction), smooth(fraction)
    return (
        start[0] + along * (end[0] - start[0]),
        start[1] + along * (end[1] - start[1]),
        start[2] + up * (end[2] - start[2]) + height * lift(fraction),
    )
