"""Postures of a robot that fell, by gravity and foot load, and the motions that protect it and get it up."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from andante.geometry import Array
from andante.motion import Keyframes

UPRIGHT = 0.8  # cosine of the tilt from which a body counts as upright
LOADED = 0.6  # fraction of the weight on the feet from which it stands


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
    """The posture from the vertical in body axes (3,), the fraction of the weight on the feet, and `Balance.over_feet`.

    x of the body looks ahead: with the belly down it points to the ground, so up[0] < 0. y looks left: lying on the
    left side up[1] < 0. A load of NaN (no force sensors) counts as enough to stand.
    """
    x, y, z = (float(v) for v in up)
    if z > UPRIGHT:
        return Posture.STANDING if over_feet and (math.isnan(load) or load > LOADED) else Posture.SITTING
    if abs(y) > abs(x) and abs(y) > abs(z):
        return Posture.RIGHT if y > 0 else Posture.LEFT
    return Posture.BACK if x > 0 else Posture.BELLY


DIRECTIONS = ("front", "back", "left", "right")


@dataclass(frozen=True)
class Stage:
    """A motion that starts in one posture and should end in another."""

    motion: Keyframes
    ends: frozenset[Posture]


@dataclass(frozen=True)
class FallMotions:
    """Everything that depends on the robot; `andante.locomotion.io.fall_library` reads it from the motion library."""

    protect: Mapping[str, Keyframes]  # direction of the fall -> motion
    stages: Mapping[Posture, Stage]
    stand: Mapping[str, float]  # the pose in which it stands again [rad or m]
    stiffness: Mapping[str, float] = field(default_factory=dict)  # while falling, by joint name pattern; 1: full

    @property
    def can_get_up(self) -> bool:
        """Whether there is a way from both belly and back to a stand."""
        return {Posture.BELLY, Posture.BACK} <= set(self.stages)
