"""The instantaneous centre of rotation of a planar motion, finite or at infinity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array


@dataclass(frozen=True)
class Centre:
    """Centres of rotation in chassis axes; leading axes as the twist's.

    At infinity the point is infinite and `direction` tells where: the centre lies to the left of the motion. A chassis
    at rest has no centre: all NaN.
    """

    point: Array  # x, y (..., 2) [m]
    direction: Array  # unit vector from P to the centre (..., 2)
    finite: np.ndarray  # (...,) of bool

    @property
    def radius(self) -> Array:
        """Distance of P from the centre (...,) [m]; infinite on a straight line."""
        return np.where(self.finite, np.hypot(self.point[..., 0], self.point[..., 1]), np.inf)


def instantaneous_centre(twist: ArrayLike, smallest_turn: float = 1e-9) -> Centre:
    """Centre (-vy / w, vx / w) of a twist (..., 3).

    A turn below `smallest_turn` radians per metre of way counts as a straight line.
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
    return Centre(point, direction, finite)
