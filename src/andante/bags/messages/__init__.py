"""ROS messages: classes, defaults, dictionaries, and the wire forms of ROS 2 (CDR) and ROS 1.

Classes and codecs come from `rosbags` (ROS 2 Humble names, `pkg/msg/Name`); services, actions and what it lacks are
added from the texts in `interfaces`. Short names (`geometry_msgs/Twist`) are understood everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from andante.errors import BadInput, one_line

from .definitions import full_text, md5_of
from .dictionaries import reader, writer
from .ros1 import pack, unpack
from .store import (
    ActionType,
    ServiceType,
    action,
    actions,
    cls,
    full_name,
    load,
    register,
    ros1_store,
    service,
    services,
    store,
    type_name,
    type_of,
)

__all__ = [
    "ActionType", "ServiceType", "action", "actions", "cls", "definition", "duration", "from_cdr", "from_dict",
    "from_ros1", "full_name", "header", "load", "make", "md5", "register", "ros1_store", "seconds", "service",
    "services", "store", "time", "to_cdr", "to_dict", "to_ros1", "type_hash", "type_name", "type_of",
]  # fmt: skip


def make(name: str, /, **fields: Any) -> Any:
    """A message; fields may be values, nested dictionaries or messages, and those left out get zeros or nothing."""
    return from_dict(name, fields)


def from_dict(name: str, content: Mapping[str, Any] | None) -> Any:
    """A message of a JSON-like dictionary; raises BadInput that names the field.

    Numbers are checked against the range of the field. null counts as NaN; a text for uint8[] is read as base64.
    """
    return reader(store(), type_name(name))(content or {}, "")


def to_dict(message: Any) -> dict[str, Any]:
    """A message as a JSON-like dictionary; numpy arrays stay arrays, NaN stays NaN."""
    fields: dict[str, Any] = writer(store(), type_of(message))(message)
    return fields


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
        raise BadInput(f"{full}: {len(data)} bytes are not such a message ({one_line(error)[:160]})") from None


def to_ros1(message: Any) -> bytes:
    """The bytes that ROS 1 sends; the sequence number of headers is 0."""
    name = type_of(message)
    try:
        return pack(message, name)
    except BadInput:
        raise
    except Exception as error:
        raise _unpackable(message, name, error) from None


def from_ros1(name: str, data: bytes | memoryview) -> Any:
    """The message of ROS 1 bytes; sequence numbers of headers are left out."""
    full = type_name(name)
    try:
        return unpack(full, data)
    except Exception as error:
        raise BadInput(f"{full}: {len(data)} bytes are not such a ROS 1 message ({one_line(error)[:160]})") from None


def _unpackable(message: Any, name: str, error: Exception) -> BadInput:
    """Why a message object cannot be packed, with the field if it can be told."""
    try:
        from_dict(name, to_dict(message))
    except BadInput as told:
        return told
    except Exception:
        pass
    return BadInput(f"{name}: cannot be packed ({one_line(error)[:160]})")


def md5(name: str) -> str:
    """The sum by which ROS 1 tells versions of a message or service apart."""
    return md5_of(ros1_store(), name)


def type_hash(name: str) -> str:
    """The hash by which ROS 2 (Iron and later) tells versions of a message apart, RIHS01_..."""
    return _type_hash(type_name(name))


@cache
def _type_hash(full: str) -> str:
    digest: str = store().hash_rihs01(full)
    return digest


def definition(name: str, ros: int = 2) -> str:
    """The whole text of a message type with all types it contains, as bags carry it; ros is 1 or 2."""
    if ros == 1:
        types = ros1_store()
        return full_text(types if full_name(name) in types.fielddefs else store(), type_name(name))
    return full_text(store(), type_name(name))


def _split(time: float) -> tuple[int, int]:
    """Whole seconds and nanoseconds of a time [s], both rounded to the nanosecond, nanoseconds from 0 to 999999999."""
    nanoseconds = round(time * 1e9)
    return nanoseconds // 1_000_000_000, nanoseconds % 1_000_000_000


def time(seconds: float) -> Any:
    """builtin_interfaces/msg/Time of a time [s]."""
    return cls("builtin_interfaces/msg/Time")(*_split(seconds))


def duration(seconds: float) -> Any:
    """builtin_interfaces/msg/Duration of a span [s]."""
    return cls("builtin_interfaces/msg/Duration")(*_split(seconds))


def seconds(stamp: Any) -> float:
    """Time [s] of a Time or Duration message."""
    return float(stamp.sec) + 1e-9 * float(stamp.nanosec)


def header(seconds: float, frame: str = "") -> Any:
    """std_msgs/msg/Header of a time [s] and a frame."""
    return cls("std_msgs/msg/Header")(time(seconds), frame)
