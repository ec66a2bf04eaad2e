"""One end of the line: header, sequence numbers, handshake and heartbeat; pure, time and bytes come from outside.

A packet is version (u8), code (u8), sequence number (u16), payload. A side that is not connected sends `Hello` and
listens to nothing else; a hello of another session means that the other side has started anew. Frames of another
version are never decoded: both sides say so and do not connect.
"""

from __future__ import annotations

import math
import struct
from binascii import crc_hqx
from dataclasses import dataclass, replace

from andante.errors import BadInput

from .messages import BY_CODE, Heartbeat, Hello, Message, Role, Way, pack, printable, unpack

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


VERSION = 1
HEADER = struct.Struct("<BBH")
HELLO_PERIOD = 0.1  # [s]
HEARTBEAT_PERIOD = 0.1  # [s]
WATCHDOG = 0.3  # without a good frame for this long the other side is taken as gone [s]
REPEATS = 32  # a sequence number at most this far back is a frame that came again


@dataclass(frozen=True)
class Received:
    """A message and the sequence number of its frame."""

    message: Message
    sequence: int


class Endpoint:
    """Sends and understands frames for one side."""

    def __init__(self, role: Role, session: int, name: str = "", version: int = VERSION) -> None:
        self.role, self.version = role, version
        self.counters = LineCounters()
        self.connected = False
        self.connections = 0  # how often a session has begun
        self.peer = ""  # name of the other side
        self.refused = ""  # words on a version that does not fit
        self.last_good = -math.inf  # when the last good frame came [s]
        self._hello = Hello(int(role), session & 0xFFFF, 0, name)
        self._reader = FrameReader(self.counters)
        self._sequence = 0
        self._heard: int | None = None  # newest sequence number of the other side
        self._session: int | None = None  # of the other side
        self._answer = False  # a hello waits for an answer
        self._last_sent = -math.inf
        self._last_hello = -math.inf

    # ---- sending ---------------------------------------------------------------------------------
    def send(self, message: Message, now: float) -> tuple[bytes, int]:
        """Frame of a message and the sequence number that it got."""
        sequence = self._sequence
        self._sequence = (sequence + 1) & 0xFFFF
        data = frame(HEADER.pack(self.version, message.code, sequence) + pack(message))
        self.counters.frames_out += 1
        self.counters.bytes_out += len(data)
        self._last_sent = now
        return data, sequence

    def due(self, now: float) -> bytes:
        """What must be said now without being asked: hello, an answer to one, a heartbeat; often nothing."""
        out = b""
        if self._answer:
            self._answer = False
            out += self.send(replace(self._hello, answer=1), now)[0]
        if not self.connected:
            if now - self._last_hello >= HELLO_PERIOD:
                self._last_hello = now
                out += self.send(self._hello, now)[0]
        elif now - self._last_sent >= HEARTBEAT_PERIOD:
            out += self.send(Heartbeat(int(now * 1000) & 0xFFFFFFFF), now)[0]
        return out

    # ---- receiving -------------------------------------------------------------------------------
    def receive(self, data: bytes, now: float) -> list[Received]:
        """Messages of the other side in these bytes, in order, each once; hello and heartbeat are dealt with here.

        A clock that was set back (a simulation that was restored) counts on from there.
        """
        if now < self.last_good:
            self.last_good = now
        self._last_sent, self._last_hello = min(self._last_sent, now), min(self._last_hello, now)
        out = []
        for packet in self._reader.feed(data):
            got = self._understand(packet, now)
            if got is not None:
                out.append(got)
        return out

    def _understand(self, packet: bytes, now: float) -> Received | None:
        counters = self.counters
        if len(packet) < HEADER.size:
            counters.malformed += 1
            return None
        version, code, sequence = HEADER.unpack_from(packet)
        if version != self.version:
            counters.foreign += 1
            if code == Hello.code:
                self._refuse(version)
            return None
        kind = BY_CODE.get(code)
        if kind is None or kind.way is (Way.DOWN if self.role is Role.COMPUTER else Way.UP):
            counters.unknown += 1
            return None
        message = unpack(kind, packet[HEADER.size :])
        if message is None:
            counters.malformed += 1
            return None
        if isinstance(message, Hello):
            self._greet(message, sequence, now)
            return None
        if not self.connected or self._came_again(sequence):
            return None
        counters.frames_in += 1
        self.last_good = now
        return None if isinstance(message, Heartbeat) else Received(message, sequence)

    def _came_again(self, sequence: int) -> bool:
        """Count gaps and repeats; True for a frame that was there before."""
        if self._heard is not None:
            ahead = (sequence - self._heard) & 0xFFFF
            if ahead == 0 or ahead > 0xFFFF - REPEATS:
                self.counters.repeated += 1
                return True
            self.counters.missing += ahead - 1 if ahead < 0x8000 else 0
        self._heard = sequence
        return False

    def _greet(self, hello: Hello, sequence: int, now: float) -> None:
        if hello.role == self.role:  # an echo of this side
            self.counters.unknown += 1
            return
        self.counters.frames_in += 1
        self.refused = ""
        self._answer |= not hello.answer
        self.last_good = now
        if not self.connected or hello.session != self._session:
            self.connected = True
            self.connections += 1
            self._session, self._heard = hello.session, sequence
            self.peer = printable(hello.name)
        elif ((sequence - (self._heard or 0)) & 0xFFFF) < 0x8000:
            self._heard = sequence

    def _refuse(self, version: int) -> None:
        mine, other = ("this program", "the microcontroller")
        if self.role is Role.MICROCONTROLLER:
            mine, other = ("this firmware", "the computer")
        self.connected = False
        self.refused = (
            f"{other} speaks protocol version {version}, {mine} version {self.version}; "
            "install a firmware and a program of the same version"
        )

    # ---- watchdog --------------------------------------------------------------------------------
    def silent(self, now: float) -> bool:
        """Whether the other side was connected and has not been heard for the watchdog's time."""
        return self.connected and now - self.last_good > WATCHDOG

    def disconnect(self) -> None:
        """Begin anew with the hello of a new session, so that the other side knows; half a frame is forgotten."""
        self.connected = False
        self._hello = replace(self._hello, session=(self._hello.session + 1) & 0xFFFF)
        self._session = self._heard = None
        self._last_hello = -math.inf
        self._reader.forget()
