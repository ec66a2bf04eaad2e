"""Friction as Bullet has it: a factor of each side, and scaled along the axes of an object.

Bullet multiplies the factors of the two sides of a contact, where the smaller coefficient of both should hold. Factors
a_i are therefore fitted to the pairs of a scene, log a_i + log a_j = log min(mu_i, mu_j): exactly for all pairs of
something that moves with something that stands as long as nothing that moves is smoother than the roughest ground;
pairs of two things that move count less.

Friction may differ along and across `fdir1`. The axes of a Bullet object are those of its inertia; so `fdir1` must be
one of them (in most robots links and their inertias are parallel). Friction of a pair with coefficient mu is then mu
along it and mu mu2/mu1 across, mu1 and mu2 being those of the surface that states them. A scene with such a surface
has friction pyramids instead of cones: by its cones Bullet would turn the force along the sliding, so that nothing is
led aside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING

import numpy as np

from andante.description.link import IDENTITY
from andante.description.source import Problem, Severity
from andante.geometry import SE3
from andante.physics.model import Model
from andante.physics.tree import BodyShape

if TYPE_CHECKING:
    from .build import BulletHandles

ALONG = 0.999  # cosine from which a direction counts as an axis
ROUGHEST = 100.0  # coefficient above which one is as good as another
MOVING_PAIR, ALONE = 0.03, 0.001  # weights beside those of a pair of which one side stands


def coefficient(shape: BodyShape, usual: float) -> float:
    """Coulomb coefficient of a shape in its first direction."""
    return usual if shape.surface.mu is None else shape.surface.mu


def friction_factors(models: Sequence[Model], usual: float) -> Mapping[tuple[bool, float], float]:
    """Factor of every kind of side in a scene, (whether it stands, its coefficient); see above."""
    sides = {
        (model.fixed and i == 0, coefficient(shape, usual))
        for model in models
        for i, body in enumerate(model.tree.bodies)
        for shape in body.shapes
    }
    kinds = sorted(side for side in sides if side[1] > 0)
    log = np.log([min(mu, ROUGHEST) for _, mu in kinds])
    standing, moving = ([i for i, kind in enumerate(kinds) if kind[0] is stands] for stands in (True, False))
    pairs = [(i, j, 1.0) for i, j in product(standing, moving)]
    pairs += [(i, j, MOVING_PAIR) for i, j in combinations_with_replacement(moving, 2)]
    pairs += [(i, i, ALONE) for i in range(len(kinds))]
    rows, wanted = np.zeros((len(pairs), len(kinds))), np.zeros(len(pairs))
    for row, (i, j, weight) in enumerate(pairs):
        rows[row, i] += weight
        rows[row, j] += weight
        wanted[row] = weight * min(log[i], log[j])
    fitted = np.exp(np.linalg.lstsq(rows, wanted)[0]) if kinds else np.zeros(0)
    return dict.fromkeys(sides, 0.0) | dict(zip(kinds, fitted.tolist(), strict=True))


def scaled_friction(shapes: Sequence[BodyShape], usual: float, frame: SE3) -> list[float] | None:
    """Factors of friction along the axes of an object; None: the same everywhere, or `fdir1` is no axis."""
    surface = shapes[0].surface
    mu = coefficient(shapes[0], usual)
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
