"""An activity: what a live robot is doing, one at a time, which can be asked to come to rest and handed over.

Joint vectors follow `robot.joint_names`. Values of joints that a live session drives by speed (wheels) are speeds.
"""

from __future__ import annotations

from typing import Protocol

from andante.geometry import Array
from andante.locomotion import Command, Readings


class Activity(Protocol):
    """One thing that a robot does. An activity may have a `stiffness` (joints,) as behaviours have."""

    @property
    def name(self) -> str:
        """What kind of activity it is."""

    @property
    def guarded(self) -> bool:
        """Whether a fall during it is an accident."""

    @property
    def detail(self) -> str:
        """Name of the motion, gait and the like."""

    @property
    def resting(self) -> bool:
        """Whether another activity may take over now."""

    @property
    def over(self) -> bool:
        """Whether it has done what it was started for."""

    def stop(self) -> None:
        """Come to rest as soon as that is safe."""

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step of dt [s]."""


class Hold:
    """All joints stay where they were sent last."""

    name, detail, guarded, resting, over = "hold", "", True, True, False

    def __init__(self, targets: Array, guarded: bool = True) -> None:
        self._targets, self.guarded = targets, guarded

    def stop(self) -> None:
        """It rests already."""

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """The same targets for ever."""
        return self._targets
