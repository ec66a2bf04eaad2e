"""IDL classes of `cyclonedds` for types of ROS, with fields or with CDR bytes as they are."""

from __future__ import annotations

from functools import cache
from typing import Any

from andante.bags import messages
from andante.errors import BadInput

from .names import dds_type

BASES = {
    "bool": "bool", "byte": "uint8", "octet": "uint8", "char": "uint8", "float32": "float32", "float64": "float64",
    "int8": "int8", "uint8": "uint8", "int16": "int16", "uint16": "uint16", "int32": "int32", "uint32": "uint32",
    "int64": "int64", "uint64": "uint64",
}  # fmt: skip


@cache
def typed_class(type_name: str, store: Any = None) -> Any:
    """An IDL class of `cyclonedds` with the fields of a ROS type, all types in it included.

    Args:
        store: the type store; ours by default.
    """
    return _idl_class(type_name, "", _fields(type_name, store))


@cache
def raw_class(type_name: str, store: Any = None, *, header: bool = False) -> Any:
    """The same class, but its samples hold CDR bytes and are neither packed nor unpacked on the way.

    Args:
        store: the type store; ours by default.
        header: whether the head of a request or reply stands in front.
    """
    fields = _header_fields() if header else {}
    made = _idl_class(type_name, "raw", {**fields, **_fields(type_name, store)}, dataclassify=False)

    def deserialize(cls: Any, data: bytes, /, **_: Any) -> Any:
        sample = cls.__new__(cls)
        sample.cdr = bytes(data)
        return sample

    made.serialize = lambda self, **_: self.cdr
    made.deserialize = classmethod(deserialize)
    made.deserialize_key = classmethod(deserialize)
    return made


def raw_sample(kind: Any, cdr: bytes) -> Any:
    """A sample of a `raw_class`."""
    sample = kind.__new__(kind)
    sample.cdr = cdr
    return sample


def trimmed(cdr: bytes) -> bytes:
    """CDR bytes with plain little-endian head; other heads are kept for the decoder to judge."""
    return b"\x00\x01\x00\x00" + cdr[4:] if cdr[:2] == b"\x00\x01" else cdr


def _header_fields() -> dict[str, Any]:
    """The head of a request or reply as rmw_cyclonedds puts it in front: who asks, and which of its requests."""
    from cyclonedds.idl import types

    idl: Any = types
    return {"header_guid": idl.uint64, "header_seq": idl.int64}


def _fields(type_name: str, store: Any) -> dict[str, Any]:
    known = (store or messages.store()).fielddefs
    if type_name not in known:
        raise BadInput(f"no type {type_name!r} is known here")
    return {field: _described(kind, store) for field, kind in known[type_name][1]}


def _idl_class(type_name: str, suffix: str, fields: dict[str, Any], **options: Any) -> Any:
    from cyclonedds.idl import make_idl_struct

    name = f"{type_name.replace('/', '_')}_{suffix}"
    return make_idl_struct(name, dds_type(type_name).replace("::", "."), fields, **options)


def _described(kind: Any, store: Any) -> Any:
    from cyclonedds.idl import types

    idl: Any = types
    number, what = int(kind[0]), kind[1]
    if number == 1:
        name, bound = what
        if name in ("string", "wstring"):
            return idl.bounded_str[bound] if bound else str
        return bool if name == "bool" else getattr(idl, BASES[name])
    if number == 2:
        return typed_class(what, store)
    inner, count = what
    if number == 3:
        return idl.array[_described(inner, store), count]
    return idl.sequence[_described(inner, store), count] if count else idl.sequence[_described(inner, store)]
