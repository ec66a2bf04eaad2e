"""`an.check`: what is in a robot or world, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from andante import viz
from andante.description import Problem, Robot, World, load_robot
from andante.description.check import CheckReport, check_file, check_robot, check_world
from andante.description.check.recognize import find_wheels, recognize
from andante.description.stand_ins import solid_or_same
from andante.errors import BadInput
from andante.gc_paused import gc_paused
from andante.locomotion.rigs.legs import told_legs
from andante.physics.solver import engine_notes
from andante.tasks.result import HIDDEN, Result


@dataclass(frozen=True)
class CheckResult(CheckReport, Result):
    """What is in a robot or world, and what is wrong with it, errors first."""

    subject: Robot | World | str = field(metadata=HIDDEN, repr=False)
    arguments: Mapping[str, str] = field(metadata=HIDDEN, repr=False)

    def __str__(self) -> str:
        head = f"{self.name} ({self.kind}): {self.links} links, {self.joints} joints, {self.mass:.4g} kg"
        found = [str(problem) for problem in self.problems] or ["  no problems found"]
        return "\n".join([head, *(f"  {line}" for line in self.recognised), *found])

    def plot(self) -> viz.Figure:
        """The robot as sticks and collision outlines."""
        if self.kind != "robot":
            raise NotImplementedError("a world has no preview; `an.show` shows it in the studio")
        shown = self.subject if isinstance(self.subject, Robot) else load_robot(str(self.subject), self.arguments)
        return viz.preview_robot(shown)


def _only_robot(world: World) -> Robot | None:
    """The one model of a world that can move by joints of its own, as in scenes that are written around a robot."""
    moving = [model.robot for model in world.models if not model.fixed and model.robot.movable]
    return moving[0] if len(moving) == 1 else None


def check(file: Robot | World | Path | str, arguments: Mapping[str, str] | None = None) -> CheckResult:
    """Check a robot or world.

    Args:
        file: a `Robot`, a `World`, a name, a path or `file.py:Name`.
        arguments: `name:=value` arguments of the file.

    Returns:
        What was found; `ok` says whether there are no errors. What an installed engine has not of what a world or a
        surface asks for is among it. BadInput when the file cannot be read at all.
    """
    legs: list[str] = []

    def notes(subject: Robot | World) -> list[Problem]:
        robot = subject if isinstance(subject, Robot) else _only_robot(subject)
        if robot is not None:
            shaped = solid_or_same(robot)
            legs.extend(recognize(shaped) if robot is not subject else ())
            if not find_wheels(shaped):
                legs.append(told_legs(shaped))
        return engine_notes(subject)

    if isinstance(file, Robot | World):
        if arguments:
            raise BadInput(f"{file.name!r} is loaded already; arguments belong to a file: {', '.join(arguments)}")
        found = check_robot(file, notes(file)) if isinstance(file, Robot) else check_world(file, notes(file))
    else:
        with gc_paused():
            found = check_file(str(file), arguments, notes)
    told = (*found.recognised, *(words for words in legs if words))
    subject = file if isinstance(file, Robot | World) else str(file)
    return CheckResult(**{**vars(found), "recognised": told}, subject=subject, arguments=dict(arguments or {}))
