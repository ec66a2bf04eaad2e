"""Mass, center of mass and inertia tensor, with the tools to obtain, move and judge them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import SE3, Array

from .shapes import Vec3, vec3_of

Moments: TypeAlias = tuple[float, float, float, float, float, float]
TRIANGLE_SLACK = 1e-6  # relative; printed tensors are rounded
LEAST_MASS_FRACTION = 1e-4  # a moving body lighter than this fraction of the robot's mass is given that fraction
LEAST_MASS = 1e-6  # [kg]
ROUNDING = 1e-12  # relative; of tensors that are computed
LEAST_RADIUS = 0.01  # radius of gyration of bodies without a shape [m]
LEAST_MOMENT = 1e-14  # engines refuse moving bodies with smaller ones [kg m^2]
SLIGHT = 0.02  # radius of gyration, in diagonals of a body, below which a tensor tells nothing
POINT_RADIUS = 1e-6  # a body whose radius of gyration is smaller has no tensor that means anything [m]


@dataclass(frozen=True)
class Inertia:
    """Mass [kg], center of mass in the link frame [m], tensor about it along the link axes [kg m^2]."""

    mass: float
    com: Vec3 = (0.0, 0.0, 0.0)
    moments: Moments = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # ixx ixy ixz iyy iyz izz

    def __post_init__(self) -> None:
        for what, values in (("mass", (self.mass,)), ("center of mass", self.com), ("inertia", self.moments)):
            if not all(math.isfinite(v) for v in values):
                raise BadInput(f"{what} must be finite, got {values}")

    @staticmethod
    def from_matrix(mass: float, com: ArrayLike, tensor: ArrayLike) -> Inertia:
        """Inertia of a (3, 3) tensor about the center of mass; the matrix is symmetrized."""
        t = np.asarray(tensor, dtype=float)
        t = (t + t.T) / 2
        m = tuple(float(t[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
        return Inertia(float(mass), vec3_of(np.asarray(com, dtype=float)), m)  # type: ignore[arg-type]

    @property
    def matrix(self) -> Array:
        """Tensor about the center of mass, (3, 3)."""
        ixx, ixy, ixz, iyy, iyz, izz = self.moments
        return np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])

    def transformed(self, pose: SE3) -> Inertia:
        """The same body in another frame: pose = new_from_old."""
        R = pose.rotation
        return Inertia.from_matrix(self.mass, pose @ np.asarray(self.com), R @ self.matrix @ R.T)

    def about_origin(self) -> Array:
        """Tensor about the link origin (3, 3), parallel axes: I_o = I_c + m (c·c E - c cᵀ)."""
        return self.matrix + steiner(self.mass, self.com)


def steiner(mass: float, offset: ArrayLike) -> Array:
    """Huygens-Steiner term m (c·c E - c cᵀ) of an offset c [m]; (3, 3)."""
    c = np.asarray(offset, dtype=float)
    return np.asarray(mass * (np.dot(c, c) * np.eye(3) - np.outer(c, c)))


def from_origin_tensor(mass: float, com: ArrayLike, tensor: ArrayLike) -> Inertia:
    """Inertia of a tensor given about the link origin, as the NAO's documentation prints it."""
    return Inertia.from_matrix(mass, com, np.asarray(tensor, dtype=float) - steiner(mass, com))


def combine(parts: Iterable[Inertia]) -> Inertia | None:
    """Inertia of several bodies rigidly joined, all in one frame; None when there are none."""
    bodies = list(parts)
    if not bodies:
        return None
    if len(bodies) == 1:
        return bodies[0]
    mass = sum(body.mass for body in bodies)
    if mass == 0:
        return Inertia.from_matrix(0.0, np.zeros(3), sum(body.matrix for body in bodies))
    com = sum(body.mass * np.asarray(body.com) for body in bodies) / mass
    tensor = sum(body.matrix + steiner(body.mass, np.asarray(body.com) - com) for body in bodies)
    return Inertia.from_matrix(mass, com, tensor)


class Flaw(StrEnum):
    """What a body with a mass cannot be simulated with."""

    POINT = "has no inertia tensor"
    INDEFINITE = "has an inertia tensor that is not positive definite"
    TRIANGLE = "has an inertia tensor that breaks the triangle inequality"


def flaw_of(inertia: Inertia, slack: float = TRIANGLE_SLACK) -> Flaw | None:
    """What is wrong with a tensor; None where a real body could have it. `slack`: that I1 + I2 >= I3 is given."""
    least = max(inertia.mass * POINT_RADIUS**2, LEAST_MOMENT)
    if np.abs(inertia.matrix).max() <= least:
        return Flaw.POINT
    low, middle, high = np.linalg.eigvalsh(inertia.matrix)
    if low <= least:
        return Flaw.INDEFINITE
    return Flaw.TRIANGLE if high > (low + middle) * (1 + slack) else None


def least_mass(total: float) -> float:
    """What a moving body of a robot of that mass is given at least [kg]."""
    return max(total * LEAST_MASS_FRACTION, LEAST_MASS)


def massless(least: float, com: Vec3 = (0.0, 0.0, 0.0)) -> Inertia:
    """What stands for the inertia of a moving body without mass: a small ball of the least mass [kg]."""
    moment = least * LEAST_RADIUS**2
    return Inertia(least, com, (moment, 0.0, 0.0, moment, 0.0, moment))


def repaired_inertia(given: Inertia, size: Array, slack: float = TRIANGLE_SLACK) -> Inertia:
    """The same mass with a tensor that a real body could have; the same inertia where it has one.

    A missing tensor becomes that of a box of `size` [m], and so does one that is not positive and next to nothing
    beside it. Principal moments that are not positive are raised to those of a small body, then the two smaller ones
    until they are together as large as the third, I1 + I2 >= I3.
    """
    flaw = flaw_of(given, slack)
    if flaw is None:
        return given
    slight = np.abs(given.matrix).max() < given.mass * (SLIGHT * np.linalg.norm(size)) ** 2
    if flaw is Flaw.POINT or (flaw is Flaw.INDEFINITE and slight):
        moments = given.mass / 12 * (size @ size - size**2)
        return Inertia.from_matrix(given.mass, given.com, np.diag(np.maximum(moments, 10 * LEAST_MOMENT)))
    principal, axes = np.linalg.eigh(given.matrix)
    least = max(given.mass * (0.1 * LEAST_RADIUS) ** 2, 10 * LEAST_MOMENT)
    raised = np.maximum(principal, least) if flaw is Flaw.INDEFINITE else principal
    raised = raised + max(0.0, (raised[2] * (1 + ROUNDING) - raised[0] - raised[1]) / 2) * np.array([1.0, 1.0, 0.0])
    return Inertia.from_matrix(given.mass, given.com, axes @ np.diag(raised) @ axes.T)


def inertia_element(inertia: Inertia) -> str:
    """The tensor as the <inertia> element of a URDF, three digits; what is nothing beside the largest moment is 0."""
    least = 1e-6 * max(inertia.moments)
    named = zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), inertia.moments, strict=True)
    values = " ".join(f'{name}="{value if abs(value) > least else 0.0:.3g}"' for name, value in named)
    return f"<inertia {values}/>"
