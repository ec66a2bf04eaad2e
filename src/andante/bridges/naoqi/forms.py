"""Argument forms of methods: what may be given, checked and turned into plain values, with errors as NAOqi words them.

A form is a text such as "names:names angles:numbers fraction:fraction"; several, parted by |, are tried in turn. What
has a ? may be left out, a * takes all that follows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

LONGEST_TEXT = 10_000
MOST_NUMBERS = 200_000


class CallError(RuntimeError):
    """What a client hears of a call that cannot be done."""


class _Unfit(Exception):
    """An argument is of another kind."""


def _float(value: Any) -> float:
    if isinstance(value, bool | int | float):
        return float(value)
    raise _Unfit


def _finite(value: Any) -> float:
    number = _float(value)
    if not math.isfinite(number):
        raise CallError(f"a finite number is wanted, got {number}")
    return number


def _fraction(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_fraction(each) for each in value]
    number = _finite(value)
    if not 0.0 < number <= 1.0:
        raise CallError(f"the fraction of the maximal speed lies above 0 and up to 1, got {number:g}")
    return number


def _int(value: Any) -> int:
    number = _finite(value)
    if not number.is_integer():
        raise _Unfit
    return int(number)


def _bool(value: Any) -> bool:
    if isinstance(value, bool | int | float):
        return bool(value)
    raise _Unfit


def _text(value: Any) -> str:
    if isinstance(value, bytes | bytearray):
        value = bytes(value).decode("utf-8", "replace")
    if not isinstance(value, str):
        raise _Unfit
    if len(value) > LONGEST_TEXT:
        raise CallError(f"a text has up to {LONGEST_TEXT} characters, got {len(value)}")
    return value


def _names(value: Any) -> list[str]:
    return [_text(each) for each in value] if isinstance(value, list | tuple) else [_text(value)]


def _list(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return list(value)
    raise _Unfit


def _numbers(value: Any) -> Any:
    """A number or lists of numbers, however deep, all finite."""
    count = 0

    def read(part: Any, depth: int) -> Any:
        nonlocal count
        if isinstance(part, list | tuple):
            if depth > 4:
                raise CallError("lists of numbers are nested too deep")
            return [read(each, depth + 1) for each in part]
        count += 1
        if count > MOST_NUMBERS:
            raise CallError(f"up to {MOST_NUMBERS} numbers are taken at once")
        return _finite(part)

    return read(value, 0)


KINDS: dict[str, Callable[[Any], Any]] = {
    "float": _finite, "fraction": _fraction, "int": _int, "bool": _bool, "text": _text, "names": _names, "list": _list,
    "numbers": _numbers, "any": lambda value: value,
}  # fmt: skip


@dataclass(frozen=True)
class Slot:
    """One argument of a form."""

    name: str
    kind: str
    optional: bool = False
    rest: bool = False


@cache
def forms_of(text: str) -> tuple[tuple[Slot, ...], ...]:
    """The forms that a text describes."""
    return tuple(tuple(_slot(word) for word in form.split()) for form in text.split("|"))


def _slot(word: str) -> Slot:
    name, _, kind = word.rstrip("?*").partition(":")
    return Slot(name, kind or "any", word.endswith("?"), word.endswith("*"))


def read_arguments(where: str, text: str, given: Sequence[Any]) -> list[Any]:
    """Arguments by the first form that they fit; CallError in the words of `where`, which is SERVICE::method."""
    complaint = ""
    for form in forms_of(text):
        least = sum(not (slot.optional or slot.rest) for slot in form)
        most = math.inf if any(slot.rest for slot in form) else len(form)
        if not least <= len(given) <= most:
            continue
        slots = list(form)
        while len(slots) < len(given):
            slots.append(slots[-1])
        values = []
        for slot, value in zip(slots, given, strict=False):
            try:
                values.append(KINDS[slot.kind](value))
            except _Unfit:
                complaint = complaint or f"{slot.name} should be {_a(slot.kind)}, got {_short(value)}"
                break
            except CallError as error:
                raise CallError(f"{where}: {slot.name}: {error}") from None
        else:
            return values
    wanted = " or ".join(f"({', '.join(slot.name for slot in form)})" for form in forms_of(text))
    raise CallError(f"{where}: {complaint or f'got {len(given)} arguments'}; expected {wanted}")


def _a(kind: str) -> str:
    words = {"float": "a number", "int": "a whole number", "bool": "true or false", "text": "a text",
             "names": "a name or a list of names", "list": "a list", "numbers": "numbers"}  # fmt: skip
    return words.get(kind, kind)


def _short(value: Any) -> str:
    told = repr(value)
    return told if len(told) <= 60 else told[:57] + "..."
