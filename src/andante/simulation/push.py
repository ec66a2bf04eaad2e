"""Pushes in words: how strong, where to, when."""

from __future__ import annotations

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array

DIRECTIONS = {
    "forward": (1.0, 0.0, 0.0),
    "back": (-1.0, 0.0, 0.0),
    "left": (0.0, 1.0, 0.0),
    "right": (0.0, -1.0, 0.0),
    "up": (0.0, 0.0, 1.0),
    "down": (0.0, 0.0, -1.0),
}
LARGEST_PUSH = 1e9  # [N s]

PushWords = str | tuple[float, str | float, float]  # "N·s direction time", or the three


def parse_push(push: PushWords) -> tuple[Array, float]:
    """Impulse in the robot's first axes [N s] and time [s] of "2.0 forward 1.0" or "2.0 45 1.0" (degrees, left +)."""
    words = push.split() if isinstance(push, str) else [str(word) for word in push]
    try:
        impulse, when = float(words[0]), float(words[2])
        if words[1] in DIRECTIONS:
            direction = np.array(DIRECTIONS[words[1]])
        else:
            angle = np.radians(float(words[1]))
            direction = np.array([np.cos(angle), np.sin(angle), 0.0])
        sound = abs(impulse) <= LARGEST_PUSH and 0 <= when < np.inf and bool(np.isfinite(direction).all())
        if len(words) != 3 or not sound:
            raise ValueError
    except (ValueError, IndexError):
        raise BadInput(
            f"push {push!r} should be 'N·s direction time', like '2.0 forward 1.0', up to {LARGEST_PUSH:g} N s; "
            f"directions: {', '.join(DIRECTIONS)} or degrees"
        ) from None
    return impulse * direction, when
