"""When a scene has diverged: bodies beyond all bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from andante.errors import Diverged

if TYPE_CHECKING:
    from .engine import Engine

FARTHEST = 1e7  # a body beyond this has left the world [m]


def check_bounds(engine: Engine) -> None:
    """Raise Diverged when a body of a model that can move is not a number or farther than `FARTHEST` away."""
    if engine.surely_within(FARTHEST):
        return
    for model in engine.models:
        if model.fixed and len(model.tree.bodies) == 1:
            continue
        places = engine.body_poses(model.index)
        if not np.abs(places[:, :3]).max() < FARTHEST or not np.isfinite(places[:, 3:]).all():
            raise diverged(engine, model.name)


def diverged(engine: Engine, model: str) -> Diverged:
    """The error of a model that left all bounds."""
    return Diverged(
        f"engine {engine.name!r}: model {model!r} flew apart or away before {engine.time:.3f} s; use a smaller "
        f"step than {engine.dt:g} s, or check its masses, inertias, mesh sizes, efforts and gains (andante check)"
    )
