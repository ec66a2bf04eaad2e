"""Actions as data: an action is a sequence of steps (sub-actions); a step runs atomic actions together.

Values may be numbers or expressions over the action's parameters; `bind` makes numbers of them: parameters are filled
in, called actions are written out, every value is checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf, isfinite, isinf, isnan
from typing import Any

from andante.description.source import Source
from andante.errors import BadInput, UnknownName
from andante.expressions import evaluate

Value = float | str  # a number, or an expression over parameters

NOWHERE = Source()
PREEMPTED = ("end", "resume")


@dataclass(frozen=True)
class Group:
    """What atomic actions move, some joints held where they are: a chain from a base link to a tip link, or, when it
    names feet instead, a body that floats on them."""

    name: str
    base: str
    tip: str = ""
    hold: tuple[str, ...] = ()
    feet: tuple[str, ...] = ()
    source: Source = field(default=Source(), compare=False)


@dataclass(frozen=True)
class Reach:
    """Atomic action: the tip of a group passes through control points x y z yaw pitch roll (NaN = free) [m, rad].

    The way begins where the tip is. `relative` points count from there, along the axes of the base link.
    `duration` [s], or None: as fast as `speed`, a fraction of the joints' limits, allows.
    """

    group: str
    points: tuple[tuple[Value, ...], ...]
    duration: Value | None = None
    speed: Value = 0.5
    relative: bool = False
    source: Source = field(default=Source(), compare=False)


@dataclass(frozen=True)
class Turn:
    """Atomic action: joints pass through positions, one tuple of values per joint [rad or m]."""

    positions: Mapping[str, tuple[Value, ...]]
    duration: Value | None = None
    speed: Value = 0.5
    relative: bool = False
    source: Source = field(default=Source(), compare=False)


@dataclass(frozen=True)
class Take:
    """Atomic action: a named pose of the robot is taken."""

    pose: str
    duration: Value | None = None
    speed: Value = 0.5
    source: Source = field(default=Source(), compare=False)


@dataclass(frozen=True)
class Wait:
    """Atomic action: nothing moves for a time [s]."""

    duration: Value
    source: Source = field(default=Source(), compare=False)


Atomic = Reach | Turn | Take | Wait


@dataclass(frozen=True)
class Step:
    """A sub-action: atomic actions that start together; it ends with the longest of them."""

    name: str
    atomics: tuple[Atomic, ...]
    repeat: Value = 1
    source: Source = field(default=Source(), compare=False)


@dataclass(frozen=True)
class Call:
    """A step that runs another action of the set with its own arguments."""

    action: str
    arguments: Mapping[str, Value] = field(default_factory=dict)
    source: Source = field(default=Source(), compare=False)


@dataclass(frozen=True)
class Action:
    """A named motion of the whole robot.

    loop: rounds, inf until stopped. A higher priority takes over at once; `preempted` says what becomes of the one that
    had to yield: it ends, or resumes with the step that it was in.
    """

    name: str
    steps: tuple[Step | Call, ...]
    parameters: Mapping[str, Value] = field(default_factory=dict)
    priority: int = 0
    loop: Value = 1
    preempted: str = "end"
    source: Source = field(default=Source(), compare=False)

    def __post_init__(self) -> None:
        if self.preempted not in PREEMPTED:
            raise UnknownName.among("way to be pre-empted", self.preempted, PREEMPTED, str(self.source))


@dataclass(frozen=True)
class ActionSet:
    """Actions and the groups that they move."""

    actions: Mapping[str, Action]
    groups: Mapping[str, Group] = field(default_factory=dict)
    robot: str = ""  # for whom they are meant; empty: anybody
    source: Source = field(default=Source(), compare=False)

    def __post_init__(self) -> None:
        if not self.actions:
            place = f"{self.source}: " if str(self.source) else ""
            raise BadInput(f"{place}there is no action; begin one with a line like: action NAME")

    def action(self, name: str) -> Action:
        """The action of that name."""
        try:
            return self.actions[name]
        except KeyError:
            raise UnknownName.among("action", name, self.actions, str(self.source)) from None

    def group(self, name: str, source: Source = NOWHERE) -> Group:
        """The group of that name."""
        try:
            return self.groups[name]
        except KeyError:
            told = UnknownName.among("group", name, self.groups)
            raise UnknownName(f"{source}: {told}" if str(source) else str(told)) from None

    @property
    def first(self) -> str:
        """Name of the first action: the one that is meant when none is named."""
        return next(iter(self.actions))


FREE = ("nan", "_", "free")
MOST_STEPS = 10_000
DEEPEST = 16
LONGEST = 3600.0  # [s]
FURTHEST = 1000.0  # [m, rad]


@dataclass(frozen=True)
class BoundAction:
    """An action whose every value is a number; steps hold `Reach`, `Turn`, `Take` and `Wait` with floats only."""

    name: str
    steps: tuple[Step, ...]  # of one round, repeats written out
    priority: int
    loop: float  # rounds; inf: until stopped
    preempted: str
    parameters: Mapping[str, float]


def bind(actions: ActionSet, name: str, parameters: Mapping[str, Value] | None = None) -> BoundAction:
    """The action with parameters given by name, defaults for the rest."""
    action = actions.action(name)
    values = _parameters(actions, name, parameters or {}, {}, action.source)
    steps: list[Step] = []
    _unroll(actions, name, values, steps, ())
    if not steps:
        raise BadInput(f"{action.source or name}: action {name!r} is empty; give it steps")
    loop = _rounds(action.loop, values, action.source, "loop")
    return BoundAction(name, tuple(steps), action.priority, loop, action.preempted, values)


def _parameters(
    actions: ActionSet, name: str, given: Mapping[str, Value], outer: Mapping[str, float], source: Source
) -> dict[str, float]:
    action = actions.action(name)
    for key in given:
        if key not in action.parameters:
            raise UnknownName.among("parameter", key, action.parameters, f"action {name!r} ({source})")
    values: dict[str, float] = {}
    for key, default in action.parameters.items():
        if key in given:
            values[key] = number(given[key], outer, source, key)
        else:
            values[key] = number(default, values, action.source, key)  # defaults may use parameters above them
    return values


def _unroll(
    actions: ActionSet, name: str, values: Mapping[str, float], out: list[Step], callers: tuple[str, ...]
) -> None:
    if name in callers or len(callers) > DEEPEST:
        raise BadInput(f"{actions.action(name).source}: action {name!r} calls itself ({' > '.join((*callers, name))})")
    for step in actions.action(name).steps:
        if isinstance(step, Call):
            inner = _parameters(actions, step.action, step.arguments, values, step.source)
            rounds = _rounds(actions.action(step.action).loop, inner, step.source, "loop")
            if isinf(rounds):
                raise BadInput(f"{step.source}: action {step.action!r} loops without end and cannot be a step")
            for _ in range(int(rounds)):
                _unroll(actions, step.action, inner, out, (*callers, name))
            continue
        if not step.atomics:
            raise BadInput(f"{step.source}: step {step.name!r} is empty; give it something to do, or wait SECONDS")
        rounds = _rounds(step.repeat, values, step.source, "repeat")
        if isinf(rounds) or len(out) + rounds > MOST_STEPS:
            raise BadInput(f"{step.source}: more than {MOST_STEPS} steps; repeat less, or loop the action")
        bound = replace(step, atomics=tuple(_bound(atomic, values) for atomic in step.atomics), repeat=1)
        out.extend([bound] * int(rounds))


def _bound(atomic: Atomic, values: Mapping[str, float]) -> Atomic:
    source = atomic.source
    duration = None if atomic.duration is None else number(atomic.duration, values, source, "duration")
    if duration is not None and not 0 < duration <= LONGEST:
        raise BadInput(f"{source}: the time must lie between 0 and {LONGEST:g} s, got {duration:g}")
    if isinstance(atomic, Wait):
        assert duration is not None
        return replace(atomic, duration=duration)
    speed = number(atomic.speed, values, source, "speed")
    if not 0 < speed <= 1:
        raise BadInput(f"{source}: the speed is a fraction of the joint limits between 0 and 1, got {speed:g}")
    changed: dict[str, Any] = {"duration": duration, "speed": speed}
    if isinstance(atomic, Reach):
        changed["points"] = tuple(_point(point, values, source) for point in atomic.points)
        if not atomic.points:
            raise BadInput(f"{source}: group {atomic.group!r} has no control points; give x y z [yaw pitch roll]")
    elif isinstance(atomic, Turn):
        changed["positions"] = {
            joint: tuple(number(value, values, source, joint) for value in way)
            for joint, way in atomic.positions.items()
        }
        if not atomic.positions or not all(atomic.positions.values()):
            raise BadInput(f"{source}: a joint has no positions to go to")
    elif not isinstance(atomic, Take):
        raise BadInput(f"{source}: unknown kind of atomic action {type(atomic).__name__}")
    return replace(atomic, **changed)


def _point(point: tuple[Value, ...], values: Mapping[str, float], source: Source) -> tuple[float, ...]:
    if len(point) not in (3, 6):
        raise BadInput(f"{source}: a control point is x y z or x y z yaw pitch roll, got {len(point)} numbers")
    numbers = tuple(number(value, values, source, "a control point", free=True) for value in point)
    if any(abs(value) > FURTHEST for value in numbers):
        raise BadInput(f"{source}: a control point lies more than {FURTHEST:g} m away")
    whole = (*numbers, *([float("nan")] * (6 - len(numbers))))
    if all(isnan(value) for value in whole):
        raise BadInput(f"{source}: every coordinate of a control point is free; give at least one")
    return whole


def _rounds(value: Value, values: Mapping[str, float], source: Source, what: str) -> float:
    if value == inf or (isinstance(value, str) and value == "forever"):
        return inf
    rounds = number(value, values, source, what)
    if rounds < 1 or rounds != int(rounds) or rounds > 1e6:
        raise BadInput(f"{source}: {what} must be a whole number from 1 on, got {rounds:g}")
    return rounds


def number(value: Value, symbols: Mapping[str, float], source: Source, what: str, free: bool = False) -> float:
    """The value as a number; `free` lets NaN (written nan, _ or free) through."""
    place = f"{source}: " if str(source) else ""
    if isinstance(value, str):
        if free and value.strip().lower() in FREE:
            return float("nan")
        try:
            found = evaluate(value, dict(symbols))
        except BadInput as error:
            raise BadInput(f"{place}{what}: {error}") from None
    else:
        found = value
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise BadInput(f"{place}{what} should be a number, {value!r} gives {str(found)[:40]!r}")
    result = float(found)
    if not isfinite(result) and not (free and isnan(result)):
        raise BadInput(f"{place}{what} should be a finite number, {value!r} gives {result}")
    return result
