"""Frames on a byte stream: COBS between zero bytes, each with a CRC-16/CCITT.

A packet of at most `MAX_PACKET` bytes is followed by its checksum (little-endian), stuffed so that it holds no zero
byte (Cheshire and Baker, Consistent Overhead Byte Stuffing, 1999), and sent between two zero bytes. Whatever happens to
a line, the next good frame is understood again.
"""

from __future__ import annotations

from binascii import crc_hqx
from dataclasses import dataclass

from andante.errors import BadInput

MAX_PACKET = 240  # bytes before the checksum; short enough that no stuffed block reaches COBS code 255
MAX_STUFFED = MAX_PACKET + 3  # with checksum and one byte of stuffing
ZERO = b"\0"


@dataclass
class LineCounters:
    """What has passed over one end of a line, and what was wrong with it."""

    bytes_in: int = 0
    bytes_out: int = 0
    frames_in: int = 0  # understood
    frames_out: int = 0
    garbled: int = 0  # frames with broken stuffing or checksum
    oversized: int = 0  # runs of bytes longer than any frame
    malformed: int = 0  # frames whose payload is no value of their message
    unknown: int = 0  # frames with a code that nobody knows, or that goes the other way
    foreign: int = 0  # frames of another protocol version
    repeated: int = 0  # frames that came again
    missing: int = 0  # frames that never came, by the gaps of the sequence numbers
    dropped: int = 0  # bytes or messages thrown away because a buffer was full or nobody was connected

    @property
    def troubles(self) -> int:
        """Everything that went wrong, added up."""
        return (
            self.garbled + self.oversized + self.malformed + self.unknown + self.foreign + self.repeated + self.missing
        )


def checksum(data: bytes) -> int:
    """CRC-16/CCITT of bytes: polynomial 0x1021, start 0xFFFF, not reflected; 0x29B1 for b'123456789'."""
    return crc_hqx(data, 0xFFFF)


def stuff(data: bytes) -> bytes:
    """The bytes without zeros, by COBS: each block of non-zero bytes after its length plus one."""
    return b"".join(bytes((len(block) + 1,)) + block for block in data.split(ZERO))


def unstuff(data: bytes) -> bytes | None:
    """Undo `stuff`; None when the bytes are no result of it."""
    blocks, at = [], 0
    while at < len(data):
        code = data[at]
        if code in (0, 255) or at + code > len(data):
            return None
        blocks.append(data[at + 1 : at + code])
        at += code
    return ZERO.join(blocks) if blocks else None


def frame(packet: bytes) -> bytes:
    """A packet as it goes onto the line."""
    if not 0 < len(packet) <= MAX_PACKET:
        raise BadInput(f"a packet has 1 to {MAX_PACKET} bytes, got {len(packet)}")
    return ZERO + stuff(packet + checksum(packet).to_bytes(2, "little")) + ZERO


class FrameReader:
    """Finds packets in a stream of bytes; holds at most one frame, whatever comes."""

    def __init__(self, counters: LineCounters | None = None) -> None:
        self.counters = counters or LineCounters()
        self._held = bytearray()
        self._skipping = False  # the run of bytes is too long already: wait for a zero

    @property
    def held(self) -> int:
        """How many bytes wait for the rest of their frame."""
        return len(self._held)

    def feed(self, data: bytes) -> list[bytes]:
        """Packets with a good checksum that end in these bytes."""
        self.counters.bytes_in += len(data)
        *ended, rest = data.split(ZERO)
        packets = []
        for part in ended:
            self._hold(part)
            packet = self._end()
            if packet is not None:
                packets.append(packet)
        self._hold(rest)
        return packets

    def forget(self) -> None:
        """Drop a frame that has begun: the line was cut."""
        self._held.clear()
        self._skipping = False

    def _hold(self, part: bytes) -> None:
        if self._skipping:
            return
        if len(self._held) + len(part) > MAX_STUFFED:
            self._skipping = True
            self.counters.oversized += 1
            self._held.clear()
        else:
            self._held += part

    def _end(self) -> bytes | None:
        """A zero has come: the packet before it, if there is one."""
        stuffed, skipped = bytes(self._held), self._skipping
        self.forget()
        if skipped or not stuffed:
            return None
        whole = unstuff(stuffed)
        if whole is None or len(whole) < 3 or checksum(whole[:-2]) != int.from_bytes(whole[-2:], "little"):
            self.counters.garbled += 1
            return None
        return whole[:-2]
