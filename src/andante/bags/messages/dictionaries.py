"""Messages from dictionaries and back: one small function per type, made once and kept."""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable, Mapping
from keyword import iskeyword
from typing import Any

import numpy as np

from andante.errors import BadInput

from .interface_files import EMPTY

Read = Callable[[Any, str], Any]  # (value, where) -> field
Write = Callable[[Any], Any]
INTEGERS = {
    "byte": (-128, 127),
    "char": (0, 255),
    **{f"int{n}": (-(2 ** (n - 1)), 2 ** (n - 1) - 1) for n in (8, 16, 32, 64)},
    **{f"uint{n}": (0, 2**n - 1) for n in (8, 16, 32, 64)},
}
DTYPES: dict[str, Any] = {
    "bool": np.bool_,
    "byte": np.int8,
    "char": np.uint8,
    **{name: np.dtype(name).type for name in INTEGERS if name not in ("byte", "char")},
    "float32": np.float32,
    "float64": np.float64,
}
OCTETS = ("byte", "char", "uint8", "int8")
SPARE = {  # names that ROS 1 and its clients use for the same thing, or send without need
    "builtin_interfaces/msg/Time": {"secs": "sec", "nsecs": "nanosec", "nsec": "nanosec"},
    "builtin_interfaces/msg/Duration": {"secs": "sec", "nsecs": "nanosec", "nsec": "nanosec"},
    "std_msgs/msg/Header": {"seq": ""},
}


def attribute(field: str) -> str:
    """The attribute of a field: its name, with an underscore after words that Python keeps for itself."""
    return f"{field}_" if iskeyword(field) else field


def reader(types: Any, name: str, lenient: bool = False) -> Read:
    """The function that makes a message of a dictionary; lenient: fields it does not have are passed over."""
    made: dict[tuple[str, bool], Read] = types.__dict__.setdefault("_andante_readers", {})
    found = made.get((name, lenient))
    if found is None:
        found = made[name, lenient] = _message_reader(types, name, lenient)
    return found


def writer(types: Any, name: str) -> Write:
    """The function that makes a dictionary of a message."""
    made: dict[str, Write] = types.__dict__.setdefault("_andante_writers", {})
    found = made.get(name)
    if found is None:
        found = made[name] = _message_writer(types, name)
    return found


def _message_reader(types: Any, name: str, lenient: bool) -> Read:
    kind = types.types[name]
    fields = types.fielddefs[name][1]
    if fields[0][0] == EMPTY:

        def read_nothing(content: Any, where: str) -> Any:
            if content and not lenient and not isinstance(content, kind) and set(content) != {EMPTY}:
                raise BadInput(f"{name}{_at(where)}: has no fields, got {_list(content)}")
            return kind()

        return read_nothing
    plan = [
        (field, _field_reader(types, described, lenient), _default(types, described)) for field, described in fields
    ]
    names = [field for field, _, _ in plan]
    spare = SPARE.get(name, {})

    def read(content: Any, where: str) -> Any:
        if isinstance(content, kind):
            return content
        if not isinstance(content, Mapping):
            if getattr(content, "__msgtype__", name) != name:
                raise BadInput(f"{where or 'message'}: a {name} is wanted, got a {content.__msgtype__}")
            raise BadInput(f"{name}{_at(where)}: a dictionary of fields is wanted, got {_told(content)}")
        values = []
        used = 0
        for field, convert, default in plan:
            if field in content:
                used += 1
                try:
                    values.append(convert(content[field], f"{where}.{field}" if where else field))
                except _Wrong as wrong:
                    place = f"{where}.{field}" if where else field
                    raise BadInput(f"{name}: {place}: {wrong}") from None
            else:
                values.append(default())
        if used != len(content) and not lenient:
            return again(content, where)
        return kind(*values)

    def again(content: Mapping[str, Any], where: str) -> Any:
        """The same with the other names of fields replaced; refuse names that mean nothing."""
        renamed = {}
        for key, value in content.items():
            if key in names:
                renamed[key] = value
            elif key not in spare:
                raise BadInput(f"{name}{_at(where)}: has no field {key!r}; fields: {', '.join(names)}")
            elif spare[key]:
                renamed[spare[key]] = value
        return read(renamed, where)

    return read


class _Wrong(Exception):
    """A value that does not fit its field."""


def _field_reader(types: Any, described: Any, lenient: bool) -> Read:
    kind, what = described
    if kind == 1:
        return _scalar_reader(*what)
    if kind == 2:
        return _later(types, what, lenient)
    inner, count = what
    fixed = count if kind == 3 else None
    bound = count if kind == 4 and count else None
    if inner[0] == 1 and inner[1][0] in DTYPES:
        return _array_reader(inner[1][0], fixed, bound)
    return _list_reader(_field_reader(types, inner, lenient), fixed, bound)


def _later(types: Any, name: str, lenient: bool) -> Read:
    def read(value: Any, where: str) -> Any:
        return reader(types, name, lenient)(value, where)

    return read


def _scalar_reader(name: str, bound: int) -> Read:
    if name == "bool":
        return _read_bool
    if name in ("string", "wstring"):

        def read_text(value: Any, _where: str) -> str:
            if not isinstance(value, str):
                raise _Wrong(f"a text is wanted, got {_told(value)}")
            if bound and len(value) > bound:
                raise _Wrong(f"a text of at most {bound} characters is wanted, got {len(value)}")
            return value

        return read_text
    if name.startswith("float"):
        return _read_float32 if name == "float32" else _read_float
    low, high = INTEGERS[name]

    def read_integer(value: Any, _where: str) -> int:
        if isinstance(value, (bool, np.bool_)):
            value = int(value)
        if isinstance(value, (float, np.floating)) and float(value).is_integer():
            value = int(value)
        if not isinstance(value, (int, np.integer)):
            raise _Wrong(f"a whole number is wanted, got {_told(value)}")
        if not low <= value <= high:
            raise _Wrong(f"{value} is outside {low} to {high} ({name})")
        return int(value)

    return read_integer


def _read_bool(value: Any, _where: str) -> bool:
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, (int, float, np.number)) and value in (0, 1)):
        return bool(value)
    raise _Wrong(f"true or false is wanted, got {_told(value)}")


def _read_float(value: Any, _where: str) -> float:
    if isinstance(value, float):
        return value
    if value is None:
        return math.nan
    if isinstance(value, (int, np.number, np.bool_)):
        try:
            return float(value)
        except OverflowError:
            raise _Wrong("the number is too large for a float64") from None
    raise _Wrong(f"a number is wanted, got {_told(value)}")


def _read_float32(value: Any, where: str) -> float:
    number = _read_float(value, where)
    if abs(number) > 3.4028235677973366e38 and not math.isinf(number):
        raise _Wrong(f"{number} is too large for a float32")
    return number


def _array_reader(name: str, fixed: int | None, bound: int | None) -> Read:
    dtype = DTYPES[name]
    low, high = INTEGERS.get(name, (0, 0))
    exact = np.dtype(dtype)

    def read(value: Any, _where: str) -> Any:
        if isinstance(value, np.ndarray) and value.dtype == exact:
            array = value
        elif name in OCTETS and isinstance(value, (bytes, bytearray, memoryview)):
            array = np.frombuffer(value, dtype)
        elif name in OCTETS and isinstance(value, str):
            try:
                array = np.frombuffer(base64.b64decode(value, validate=True), dtype)
            except binascii.Error:
                raise _Wrong("a list of numbers or base64 is wanted, got a text that is not base64") from None
        else:
            array = convert(value)
        if array.ndim != 1:
            array = array.reshape(-1)
        _check_length(len(array), fixed, bound, "numbers")
        return array

    def convert(value: Any) -> Any:
        if isinstance(value, (str, Mapping)) or not hasattr(value, "__len__"):
            raise _Wrong(f"a list of numbers is wanted, got {_told(value)}")
        if len(value) == 0:
            return np.zeros(0, dtype)
        try:
            raw = np.asarray(value)
            if raw.dtype == object and name.startswith("float"):
                raw = np.array([math.nan if v is None else float(v) for v in value])
        except (ValueError, TypeError):
            raise _Wrong("a list of numbers is wanted, got something else in it") from None
        if raw.dtype.kind not in "biuf":
            raise _Wrong(f"a list of numbers is wanted, got {_told(value)}")
        if name == "bool":
            if not np.isin(raw, (0, 1)).all():
                raise _Wrong("a list of true and false is wanted")
        elif low < high:
            if raw.dtype.kind == "f" and not (np.isfinite(raw).all() and (raw == np.floor(raw)).all()):
                raise _Wrong("a list of whole numbers is wanted")
            if int(raw.min()) < low or int(raw.max()) > high:
                raise _Wrong(f"a number is outside {low} to {high} ({name})")
        with np.errstate(over="ignore"):
            return raw.astype(dtype)

    return read


def _list_reader(item: Read, fixed: int | None, bound: int | None) -> Read:
    def read(value: Any, where: str) -> list[Any]:
        if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
            raise _Wrong(f"a list is wanted, got {_told(value)}")
        out = []
        for k, v in enumerate(value):
            try:
                out.append(item(v, f"{where}[{k}]"))
            except _Wrong as wrong:
                raise _Wrong(f"element {k}: {wrong}") from None
        _check_length(len(out), fixed, bound, "elements")
        return out

    return read


def _check_length(count: int, fixed: int | None, bound: int | None, what: str) -> None:
    if fixed is not None and count != fixed:
        raise _Wrong(f"{fixed} {what} are wanted, got {count}")
    if bound is not None and count > bound:
        raise _Wrong(f"at most {bound} {what} are wanted, got {count}")


def _default(types: Any, described: Any) -> Callable[[], Any]:
    """Zero, false, no text, no elements; messages with their own defaults."""
    kind, what = described
    if kind == 1:
        name = what[0]
        value: Any = "" if "string" in name else False if name == "bool" else 0.0 if "float" in name else 0
        return lambda: value
    if kind == 2:
        return lambda: reader(types, what)({}, "")
    inner, count = what
    size = count if kind == 3 else 0
    if inner[0] == 1 and inner[1][0] in DTYPES:
        dtype = DTYPES[inner[1][0]]
        return lambda: np.zeros(size, dtype)
    item = _default(types, inner)
    return lambda: [item() for _ in range(size)]


def _message_writer(types: Any, name: str) -> Write:
    fields = types.fielddefs[name][1]
    if fields[0][0] == EMPTY:
        return lambda _message: {}
    plan = [(field, attribute(field), _field_writer(types, described)) for field, described in fields]

    def write(message: Any) -> dict[str, Any]:
        return {field: convert(getattr(message, attr)) for field, attr, convert in plan}

    return write


def _field_writer(types: Any, described: Any) -> Write:
    kind, what = described
    if kind == 1:
        return _plain
    if kind == 2:
        return lambda message: writer(types, what)(message)
    inner = what[0]
    if inner[0] == 1 and inner[1][0] in DTYPES:
        dtype = DTYPES[inner[1][0]]
        return lambda values: np.asarray(values, dtype=dtype)
    item = _field_writer(types, inner)
    return lambda values: [item(value) for value in values]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _at(where: str) -> str:
    return f" in {where}" if where else ""


def _told(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _list(content: Any) -> str:
    return ", ".join(map(str, content)) if isinstance(content, Mapping) else _told(content)
