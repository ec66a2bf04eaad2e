"""ROS messages: classes, defaults, dictionaries, and the wire forms of ROS 2 (CDR) and ROS 1.

Classes and codecs come from `rosbags` (ROS 2 Humble names, `pkg/msg/Name`); services, actions and what it lacks are
added from the texts in `bus/interfaces`. Short names (`geometry_msgs/Twist`) are understood everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from andante.errors import BadInput, UnknownName

from .clock import split_time


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
    """The `rosbags` type store of the bus: ROS 2 Humble and all own interfaces."""
    from rosbags.typesys import Stores, get_typestore

    return _extended(get_typestore(Stores.ROS2_HUMBLE), _interfaces().table)


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


@cache
def _interfaces() -> Any:
    from .interface_files import read_interfaces

    return read_interfaces()


def _extended(types: Any, table: Mapping[str, Any]) -> Any:
    types.register({name: entry for name, entry in table.items() if name not in types.fielddefs})
    return types


def register(text: str, name: str) -> None:
    """Add a type from its text (.msg, .srv or .action by the middle of the name), known from then on everywhere.

    A name that exists already with the same fields is left as it is; with other fields it is refused.
    """
    from rosbags.typesys import TypesysError

    from .interface_files import parse_interface

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
        return message.__msgtype__
    except AttributeError:
        raise BadInput(f"a ROS message is wanted, got {type(message).__name__}") from None


def make(name: str, /, **fields: Any) -> Any:
    """A message; fields may be values, nested dictionaries or messages, and those left out get zeros or nothing."""
    return from_dict(name, fields)


def from_dict(name: str, content: Mapping[str, Any] | None) -> Any:
    """A message of a JSON-like dictionary; raises BadInput that names the field.

    Numbers are checked against the range of the field. null counts as NaN; a text for uint8[] is read as base64.
    """
    from ._dicts import reader

    return reader(store(), type_name(name))(content or {}, "")


def to_dict(message: Any) -> dict[str, Any]:
    """A message as a JSON-like dictionary; numpy arrays stay arrays, NaN stays NaN."""
    from ._dicts import writer

    return writer(store(), type_of(message))(message)


def to_cdr(message: Any) -> bytes:
    """The bytes that ROS 2 sends (CDR, little endian, with the four bytes in front)."""
    name = type_of(message)
    try:
        return bytes(store().serialize_cdr(message, name, little_endian=True))
    except Exception as error:
        raise _unpackable(message, name, error) from None


def from_cdr(name: str, data: bytes | memoryview) -> Any:
    """The message of CDR bytes."""
    full = type_name(name)
    try:
        return store().deserialize_cdr(data, full)
    except Exception as error:
        raise BadInput(f"{full}: {len(data)} bytes are not such a message ({_told(error)})") from None


def to_ros1(message: Any) -> bytes:
    """The bytes that ROS 1 sends; the sequence number of headers is 0."""
    from ._ros1 import pack

    name = type_of(message)
    try:
        return pack(message, name)
    except BadInput:
        raise
    except Exception as error:
        raise _unpackable(message, name, error) from None


def from_ros1(name: str, data: bytes | memoryview) -> Any:
    """The message of ROS 1 bytes; sequence numbers of headers are left out."""
    from ._ros1 import unpack

    full = type_name(name)
    try:
        return unpack(full, data)
    except Exception as error:
        raise BadInput(f"{full}: {len(data)} bytes are not such a ROS 1 message ({_told(error)})") from None


def _unpackable(message: Any, name: str, error: Exception) -> BadInput:
    """Why a message object cannot be packed, with the field if it can be told."""
    try:
        from_dict(name, to_dict(message))
    except BadInput as told:
        return told
    except Exception:
        pass
    return BadInput(f"{name}: cannot be packed ({_told(error)})")


def _told(error: Exception) -> str:
    return " ".join(str(error).split())[:160] or type(error).__name__


def md5(name: str) -> str:
    """The sum by which ROS 1 tells versions of a message or service apart."""
    from ._texts import md5_of

    return md5_of(ros1_store(), name)


def type_hash(name: str) -> str:
    """The hash by which ROS 2 (Iron and later) tells versions of a message apart, RIHS01_..."""
    return _type_hash(type_name(name))


@cache
def _type_hash(full: str) -> str:
    return store().hash_rihs01(full)


def definition(name: str, ros: int = 2) -> str:
    """The whole text of a message type with all types it contains, as bags carry it; ros is 1 or 2."""
    from ._texts import full_text

    if ros == 1:
        types = ros1_store()
        return full_text(types if full_name(name) in types.fielddefs else store(), type_name(name))
    return full_text(store(), type_name(name))


def time(seconds: float) -> Any:
    """builtin_interfaces/msg/Time of a time [s]."""
    return cls("builtin_interfaces/msg/Time")(*split_time(seconds))


def duration(seconds: float) -> Any:
    """builtin_interfaces/msg/Duration of a span [s]."""
    return cls("builtin_interfaces/msg/Duration")(*split_time(seconds))


def seconds(stamp: Any) -> float:
    """Time [s] of a Time or Duration message."""
    return float(stamp.sec) + 1e-9 * float(stamp.nanosec)


def header(seconds: float, frame: str = "") -> Any:
    """std_msgs/msg/Header of a time [s] and a frame."""
    return cls("std_msgs/msg/Header")(time(seconds), frame)
