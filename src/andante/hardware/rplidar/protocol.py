"""The serial protocol of the RPLIDAR A1, A2 and A3, as bytes in and readings out; no port, no clock.

After Slamtec's "Interface Protocol and Application Notes": a request is A5, a command and, with a payload, its size,
the payload and the XOR of all bytes before. An answer begins with a descriptor A5 5A, 30 bits of length, 2 bits of
mode and a type; a scan then sends packets of that length without end. Read here:

type  packet
0x81  5 bytes, one reading: S and its inverse, quality, check bit, angle [1/64 degree], distance [1/4 mm]
0x82  84 bytes, express: start angle, 16 cabins of two readings, distance [1/4 mm], compensation of angle [1/8 degree]
0x85  84 bytes, dense: start angle, 40 distances [mm]

Readings of an express or dense packet lie evenly between its start angle and that of the next packet. Angles go
clockwise seen from above; a distance of 0 is no echo.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

STOP, RESET, SCAN, INFO, HEALTH, EXPRESS, MOTOR = 0x25, 0x40, 0x20, 0x50, 0x52, 0x82, 0xF0
SAMPLE, CAPSULE, DENSE, INFO_TYPE, HEALTH_TYPE = 0x81, 0x82, 0x85, 0x04, 0x06
LENGTHS = {SAMPLE: 5, CAPSULE: 84, DENSE: 84, INFO_TYPE: 20, HEALTH_TYPE: 3}
PWM = 660  # of the motor of an A2 or A3
ROOM = 8192  # bytes that wait for the rest of a packet; older ones are rubbish
FULL = 360 * 64  # a turn [1/64 degree]
WIDEST = FULL // 6  # of one packet, at 2000 readings and 10 turns a second


def request(command: int, payload: bytes = b"") -> bytes:
    """The bytes of a request."""
    if not payload:
        return bytes([0xA5, command])
    body = bytes([0xA5, command, len(payload)]) + payload
    check = 0
    for byte in body:
        check ^= byte
    return body + bytes([check])


def express_request() -> bytes:
    """Start an express scan in its legacy mode, which A1 (firmware 1.17 on), A2 and A3 have."""
    return request(EXPRESS, bytes(5))


def motor_request(pwm: int = PWM) -> bytes:
    """Let the motor of an A2 or A3 turn; 0: stand."""
    return request(MOTOR, struct.pack("<H", pwm))


@dataclass(frozen=True)
class Reading:
    """One beam."""

    angle: float  # clockwise from ahead [degrees], 0 to 360
    distance: float  # [m]; 0: no echo
    first: bool = False  # of a new turn, as the lidar marks it


@dataclass(frozen=True)
class Info:
    """What the lidar says that it is."""

    model: int
    firmware: tuple[int, int]
    hardware: int
    serial: str

    @property
    def name(self) -> str:
        """Its kind by the model number: 0x18 is an A1, 0x28 an A2, 0x31 an A3."""
        kind = {1: "A1", 2: "A2", 3: "A3"}.get(self.model >> 4, f"model 0x{self.model:02x}")
        return f"RPLIDAR {kind}, firmware {self.firmware[0]}.{self.firmware[1]:02d}"


@dataclass(frozen=True)
class Health:
    """How the lidar is: status 0 well, 1 warning, 2 error."""

    status: int
    code: int


class Decoder:
    """Bytes in, readings and answers out; what is no packet is skipped and counted in `rubbish`."""

    def __init__(self) -> None:
        self.rubbish = 0  # bytes that belonged to no packet
        self.packets = 0  # that were whole
        self.kind = 0  # type of the packets that come; 0: none
        self._buffer = bytearray()
        self._before: tuple[int, bytes] | None = None  # start angle and cabins of the last express packet
        self._spread = 0  # between the last two that followed on each other [1/64 degree]
        self._broken = False  # whether something was skipped since

    def forget(self) -> None:
        """Begin anew: whatever has come is nothing."""
        self._buffer.clear()
        self._before, self.kind, self._spread, self._broken = None, 0, 0, False

    def feed(self, data: bytes) -> list[Reading | Info | Health]:
        """Take bytes; what they complete."""
        self._buffer += data
        out: list[Reading | Info | Health] = []
        while step := self._step():
            out += step[1]
            del self._buffer[: step[0]]
        if len(self._buffer) > ROOM:
            self._skip(len(self._buffer) - ROOM)
        return out

    def _skip(self, count: int) -> None:
        self.rubbish += count
        del self._buffer[:count]

    def _step(self) -> tuple[int, list[Reading | Info | Health]] | None:
        """Bytes used and what they told; None: more are needed."""
        buffer = self._buffer
        while buffer:
            if buffer[:2] == b"\xa5\x5a":
                if len(buffer) < 7:
                    return None
                kind = buffer[6]
                length = int.from_bytes(buffer[2:6], "little") & 0x3FFFFFFF
                if LENGTHS.get(kind) == length:
                    if kind in (INFO_TYPE, HEALTH_TYPE):
                        return None if len(buffer) < 7 + length else (7 + length, [_answer(kind, bytes(buffer[7:]))])
                    self.kind, self._before = kind, None
                    return 7, []
            elif buffer[0] == 0xA5 and len(buffer) == 1:
                return None
            if self.kind:
                length = LENGTHS[self.kind]
                if not self._begins(buffer):
                    self._lose()
                    continue
                if len(buffer) < length:
                    return None
                packet = bytes(buffer[:length])
                if self.kind != SAMPLE and not _sums_up(packet):
                    self._lose()
                    continue
                self.packets += 1
                return length, list(self._readings(packet))
            self._skip(1)
        return None

    def _lose(self) -> None:
        self._broken = True
        self._skip(1)

    def _begins(self, buffer: bytearray) -> bool:
        """Whether a packet of the present kind may begin here."""
        if self.kind == SAMPLE:
            return (buffer[0] & 1) != (buffer[0] >> 1 & 1) and (len(buffer) < 2 or bool(buffer[1] & 1))
        return buffer[0] >> 4 == 0xA and (len(buffer) < 2 or buffer[1] >> 4 == 0x5)

    def _readings(self, packet: bytes) -> Iterator[Reading]:
        if self.kind == SAMPLE:
            _, angle, distance = struct.unpack("<BHH", packet)
            if angle >> 1 < FULL:
                yield Reading((angle >> 1) / 64.0, distance / 4000.0, bool(packet[0] & 1))
            else:
                self.rubbish += len(packet)
            return
        start, cabins = int.from_bytes(packet[2:4], "little"), packet[4:]
        before, self._before = self._before, (start & 0x7FFF, cabins)
        if before is None or start & 0x8000:  # the first packet of a scan follows on nothing
            return
        spread = ((start & 0x7FFF) - before[0]) % FULL
        broken, self._broken = self._broken, False
        if broken and spread > (1.5 * self._spread or WIDEST):  # a packet was lost between the two
            return
        self._spread = spread
        yield from (_capsule if self.kind == CAPSULE else _dense)(before[0], spread, before[1])


def _capsule(start: int, spread: int, cabins: bytes) -> Iterator[Reading]:
    for k in range(16):
        first, second, low = struct.unpack_from("<HHB", cabins, 5 * k)
        for j, (word, part) in enumerate(((first, low & 0xF), (second, low >> 4))):
            shift = (part | (word & 3) << 4) / 8.0  # [degrees]
            angle = (start + spread * (2 * k + j) / 32.0) / 64.0 - shift
            yield Reading(angle % 360.0, (word & 0xFFFC) / 4000.0)


def _dense(start: int, spread: int, cabins: bytes) -> Iterator[Reading]:
    for k in range(40):
        distance = int.from_bytes(cabins[2 * k : 2 * k + 2], "little")
        yield Reading((start + spread * k / 40.0) / 64.0 % 360.0, distance / 1000.0)


def _sums_up(packet: bytes) -> bool:
    check = 0
    for byte in packet[2:]:
        check ^= byte
    return check == (packet[0] & 0xF | (packet[1] & 0xF) << 4)


def _answer(kind: int, data: bytes) -> Info | Health:
    if kind == INFO_TYPE:
        return Info(data[0], (data[2], data[1]), data[3], data[4:20].hex())
    return Health(data[0], int.from_bytes(data[1:3], "little"))
