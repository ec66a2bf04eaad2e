"""How a robot lies, sits or stands, by gravity and the load on its feet."""

from __future__ import annotations

import math
from enum import StrEnum

from andante.geometry import Array

UPRIGHT = 0.8  # cosine of the tilt from which a body counts as upright
LOADED = 0.6  # share of the weight on the feet from which it stands


class Posture(StrEnum):
    """What is down."""

    STANDING = "standing"  # upright on its feet
    SITTING = "sitting"  # upright on something else
    BELLY = "belly"
    BACK = "back"
    LEFT = "left"  # lying on its left side
    RIGHT = "right"

    @property
    def lying(self) -> bool:
        """Whether the body is not upright."""
        return self not in (Posture.STANDING, Posture.SITTING)


def posture_of(up: Array, load: float, over_feet: bool = True) -> Posture:
    """The posture from the vertical in body axes (3,), the share of the weight on the feet, and `Balance.over_feet`.

    x of the body looks ahead: with the belly down it points to the ground, so up[0] < 0. y looks left: lying on the
    left side up[1] < 0. A load of NaN (no force sensors) counts as enough to stand.
    """
    x, y, z = (float(v) for v in up)
    if z > UPRIGHT:
        return Posture.STANDING if over_feet and (math.isnan(load) or load > LOADED) else Posture.SITTING
    if abs(y) > abs(x) and abs(y) > abs(z):
        return Posture.RIGHT if y > 0 else Posture.LEFT
    return Posture.BACK if x > 0 else Posture.BELLY
