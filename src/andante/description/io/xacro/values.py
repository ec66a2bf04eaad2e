"""Values that xacro expressions may have, and the bounds that keep them small."""

from __future__ import annotations

from typing import Any

from andante.errors import BadInput

MAX_BITS = 256  # of an integer
MAX_TEXT = 100_000  # characters of a text, elements of a list
MAX_PARTS = 100_000  # values in a nested result, shared ones counted as often as they appear


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
