"""One end of the line: header, sequence numbers, handshake and heartbeat; pure, time and bytes come from outside.

A packet is version (u8), code (u8), sequence number (u16), payload. A side that is not connected sends `Hello` and
listens to nothing else; a hello of another session means that the other side has started anew. Frames of another
version are never decoded: both sides say so and do not connect.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, replace

from .framing import FrameReader, LineCounters, frame
from .messages import BY_CODE, Heartbeat, Hello, Role
from .wire import Message, Way, pack, printable, unpack

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
