"""ROS 1 bytes of messages."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from .dictionaries import reader, writer
from .store import ros1_store, store

HEADER = "std_msgs/msg/Header"


@cache
def alike(name: str) -> bool:
    """Whether ROS 1 lays a type out as ROS 2 does, apart from the sequence number of headers."""
    ours, theirs = store().fielddefs, ros1_store().fielddefs
    if name == HEADER or name not in theirs:
        return True
    mine, other = ours[name][1], theirs[name][1]
    if [described for _, described in mine] != [described for _, described in other]:
        return False
    for _, (kind, what) in mine:
        kind, what = what[0] if kind > 2 else (kind, what)
        if kind == 2 and not alike(what):
            return False
    return True


@cache
def wire() -> Any:
    """The type store with headers as ROS 1 packs them: a sequence number, always 0, comes first."""
    from rosbags.typesys import Stores, get_typestore

    ours = store()
    types = get_typestore(Stores.EMPTY)
    types.types, types.fielddefs = ours.types, ours.fielddefs
    plain = types.get_msgdef(HEADER)

    def size(place: int, message: Any, store: Any) -> int:
        return plain.getsize_ros1(place + 4, message, store)

    def put(out: memoryview, place: int, message: Any, store: Any) -> int:
        out[place : place + 4] = b"\0\0\0\0"
        return plain.serialize_ros1(out, place + 4, message, store)

    def take(data: bytes | memoryview, place: int, kind: type, store: Any) -> tuple[object, int]:
        return plain.deserialize_ros1(data, place + 4, kind, store)

    types.cache[HEADER] = replace(plain, getsize_ros1=size, serialize_ros1=put, deserialize_ros1=take)
    return types


def pack(message: Any, name: str) -> bytes:
    """The bytes of a message; fields that ROS 1 lacks are left out, those that it has more are zero."""
    if alike(name):
        return bytes(wire().serialize_ros1(message, name))
    types = ros1_store()
    content = writer(store(), name)(message)
    return bytes(types.serialize_ros1(reader(types, name, lenient=True)(content, ""), name))


class _Limited:
    """A type store that believes no list to be longer than the bytes it comes from."""

    __slots__ = ("get_msgdef", "max_sequence_length")

    def __init__(self, types: Any, length: int) -> None:
        self.get_msgdef, self.max_sequence_length = types.get_msgdef, max(1, length)


def to_cdr(types: Any, name: str, data: bytes | memoryview) -> memoryview:
    """CDR of ROS 1 bytes of a type that both lay out alike; raises ValueError when they do not fit."""
    limited, described = _Limited(types, len(data)), types.get_msgdef(name)
    end, size = described.getsize_ros1_to_cdr(data, 0, None, 0, limited)
    if end != len(data):
        raise ValueError(f"{end} bytes are wanted")
    out = bytearray(4 + size)
    out[1] = 1  # little endian
    described.ros1_to_cdr(data, 0, memoryview(out)[4:], 0, limited)
    return memoryview(out).toreadonly()


def unpack(name: str, data: bytes | memoryview) -> Any:
    """The message of ROS 1 bytes."""
    if alike(name):
        return taken(wire(), name, data)
    theirs = ros1_store()
    content = writer(theirs, name)(taken(theirs, name, data))
    return reader(store(), name, lenient=True)(content, "")


def taken(types: Any, name: str, data: bytes | memoryview) -> Any:
    """The message of ROS 1 bytes by the layout of a type store; ValueError where they do not fit."""
    described = types.get_msgdef(name)
    message, end = described.deserialize_ros1(data, 0, described.cls, _Limited(types, len(data)))
    if end != len(data):
        raise ValueError(f"{end} bytes are wanted")
    return message
