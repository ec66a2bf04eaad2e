"""An RPLIDAR that is none: it answers at the master's end of a pseudo terminal as the published protocol says."""

import contextlib
import os
import struct
import threading
import time


def descriptor(length, kind, many):
    return b"\xa5\x5a" + struct.pack("<I", length | (0x40000000 if many else 0)) + bytes([kind])


def sample(angle, distance, first=False, quality=15):
    """One reading of the plain scan: degrees, meters."""
    flags = quality << 2 | (0b01 if first else 0b10)
    return struct.pack("<BHH", flags, round(angle * 64) << 1 | 1, round(distance * 4000))


def signed(body, start, first=False):
    """An express or dense packet of its cabins."""
    rest = struct.pack("<H", round(start * 64) % (360 * 64) | (0x8000 if first else 0)) + body
    check = 0
    for byte in rest:
        check ^= byte
    return bytes([0xA0 | check & 0xF, 0x50 | check >> 4]) + rest


def capsule(start, distances, shift=0.0, first=False):
    """An express packet of 32 distances [m], all turned by a compensation [degrees]."""
    part = round(shift * 8)
    cabins = b""
    for one, two in zip(distances[::2], distances[1::2], strict=True):
        words = [round(d * 1000) << 2 | part >> 4 for d in (one, two)]
        cabins += struct.pack("<HHB", *words, (part & 0xF) << 4 | part & 0xF)
    return signed(cabins, start, first)


def dense(start, distances, first=False):
    """A dense packet of 40 distances [m]."""
    return signed(struct.pack("<40H", *(round(d * 1000) for d in distances)), start, first)


class StandIn:
    """Answers requests and sends turns of 12 express packets, or 384 plain readings, until it is told to stop.

    `express`: whether it knows the newer scan; `rubbish`: bytes that it sends before each packet; `turns`: whether its
    motor turns; `distance`: of what stands around it at an angle in degrees [m].
    """

    def __init__(self, master, express=True, distance=lambda angle: 2.0):
        self.master, self.express, self.distance = master, express, distance
        self.rubbish, self.turns, self.asked = b"", True, []
        self._scan, self._end = "", threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self):
        self._end.set()
        self._thread.join(5.0)

    def _run(self):
        waiting, angle, first = b"", 0.0, True
        while not self._end.is_set():
            try:
                waiting += os.read(self.master, 256)
            except BlockingIOError:
                pass
            except OSError:
                time.sleep(0.01)
            while len(waiting) >= 2:
                if waiting[0] != 0xA5:
                    waiting = waiting[1:]
                    continue
                size = 2 if waiting[1] < 0x80 else 4 + (waiting[2] if len(waiting) > 2 else 1000)
                if len(waiting) < size:
                    break
                angle, first = self._answer(waiting[1], angle, first)
                waiting = waiting[size:]
            if self._scan and self.turns:
                angle, first = self._send(angle, first)
            time.sleep(0.004)

    def _answer(self, command, angle, first):
        self.asked.append(command)
        if command == 0x25:
            self._scan = ""
        elif command == 0x50:
            self._write(descriptor(20, 0x04, False) + bytes([0x28, 29, 1, 7]) + bytes(range(16)))
        elif command == 0x52:
            self._write(descriptor(3, 0x06, False) + bytes(3))
        elif command == 0x82 and self.express:
            self._write(descriptor(84, 0x82, True))
            self._scan = "express"
            return 0.0, True
        elif command == 0x20:
            self._write(descriptor(5, 0x81, True))
            self._scan = "plain"
            return 0.0, True
        return angle, first

    def _send(self, angle, first):
        beams = [(angle + 30.0 * k / 32) % 360 for k in range(32)]
        if self._scan == "express":
            packet = capsule(angle, [self.distance(beam) for beam in beams], first=first)
        else:
            packet = b"".join(sample(beam, self.distance(beam), beam == 0.0) for beam in beams)
        self._write(self.rubbish + packet)
        return (angle + 30.0) % 360, False

    def _write(self, data):
        with contextlib.suppress(OSError):
            os.write(self.master, data)
