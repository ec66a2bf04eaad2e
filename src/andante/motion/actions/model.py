"""Actions as data: an action is a sequence of steps (sub-actions); a step runs atomic actions together.

Values may be numbers or expressions over the action's parameters; `action_binding.bind` makes numbers of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from andante.description.source import Source
from andante.errors import BadInput, UnknownName

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
