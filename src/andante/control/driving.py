"""Driving by velocity: a walker of any kind as an activity."""

from __future__ import annotations

from andante.geometry import Array
from andante.locomotion import Command, Readings
from andante.locomotion.gaits import Walker


class Driving:
    """Follows velocities; without one it stands and keeps its balance."""

    guarded, over = True, False

    def __init__(self, walker: Walker, gait: str) -> None:
        self.walker, self.gait = walker, gait
        self.command = Command()  # that was followed last
        self._stopping = False

    @property
    def name(self) -> str:
        """drive while it moves, balance while it stands."""
        return "balance" if self.walker.standing and not self.command.moving else "drive"

    @property
    def detail(self) -> str:
        """The gait, and of a robot that changes its shape the shape."""
        mode = getattr(self.walker, "mode", "")
        return f"{self.gait} ({mode})" if mode else self.gait

    @property
    def resting(self) -> bool:
        """Whether it stands."""
        return self.walker.standing

    def stop(self) -> None:
        """Heed no more velocities; a walker that has to change its shape for it begins to."""
        self._stopping = True
        settle = getattr(self.walker, "settle", None)
        if callable(settle):
            settle()

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Targets of the walker."""
        self.command = Command() if self._stopping else command
        return self.walker.update(readings, self.command, dt)
