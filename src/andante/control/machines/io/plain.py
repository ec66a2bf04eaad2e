"""A machine as plain tables, as TOML and JSON hold it, and back.

{"name": "greet", "initial": "wait", "variables": {"waves": 0},
 "states": {"wait": {"transitions": [{"to": "wave", "on": "touch.head"}]},
            "wave": {"do": "play('wave_hand')", "transitions": [{"to": "wait", "on": "done"}]}}}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from andante.control.machines.model import Kind, Machine, State, Transition
from andante.description.source import Source
from andante.errors import BadInput, UnknownName
from andante.parsing import is_number

TOP = ("name", "robot", "note", "initial", "variables", "states")
STATE = ("kind", "parent", "initial", "do", "entry", "exit", "note", "place", "transitions")
TRANSITION = ("to", "on", "when", "after", "actions")
Where = Callable[[str], Source]  # dotted key -> place in the file


def machine_of(table: Any, where: Where = lambda key: Source(), name: str = "machine") -> Machine:
    """The machine of a table; errors name the place of the entry."""
    top = _table(table, "the machine", TOP, where(""))
    states = top.get("states", {})
    if not isinstance(states, Mapping):
        raise BadInput(f"{_at(where('states'))}states must be tables, like [states.wait]")
    made = tuple(_state(str(key), entry, where) for key, entry in states.items())
    variables = top.get("variables", {})
    if not isinstance(variables, Mapping) or not all(_is_plain(v) for v in variables.values()):
        raise BadInput(
            f"{_at(where('variables'))}variables are names with numbers, texts, truth values or lists of them"
        )
    for each in variables:
        if not each.isidentifier():
            raise BadInput(f"{_at(where(f'variables.{each}'))}{each!r} is no name of a variable")
    given = {key: _text(top, key, where(key)) for key in ("robot", "note", "initial")}
    return Machine(
        _text(top, "name", where("name")) or name, made, given["initial"], dict(variables), given["robot"],
        given["note"], Source(where("").file),
    )  # fmt: skip


def table_of(machine: Machine) -> dict[str, Any]:
    """The tables of a machine; `machine_of` gives it back."""
    top: dict[str, Any] = {"name": machine.name}
    top |= {key: value for key in ("robot", "note", "initial") if (value := getattr(machine, key))}
    if machine.variables:
        top["variables"] = dict(machine.variables)
    top["states"] = {state.name: _state_table(state) for state in machine.states}
    return top


def _state_table(state: State) -> dict[str, Any]:
    out: dict[str, Any] = {} if state.kind is Kind.STATE else {"kind": str(state.kind)}
    out |= {key: value for key in ("parent", "initial", "note") if (value := getattr(state, key))}
    for key in ("do", "entry", "exit"):
        texts: tuple[str, ...] = getattr(state, key)
        if texts:
            out[key] = texts[0] if len(texts) == 1 else list(texts)
    if state.place is not None:
        out["place"] = list(state.place)
    if state.transitions:
        out["transitions"] = [_transition_table(each) for each in state.transitions]
    return out


def _transition_table(transition: Transition) -> dict[str, Any]:
    out: dict[str, Any] = {"to": transition.target} if transition.target else {}
    out |= {key: value for key in ("on", "when") if (value := getattr(transition, key))}
    if transition.after is not None:
        out["after"] = transition.after
    if transition.actions:
        out["actions"] = transition.actions[0] if len(transition.actions) == 1 else list(transition.actions)
    return out


def _state(name: str, entry: Any, where: Where) -> State:
    place = where(f"states.{name}")
    table = _table(entry, f"state {name}", STATE, place)
    kind = _text(table, "kind", place) or "state"
    if kind not in tuple(Kind):
        raise BadInput(f"{_at(place)}state {name!r} is of kind {kind!r}; kinds: {', '.join(Kind)}")
    ways = table.get("transitions", [])
    if not isinstance(ways, list):
        raise BadInput(f"{_at(place)}transitions of state {name!r} must be a list of tables")
    spot = table.get("place")
    if spot is not None and not (
        isinstance(spot, list | tuple) and len(spot) == 2 and all(is_number(v) and abs(v) < 1e6 for v in spot)
    ):
        raise BadInput(f"{_at(place)}place of state {name!r} is x, y, got {str(spot)[:40]}")
    return State(
        name,
        Kind(kind),
        _text(table, "parent", place),
        _text(table, "initial", place),
        _texts(table, "do", place),
        _texts(table, "entry", place),
        _texts(table, "exit", place),
        tuple(_transition(name, k, each, where) for k, each in enumerate(ways)),
        _text(table, "note", place),
        None if spot is None else (float(spot[0]), float(spot[1])),
        place,
    )


def _transition(state: str, index: int, entry: Any, where: Where) -> Transition:
    place = where(f"states.{state}.transitions.{index}")
    table = _table(entry, f"a transition of state {state}", TRANSITION, place)
    after = table.get("after")
    if after is not None and not is_number(after):
        raise BadInput(f"{_at(place)}after should be a time [s], got {str(after)[:40]!r}")
    return Transition(
        _text(table, "to", place),
        " ".join(_text(table, "on", place).split()),
        _text(table, "when", place),
        None if after is None else float(after),
        _texts(table, "actions", place),
        place,
    )


def _table(value: Any, what: str, keys: tuple[str, ...], place: Source) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise BadInput(f"{_at(place)}{what} should be a table, got {str(value)[:40]!r}")
    for key in value:
        if key not in keys:
            raise UnknownName.among("entry", str(key), keys, f"{_at(place)}{what}")
    return value


def _text(table: Mapping[str, Any], key: str, place: Source) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise BadInput(f"{_at(place)}{key} should be a text in quotes, got {str(value)[:40]}")
    return value.strip()


def _texts(table: Mapping[str, Any], key: str, place: Source) -> tuple[str, ...]:
    value = table.get(key, ())
    listed = (value,) if isinstance(value, str) else value
    if not isinstance(listed, list | tuple) or not all(isinstance(each, str) for each in listed):
        raise BadInput(f"{_at(place)}{key} should be a text, or a list of texts, got {str(value)[:40]}")
    return tuple(each.strip() for each in listed if each.strip())


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(_is_plain(each) for each in value)
    return isinstance(value, bool | int | float | str)


def _at(place: Source) -> str:
    return f"{place}: " if str(place) else ""
