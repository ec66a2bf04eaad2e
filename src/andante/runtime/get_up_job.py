"""A robot that lies on the ground and gets up, as `andante play ROBOT get-up` shows it."""

from __future__ import annotations

from dataclasses import dataclass

from andante.description import Robot
from andante.description.source import Problem, Severity
from andante.locomotion import Command
from andante.locomotion.falls.get_up import GetUp, GetUpSettings, Phase
from andante.locomotion.io.fall_library import can_get_up, fall_motions

from .behave import Behave
from .simulation import Simulation

START = {"get_up": "LyingBack", "get_up_back": "LyingBack", "get_up_belly": "LyingBelly"}
LONGEST = 60.0  # [s]
SETTLE = 1.0  # it stands or lies on for so long before the outcome is told [s]


@dataclass(frozen=True)
class GetUpChoice:
    """Getting up from however the robot lies; `pose` is where it starts when nothing else is said."""

    name: str
    pose: str


def get_up_choice(robot: Robot, name: str) -> GetUpChoice | None:
    """What a name like get-up or get_up_belly means for a robot; None: something else."""
    plain = name.casefold().replace("-", "_")
    if plain not in START or not can_get_up(robot) or START[plain] not in robot.poses:
        return None
    return GetUpChoice(plain, START[plain])


class Rising:
    """A `GetUp` on a simulation, at a pace."""

    def __init__(self, sim: Simulation, pace: float = 1.0) -> None:
        self.behaviour = GetUp(sim.robot, fall_motions(sim.robot), GetUpSettings(pace=pace))
        self._began = sim.time
        self.ended_at = float("nan")  # time since the start at which it stood [s]
        sim.observers.append(Behave(self.behaviour, Command()))

    @property
    def over(self) -> bool:
        """Whether it stands or has given up."""
        return self.behaviour.phase in (Phase.DONE, Phase.FAILED)

    def run(self, sim: Simulation, seconds: float | None) -> None:
        """Up to a time, else until it is over."""
        longest = LONGEST if seconds is None else seconds
        while sim.time - self._began < longest - 1e-9 and not (seconds is None and self.over):
            sim.run(min(0.1, longest - (sim.time - self._began)))
            if self.behaviour.done and not self.ended_at >= 0:
                self.ended_at = sim.time - self._began
        if seconds is None:
            sim.run(SETTLE)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """A word on every failure."""
        told = self.behaviour.story
        if self.behaviour.failures == 0:
            return ()
        level = Severity.ERROR if self.behaviour.phase is Phase.FAILED else Severity.WARNING
        return (Problem(level, f"{self.behaviour.failures} of the tries failed: {', then '.join(told)}"),)
