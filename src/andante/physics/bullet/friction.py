"""Friction that differs along and across `fdir1`, as Bullet has it: scaled along the axes of an object.

The axes of a Bullet object are those of its inertia; so `fdir1` must be one of them (in most robots links and their
inertias are parallel). Friction of a pair with coefficient mu is then mu along it and mu mu2/mu1 across, mu1 and mu2
being those of the surface that states them. A scene with such a surface has friction pyramids instead of cones: by
its cones Bullet would turn the force along the sliding, so that nothing is led aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from andante.description.link import IDENTITY
from andante.description.source import Problem, Severity
from andante.geometry import SE3
from andante.physics.engine import Model
from andante.physics.tree import BodyShape

if TYPE_CHECKING:
    from .build import BulletHandles

ALONG = 0.999  # cosine from which a direction counts as an axis


def scaled_friction(shapes: Sequence[BodyShape], usual: float, frame: SE3) -> list[float] | None:
    """Factors of friction along the axes of an object; None: the same everywhere, or `fdir1` is no axis."""
    surface = shapes[0].surface
    mu = usual if surface.mu is None else surface.mu
    if surface.fdir1 is None or surface.mu2 is None or surface.mu2 == mu or mu <= 0:
        return None
    axes = [_axis(shape, frame) for shape in shapes]
    if axes[0] is None or any(axis != axes[0] for axis in axes):
        return None
    return [1.0 if k == axes[0] else surface.mu2 / mu for k in range(3)]


def _axis(shape: BodyShape, frame: SE3) -> int | None:
    """Number of the axis of the object that `fdir1` of a shape lies along; None: of none."""
    direction = np.asarray(shape.surface.fdir1, dtype=float)
    local = np.abs(frame.rotation.T @ shape.pose.rotation @ direction) / np.linalg.norm(direction)
    k = int(np.argmax(local))
    return k if local[k] >= ALONG else None


def askew(model: Model, handles: BulletHandles) -> list[Problem]:
    """A note for every body whose `fdir1` is no axis of its inertia: there `mu` holds in all directions."""
    found = []
    for i, body in enumerate(model.tree.bodies):
        frame = handles.body_from_com[i] if handles.uid[i] >= 0 else IDENTITY
        told = [s for s in body.shapes if s.surface.fdir1 is not None and s.surface.mu2 not in (None, s.surface.mu)]
        if any(_axis(shape, shape.pose if handles.uid[i] < 0 else frame) is None for shape in told):
            text = (
                f"engine 'bullet' uses mu alone on {model.name}/{body.name}: its fdir1 is no axis of the body's inertia"
            )
            found.append(Problem(Severity.INFO, text))
    return found
