"""Names, types and values of messages as rosbridge carries them; `Frame`: a message, encoded once for all clients.

Values are JSON (NaN and infinities as null, bytes as base64), CBOR or PNG.
CBOR keeps every number; arrays of numbers travel as typed arrays (RFC 8746, little endian), bytes as byte strings.
"""

from __future__ import annotations

import base64
import json
import math
import re
from functools import cached_property
from typing import Any

import numpy as np

from andante.bags import messages
from andante.errors import BadInput

NAME = re.compile(r"/?[A-Za-z_~][\w~]*(/[A-Za-z_~][\w~]*)*")
TYPE = re.compile(r"[A-Za-z]\w*(/(msg|srv|action))?/[A-Za-z]\w*")
TYPED_ARRAYS = {
    "uint8": 64, "uint16": 69, "uint32": 70, "uint64": 71, "int8": 72, "int16": 77, "int32": 78, "int64": 79,
    "float32": 85, "float64": 86,
}  # fmt: skip
ENCODINGS = ("none", "cbor", "cbor-raw", "png")


def absolute(name: Any) -> str:
    """A name with its leading slash; anything that is not a ROS name raises."""
    if not isinstance(name, str) or len(name) > 256 or not NAME.fullmatch(name):
        raise BadInput(f"{_shown(name)} is not a name such as /cmd_vel")
    return name if name.startswith("/") else f"/{name}"


def full_type(name: Any, kind: str) -> str:
    """`pkg/Name` or `pkg/msg/Name` as `pkg/msg/Name`, where kind is msg, srv or action."""
    if not isinstance(name, str) or len(name) > 256 or not TYPE.fullmatch(name):
        raise BadInput(f"{_shown(name)} is not a type such as geometry_msgs/Twist")
    first, *_, last = name.split("/")
    if name.count("/") == 2 and name.split("/")[1] != kind:
        raise BadInput(f"{name!r} is not a type of kind {kind!r}")
    return f"{first}/{kind}/{last}"


def short_type(name: str) -> str:
    """`pkg/msg/Name` as `pkg/Name`: the only form that the rosbridge server of ROS 1 takes."""
    first, *_, last = name.split("/")
    return f"{first}/{last}"


def ros1_times(value: Any) -> Any:
    """A message as dicts and lists with the names of ROS 1 in its times and durations: secs and nsecs."""
    if isinstance(value, dict):
        if value.keys() == {"sec", "nanosec"}:
            return {"secs": value["sec"], "nsecs": value["nanosec"]}
        return {name: ros1_times(part) for name, part in value.items()}
    if isinstance(value, list):
        return [ros1_times(part) for part in value]
    return value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def plain(value: Any) -> Any:
    """The value as JSON can carry it: arrays to lists, bytes to base64, NaN and infinities to None."""
    if isinstance(value, dict):
        return {name: plain(entry) for name, entry in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, np.ndarray):
        if value.dtype == np.uint8:
            return base64.b64encode(value.tobytes()).decode()
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            return plain(value.tolist())
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(value).decode()
    if isinstance(value, np.generic):
        return plain(value.item())
    return value


def to_json(value: Any) -> str:
    """JSON text of a value with arrays in it."""
    return json.dumps(plain(value), allow_nan=False, separators=(",", ":"))


def to_cbor(value: Any) -> bytes:
    """CBOR bytes of a value with arrays in it."""
    import cbor2

    return cbor2.dumps(value, default=_cbor_default)


def _cbor_default(encoder: Any, value: Any) -> None:
    import cbor2

    if isinstance(value, np.ndarray):
        little = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
        name = value.dtype.name
        if name == "uint8":
            encoder.encode(little.tobytes())
        elif name in TYPED_ARRAYS and value.ndim == 1:
            encoder.encode(cbor2.CBORTag(TYPED_ARRAYS[name], little.tobytes()))
        else:
            encoder.encode(value.tolist())
    elif isinstance(value, np.generic):
        encoder.encode(value.item())
    else:
        raise BadInput(f"{type(value).__name__} cannot be sent as CBOR")


def from_cbor(data: bytes) -> Any:
    """The value of CBOR bytes; typed arrays become numpy arrays."""
    import cbor2

    _check_cbor(data)
    try:
        return cbor2.loads(data, tag_hook=_cbor_tag)
    except BadInput:
        raise
    except Exception as error:  # the decoder raises many kinds
        raise BadInput(f"this is not CBOR ({type(error).__name__})") from None


DEEPEST = 64  # arrays and maps within each other


def _check_cbor(data: bytes) -> None:
    """Refuse what no message has before it is decoded: tags other than arrays of numbers, deep nesting.

    The decoder gives tags a meaning by itself (regular expressions, MIME, huge numbers) that may cost seconds. Headers
    are walked through, contents are jumped over: RFC 8949, section 3.
    """
    at, size = 0, len(data)
    open_items: list[float] = [1]  # that are still to come, of the whole and of each thing that is open
    while open_items:
        if not open_items[-1]:
            open_items.pop()
            continue
        if at >= size:
            raise BadInput("this is not CBOR (it ends too early)")
        kind, short = data[at] >> 5, data[at] & 31
        at += 1
        if kind == 7 and short == 31:  # the end of something whose length was not told
            if open_items[-1] != math.inf:
                raise BadInput("this is not CBOR (an end without a beginning)")
            open_items.pop()
            continue
        open_items[-1] -= 1
        length: float = short
        if 24 <= short <= 27:
            width = 1 << (short - 24)
            length = int.from_bytes(data[at : at + width], "big")
            at += width
        elif short > 27:
            if short != 31 or kind not in (2, 3, 4, 5):
                raise BadInput("this is not CBOR (a length that does not exist)")
            length = math.inf
        if kind in (2, 3) and length != math.inf:
            at += int(length)
        elif kind == 6:
            if length not in _DTYPES:
                raise BadInput(f"CBOR tag {length:g} is not an array of numbers")
            open_items.append(1)
        elif kind in (2, 3, 4, 5):
            open_items.append(2 * length if kind == 5 else length)
        if len(open_items) > DEEPEST:
            raise BadInput(f"CBOR nested deeper than {DEEPEST}")
    if at > size:
        raise BadInput("this is not CBOR (it ends too early)")


_DTYPES = {tag: np.dtype(name).newbyteorder("<") for name, tag in TYPED_ARRAYS.items()}


def _cbor_tag(*parts: Any) -> Any:
    tag = parts[-1] if hasattr(parts[-1], "tag") else parts[-2]  # (decoder, tag) or (tag, immutable) by version
    dtype = _DTYPES.get(tag.tag)
    if dtype is None or not isinstance(tag.value, bytes) or len(tag.value) % dtype.itemsize:
        raise BadInput(f"CBOR tag {tag.tag} is not an array of numbers")
    return np.frombuffer(tag.value, dtype).astype(dtype.newbyteorder("="))


def to_png(text: str) -> str:
    """Base64 of a PNG whose pixels are the bytes of a text, filled up with line ends."""
    import io

    from PIL import Image

    data = text.encode()
    width = max(1, math.floor(math.sqrt(len(data) / 3.0)))
    height = max(1, math.ceil(len(data) / 3.0 / width))
    picture = Image.frombytes("RGB", (width, height), data.ljust(3 * width * height, b"\n"))
    out = io.BytesIO()
    picture.save(out, format="PNG")
    return base64.b64encode(out.getvalue()).decode()


class Frame:
    """A message of a topic as CDR bytes, with its rosbridge encodings on demand."""

    def __init__(self, topic: str, type_name: str, stamp: float, cdr: bytes, latched: bool = False) -> None:
        self.topic, self.type_name = topic, type_name  # "pkg/msg/Name"
        self.stamp = stamp  # simulated time at which it was published [s]
        self.cdr, self.latched = cdr, latched

    @cached_property
    def value(self) -> dict[str, Any]:
        """Fields as dicts, arrays and numbers."""
        return messages.to_dict(messages.from_cdr(self.type_name, self.cdr))

    @cached_property
    def json(self) -> str:
        """The rosbridge `publish` operation as JSON."""
        return to_json({"op": "publish", "topic": self.topic, "msg": self.value})

    @cached_property
    def cbor(self) -> bytes:
        """The rosbridge `publish` operation as CBOR."""
        return to_cbor({"op": "publish", "topic": self.topic, "msg": self.value})

    @cached_property
    def raw(self) -> bytes:
        """The rosbridge `publish` operation as CBOR with the CDR bytes as they are."""
        seconds = int(self.stamp // 1.0)
        part = {"secs": seconds, "nsecs": round((self.stamp - seconds) * 1e9), "bytes": self.cdr}
        return to_cbor({"op": "publish", "topic": self.topic, "msg": part})

    @cached_property
    def ros1(self) -> bytes:
        """The message as ROS 1 sends it."""
        return messages.to_ros1(messages.from_cdr(self.type_name, self.cdr))

    @cached_property
    def png(self) -> str:
        """The rosbridge `png` operation: the JSON text as a picture."""
        return to_json({"op": "png", "data": to_png(self.json)})

    def encoded(self, compression: str) -> str | bytes:
        """Text or bytes to send for `none`, `cbor`, `cbor-raw` or `png`."""
        if compression == "cbor":
            return self.cbor
        if compression == "cbor-raw":
            return self.raw
        return self.png if compression == "png" else self.json
