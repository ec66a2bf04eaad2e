"""The known types: message classes, services and actions by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from andante.errors import BadInput, UnknownName

from .interface_files import EMPTY, parse_interface, read_interfaces


@dataclass(frozen=True)
class ServiceType:
    """The two messages of a service."""

    name: str
    request: str
    response: str


@dataclass(frozen=True)
class ActionType:
    """The three messages of an action."""

    name: str
    goal: str
    result: str
    feedback: str


@cache
def store() -> Any:
    """The `rosbags` type store: ROS 2 Humble and all own interfaces."""
    from rosbags.typesys import Stores, get_typestore

    return _extended(get_typestore(Stores.ROS2_HUMBLE), read_interfaces())


@cache
def ros1_store() -> Any:
    """The same names as ROS 1 (Noetic) lays them out; what only ROS 2 has is as it is there."""
    from rosbags.typesys import Stores, get_typestore

    return _extended(get_typestore(Stores.ROS1_NOETIC), store().fielddefs)


def load(encoding: str) -> None:
    """Read the type stores that messages of an encoding (cdr, ros1) need, so that the first message need not wait."""
    store()
    if encoding == "ros1":
        ros1_store()


def _extended(types: Any, table: Mapping[str, Any]) -> Any:
    """A type store that knows a table too; the classes of what nobody asks for are never made."""
    new = {name: _filled(entry) for name, entry in table.items() if name not in types.fielddefs}
    types.types = _Classes(types.types, new)
    types.fielddefs |= new
    return types


def _filled(entry: Any) -> Any:
    """Constants and fields as a type store has them: a message without fields has one of no meaning."""
    from rosbags.interfaces import Nodetype

    constants, fields = entry[:2]
    return constants, fields or [(EMPTY, (Nodetype.BASE, ("uint8", 0)))]


class _Classes(dict[str, Any]):
    """Classes of messages by name. A class takes a quarter of a millisecond to make: most are never asked for."""

    def __init__(self, made: Mapping[str, Any], table: Mapping[str, Any]) -> None:
        super().__init__(made)
        self._table = table

    def __missing__(self, name: str) -> Any:
        from rosbags.typesys import Stores, get_typestore

        entry = self._table[name]  # a KeyError as that of any dictionary
        types = get_typestore(Stores.EMPTY)
        types.register({name: entry})
        return self.setdefault(name, types.types[name])  # of two threads that ask at once the first has made it


def register(text: str, name: str) -> None:
    """Add a type from its text (.msg, .srv or .action by the middle of the name), known from then on everywhere.

    A name that exists already with the same fields is left as it is; with other fields it is refused.
    """
    from rosbags.typesys import TypesysError

    if name.count("/") != 2 or name.split("/")[1] not in ("msg", "srv", "action"):
        raise BadInput(f"{name!r}: a type is named pkg/msg/Name, pkg/srv/Name or pkg/action/Name")
    table = parse_interface(text, name)
    for types in (store(), ros1_store()):
        try:
            types.register(table)
        except TypesysError as error:
            raise BadInput(f"{name}: {error}") from None


def full_name(name: str, kind: str = "msg") -> str:
    """`pkg/msg/Name` of `pkg/Name` or `pkg/msg/Name`; kind is msg, srv or action."""
    if name.count("/") == 1:
        return name.replace("/", f"/{kind}/")
    return name


@cache
def type_name(name: str) -> str:
    """The full name of a known message type; raises UnknownName with close names otherwise."""
    full = full_name(name)
    if full not in store().fielddefs:
        raise _unknown("message type", name, store().fielddefs)
    return full


@cache
def service(name: str) -> ServiceType:
    """Request and response types of a service `pkg/srv/Name`."""
    full = full_name(name, "srv")
    if f"{full}_Request" not in store().fielddefs:
        raise _unknown("service type", name, services())
    return ServiceType(full, f"{full}_Request", f"{full}_Response")


@cache
def action(name: str) -> ActionType:
    """Goal, result and feedback types of an action `pkg/action/Name`."""
    full = full_name(name, "action")
    if f"{full}_Goal" not in store().fielddefs:
        raise _unknown("action type", name, actions())
    return ActionType(full, f"{full}_Goal", f"{full}_Result", f"{full}_Feedback")


def services() -> list[str]:
    """All known service types."""
    names = store().fielddefs
    return sorted(name.removesuffix("_Request") for name in names if "/srv/" in name and name.endswith("_Request"))


def actions() -> list[str]:
    """All known action types."""
    return sorted(
        name.removesuffix("_Goal") for name in store().fielddefs if "/action/" in name and name.endswith("_Goal")
    )


def _unknown(what: str, name: str, choices: Any) -> UnknownName:
    from difflib import get_close_matches

    listed = list(choices)
    package = [choice for choice in listed if choice.split("/")[0] == name.split("/")[0]]
    near = get_close_matches(full_name(name), listed, n=6, cutoff=0.5) or package[:12] or sorted(listed)[:12]
    return UnknownName(f"no {what} {name!r}; near it: {', '.join(near)}")


def cls(name: str) -> Any:
    """The class of a message type."""
    return store().types[type_name(name)]


def type_of(message: Any) -> str:
    """The type name of a message object."""
    try:
        name: str = message.__msgtype__
        return name
    except AttributeError:
        raise BadInput(f"a ROS message is wanted, got {type(message).__name__}") from None
