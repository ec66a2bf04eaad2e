"""Wheel kinds and what each of them constrains about the motion of the chassis: one rolling row, one sliding row.

A wheel stands at polar coordinates (distance l, bearing alpha) from the point P of the chassis. Its axle points along
n = (cos(alpha + beta), sin(alpha + beta)), it rolls along u = (sin(alpha + beta), -cos(alpha + beta)), and a spin
phi' > 0 about n drives the chassis along u. Twists are (vx, vy, w) of P in the axes of the chassis, R(theta) xi'
[m/s, m/s, rad/s].

    rolling:  rolling @ twist = rolling_spin * phi' + rolling_turn * beta'
    sliding:  sliding @ twist + sliding_turn * beta' = sliding_spin * phi' + roller * phi_roller'

Siegwart, Nourbakhsh, Scaramuzza: Introduction to Autonomous Mobile Robots, 3.2; Campion, Bastin, D'Andréa-Novel 1996.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array, se2


@dataclass(frozen=True)
class Rows:
    """The two equations of a wheel at a given angle beta; rows are (..., 3), the factors are numbers in meters."""

    rolling: Array
    sliding: Array
    rolling_spin: float  # r cos(gamma)
    rolling_turn: float = 0.0  # lateral offset of the contact from the pivot
    sliding_spin: float = 0.0  # r sin(gamma)
    sliding_turn: float = 0.0  # d, the contact's lead over the pivot
    roller: float = 0.0  # radius of the rollers


@dataclass(frozen=True)
class Wheel:
    """What all wheels have: place, angle and radius. Use one of the kinds below."""

    distance: float  # l, from P to the wheel (to its pivot when it turns) [m]
    bearing: float  # alpha, direction from P to the wheel [rad]
    angle: float  # beta at rest, from the bearing to the axle [rad]
    radius: float  # r [m]

    kind: ClassVar[str] = ""
    turns: ClassVar[bool] = False  # beta changes
    binds: ClassVar[bool] = False  # its sliding row restricts the chassis

    def __post_init__(self) -> None:
        numbers = (self.distance, self.bearing, self.angle, self.radius)
        if not all(math.isfinite(number) for number in numbers):
            raise BadInput(f"a {self.kind} wheel needs finite distance, bearing, angle and radius, got {numbers}")
        if self.radius <= 0:
            raise BadInput(f"a {self.kind} wheel needs a radius > 0 m, got {self.radius}")
        if self.distance < 0:
            raise BadInput(
                f"a {self.kind} wheel needs a distance >= 0 m, got {self.distance}; turn its bearing instead"
            )

    @classmethod
    def at(cls, x: float, y: float, heading: float, radius: float, **more: float) -> Self:
        """A wheel at (x, y) of the chassis that rolls along `heading` (0: forward, its axle to the left) [m, rad]."""
        bearing = math.atan2(y, x) if (x, y) != (0, 0) else 0.0
        angle = float(se2.wrap(heading + math.pi / 2 - bearing))
        return cls(math.hypot(x, y), bearing, angle, radius, **more)

    @property
    def position(self) -> Array:
        """Place on the chassis (x, y); of the pivot for a wheel that turns [m]."""
        return self.distance * np.array([math.cos(self.bearing), math.sin(self.bearing)])

    @property
    def heading(self) -> float:
        """Direction in which the wheel rolls at rest, from the x axis of the chassis [rad]."""
        return float(se2.wrap(self.bearing + self.angle - math.pi / 2))

    def moved(self, x: float, y: float, yaw: float = 0.0) -> Self:
        """The same wheel seen from a chassis frame that stands at (x, y, yaw) of the present one."""
        there = se2.between([x, y, yaw], [*self.position, 0.0])
        bearing = math.atan2(there[1], there[0]) if np.hypot(there[0], there[1]) > 0 else 0.0
        angle = float(se2.wrap(self.bearing + self.angle - yaw - bearing))
        return replace(self, distance=float(np.hypot(there[0], there[1])), bearing=bearing, angle=angle)

    def rows(self, angle: ArrayLike | None = None) -> Rows:
        """Rolling and sliding row at an angle beta (...,) [rad]; None: at rest. Here those of the standard wheel."""
        beta = np.asarray(self.angle if angle is None else angle, dtype=float)
        return Rows(*self._directions(beta, 0.0), rolling_spin=self.radius)

    def _directions(self, beta: Array, gamma: float) -> tuple[Array, Array]:
        """[sin(a+b+g), -cos(a+b+g), -l cos(b+g)] and [cos(a+b+g), sin(a+b+g), l sin(b+g)]."""
        turn = beta + gamma
        s, c = np.sin(self.bearing + turn), np.cos(self.bearing + turn)
        rolling = np.stack([s, -c, -self.distance * np.cos(turn)], axis=-1)
        return rolling, np.stack([c, s, self.distance * np.sin(turn)], axis=-1)


@dataclass(frozen=True)
class FixedWheel(Wheel):
    """Standard wheel that cannot turn about the vertical."""

    kind: ClassVar[str] = "fixed"
    binds: ClassVar[bool] = True


@dataclass(frozen=True)
class SphericalWheel(Wheel):
    """Ball: rolls in every direction, so beta is the direction of the moment and the chassis is free."""

    kind: ClassVar[str] = "spherical"
    turns: ClassVar[bool] = True


@dataclass(frozen=True)
class _PivotWheel(Wheel):
    """A wheel that turns about a vertical pivot; the contact lies at pivot + lead u + scrub n."""

    lead: float = 0.0  # d, contact ahead of the pivot [m]
    scrub: float = 0.0  # contact beside the pivot, along the axle [m]

    turns: ClassVar[bool] = True

    def rows(self, angle: ArrayLike | None = None) -> Rows:
        """The standard rows at the pivot; d is added to the sliding row, the scrub to the rolling row."""
        beta = np.asarray(self.angle if angle is None else angle, dtype=float)
        rolling, sliding = self._directions(beta, 0.0)
        rolling = rolling - np.array([0.0, 0.0, self.scrub])
        sliding = sliding + np.array([0.0, 0.0, self.lead])
        return Rows(rolling, sliding, self.radius, rolling_turn=self.scrub, sliding_turn=self.lead)


@dataclass(frozen=True)
class SteeredWheel(_PivotWheel):
    """Standard wheel whose angle is commanded, within limits on how far it turns from rest [rad]."""

    lower: float = -math.inf
    upper: float = math.inf

    kind: ClassVar[str] = "steered"
    binds: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.lower <= self.upper:
            raise BadInput(f"steering limits need lower <= upper, got {self.lower} and {self.upper}")


@dataclass(frozen=True)
class CasterWheel(_PivotWheel):
    """Wheel on a free fork that follows: beta' = -(sliding @ twist) / d, with d < 0 where it trails along u."""

    kind: ClassVar[str] = "caster"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.lead == 0 or not math.isfinite(self.lead):
            raise BadInput(
                f"a caster needs an offset `lead` other than 0 m, got {self.lead}; without one it is a steered wheel"
            )


@dataclass(frozen=True)
class SwedishWheel(Wheel):
    """Wheel with free rollers: gamma 0 for rollers across the axle (omni wheel), 45 degrees for mecanum wheels.

    The sliding row is the textbook's. Its term r phi' sin(gamma) has the sign under which a wheel that rolls straight
    would spin its rollers; `roller_speed` is the speed that they really have. The chassis feels neither.
    """

    roller_angle: float = 0.0  # gamma, between the wheel's plane and the axes of its rollers [rad]
    roller_radius: float = 0.01  # r_sw [m]

    kind: ClassVar[str] = "Swedish"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not abs(math.cos(self.roller_angle)) > 1e-6:
            raise BadInput("a Swedish wheel with rollers along its axle (roller_angle 90 degrees) drives nothing")
        if not self.roller_radius > 0:
            raise BadInput(f"a Swedish wheel needs a roller_radius > 0 m, got {self.roller_radius}")

    def rows(self, angle: ArrayLike | None = None) -> Rows:
        """The standard rows turned by gamma; the roller takes up what is left of the sliding row."""
        beta = np.asarray(self.angle if angle is None else angle, dtype=float)
        gamma = self.roller_angle
        return Rows(
            *self._directions(beta, gamma),
            rolling_spin=self.radius * math.cos(gamma),
            sliding_spin=self.radius * math.sin(gamma),
            roller=self.roller_radius,
        )

    def roller_speed(self, twist: ArrayLike) -> Array:
        """Speed of the roller on the ground, (sliding @ twist + r phi' sin(gamma)) / r_sw, (...,) [rad/s]."""
        rows, v = self.rows(), np.asarray(twist, dtype=float)
        spin = v @ rows.rolling / rows.rolling_spin
        return (v @ rows.sliding + rows.sliding_spin * spin) / rows.roller


_STILL = 1e-9  # a pivot slower than this stands still [m/s]


def steer(wheel: SteeredWheel | SphericalWheel, twist: Array, near: Array) -> Array:
    """beta (...,) with sliding(beta) @ twist = 0, the solution inside the limits nearest to `near` [rad].

    The pivot moves with v = (vx - w y, vy + w x); |v| cos(alpha + beta - arg v) = -d w has two solutions.
    """
    x, y = wheel.position
    vx, vy = twist[..., 0] - twist[..., 2] * y, twist[..., 1] + twist[..., 2] * x
    speed, course = np.hypot(vx, vy), np.arctan2(vy, vx)
    lead = wheel.lead if isinstance(wheel, SteeredWheel) else 0.0
    moving = (speed > _STILL) | (np.abs(lead * twist[..., 2]) > _STILL)
    half = np.arccos(np.clip(-lead * twist[..., 2] / np.where(speed > _STILL, speed, 1.0), -1.0, 1.0))
    ahead, behind = (near + se2.wrap(course + side * half - wheel.bearing - near) for side in (1, -1))
    if isinstance(wheel, SphericalWheel):
        return np.where(moving, ahead, near)
    lower, upper = wheel.angle + wheel.lower, wheel.angle + wheel.upper
    best, cost = near, np.full(np.shape(ahead), np.inf)
    bounded = np.isfinite(lower) or np.isfinite(upper)
    for turn in (0.0, -2 * np.pi, 2 * np.pi) if bounded else (0.0,):  # limits may hold the same direction a turn on
        for candidate in (ahead + turn, behind + turn):
            allowed = np.clip(candidate, lower, upper)
            price = np.abs(candidate - near) + 1e3 * np.abs(allowed - candidate)
            best, cost = np.where(price < cost - 1e-9, allowed, best), np.minimum(price, cost)
    return np.where(moving, best, near)


@dataclass(frozen=True)
class Center:
    """Centers of rotation in chassis axes; leading axes as the twist's.

    At infinity the point is infinite and `direction` points to it: the center lies to the left of the motion. A chassis
    at rest has no center: all NaN.
    """

    point: Array  # x, y (..., 2) [m]
    direction: Array  # unit vector from P to the center (..., 2)
    finite: np.ndarray  # (...,) of bool

    @property
    def radius(self) -> Array:
        """Distance of P from the center (...,) [m]; infinite on a straight line."""
        return np.where(self.finite, np.hypot(self.point[..., 0], self.point[..., 1]), np.inf)


def instantaneous_center(twist: ArrayLike, smallest_turn: float = 1e-9) -> Center:
    """Center (-vy / w, vx / w) of a twist (..., 3).

    A turn below `smallest_turn` radians per meter of way counts as a straight line.
    """
    v = np.asarray(twist, dtype=float)
    if v.shape[-1:] != (3,):
        raise BadInput(f"a twist is (..., 3): vx, vy, w; got shape {v.shape}")
    left = np.stack([-v[..., 1], v[..., 0]], axis=-1)
    speed, w = np.hypot(v[..., 0], v[..., 1]), v[..., 2]
    finite = (np.abs(w) > smallest_turn * speed) & (w != 0)
    still = (speed == 0) & (w == 0)
    side = np.where(finite, np.sign(w), 1.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        direction = side[..., None] * left / speed[..., None]
        direction = np.where((speed == 0)[..., None], np.where(still[..., None], np.nan, 0.0), direction)
        point = np.where(
            finite[..., None],
            left / np.where(finite, w, 1.0)[..., None],
            np.where(left == 0, 0.0, np.copysign(np.inf, left)),
        )
    point = np.where(still[..., None], np.nan, point)
    return Center(point, direction, finite)


def integrate(pose: ArrayLike, twist: ArrayLike, dt: ArrayLike) -> Array:
    """Pose (..., 3) x, y, yaw after a twist (..., 3) vx, vy, w held for dt (...,) [s]: pose ∘ exp(twist dt)."""
    step = np.asarray(twist, dtype=float) * np.asarray(dt, dtype=float)[..., None]
    return se2.compose(pose, se2.exp(step))


def integrate_path(start: ArrayLike, twists: ArrayLike, dt: ArrayLike) -> Array:
    """Poses (..., T + 1, 3) along twists (..., T, 3), each held for dt, a number or (T,) [s]; the start is first."""
    v = np.asarray(twists, dtype=float)
    if v.ndim < 2 or v.shape[-1] != 3:
        raise BadInput(f"a path needs twists of shape (..., T, 3), got {v.shape}")
    spans = np.broadcast_to(np.asarray(dt, dtype=float), (v.shape[-2],))
    first = np.asarray(start, dtype=float)
    steps = v * spans[:, None]
    local = se2.exp(steps)
    # Yaw before each step is known in closed form, so the path is a sum of turned chords.
    turned = np.cumsum(steps[..., 2], axis=-1)
    yaw = first[..., 2, None] + np.concatenate([np.zeros_like(turned[..., :1]), turned], axis=-1)
    before = yaw[..., :-1]
    c, s = np.cos(before), np.sin(before)
    x = first[..., 0, None] + np.cumsum(c * local[..., 0] - s * local[..., 1], axis=-1)
    y = first[..., 1, None] + np.cumsum(s * local[..., 0] + c * local[..., 1], axis=-1)
    moved = np.stack([x, y, se2.wrap(yaw[..., 1:])], axis=-1)
    return np.concatenate([np.broadcast_to(first, (*moved.shape[:-2], 3))[..., None, :], moved], axis=-2)


def twist_between(before: ArrayLike, after: ArrayLike, dt: ArrayLike) -> Array:
    """Constant twist (..., 3) of the base that leads from one pose to another in dt [s]."""
    return np.asarray(se2.log(se2.between(before, after)) / np.asarray(dt, dtype=float)[..., None])
