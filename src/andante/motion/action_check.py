"""What would go wrong, said before anything moves: unreachable points, limits, too little time, self-collision."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from andante.description import Robot
from andante.description.source import Problem, Severity, Source
from andante.errors import AndanteError

from .action_binding import bind
from .action_body import group_body
from .action_plan import check_names, plan_step
from .action_reach import group_chain
from .actions import ActionSet, Value
from .joint_motion import JointMotion
from .keyframe_check import fit, haste_problems
from .keyframe_play import play_from
from .keyframes import Keyframes
from .self_collision import SelfCollision

SAMPLE = 0.1  # time between collision checks [s]
MOST_SAMPLES = 60  # per step


def check_action(
    robot: Robot,
    actions: ActionSet,
    name: str,
    start: Mapping[str, float],
    parameters: Mapping[str, Value] | None = None,
    collisions: bool = True,
) -> tuple[Problem, ...]:
    """Problems of one action run from joint positions; nothing is raised for what the file says wrongly."""
    told: list[Problem] = []
    try:
        bound = bind(actions, name, parameters)
        check_names(robot, actions, bound)
    except AndanteError as error:
        return (_as_problem(error, actions.action(name).source if name in actions.actions else actions.source),)
    shapes = SelfCollision(robot) if collisions else None
    here: Mapping[str, float] = robot.complete(start)
    known = _overlaps(shapes, here) if shapes is not None else set()
    rounds = 1 if bound.loop == 1 else 2  # the second round starts where the first ends
    for step in bound.steps * rounds:
        try:
            planned = plan_step(robot, actions, step, here)
        except AndanteError as error:
            told.append(_as_problem(error, step.source))
            break
        told += planned.problems
        if shapes is not None:
            told += _collisions(robot, shapes, planned.motion, here, known, step.source, f"step {step.name!r}")
        here = planned.end
    return tuple(dict.fromkeys(told))


def check_set(robot: Robot, actions: ActionSet, start: Mapping[str, float]) -> tuple[Problem, ...]:
    """Problems of all groups and actions of a set, each action run from the start with its defaults."""
    told: list[Problem] = []
    here = robot.complete(start)
    if actions.robot and actions.robot != robot.name:
        message = f"written for robot {actions.robot!r}, checked for {robot.name!r}"
        told.append(Problem(Severity.WARNING, message, actions.source))
    for group in actions.groups.values():
        try:
            if group.feet:
                group_body(robot, group, here)
            else:
                group_chain(robot, group, here)
        except AndanteError as error:
            told.append(_as_problem(error, group.source))
    for name in actions.actions:
        told += check_action(robot, actions, name, start)
    return tuple(dict.fromkeys(told))


def check_keyframes(
    robot: Robot, motion: Keyframes, start: Mapping[str, float], collisions: bool = True
) -> tuple[Problem, ...]:
    """Problems of a key-frame motion played from joint positions; unknown joints raise."""
    fitted = fit(motion, robot)
    played = play_from(fitted.motion, robot, start)
    told = [*fitted.problems, *haste_problems(played, robot, motion.source)]
    if collisions:
        shapes = SelfCollision(robot)
        here = robot.complete(start)
        told += _collisions(robot, shapes, played, here, _overlaps(shapes, here), motion.source, "the motion")
    return tuple(dict.fromkeys(told))


def check_motion(robot: Robot, motion: JointMotion, start: Mapping[str, float]) -> tuple[Problem, ...]:
    """Self-collisions along any joint motion."""
    shapes = SelfCollision(robot)
    here = robot.complete(start)
    return tuple(_collisions(robot, shapes, motion, here, _overlaps(shapes, here), Source(), "the motion"))


def _collisions(
    robot: Robot,
    shapes: SelfCollision,
    motion: JointMotion,
    start: Mapping[str, float],
    known: set[frozenset[str]],
    source: Source,
    what: str,
) -> list[Problem]:
    """An error per pair that runs into each other, a warning when it only brushes; pairs in `known`, which overlap from
    the start or were told, are left out."""
    if not motion.names:
        return []
    duration = motion.duration if np.isfinite(motion.duration) else _one_round(motion)
    count = int(np.clip(np.ceil(duration / SAMPLE), 2, MOST_SAMPLES))
    times = np.linspace(0.0, duration, count + 1)[1:]
    rows = motion.evaluate(times)
    told = []
    for time, row in zip(times, rows, strict=True):
        for hit in shapes.at({**start, **dict(zip(motion.names, row.tolist(), strict=True))}, known):
            a, b = sorted(hit.links)
            how = "run into" if hit.deep else "brush"
            message = f"links {a!r} and {b!r} {how} each other {time:.2f} s into {what}"
            told.append(Problem(Severity.ERROR if hit.deep else Severity.WARNING, message, source))
            if hit.deep:
                known.add(hit.links)
    return _once_per_message(told)


def _overlaps(shapes: SelfCollision, positions: Mapping[str, float]) -> set[frozenset[str]]:
    return {hit.links for hit in shapes.at(positions)}


def _once_per_message(told: list[Problem]) -> list[Problem]:
    """Without warnings that say the same of a later instant, nor those that an error outdoes."""
    out: dict[str, Problem] = {}
    for problem in told:
        links = problem.message.partition(" run into ")[0].partition(" brush ")[0]
        if links not in out or (out[links].severity, problem.severity) == (Severity.WARNING, Severity.ERROR):
            out[links] = problem
    return list(out.values())


def _one_round(motion: JointMotion) -> float:
    return float(getattr(motion, "round_duration", 10.0))


def _as_problem(error: AndanteError, source: Source) -> Problem:
    """The error as a finding; its own file and line win over the given ones."""
    text = str(error)
    if source.file and text.startswith(source.file + ":"):
        line, sign, rest = text[len(source.file) + 1 :].partition(": ")
        if sign and line.isdigit():
            return Problem(Severity.ERROR, rest, Source(source.file, int(line)))
    return Problem(Severity.ERROR, text, source)
