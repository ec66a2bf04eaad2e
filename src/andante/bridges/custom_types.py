"""Message types that a user registered in the loop process, told to the server process."""

from __future__ import annotations

from functools import cache
from typing import Any

from andante.bags import messages
from andante.bags.messages.definitions import named
from andante.bags.messages.interface_files import read_interfaces

from .client import Graph


@cache
def _shipped() -> frozenset[str]:
    """Types that every process knows by itself."""
    from rosbags.typesys import Stores, get_typestore

    return frozenset(get_typestore(Stores.ROS2_HUMBLE).fielddefs) | frozenset(read_interfaces())


def custom_types(graph: Graph) -> dict[str, Any]:
    """{"types": table} of all types in the graph that only this process knows, {} when there are none."""
    names = {topic.type_name for topic in graph.topics.values()}
    names |= {f"{s.type_name}_{part}" for s in graph.services.values() for part in ("Request", "Response")}
    names |= {f"{a.type_name}_{part}" for a in graph.actions.values() for part in ("Goal", "Result", "Feedback")}
    if names <= _shipped():
        return {}
    fields, table = messages.store().fielddefs, {}
    waiting = sorted(names - _shipped())
    while waiting:
        name = waiting.pop()
        if name in table or name in _shipped():
            continue
        constants, entries = fields[name]
        table[name] = [[list(entry) for entry in constants], [[field, _listed(kind)] for field, kind in entries]]
        waiting += [inner for _, kind in entries if (inner := named(kind))]
    return {"types": table}


def learn_types(table: dict[str, Any]) -> None:
    """Register a table that `custom_types` made."""
    new = {
        name: ([tuple(entry) for entry in constants], [(field, _tupled(kind)) for field, kind in entries])
        for name, (constants, entries) in table.items()
        if name not in messages.store().fielddefs
    }
    if new:
        messages.store().register(new)
        messages.ros1_store().register(new)


def _listed(kind: Any) -> list[Any]:
    number, what = int(kind[0]), kind[1]
    if number > 2:
        return [number, [_listed(what[0]), what[1]]]
    return [number, list(what) if number == 1 else what]


def _tupled(kind: list[Any]) -> tuple[Any, Any]:
    from rosbags.interfaces import Nodetype

    number, what = Nodetype(kind[0]), kind[1]
    if number > 2:
        return number, (_tupled(what[0]), what[1])
    return number, tuple(what) if number == 1 else what
