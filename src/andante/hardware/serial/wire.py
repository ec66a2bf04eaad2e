"""How a value lies in a payload: messages are dataclasses whose annotations say type, unit, range and meaning.

Encoder, decoder and the page on the protocol are all made from these annotations. Numbers are little-endian and packed
without gaps; a text is UTF-8 and comes last, up to the end of the payload.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, TypeVar, get_type_hints

from andante.errors import BadInput

NUMBERS = {"u8": "B", "u16": "H", "u32": "I", "i16": "h", "i32": "i", "f32": "f"}
TEXT = "text"
MAX_TEXT = 120  # bytes
_BITS = {"u8": (0, 2**8 - 1), "u16": (0, 2**16 - 1), "u32": (0, 2**32 - 1), "i16": (-(2**15), 2**15 - 1),
         "i32": (-(2**31), 2**31 - 1)}  # fmt: skip
_FLOAT_MAX = 3.4028234e38  # largest number of 32 bits, rounded down


class Way(Enum):
    """Where a message goes."""

    DOWN = "down"  # from the computer to the microcontroller
    UP = "up"
    BOTH = "both"


@dataclass(frozen=True)
class Wire:
    """One field of a payload."""

    kind: str  # u8 u16 u32 i16 i32 f32 text
    unit: str = ""
    meaning: str = ""
    low: float = -math.inf  # smallest value that is accepted
    high: float = math.inf

    def __post_init__(self) -> None:
        if self.kind not in NUMBERS and self.kind != TEXT:
            raise BadInput(f"no wire type {self.kind!r}; choices: {', '.join(NUMBERS)}, {TEXT}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest value."""
        low, high = _BITS.get(self.kind, (-_FLOAT_MAX, _FLOAT_MAX))
        return max(low, self.low), min(high, self.high)

    def accepts(self, value: Any) -> bool:
        """Whether a number may be sent: of its type, finite and within bounds."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        low, high = self.bounds
        return math.isfinite(value) and (self.kind == "f32" or value == int(value)) and low <= value <= high


class Message:
    """Base of all messages. A subclass is a frozen dataclass with `code`, `way` and annotated fields."""

    code: ClassVar[int]
    way: ClassVar[Way]
    acknowledged: ClassVar[bool] = False  # the other side answers with an Ack, and it is sent again until that comes


M = TypeVar("M", bound=Message)


@dataclass(frozen=True)
class Layout:
    """Fields of a message in the order of its bytes."""

    fields: tuple[tuple[str, Wire], ...]
    packer: struct.Struct
    text: str  # name of the text at the end, empty: none


_LAYOUTS: dict[type[Message], Layout] = {}  # made when first asked for


def layout(kind: type[Message]) -> Layout:
    """The layout of a kind of message, from its annotations."""
    known = _LAYOUTS.get(kind)
    if known is None:
        known = _LAYOUTS[kind] = _layout(kind)
    return known


def _layout(kind: type[Message]) -> Layout:
    fields = []
    for name, hint in get_type_hints(kind, include_extras=True).items():
        wires = [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Wire)]
        if wires:
            fields.append((name, wires[0]))
    texts = [name for name, wire in fields if wire.kind == TEXT]
    if texts and (len(texts) > 1 or fields[-1][0] != texts[0]):
        raise BadInput(f"message {kind.__name__}: a text must be the last field, and the only text")
    numbers = "".join(NUMBERS[wire.kind] for _, wire in fields if wire.kind != TEXT)
    return Layout(tuple(fields), struct.Struct("<" + numbers), texts[0] if texts else "")


def pack(message: Message) -> bytes:
    """Payload of a message; a value that the wire cannot carry is refused by name."""
    plan, values = layout(type(message)), []
    for name, wire in plan.fields:
        if wire.kind == TEXT:
            continue
        value = getattr(message, name)
        if not wire.accepts(value):
            low, high = wire.bounds
            raise BadInput(
                f"message {type(message).__name__}: {name} must be {wire.kind} from {low:g} to {high:g}, got {value!r}"
            )
        values.append(value if wire.kind == "f32" else int(value))
    words = shorten(getattr(message, plan.text)) if plan.text else b""
    return plan.packer.pack(*values) + words


def unpack(kind: type[M], payload: bytes) -> M | None:
    """The message that a payload holds; None when it has the wrong length or a value out of range."""
    plan = layout(kind)
    size = plan.packer.size
    if len(payload) < size or (len(payload) > size + MAX_TEXT if plan.text else len(payload) != size):
        return None
    numbers = plan.packer.unpack_from(payload)
    values: dict[str, Any] = {}
    for (name, wire), value in zip((f for f in plan.fields if f[1].kind != TEXT), numbers, strict=True):
        if not wire.accepts(value):
            return None
        values[name] = value
    if plan.text:
        values[plan.text] = printable(payload[size:].decode("utf-8", errors="replace"))
    return kind(**values)


def printable(text: str) -> str:
    """A text without control characters: what came over a line must not steer a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def shorten(text: str) -> bytes:
    """UTF-8 of a text, cut at a whole letter to at most `MAX_TEXT` bytes; unprintable letters become question marks."""
    return printable(text).encode("utf-8", errors="replace")[:MAX_TEXT].decode("utf-8", errors="ignore").encode()


def table(kinds: Iterable[type[Message]]) -> str:
    """All messages with their fields as a Markdown table."""
    rows = ["| code | message | way | payload | meaning |", "|---|---|---|---|---|"]
    for kind in kinds:
        plan = layout(kind)
        fields = "<br>".join(
            f"`{name}` {wire.kind}"
            + (f" [{wire.unit}]" if wire.unit else "")
            + (f": {wire.meaning}" if wire.meaning else "")
            for name, wire in plan.fields
        )
        told = " ".join((kind.__doc__ or "").split())
        way = kind.way.value + (", acknowledged" if kind.acknowledged else "")
        rows.append(f"| 0x{kind.code:02x} | `{kind.__name__}` | {way} | {fields or '-'} | {told} |")
    return "\n".join(rows) + "\n"
