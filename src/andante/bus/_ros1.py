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


def unpack(name: str, data: bytes | memoryview) -> Any:
    """The message of ROS 1 bytes."""
    types = messages.store()
    if alike(name):
        return types.deserialize_cdr(types.ros1_to_cdr(data, name), name)
    theirs = messages.ros1_store()
    content = writer(theirs, name)(theirs.deserialize_ros1(data, name))
    return reader(types, name, lenient=True)(content, "")
