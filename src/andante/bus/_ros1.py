"""ROS 1 bytes of the messages of the bus."""

from __future__ import annotations

from functools import cache
from typing import Any

from . import messages
from ._dicts import reader, writer

SAME_HEADER = "std_msgs/msg/Header"


@cache
def alike(name: str) -> bool:
    """Whether ROS 1 lays a type out as ROS 2 does, apart from the sequence number of headers."""
    ours, theirs = messages.store().fielddefs, messages.ros1_store().fielddefs
    if name == SAME_HEADER or name not in theirs:
        return True
    mine, other = ours[name][1], theirs[name][1]
    if [described for _, described in mine] != [described for _, described in other]:
        return False
    for _, (kind, what) in mine:
        kind, what = what[0] if kind > 2 else (kind, what)
        if kind == 2 and not alike(what):
            return False
    return True


def pack(message: Any, name: str) -> bytes:
    """The bytes of a message; fields that ROS 1 lacks are left out, those that it has more are zero."""
    if alike(name):
        types = messages.store()
        return bytes(types.cdr_to_ros1(types.serialize_cdr(message, name, little_endian=True), name))
    types = messages.ros1_store()
    content = writer(messages.store(), name)(message)
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
    types = messages.store()
    if alike(name):
        return types.deserialize_cdr(to_cdr(types, name, data), name)
    theirs = messages.ros1_store()
    described = theirs.get_msgdef(name)
    message, end = described.deserialize_ros1(data, 0, described.cls, _Limited(theirs, len(data)))
    if end != len(data):
        raise ValueError(f"{end} bytes are wanted")
    return reader(types, name, lenient=True)(writer(theirs, name)(message), "")
