"""Definitions as text: written, read back, and the sums of ROS 1 over them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from hashlib import md5
from typing import Any

from andante.errors import BadInput, UnknownName

from .interface_files import EMPTY
from .store import store

RULE = "=" * 80
HEADER = "std_msgs/msg/Header"
MOST_DEPTH = 50  # of types in each other
ROS1_NAMES = {"builtin_interfaces/msg/Time": "time", "builtin_interfaces/msg/Duration": "duration"}


def full_text(types: Any, name: str, ros1: bool | None = None) -> str:
    """The text of a type, then `MSG: pkg/Name` and the text of every type in it; ros1: with its words for time."""
    ros1 = _is_ros1(types) if ros1 is None else ros1
    inside: dict[str, None] = {}
    _collect(types, name, inside, ros1)
    parts = [_text(types, name, ros1)]
    parts += [f"{RULE}\nMSG: {_short(other)}\n{_text(types, other, ros1)}" for other in inside]
    return "".join(parts)


def md5_of(types: Any, name: str) -> str:
    """The ROS 1 sum of a message `pkg/msg/Name`, or of a service over its request and response."""
    full = name if name.count("/") == 2 else name.replace("/", "/msg/")
    if full in types.fielddefs:
        return md5(_sum_text(types, full, {}).encode()).hexdigest()
    full = full.replace("/msg/", "/srv/")
    if f"{full}_Request" in types.fielddefs:
        both = _sum_text(types, f"{full}_Request", {}) + _sum_text(types, f"{full}_Response", {})
        return md5(both.encode()).hexdigest()
    raise UnknownName(f"no message or service type {name!r} in ROS 1")


def _is_ros1(types: Any) -> bool:
    """ROS 1 headers count."""
    has_seq: bool = types.fielddefs["std_msgs/msg/Header"][1][0][0] == "seq"
    return has_seq


def _collect(types: Any, name: str, inside: dict[str, None], ros1: bool) -> None:
    """All types inside a type, each once, in the order of their first use, depth first."""
    for field, described in types.fielddefs[name][1]:
        other = named(described)
        if field == EMPTY or other is None or other in inside or (ros1 and other in ROS1_NAMES):
            continue
        inside[other] = None
        _collect(types, other, inside, ros1)


def named(described: Any) -> str | None:
    """The message type of a field, None for numbers and texts."""
    kind, what = described
    if kind > 2:
        kind, what = what[0]
    return what if kind == 2 else None


def _suffix(described: Any) -> str:
    kind, what = described
    if kind <= 2:
        return ""
    count = what[1]
    return f"[{count}]" if kind == 3 else f"[<={count}]" if count else "[]"


def _base(described: Any) -> str:
    kind, what = described
    if kind > 2:
        what = what[0][1]
    name, bound = what
    return f"{name}<={bound}" if bound else name


def _short(name: str) -> str:
    """`pkg/Name` of `pkg/msg/Name`; types of actions and services keep their whole name."""
    return name.replace("/msg/", "/")


def _lines(types: Any, name: str, word: Callable[[str], str], array: bool) -> list[str]:
    """Constants, then fields; `word` tells fields of another type, with their brackets where `array` says so."""
    lines = [f"{kind} {constant}={value}" for constant, kind, value in types.fielddefs[name][0]]
    for field, described in types.fielddefs[name][1]:
        if field != EMPTY:
            other = named(described)
            brackets = _suffix(described) if array or other is None or other in ROS1_NAMES else ""
            lines.append(f"{_base(described) if other is None else word(other)}{brackets} {field}")
    return lines


def _text(types: Any, name: str, ros1: bool) -> str:
    lines = _lines(types, name, lambda other: ROS1_NAMES.get(other, _short(other)) if ros1 else _short(other), True)
    return "".join(f"{line}\n" for line in lines)


def _sum_text(types: Any, name: str, sums: dict[str, str]) -> str:
    """Constants, then fields, where a field of another type is told by the sum of that type, made once."""

    def word(other: str) -> str:
        if other not in sums:
            sums[other] = ROS1_NAMES.get(other) or md5(_sum_text(types, other, sums).encode()).hexdigest()
        return sums[other]

    return "\n".join(_lines(types, name, word, False))


def types_of_text(text: str, name: str) -> dict[str, Any]:
    """The types that a definition holds; raises BadInput when it cannot be read."""
    from rosbags.typesys import get_types_from_idl, get_types_from_msg

    try:
        if text.lstrip().startswith(f"{RULE}\nIDL: "):
            table: dict[str, Any] = {}
            for part in text.split(f"{RULE}\n")[1:]:
                table |= get_types_from_idl(part.split("\n", 1)[1])
            return table
        if re.search(r"^\s*module\s+\w+\s*\{", text, re.MULTILINE):
            return dict(get_types_from_idl(text))
        table = dict(get_types_from_msg(text, name))
        if name not in table:  # rosbags renames what is neither msg nor action
            table[name] = table.pop(next(iter(table)))
        return table
    except Exception as error:
        told = " ".join(str(error).split())[:80]
        raise BadInput(f"{name}: its definition cannot be read ({told})") from None


def private_store(text: str, name: str, ros2: bool) -> Any:
    """A type store with only what a definition holds; ros2 lays headers out without sequence number."""
    from rosbags.typesys import Stores, get_typestore

    table = types_of_text(text, name)
    if ros2 and HEADER in table:
        table[HEADER] = store().fielddefs[HEADER]
    types = get_typestore(Stores.EMPTY)
    for known in ("builtin_interfaces/msg/Time", "builtin_interfaces/msg/Duration"):
        table.setdefault(known, store().fielddefs[known])
    refuse_gaps(name, table)
    try:
        types.register(table)
    except Exception as error:
        raise BadInput(f"{name}: its definition cannot be used ({' '.join(str(error).split())[:80]})") from None
    return types


def refuse_gaps(name: str, table: Mapping[str, Any]) -> None:
    """Raise BadInput where a type in the table names another that is not there, or holds itself."""
    seen: set[str] = set()

    def visit(each: str, above: tuple[str, ...]) -> None:
        if each not in table:
            raise BadInput(f"{name}: its definition names {each} and does not say how that is laid out")
        if each in above or len(above) >= MOST_DEPTH:
            what = f"{each} holds itself" if each in above else f"more than {MOST_DEPTH} types in each other"
            raise BadInput(f"{name}: its definition cannot be used ({what})")
        if each in seen:
            return
        for _, described in table[each][1]:
            other = named(described)
            if other is not None:
                visit(other, (*above, each))
        seen.add(each)

    visit(name, ())
