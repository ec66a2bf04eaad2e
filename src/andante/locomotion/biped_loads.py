"""What the ground is planned to push on two feet with, and where."""

from __future__ import annotations

import numpy as np

from andante.geometry import Array
from andante.gravity import GRAVITY

Pair = tuple[float, float]


def planned_push(
    mass: float, rate: float, place: Pair, pressure: Pair, other: Pair, both: bool
) -> tuple[float, Array, Pair]:
    """Share of the other foot (0..1), whole force (3,) [N] and where it acts on the standing foot (x, y) [m].

    F = m (w² (c - p), g). When both feet carry, the share grows with the pressure point's way from the standing foot to
    the other one, seen at `other`; each foot is pressed at the same place of its own.
    """
    (x, y), (px, py) = other, pressure
    share = max(0.0, min(1.0, (px * x + py * y) / max(x * x + y * y, 1e-9))) if both else 0.0
    scale = rate * rate * mass
    force = np.array([scale * (place[0] - px), scale * (place[1] - py), mass * GRAVITY])
    return share, force, (px - share * x, py - share * y)
