"""Constants, operators, functions and methods that expressions may use, each with its bounds."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterable
from typing import Any

from andante.errors import BadInput

MAX_BITS = 256  # of an integer
MAX_TEXT = 100_000  # characters of a text, elements of a list
MAX_PARTS = 100_000  # values in a nested result, shared ones counted as often as they appear
MAX_DIGITS = 400  # of a text that is turned into a number
CONSTANTS: dict[str, Any] = {
    **{name: getattr(math, name) for name in ("pi", "e", "tau", "inf", "nan")},
    **{"True": True, "true": True, "False": False, "false": False, "None": None},
}
_MATHS = (
    "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh sqrt exp log log10 log2 log1p expm1 hypot pow "
    "radians degrees floor ceil trunc fabs fmod copysign isnan isinf isfinite isclose"
)
MATHS: dict[str, Callable[..., Any]] = {name: getattr(math, name) for name in _MATHS.split()}
COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Is: lambda a, b: a is b if b is None or isinstance(b, bool) else a == b,
    ast.IsNot: lambda a, b: a is not b if b is None or isinstance(b, bool) else a != b,
}
UNARY: dict[type, Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}


class Dictionary(dict):  # type: ignore[type-arg]
    """A dict of yaml or of an expression; its keys can be named after a dot."""


def check_size(value: Any) -> Any:
    """The value itself when it is of a known kind and within the bounds."""
    kind = type(value)
    if kind is float or kind is bool or value is None:
        return value
    if kind is int:
        if value.bit_length() > MAX_BITS:
            raise BadInput(f"an integer of more than {MAX_BITS} bits is refused")
        return value
    if kind is str:
        if len(value) > MAX_TEXT:
            raise BadInput(f"a text of more than {MAX_TEXT} characters is refused")
        return value
    weigh(value)
    return value


def weigh(value: Any) -> int:
    """How many values a result holds, counting 16 characters of a text as one; refuses what is too much."""
    stack, parts = [value], 0
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            parts += 1 + len(item) // 16
            if len(item) > MAX_TEXT:
                raise BadInput(f"a text of more than {MAX_TEXT} characters is refused")
        elif isinstance(item, list | tuple):
            parts += 1 + len(item)
            if parts <= MAX_PARTS:
                stack.extend(item)
        elif isinstance(item, Dictionary):
            parts += 1 + 2 * len(item)
            if parts <= MAX_PARTS:
                stack.extend(item.keys())
                stack.extend(item.values())
        elif isinstance(item, bool | float) or item is None:
            parts += 1
        elif isinstance(item, int):
            parts += 1
            check_size(item)
        else:
            raise BadInput(f"a value of type {type(item).__name__} is not allowed")
        if parts > MAX_PARTS:
            raise BadInput(f"a result of more than {MAX_PARTS} values is refused")
    return parts


def checked_product(a: Any, b: Any) -> Any:
    """a * b of numbers, or a list repeated."""
    if isinstance(a, int | float) and isinstance(b, int | float):
        return a * b
    if isinstance(b, list | tuple):
        a, b = b, a
    if isinstance(a, list | tuple) and isinstance(b, int):
        if len(a) * max(b, 0) > MAX_TEXT:
            raise BadInput(f"a list of more than {MAX_TEXT} elements is refused")
        return a * b
    raise BadInput("* needs two numbers, or a list and an integer")


def checked_power(a: Any, b: Any) -> Any:
    """a ** b with a real result that is not enormous."""
    if isinstance(a, int) and isinstance(b, int) and (b > MAX_BITS or a.bit_length() * max(b, 0) > 2 * MAX_BITS):
        raise BadInput("the power is too large")
    result = a**b
    if isinstance(result, complex):
        raise BadInput("a root of a negative number is not real")
    return result


def checked_shift(a: Any, b: Any) -> Any:
    """a << b that is not enormous."""
    if not (isinstance(a, int) and isinstance(b, int)) or not 0 <= b <= MAX_BITS:
        raise BadInput(f"<< needs integers and at most {MAX_BITS} places")
    return a << b


def checked_range(*bounds: int) -> list[int]:
    """range() as a list of bounded length."""
    numbers = range(*bounds)
    if len(numbers) > 10_000:
        raise BadInput("range() gives at most 10000 numbers")
    return list(numbers)


def _number(kind: Callable[[Any], Any]) -> Callable[..., Any]:
    def convert(value: Any = 0) -> Any:
        if not isinstance(value, int | float | str):
            raise BadInput(f"a {type(value).__name__} is not a number")
        if isinstance(value, str) and (len(value) > MAX_DIGITS or "_" in value):
            raise BadInput(f"{value[:40]!r} is not a number")
        return kind(value)

    return convert


def _text(value: Any = "") -> str:
    check_size(value)
    return str(value)


def _rounded(value: float, digits: int = 0) -> Any:
    if abs(digits) > 100:
        raise BadInput("round() takes at most 100 digits")
    return round(value, digits) if digits else round(value)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "min": lambda *values: min(*values),
    "max": lambda *values: max(*values),
    "round": _rounded,
    "int": _number(int),
    "float": _number(float),
    "str": _text,
    "bool": lambda value=False: bool(value),
    "len": len,
    "range": checked_range,
    "sum": lambda values: _fold(values),
    "list": lambda values=(): list(values),
    "tuple": lambda values=(): tuple(values),
    "dict": lambda values=(), **named: Dictionary(dict(values, **named)),
    "sorted": lambda values: sorted(values),
    "reversed": lambda values: list(reversed(list(values))),
    "enumerate": lambda values: list(enumerate(values)),
    "zip": lambda *lists: list(zip(*lists, strict=False)),
    "all": lambda values: all(list(values)),
    "any": lambda values: any(list(values)),
    **MATHS,
}
METHODS: dict[type, dict[str, Callable[..., Any]]] = {
    str: {
        **{name: getattr(str, name) for name in ("lower", "upper", "strip", "startswith", "endswith", "split")},
        "join": lambda text, parts: _joined(text, parts),
        "replace": lambda text, old, new: _replaced(text, old, new),
    },
    dict: {
        "get": lambda values, key, default=None: values.get(key, default),
        "keys": lambda values: list(values.keys()),
        "values": lambda values: list(values.values()),
        "items": lambda values: [tuple(pair) for pair in values.items()],
    },
    list: {"index": list.index, "count": list.count},
    tuple: {"index": tuple.index, "count": tuple.count},
}


def _fold(values: Iterable[Any]) -> Any:
    total: Any = 0
    for value in values:
        if not isinstance(value, int | float):
            raise BadInput("sum() adds numbers only")
        total = check_size(total + value)
    return total


def _replaced(text: str, old: str, new: str) -> str:
    if len(text) + (text.count(old)) * len(new) > MAX_TEXT:
        raise BadInput(f"the text would grow beyond {MAX_TEXT} characters")
    return text.replace(old, new)


def _joined(text: str, parts: Any) -> str:
    words = [str(part) for part in parts if isinstance(part, str)]
    if not isinstance(parts, list | tuple) or len(words) != len(parts):
        raise BadInput("join() needs a list of texts; str() converts")
    if sum(len(word) + len(text) for word in words) > MAX_TEXT:
        raise BadInput(f"the text would grow beyond {MAX_TEXT} characters")
    return text.join(words)


def _sum_of(a: Any, b: Any) -> Any:
    if isinstance(a, int | float) and isinstance(b, int | float):
        return a + b
    for kind in (str, list, tuple):
        if isinstance(a, kind) and isinstance(b, kind):
            if len(a) + len(b) > MAX_TEXT:
                raise BadInput(f"the result would grow beyond {MAX_TEXT} characters or elements")
            return operator.add(a, b)
    raise BadInput(f"{kind_of(a)} and {kind_of(b)} cannot be added; str() and float() convert")


def _numeric(symbol: str, function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(a: Any, b: Any) -> Any:
        if not (isinstance(a, int | float) and isinstance(b, int | float)):
            raise BadInput(f"{symbol} needs two numbers, got {kind_of(a)} and {kind_of(b)}")
        return function(a, b)

    return apply


BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: _sum_of,
    ast.Sub: _numeric("-", operator.sub),
    ast.Mult: checked_product,
    ast.Div: _numeric("/", operator.truediv),
    ast.FloorDiv: _numeric("//", operator.floordiv),
    ast.Mod: _numeric("%", operator.mod),
    ast.Pow: _numeric("**", checked_power),
    ast.LShift: _numeric("<<", checked_shift),
    ast.RShift: _numeric(">>", operator.rshift),
    ast.BitAnd: _numeric("&", operator.and_),
    ast.BitOr: _numeric("|", operator.or_),
    ast.BitXor: _numeric("^", operator.xor),
}
_NAMES = {str: "text", dict: "a dict", Dictionary: "a dict", type(None): "None", int: "an integer", float: "a number"}


def kind_of(value: Any) -> str:
    return _NAMES.get(type(value), f"a {type(value).__name__}")
