"""Makes every body one that an engine can move, the same for all engines, and tells what was changed.

A body that moves needs a mass and an inertia tensor that a real body could have. Files often lack them; engines then
refuse, invent mass 1 or explode, each in its own way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from andante.description.check.masses import TRIANGLE_SLACK
from andante.description.extent import bounds
from andante.description.inertia import Inertia
from andante.description.robot import Robot
from andante.description.shapes import Plane
from andante.description.source import Problem, Severity
from andante.errors import AndanteError
from andante.geometry import Array

if TYPE_CHECKING:
    from .tree import Body, BodyShape

LEAST_MASS_SHARE = 1e-5  # a moving body lighter than this share of the robot is given that share
LEAST_MASS = 1e-6  # [kg]
LEAST_RADIUS = 0.01  # radius of gyration of bodies without a shape [m]


def mended(robot: Robot, bodies: Sequence[Body], fixed: bool) -> tuple[tuple[Body, ...], tuple[Problem, ...]]:
    """The bodies with sound masses and tensors, a warning for each that was changed; a fixed root may be anything."""
    total = sum(body.inertia.mass for body in bodies if body.inertia.mass > 0)
    least = max(total * LEAST_MASS_SHARE, LEAST_MASS)
    out, problems = [], []
    for body in bodies:
        if body.joint is None and fixed:
            out.append(body)
            continue
        inertia, told = _sound(body, least)
        out.append(replace(body, inertia=inertia))
        if told:
            source = robot.link(body.name).source
            problems.append(Problem(Severity.WARNING, f"link {body.name!r} {told}", source))
    return tuple(out), tuple(problems)


def _sound(body: Body, least: float) -> tuple[Inertia, str]:
    """A usable inertia, and what was wrong with the given one (empty: nothing)."""
    given = body.inertia
    if given.mass < least:
        moment = least * LEAST_RADIUS**2
        remedy = "fix its joint" if body.joint is not None else "bolt it down (--fixed)"
        told = f"moves but weighs {given.mass:g} kg; the engine is given {least:.3g} kg; add an <inertial> or {remedy}"
        return Inertia(least, given.com, (moment, 0.0, 0.0, moment, 0.0, moment)), told
    if not np.any(given.matrix):
        size = _size(body.shapes)
        moments = given.mass / 12 * (size @ size - size**2)
        told = f"has no inertia tensor; the engine is given that of a box of {_metres(size)}; correct its <inertia>"
        return Inertia.from_matrix(given.mass, given.com, np.diag(moments)), told
    principal, axes = np.linalg.eigh(given.matrix)
    if principal[0] <= 0:
        raised = np.maximum(principal, given.mass * (0.1 * LEAST_RADIUS) ** 2)
        told = "has an inertia tensor that is not positive definite"
    elif principal[2] > (principal[0] + principal[1]) * (1 + TRIANGLE_SLACK):
        raised, told = principal.copy(), "has an inertia tensor that breaks the triangle inequality"
    else:
        return given, ""
    raised[:2] += max(0.0, (raised[2] - raised[0] - raised[1]) / 2)
    more = float(np.max(raised - principal))
    told += f"; the engine is given up to {more:.2g} kg m^2 more about its axes; correct its <inertia>"
    return Inertia.from_matrix(given.mass, given.com, axes @ np.diag(raised) @ axes.T), told


def _size(shapes: Sequence[BodyShape]) -> Array:
    """Edges of the box around the shapes of a body [m]; a small cube where there are none."""
    corners = []
    for shape in shapes:
        if isinstance(shape.geometry, Plane):
            continue
        try:
            corners.append(bounds(shape.geometry, shape.pose))
        except AndanteError:
            continue  # a mesh that is missing; `check` tells about it
    if not corners:
        return np.full(3, LEAST_RADIUS * np.sqrt(6.0))
    low, high = np.min([c[0] for c in corners], axis=0), np.max([c[1] for c in corners], axis=0)
    return np.maximum(high - low, 1e-3)


def _metres(size: Array) -> str:
    return " x ".join(f"{edge:.3g}" for edge in size) + " m"
