"""From a step to joint positions over time: control points become pose splines, pose splines joint ways by IK."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from andante.description import Joint, Robot
from andante.description.source import Problem, Severity, Source
from andante.errors import BadInput, UnknownName
from andante.geometry import Array
from andante.motion.curves.nurbs import Nurbs
from andante.motion.joint_motion import MotionLimits, Sampled, positions_of, within_limits
from andante.motion.timing import time_path

from .model import ActionSet, Atomic, BoundAction, Reach, Step, Take, Turn, Wait
from .reach import follow, follow_body, group_body, group_chain

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

SAMPLE = 0.01  # [s]
PATH_SAMPLES = 61  # IK solves along a way whose time is not yet known


@dataclass(frozen=True)
class Planned:
    """A step as a joint motion, where it ends, and the problems found.

    `places` are the control points as they were resolved: relative ones are absolute here, so that a step can be begun
    again toward the same places.
    """

    motion: Sampled
    end: Mapping[str, float]
    problems: tuple[Problem, ...]
    places: Step


@dataclass(frozen=True)
class _Way:
    """Some joints along a way: samples over the fraction of the way, and its time."""

    names: tuple[str, ...]
    fractions: Array  # (m,) growing from 0 to 1
    positions: Array  # (m, joints)
    duration: float | None
    speed: float
    source: Source


def plan_step(robot: Robot, actions: ActionSet, step: Step, start: Mapping[str, float]) -> Planned:
    """Plan one bound step from joint positions (all movable joints)."""
    here = dict(robot.complete(start))
    ways: list[_Way] = []
    problems: list[Problem] = []
    resolved: list[Atomic] = []
    longest_wait = 0.0
    for atomic in step.atomics:
        if isinstance(atomic, Wait):
            longest_wait = max(longest_wait, float(atomic.duration))
            resolved.append(atomic)
            continue
        way, absolute, found = _way(robot, actions, atomic, here)
        ways.append(way)
        problems += found
        resolved.append(absolute)
    _no_joint_twice([(way.source, way.names) for way in ways])
    timed = [_timed(robot, way) for way in ways]
    duration = max([longest_wait, *(positions.shape[0] * SAMPLE - SAMPLE for positions in timed)])
    count = max(2, round(duration / SAMPLE) + 1)
    names = tuple(name for way in ways for name in way.names)
    columns = [np.vstack([p, np.repeat(p[-1:], count - len(p), axis=0)]) for p in timed]
    table = np.hstack(columns) if columns else np.zeros((count, 0))
    motion = Sampled(names, table, SAMPLE)
    told_lines = {problem.source for problem in problems if problem.severity is Severity.ERROR}
    problems += [problem for problem in _speed_problems(robot, ways, motion) if problem.source not in told_lines]
    end = robot.complete({**here, **dict(zip(names, table[-1].tolist(), strict=True))})
    return Planned(motion, end, tuple(problems), Step(step.name, tuple(resolved), 1, step.source))


def check_names(robot: Robot, actions: ActionSet, bound: BoundAction) -> None:
    """Raise for groups, links, joints and poses that do not exist, and for joints that two lines of a step move."""
    here = robot.complete({})
    for own in {id(step): step for step in bound.steps}.values():
        moved: list[tuple[Source, tuple[str, ...]]] = []
        for atomic in own.atomics:
            if isinstance(atomic, Reach):
                group = actions.group(atomic.group, atomic.source)
                if group.feet and not atomic.relative:
                    raise BadInput(f"{atomic.source}: body group {group.name!r} moves by relative points; write: by")
                solver = group_body(robot, group, here) if group.feet else group_chain(robot, group, here)
                moved.append((atomic.source, solver.joint_names))
            elif isinstance(atomic, Turn):
                rows, _, _ = _turned(robot, atomic, here)
                moved.append((atomic.source, tuple(rows)))
            elif isinstance(atomic, Take):
                try:
                    goal = robot.pose(atomic.pose)
                except UnknownName as error:
                    raise UnknownName(f"{atomic.source}: {error}" if str(atomic.source) else str(error)) from None
                moved.append((atomic.source, tuple(j.name for j in robot.independent if j.name in goal)))
        _no_joint_twice(moved)


def _way(
    robot: Robot, actions: ActionSet, atomic: Reach | Turn | Take, here: Mapping[str, float]
) -> tuple[_Way, Atomic, tuple[Problem, ...]]:
    duration = None if atomic.duration is None else float(atomic.duration)
    speed = float(atomic.speed)
    if isinstance(atomic, Reach):
        group = actions.group(atomic.group, atomic.source)
        samples = PATH_SAMPLES if duration is None else max(3, ceil(duration / SAMPLE) // 2 + 1)
        followed = (follow_body if group.feet else follow)(robot, group, atomic, here, samples)
        way = _Way(followed.names, followed.fractions, followed.positions, duration, speed, atomic.source)
        return way, followed.absolute, followed.problems
    problems: tuple[Problem, ...] = ()
    if isinstance(atomic, Take):
        goal, problems = within_limits(robot, positions_of(robot, atomic.pose), atomic.source)
        rows = {j.name: (goal[j.name],) for j in robot.independent if j.name in goal}
        absolute: Atomic = atomic
    else:
        rows, absolute, problems = _turned(robot, atomic, here)
    names = tuple(rows)
    most = max(len(row) for row in rows.values())
    points = np.array([[here[n], *row, *([row[-1]] * (most - len(row)))] for n, row in rows.items()], dtype=float).T
    fractions = np.linspace(0.0, 1.0, PATH_SAMPLES)
    curve = Nurbs.through(points, min(3, len(points) - 1), np.linspace(0, 1, len(points)))
    limits = MotionLimits.of(robot, names)
    positions = np.clip(curve.evaluate(fractions), limits.lower, limits.upper)
    return _Way(names, fractions, positions, duration, speed, atomic.source), absolute, problems


def _turned(
    robot: Robot, atomic: Turn, here: Mapping[str, float]
) -> tuple[dict[str, tuple[float, ...]], Turn, tuple[Problem, ...]]:
    """Absolute positions of joints inside their limits."""
    rows: dict[str, tuple[float, ...]] = {}
    problems: list[Problem] = []
    for name, way in atomic.positions.items():
        joint = _joint(robot, name, atomic.source)
        place = f"{atomic.source}: " if str(atomic.source) else ""
        if not joint.one_dof:
            raise BadInput(f"{place}joint {name!r} is {joint.type} and has no position to go to")
        if joint.mimic is not None:
            raise BadInput(f"{place}joint {name!r} follows {joint.mimic.joint!r}; move that one")
        values = []
        for value in way:
            inside, words = within_limits(
                robot, {name: float(value) + (here[name] if atomic.relative else 0.0)}, atomic.source
            )
            values.append(inside[name])
            problems += words
        rows[name] = tuple(values)
    return rows, Turn(rows, atomic.duration, atomic.speed, False, atomic.source), tuple(problems)


def _timed(robot: Robot, way: _Way) -> Array:
    """Positions every SAMPLE seconds, from rest to rest: a quintic in the given time, else as fast as limits allow."""
    from scipy.interpolate import CubicSpline  # takes a while

    spline = CubicSpline(way.fractions, way.positions)
    if way.duration is not None:
        count = max(2, round(way.duration / SAMPLE) + 1)
        x = np.linspace(0.0, 1.0, count)
        points: Array = spline(x**3 * (10 + x * (6 * x - 15)))
        return points
    if np.abs(np.diff(way.positions, axis=0)).max(initial=0.0) < 1e-9:
        return way.positions[[0, -1]]
    limits = MotionLimits.of(robot, way.names, way.speed)
    try:
        timed = time_path(
            way.names, lambda s, order: spline(s, order), (0.0, 1.0), limits.velocity, limits.acceleration
        )
    except BadInput:  # a way with corners: an even quintic, slow enough for its sharpest bend
        return _evenly(spline, limits)
    count = max(2, ceil(timed.duration / SAMPLE) + 1)
    return timed.evaluate(np.linspace(0.0, timed.duration, count))


def _evenly(path: CubicSpline, limits: MotionLimits) -> Array:
    """Positions every SAMPLE seconds along path(s(t)), s a quintic slow enough for velocity and acceleration limits."""
    x = np.linspace(0.0, 1.0, 501)
    s, rate, bend = x**3 * (10 + x * (6 * x - 15)), 30 * x**2 * (1 - x) ** 2, 60 * x * (1 - x) * (1 - 2 * x)
    first, second = path(s, 1), path(s, 2)
    speed = np.abs(first * rate[:, None]) / limits.velocity
    push = np.abs(second * rate[:, None] ** 2 + first * bend[:, None]) / limits.acceleration
    duration = max(float(speed.max()), float(np.sqrt(push.max())))
    y = np.linspace(0.0, 1.0, max(2, ceil(duration / SAMPLE) + 1))
    points: Array = path(y**3 * (10 + y * (6 * y - 15)))
    return points


def _no_joint_twice(moved: list[tuple[Source, tuple[str, ...]]]) -> None:
    seen: dict[str, Source] = {}
    for source, names in moved:
        for name in names:
            if name in seen:
                raise BadInput(
                    f"{source}: joint {name!r} is already moved by line {seen[name].line} of the same step; "
                    "use two steps, or hold the joint in a group"
                )
            seen[name] = source


def _speed_problems(robot: Robot, ways: list[_Way], motion: Sampled) -> list[Problem]:
    times = np.arange(0.0, motion.duration + SAMPLE / 4, SAMPLE / 2)
    if not motion.names:
        return []
    limits = MotionLimits.of(robot, motion.names)
    fraction = np.abs(motion.evaluate(times, 1)).max(axis=0) / limits.velocity
    problems, k = [], 0
    for way in ways:
        own = fraction[k : k + len(way.names)]
        worst = int(np.argmax(own)) if len(own) else 0
        if len(own) and own[worst] > 1.01 and way.duration is not None:
            message = (
                f"joint {way.names[worst]!r} would need {own[worst]:.2g} times its top speed; "
                f"give this at least {way.duration * own[worst]:.2g} s"
            )
            problems.append(Problem(Severity.ERROR, message, way.source))
        k += len(way.names)
    return problems


def _joint(robot: Robot, name: str, source: Source) -> Joint:
    try:
        return robot.joint(name)
    except UnknownName as error:
        raise UnknownName(f"{source}: {error}" if str(source) else str(error)) from None
