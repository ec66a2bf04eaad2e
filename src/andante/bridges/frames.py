"""`Frame`: one message on its way out, encoded once per encoding however many clients want it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from andante.bags import messages

from .encoding import to_cbor, to_json, to_png


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
