"""State machines as classes of Python: an inner class is a state, and one in it a state in that state.

    class Greet(StateMachine):
        '''Waves at whoever touches its head.'''

        waves = 0                                   # a variable

        class wait(State):
            transitions = (to("wave", on="touch.head"),)

        class wave(State):
            do = "play('wave_hand')"
            exit = "waves = waves + 1"
            transitions = (to("wait", on="done failed"),)

Methods with `@skill` are skills of the machine.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, TypeVar

from andante.description.source import Source
from andante.errors import BadInput

from . import model
from .skills import Skill, skill_of

F = TypeVar("F", bound=Callable[..., Any])
Texts = str | Sequence[str]


def to(
    target: str = "", *, on: str = "", when: str = "", after: float | None = None, actions: Texts = ()
) -> model.Transition:
    """A transition; see `andante.control.machines.Transition`."""
    frame = inspect.currentframe()
    caller = frame.f_back if frame is not None else None
    source = Source(caller.f_code.co_filename, caller.f_lineno) if caller is not None else Source()
    return model.Transition(target, " ".join(on.split()), when, after, _texts(actions), source)


def skill(method: F) -> F:
    """Let the states of a machine call this method; a generator takes time."""
    method.__skill__ = True  # type: ignore[attr-defined]
    return method


class State:
    """A state; subclass it in a `StateMachine`. The docstring is its note."""

    kind: ClassVar[str] = "state"
    initial: ClassVar[str] = ""
    do: ClassVar[Texts] = ()
    entry: ClassVar[Texts] = ()
    exit: ClassVar[Texts] = ()
    transitions: ClassVar[Sequence[model.Transition]] = ()
    place: ClassVar[tuple[float, float] | None] = None


class StateMachine:
    """A machine; `machine()` gives it as data, `skills()` what its own methods add."""

    initial: ClassVar[str] = ""
    robot: ClassVar[str] = ""

    def machine(self) -> model.Machine:
        """The machine as data."""
        kind = type(self)
        variables = {
            name: value
            for name, value in vars(kind).items()
            if not name.startswith("_")
            and name not in ("initial", "robot")
            and isinstance(value, bool | int | float | str | list)
        }
        states = tuple(_states(kind, ""))
        note = inspect.cleandoc(kind.__doc__ or "")
        return model.Machine(kind.__name__, states, kind.initial, variables, kind.robot, note, _source(kind))

    def skills(self) -> dict[str, Skill]:
        """Methods that states can call."""
        return {
            name: skill_of(getattr(self, name), name)
            for name, member in inspect.getmembers(type(self))
            if getattr(member, "__skill__", False)
        }


def _states(outer: type, parent: str) -> Iterator[model.State]:
    for name, made in vars(outer).items():
        if not (isinstance(made, type) and issubclass(made, State)):
            continue
        if made.kind not in tuple(model.Kind):
            raise BadInput(f"{_source(made)}: kind {made.kind!r}; kinds: {', '.join(model.Kind)}")
        if not all(isinstance(each, model.Transition) for each in made.transitions):
            raise BadInput(f"{_source(made)}: transitions of state {name!r} are made by to(...)")
        yield model.State(
            name, model.Kind(made.kind), parent, made.initial, _texts(made.do), _texts(made.entry), _texts(made.exit),
            tuple(made.transitions), inspect.cleandoc(made.__dict__.get("__doc__") or ""), made.place, _source(made),
        )  # fmt: skip
        yield from _states(made, name)


def _texts(given: Texts) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _source(made: type) -> Source:
    try:
        return Source(inspect.getfile(made), inspect.getsourcelines(made)[1])
    except (OSError, TypeError):
        return Source()
