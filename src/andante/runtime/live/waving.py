"""The walker service of the wave gait as an activity: started, stopped and changed from outside."""

from __future__ import annotations

from andante.geometry import Array
from andante.locomotion import Command, Readings
from andante.locomotion.wave.gait import WaveGait


class Waving:
    """Walks by waves until it is stopped; velocities are not heeded."""

    name, guarded = "wave", True

    def __init__(self, gait: WaveGait) -> None:
        self.gait = gait
        gait.start()

    @property
    def detail(self) -> str:
        """Its variant."""
        return self.gait.variant

    @property
    def over(self) -> bool:
        """Whether it was stopped and stands again."""
        return self.gait.standing

    resting = over

    def stop(self) -> None:
        """Let the waves die."""
        self.gait.stop()

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Targets of the waves."""
        return self.gait.advance(dt)
