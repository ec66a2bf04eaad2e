"""Where a base stands after its twists: exact arcs on SE(2) for any base, since a twist held for dt is an arc."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array, se2


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
    return se2.log(se2.between(before, after)) / np.asarray(dt, dtype=float)[..., None]
