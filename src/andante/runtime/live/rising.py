"""Getting up as an activity."""

from __future__ import annotations

from andante.description import Robot
from andante.geometry import Array
from andante.locomotion import Command, Readings
from andante.locomotion.falls.get_up import GetUp, GetUpSettings, Phase
from andante.locomotion.io.fall_library import fall_motions


class Rising:
    """Gets up from however the robot lies or sits; it cannot be broken off safely, so whoever follows waits."""

    name, guarded = "get up", False

    def __init__(self, robot: Robot, speed: float = 1.0) -> None:
        self.behaviour = GetUp(robot, fall_motions(robot), GetUpSettings(pace=speed))

    @property
    def stiffness(self) -> Array:
        """Share of the servos' strength (joints,)."""
        return self.behaviour.stiffness

    @property
    def detail(self) -> str:
        """Phase and posture."""
        return f"{self.behaviour.phase} from {self.behaviour.stage or self.behaviour.posture}"

    @property
    def over(self) -> bool:
        """Whether it stands or has given up."""
        return self.behaviour.phase in (Phase.DONE, Phase.FAILED)

    resting = over

    @property
    def succeeded(self) -> bool:
        """Whether it stands."""
        return self.behaviour.done

    def stop(self) -> None:
        """It goes on until it stands."""

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Targets of the motion that gets it up."""
        return self.behaviour.update(readings, command, dt)
