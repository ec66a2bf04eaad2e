"""What a robot does when it falls: poses that protect it, and motions that lead from how it lies to a stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from andante.motion import Keyframes

from .postures import Posture

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
