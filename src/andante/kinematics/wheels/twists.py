"""Planar twists: instantaneous center of rotation, and integration as exact arcs on SE(2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array, se2


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
    count = v.shape[-2]
    spans = np.broadcast_to(np.asarray(dt, dtype=float), (count,))
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
    begin = np.broadcast_to(first, (*moved.shape[:-2], 3))[..., None, :]
    return np.concatenate([begin, moved], axis=-2)


def twist_between(before: ArrayLike, after: ArrayLike, dt: ArrayLike) -> Array:
    """Constant twist (..., 3) of the base that leads from one pose to another in dt [s]."""
    twist: Array = se2.log(se2.between(before, after)) / np.asarray(dt, dtype=float)[..., None]
    return twist
