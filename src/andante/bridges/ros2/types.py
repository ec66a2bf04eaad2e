"""ROS 2 types as DDS sees them: names, hashes, and classes for `cyclonedds` that carry CDR bytes as they are."""

from __future__ import annotations

from functools import cache
from typing import Any

from andante.bags import messages
from andante.errors import MissingExtra
from andante.extras import how_to_get

BASES = {
    "bool": "bool", "byte": "uint8", "octet": "uint8", "char": "uint8", "float32": "float32", "float64": "float64",
    "int8": "int8", "uint8": "uint8", "int16": "int16", "uint16": "uint16", "int32": "int32", "uint32": "uint32",
    "int64": "int64", "uint64": "uint64",
}  # fmt: skip


def require() -> None:
    """Raise MissingExtra unless `cyclonedds` is installed."""
    try:
        import cyclonedds  # noqa: F401
    except ImportError:
        raise MissingExtra(f"ROS 2 over DDS needs cyclonedds: {how_to_get('ros2')}") from None


def dds_topic(name: str) -> str:
    """`rt/joint_states` of `/joint_states`."""
    return f"rt{name}"


def dds_type(type_name: str) -> str:
    """`sensor_msgs::msg::dds_::JointState_` of `sensor_msgs/msg/JointState`."""
    package, kind, name = type_name.split("/")
    return f"{package}::{kind}::dds_::{name}_"


def user_data(type_name: str) -> bytes:
    """What writers and readers of ROS 2 from Iron on say about their type."""
    return f"typehash={messages.type_hash(type_name)};".encode()


@cache
def typed_class(type_name: str) -> Any:
    """An IDL class of `cyclonedds` with the fields of a ROS type, all types in it included."""
    from cyclonedds.idl import make_idl_struct

    fields = {field: _described(kind) for field, kind in messages.store().fielddefs[type_name][1]}
    return make_idl_struct(f"{type_name.replace('/', '_')}_", dds_type(type_name).replace("::", "."), fields)


@cache
def raw_class(type_name: str) -> Any:
    """The same class, but its samples hold CDR bytes and are neither packed nor unpacked on the way."""
    from cyclonedds.idl import make_idl_struct

    fields = {field: _described(kind) for field, kind in messages.store().fielddefs[type_name][1]}
    made: Any = make_idl_struct(
        f"{type_name.replace('/', '_')}_raw", dds_type(type_name).replace("::", "."), fields, dataclassify=False
    )

    def deserialize(cls: Any, data: bytes, /, **_: Any) -> Any:
        sample = cls.__new__(cls)
        sample.cdr = bytes(data)
        return sample

    made.serialize = lambda self, **_: self.cdr
    made.deserialize = classmethod(deserialize)
    made.deserialize_key = classmethod(deserialize)
    return made


def raw_sample(type_name: str, cdr: bytes) -> Any:
    """A sample of `raw_class`."""
    kind = raw_class(type_name)
    sample = kind.__new__(kind)
    sample.cdr = cdr
    return sample


def _described(kind: Any) -> Any:
    from cyclonedds.idl import types

    idl: Any = types
    number, what = int(kind[0]), kind[1]
    if number == 1:
        name, bound = what
        if name in ("string", "wstring"):
            return idl.bounded_str[bound] if bound else str
        return bool if name == "bool" else getattr(idl, BASES[name])
    if number == 2:
        return typed_class(what)
    inner, count = what
    if number == 3:
        return idl.array[_described(inner), count]
    return idl.sequence[_described(inner), count] if count else idl.sequence[_described(inner)]
