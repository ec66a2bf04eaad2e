"""The serial protocol of a Pozyx tag at its USB port, as bytes in and answers out; no port, no clock.

Registers are read and functions called by lines of text, as Pozyx Labs publish it with their library for Python:

request                        answer
R,<register>,<bytes>\\r         D,<bytes in hexadecimal>\\r\\n
F,<function>,<parameters>,<bytes>\\r   D,<1: done, 0: failed><bytes>\\r\\n

Numbers are hexadecimal with two digits, but the counts of bytes, which are decimal; values are little-endian. A range
is asked for by function 0xB5 with the anchor's id; it is there when bit 4 of register 0x05 is set (bit 0: it failed),
and function 0xC7 tells it: time [ms] u32, distance [mm] u32, strength [dBm] i16. Register 0x00 holds 0x43.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass

WHO_AM_I, INTERRUPTS = 0x00, 0x05  # registers
POZYX = 0x43  # what WHO_AM_I holds
FAILED, RANGED = 0x01, 0x10  # bits of INTERRUPTS: an error, a function is done
DO_RANGING, RANGE_INFO = 0xB5, 0xC7  # functions
INFO_BYTES = 10
LONGEST = 512  # characters of an answer; longer ones are rubbish
_ANSWER = re.compile(rb"D,((?:[0-9A-Fa-f]{2})*)")


@dataclass(frozen=True)
class Ranged:
    """One range between a tag and an anchor."""

    milliseconds: int  # of the tag's clock
    distance: float  # [m]
    strength: int  # [dBm]


def read_request(register: int, size: int = 1) -> bytes:
    """The bytes that ask for the content of registers."""
    return b"R,%02x,%d\r" % (register, size)


def function_request(function: int, parameters: bytes, size: int = 0) -> bytes:
    """The bytes that call a function whose answer has `size` bytes behind its status."""
    return b"F,%02x,%s,%d\r" % (function, parameters.hex().encode(), size + 1)


def anchor_parameters(anchor: int) -> bytes:
    """The id of an anchor as parameters of a function."""
    return struct.pack("<H", anchor)


def ranged(answer: bytes) -> Ranged | None:
    """What an answer of RANGE_INFO tells; None: it failed, is too short, or tells no distance."""
    if len(answer) != INFO_BYTES + 1 or answer[0] != 1:
        return None
    time, millimeters, strength = struct.unpack("<IIh", answer[1:])
    return Ranged(time, millimeters / 1000.0, strength) if millimeters else None


class Answers:
    """Bytes in, contents of answers out; what is no answer is skipped and counted in `rubbish`."""

    def __init__(self) -> None:
        self.rubbish = 0  # bytes
        self._buffer = b""

    def forget(self) -> None:
        """Begin anew: whatever has come is nothing."""
        self._buffer = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Take bytes; the answers that they complete."""
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        if len(self._buffer) > LONGEST:
            self.rubbish += len(self._buffer)
            self._buffer = b""
        out = []
        for line in lines:
            found = _ANSWER.fullmatch(line.rstrip(b"\r"))
            if found is None or len(line) > LONGEST:
                self.rubbish += len(line) + 1
            else:
                out.append(bytes.fromhex(found.group(1).decode()))
        return out
