"""Rolling friction of balls for engines that have none of their own (DART, ODE).

A ball of radius r that rolls under the normal force N is braked by the moment rho N against its turning, rho [m] being
the coefficient of its surface. N is felt by the ball itself: its mass times what its acceleration along gravity is
short of free fall.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from andante.description.shapes import Sphere
from andante.geometry import Array

from .model import Model

MOST = 20.0  # times its weight that presses a ball at most, as in a hard impact


class Rolling:
    """The moment on one ball, step by step."""

    def __init__(self, mass: float, inertia: float, radius: float, coefficient: float, gravity: Array) -> None:
        self._mass, self._gravity, self._coefficient = mass, gravity, coefficient
        self._whole = inertia + mass * radius * radius  # about the point of contact [kg m^2]
        self._weight = mass * float(np.linalg.norm(gravity))
        self._up = -gravity / max(1e-9, float(np.linalg.norm(gravity)))
        self._before: Array | None = None  # velocity of the last step [m/s]

    def forget(self) -> None:
        """The ball was put somewhere else."""
        self._before = None

    def torque(self, velocity: Array, turning: Array, dt: float) -> Array:
        """Moment (3,) [N m] in world axes for the next step; it never turns the ball back."""
        pressed = self._weight
        if self._before is not None:
            rise = float((velocity - self._before) @ self._up) / dt
            pressed = min(max(0.0, self._mass * rise + self._weight), MOST * self._weight)
        self._before = velocity
        spin = float(np.linalg.norm(turning))
        if spin < 1e-9 or not pressed:
            return np.zeros(3)
        moment = min(self._coefficient * pressed, self._whole * spin / dt)
        return np.asarray(-moment / spin * turning)


def rolling_balls(models: Sequence[Model], gravity: Sequence[float]) -> Iterator[tuple[int, Rolling]]:
    """Free models that are one ball with a rolling friction, by index."""
    for model in models:
        bodies = model.tree.bodies
        if model.fixed or len(bodies) != 1 or len(bodies[0].shapes) != 1:
            continue
        shape, inertia = bodies[0].shapes[0], bodies[0].inertia
        if isinstance(shape.geometry, Sphere) and shape.surface.rolling:
            moment = (inertia.moments[0] + inertia.moments[3] + inertia.moments[5]) / 3
            yield model.index, Rolling(
                float(inertia.mass), moment, float(shape.geometry.radius), float(shape.surface.rolling),
                np.asarray(gravity, dtype=float),
            )  # fmt: skip
