"""Checks before anything moves: unreachable points, limits, too little time, self-collision by collision shapes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from andante.description import Robot
from andante.description.check.shapes import TOUCHING, shapes_overlap
from andante.description.joint import JointType
from andante.description.shapes import Geometry, Heightmap, Plane
from andante.description.solids import bounds
from andante.description.source import Problem, Severity, Source
from andante.errors import AndanteError
from andante.geometry import SE3, Array
from andante.motion.joint_motion import JointMotion
from andante.motion.keyframes import Keyframes, fit, play_from, speed_problems

from .model import ActionSet, Value, bind
from .plan import check_names, plan_step
from .reach import group_body, group_chain

SHALLOW = 0.005  # shapes that come apart when moved this far only brush each other [m]


@dataclass(frozen=True)
class Hit:
    """Two links that overlap; `deep`: they would still do so when moved apart by SHALLOW."""

    links: frozenset[str]
    deep: bool


class SelfCollision:
    """Pairs of links that may collide, prepared once; neighbors over one joint and masked pairs are left out.

    limb: only pairs of one of these links with one that is none of them; None: all pairs.
    """

    def __init__(self, robot: Robot, limb: Collection[str] | None = None) -> None:
        self.robot = robot
        lead = {robot.root: robot.root}
        for joint in robot.topological:
            lead[joint.child] = lead[joint.parent] if joint.type is JointType.FIXED else joint.child
        near = {frozenset((lead[j.parent], lead[j.child])) for j in robot.joints if j.type is not JointType.FIXED}
        self._shapes: list[tuple[str, Geometry, SE3]] = []
        self._reach: list[tuple[Array, float]] = []  # center and radius of a ball around each shape, in its link
        for link in robot.links:
            for collision in link.collisions:
                if isinstance(collision.geometry, Plane | Heightmap):
                    continue
                try:
                    low, high = bounds(collision.geometry, SE3.identity())
                except AndanteError:
                    continue  # a mesh that cannot be read is reported by `check`
                self._shapes.append((link.name, collision.geometry, collision.pose))
                center = collision.pose @ ((low + high) / 2)
                self._reach.append((center, float(np.linalg.norm(high - low)) / 2))
        pairs = [
            (i, j)
            for i in range(len(self._shapes))
            for j in range(i + 1, len(self._shapes))
            if self._may_collide(self._shapes[i][0], self._shapes[j][0], lead, near)
            and (limb is None or (self._shapes[i][0] in limb) != (self._shapes[j][0] in limb))
        ]
        self._pairs = np.array(pairs, dtype=int).reshape(-1, 2)
        radii = np.array([radius for _, radius in self._reach])
        self._near = radii[self._pairs].sum(axis=1) if len(self._pairs) else np.zeros(0)

    def _may_collide(self, a: str, b: str, lead: Mapping[str, str], near: set[frozenset[str]]) -> bool:
        bodies = frozenset((lead[a], lead[b]))
        return len(bodies) == 2 and bodies not in near and frozenset((a, b)) not in self.robot.no_collision

    def at(self, positions: Mapping[str, float], leave_out: Iterable[frozenset[str]] = ()) -> list[Hit]:
        """Pairs of links that overlap in a joint configuration."""
        skip: set[frozenset[str]] = set(leave_out)
        found: list[Hit] = []
        if not len(self._pairs):
            return found
        poses = self.robot.link_poses(positions)
        places = [poses[link] for link, _, _ in self._shapes]
        centers = np.array([place @ reach[0] for place, reach in zip(places, self._reach, strict=True)])
        boxes: dict[int, tuple[Array, Array]] = {}
        distances = np.linalg.norm(centers[self._pairs[:, 0]] - centers[self._pairs[:, 1]], axis=1)
        for i, j in self._pairs[distances < self._near].tolist():
            pair = frozenset((self._shapes[i][0], self._shapes[j][0]))
            if pair in skip:
                continue
            for k in (i, j):
                if k not in boxes:
                    boxes[k] = bounds(self._shapes[k][1], places[k] @ self._shapes[k][2])
            (low, high), (other_low, other_high) = boxes[i], boxes[j]
            if np.any(low >= other_high - TOUCHING) or np.any(other_low >= high - TOUCHING):
                continue
            a, b = self._shapes[i], self._shapes[j]
            a_pose, b_pose = places[i] @ a[2], places[j] @ b[2]
            if shapes_overlap(a[1], a_pose, b[1], b_pose):
                apart = centers[j] - centers[i]
                length = float(np.linalg.norm(apart))
                step = apart / length * SHALLOW if length > 0 else np.zeros(3)
                moved = SE3.from_parts(b_pose.rotation, b_pose.translation + step)
                found.append(Hit(pair, shapes_overlap(a[1], a_pose, b[1], moved)))
                skip.add(pair)
        return found


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
    """Problems of one action run from joint positions; mistakes in the file are reported, not raised."""
    problems: list[Problem] = []
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
            problems.append(_as_problem(error, step.source))
            break
        problems += planned.problems
        if shapes is not None:
            problems += _collisions(robot, shapes, planned.motion, here, known, step.source, f"step {step.name!r}")
        here = planned.end
    return tuple(dict.fromkeys(problems))


def check_set(robot: Robot, actions: ActionSet, start: Mapping[str, float]) -> tuple[Problem, ...]:
    """Problems of all groups and actions of a set, each action run from the start with its defaults."""
    problems: list[Problem] = []
    here = robot.complete(start)
    if actions.robot and actions.robot != robot.name:
        message = f"written for robot {actions.robot!r}, checked for {robot.name!r}"
        problems.append(Problem(Severity.WARNING, message, actions.source))
    for group in actions.groups.values():
        try:
            if group.feet:
                group_body(robot, group, here)
            else:
                group_chain(robot, group, here)
        except AndanteError as error:
            problems.append(_as_problem(error, group.source))
    for name in actions.actions:
        problems += check_action(robot, actions, name, start)
    return tuple(dict.fromkeys(problems))


def check_keyframes(
    robot: Robot, motion: Keyframes, start: Mapping[str, float], collisions: bool = True
) -> tuple[Problem, ...]:
    """Problems of a key-frame motion played from joint positions; unknown joints raise."""
    fitted = fit(motion, robot)
    played = play_from(fitted.motion, robot, start)
    problems = [*fitted.problems, *speed_problems(played, robot, motion.source)]
    if collisions:
        shapes = SelfCollision(robot)
        here = robot.complete(start)
        problems += _collisions(robot, shapes, played, here, _overlaps(shapes, here), motion.source, "the motion")
    return tuple(dict.fromkeys(problems))


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
    the start or were reported, are left out."""
    if not motion.names:
        return []
    duration = motion.duration if np.isfinite(motion.duration) else _one_round(motion)
    count = int(np.clip(np.ceil(duration / SAMPLE), 2, MOST_SAMPLES))
    times = np.linspace(0.0, duration, count + 1)[1:]
    rows = motion.evaluate(times)
    problems = []
    for time, row in zip(times, rows, strict=True):
        for hit in shapes.at({**start, **dict(zip(motion.names, row.tolist(), strict=True))}, known):
            a, b = sorted(hit.links)
            how = "run into" if hit.deep else "brush"
            message = f"links {a!r} and {b!r} {how} each other {time:.2f} s into {what}"
            problems.append(Problem(Severity.ERROR if hit.deep else Severity.WARNING, message, source))
            if hit.deep:
                known.add(hit.links)
    return _once_per_message(problems)


def _overlaps(shapes: SelfCollision, positions: Mapping[str, float]) -> set[frozenset[str]]:
    return {hit.links for hit in shapes.at(positions)}


def _once_per_message(problems: list[Problem]) -> list[Problem]:
    """Without warnings that repeat the same of a later instant, nor those that an error outdoes."""
    out: dict[str, Problem] = {}
    for problem in problems:
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
