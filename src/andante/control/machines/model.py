"""State machines as data: states in a tree, regions side by side, transitions, and what is done in each state.

Names and meaning are those of SCXML (W3C, 2015) and of UML state charts. What a state does is text: calls of skills
such as `play("wave_hand")`, assignments such as `tries = tries + 1`, and expressions of `andante.expressions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from andante.description.source import Source
from andante.errors import BadInput, UnknownName

NOWHERE = Source()
DONE, FAILED = "done", "failed"  # what `on` says of the activities, or the children, of its own state
MOST_STATES, MOST_TRANSITIONS, LONGEST_NAME = 1000, 10_000, 100


class Kind(StrEnum):
    """What a state is."""

    STATE = "state"  # with children: one of them is active
    PARALLEL = "parallel"  # all of its children are active
    FINAL = "final"  # its parent is done
    HISTORY = "history"  # stands for the child of its parent that was active last
    DEEP_HISTORY = "deep_history"  # ... with all below it


PSEUDO = (Kind.HISTORY, Kind.DEEP_HISTORY)


@dataclass(frozen=True)
class Transition:
    """One way out of a state. Without event, time and guard it is taken at once.

    target: a state; empty: none is left, only the actions are carried out.
    on: events that it heeds, apart by blanks; `ball` also stands for `ball.lost`, `*` for all, `done` and `failed` for
        the end of what the state does.
    when: a guard, an expression.
    after: time since the state was entered [s].
    """

    target: str = ""
    on: str = ""
    when: str = ""
    after: float | None = None
    actions: tuple[str, ...] = ()
    source: Source = field(default=NOWHERE, compare=False)

    @property
    def events(self) -> tuple[str, ...]:
        """What it heeds."""
        return tuple(self.on.split())

    @property
    def at_once(self) -> bool:
        """Whether it waits for nothing."""
        return not self.on and not self.when and not self.after


@dataclass(frozen=True)
class State:
    """One state.

    initial: the child that is entered first, by default the first; of a history, where it leads before there is one.
    do: calls of skills that run while the state is active, side by side.
    entry, exit: what is carried out at once on the way in and out.
    place: x, y where an editor draws it [px].
    """

    name: str
    kind: Kind = Kind.STATE
    parent: str = ""
    initial: str = ""
    do: tuple[str, ...] = ()
    entry: tuple[str, ...] = ()
    exit: tuple[str, ...] = ()
    transitions: tuple[Transition, ...] = ()
    note: str = ""
    place: tuple[float, float] | None = None
    source: Source = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Machine:
    """A state machine. States stand in the order of the file, which settles who goes first.

    variables: names with their first values. robot: for whom it is meant, empty: for any.
    """

    name: str
    states: tuple[State, ...]
    initial: str = ""
    variables: Mapping[str, Any] = field(default_factory=dict)
    robot: str = ""
    note: str = ""
    source: Source = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        if not self.states:
            raise BadInput(f"{self._place(self.source)}a state machine needs at least one state")
        if len(self.states) > MOST_STATES or sum(len(s.transitions) for s in self.states) > MOST_TRANSITIONS:
            raise BadInput(
                f"{self._place(self.source)}a machine has up to {MOST_STATES} states, {MOST_TRANSITIONS} transitions"
            )
        seen: set[str] = set()
        for state in self.states:
            where = self._place(state.source)
            if not state.name or len(state.name) > LONGEST_NAME or any(c.isspace() for c in state.name):
                raise BadInput(f"{where}a state has a name of up to {LONGEST_NAME} letters without blanks")
            if state.name in seen:
                raise BadInput(f"{where}two states are called {state.name!r}; every name stands once")
            seen.add(state.name)
        for state in self.states:
            if state.parent and state.parent not in seen:
                raise BadInput(
                    f"{self._place(state.source)}state {state.name!r} lies in {state.parent!r}, which is not there"
                )
        for state in self.states:
            above, parent = {state.name}, state.parent
            while parent:
                if parent in above:
                    raise BadInput(f"{self._place(state.source)}state {state.name!r} lies in itself")
                above.add(parent)
                parent = self[parent].parent

    @staticmethod
    def _place(source: Source) -> str:
        return f"{source}: " if str(source) else ""

    @cached_property
    def by_name(self) -> Mapping[str, State]:
        """States by their names, in order."""
        return {state.name: state for state in self.states}

    @cached_property
    def order(self) -> Mapping[str, int]:
        """Where each state stands in the document: parents before their children."""
        found: dict[str, int] = {}

        def number(name: str) -> None:
            found[name] = len(found)
            for child in self._below.get(name, ()):
                number(child.name)

        for state in self._below.get("", ()):
            number(state.name)
        return found

    @cached_property
    def _below(self) -> Mapping[str, tuple[State, ...]]:
        found: dict[str, tuple[State, ...]] = {}
        for state in self.states:
            found[state.parent] = (*found.get(state.parent, ()), state)
        return found

    def __getitem__(self, name: str) -> State:
        state = self.by_name.get(name)
        if state is None:
            raise UnknownName.among("state", name, self.by_name, self.name)
        return state

    def children(self, name: str) -> tuple[State, ...]:
        """States directly in another one, or at the top (""), without histories."""
        return tuple(state for state in self._below.get(name, ()) if state.kind not in PSEUDO)

    def histories(self, name: str) -> tuple[State, ...]:
        """Histories of a state."""
        return tuple(state for state in self._below.get(name, ()) if state.kind in PSEUDO)

    def first(self, name: str) -> str:
        """The child that is entered first; empty: there is none."""
        stated = self.initial if not name else self[name].initial
        children = self.children(name)
        return stated or (children[0].name if children else "")

    def above(self, name: str, end: str = "") -> tuple[str, ...]:
        """The states that hold another one, nearest first, up to `end`, which is left out; the last is "" (the top)."""
        found = []
        while name and name != end:
            name = self[name].parent
            if name != end:
                found.append(name)
        return tuple(found)

    def inside(self, name: str, outer: str) -> bool:
        """Whether a state lies in another one, at whatever depth."""
        return name != outer and (not outer or outer in self.above(name))
