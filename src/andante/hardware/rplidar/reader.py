"""`RpLidar`: an RPLIDAR at a serial port as a source of scans; a thread keeps the line and starts it anew."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Self

import numpy as np

from andante.errors import BadInput, one_line
from andante.files import Closing
from andante.hardware.serial.ports import OpenPort, Port, SerialPort, serial_ports
from andante.mapping import Scan

from .protocol import (
    HEALTH,
    INFO,
    SCAN,
    STOP,
    Decoder,
    Health,
    Info,
    Reading,
    express_request,
    motor_request,
    request,
)

KEPT = 50  # scans
ANSWERING = 1.0  # after which an unanswered request counts as such [s]
SILENCE = 1.5  # without a whole packet for so long the scan is started again [s]
TURNLESS = 3.0  # ... and where packets come, but no whole turn of them [s]
AGAIN = 1.0  # between two tries to open the port [s]
SLOWEST_TURN = 1.0  # a longer turn is none [s]
FEWEST = 90  # readings of a turn that counts
RANGE_MIN, RANGE_MAX = 0.15, 25.0  # [m]
BEAMS = (360, 720, 1440)  # of a scan: the most that its readings fill


class RpLidar(Closing):
    """An RPLIDAR A1, A2 or A3 (a port name, or a function that opens any other `Port`).

    Args:
        port: name of its serial port.
        baud: 115200 of an A1 or A2, 256000 of an A3.
        say: told words on what happens to the line.
        clock: that scans are stamped by [s].
    """

    def __init__(
        self,
        port: str | OpenPort,
        baud: int = 115200,
        say: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.where = port if isinstance(port, str) else "the port"
        self._open: OpenPort = (lambda: SerialPort(port, baud, dtr=False)) if isinstance(port, str) else port
        self._say, self.clock = say or (lambda words: None), clock
        self.decoder = Decoder()
        self.info: Info | None = None
        self.trouble = "it tells nothing so far"  # why there are no scans; empty: there are
        self._scans: deque[Scan] = deque(maxlen=KEPT)
        self._turn: list[Reading] = []
        self._began = self._newest = math.nan  # the present turn, and when the last whole one ended [s]
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._keep, name=f"rplidar {self.where}", daemon=True)
        self._thread.start()

    # ---- for its users ---------------------------------------------------------------------------
    def scans(self, since: float) -> tuple[Scan, ...]:
        """Scans whose first beam came after a time of the clock [s], oldest first, in the axes of the sensor."""
        with self._lock:
            return tuple(scan for scan in self._scans if scan.time > since)

    def connect(self, timeout: float = 10.0) -> Self:
        """Wait for the first scan; refused in words when none comes within a time [s]."""
        end = time.monotonic() + timeout
        while not self._scans:
            if time.monotonic() > end:
                named = ", ".join(each.name for each in serial_ports()) or "none"
                raise BadInput(f"no scan of an RPLIDAR at {self.where}: {self.trouble}; serial ports here: {named}")
            time.sleep(0.01)
        return self

    def close(self) -> None:
        """Stop its motor and let the line go."""
        self._stop.set()
        self._thread.join(2.0)

    # ---- the line --------------------------------------------------------------------------------
    def _keep(self) -> None:
        while not self._stop.is_set():
            try:
                port = self._open()
            except Exception as error:
                self._fail(f"it cannot be opened: {one_line(error)}")
                self._stop.wait(AGAIN)
                continue
            try:
                self._run(port)
            except OSError as error:
                self._fail(f"the line broke: {one_line(error)}")
                self._stop.wait(AGAIN)
            finally:
                with contextlib.suppress(OSError):
                    port.write(request(STOP) + motor_request(0))
                port.close()

    def _fail(self, words: str) -> None:
        if words != self.trouble and not self._stop.is_set():
            self.trouble = words
            self._say(f"RPLIDAR at {self.where}: {words}")

    def _run(self, port: Port) -> None:
        """One connection: ask who it is, start a scan, and start it again whenever nothing whole comes."""
        plain = False  # whether the old kind of scan is asked for
        while not self._stop.is_set():
            self._start(port, plain)
            packets, rubbish = self.decoder.packets, self.decoder.rubbish
            whole_at = began = self._newest = time.monotonic()
            while not self._stop.is_set() and time.monotonic() - whole_at < (SILENCE if packets else ANSWERING):
                if time.monotonic() - self._newest > TURNLESS:  # in rubbish samples of 5 bytes are found that are none
                    break
                self._take(port.read())
                if self.decoder.packets != packets:
                    packets, whole_at, rubbish = self.decoder.packets, time.monotonic(), self.decoder.rubbish
                elif self.trouble == "" and time.monotonic() - self._newest > SILENCE:
                    self._fail("it does not turn")
            if self._stop.is_set():
                return
            skipped, turned = self.decoder.rubbish - rubbish, self._newest > began
            silent = time.monotonic() - whole_at > ANSWERING
            words = "it tells nothing" if silent else "what it sends gives no turn"
            self._fail(f"it sends rubbish, {skipped} bytes" if skipped > 100 else words)
            plain = not plain and not turned  # an old one knows no express scan

    def _start(self, port: Port, plain: bool) -> None:
        port.write(request(STOP))
        self._stop.wait(0.02)
        for _ in range(64):  # what is still under way
            if not port.read():
                break
        self.decoder.forget()
        self._turn.clear()
        port.write(request(INFO))
        self._wait_for(port, Info)
        port.write(request(HEALTH))
        health = self._wait_for(port, Health)
        if isinstance(health, Health) and health.status == 2:
            self._fail(f"it reports error 0x{health.code:04x}; switch it off and on")
        port.write(motor_request())
        port.write(request(SCAN) if plain else express_request())

    def _wait_for(self, port: Port, kind: type) -> object:
        end = time.monotonic() + ANSWERING
        while time.monotonic() < end and not self._stop.is_set():
            for told in self.decoder.feed(port.read()):
                if isinstance(told, Info):
                    self.info = told
                if isinstance(told, kind):
                    return told
        return None

    # ---- turns -----------------------------------------------------------------------------------
    def _take(self, data: bytes) -> None:
        now = self.clock()
        for told in self.decoder.feed(data):
            if not isinstance(told, Reading):
                continue
            if self._turn and (told.first or told.angle < self._turn[-1].angle - 180.0):
                self._finish(now)
            if not self._turn:
                self._began = now
            self._turn.append(told)
            if len(self._turn) > 4 * BEAMS[-1]:
                self._turn.clear()

    def _finish(self, now: float) -> None:
        lasted, turn = now - self._began, self._turn
        self._turn = []
        if len(turn) < FEWEST or not 0 < lasted < SLOWEST_TURN:
            return
        scan = scan_of_turn(turn, self._began, lasted)
        with self._lock:
            self._scans.append(scan)
        self._newest = time.monotonic()
        if self.trouble:
            self.trouble = ""
            name = self.info.name if self.info else "RPLIDAR"
            self._say(f"{name} at {self.where}: {len(turn)} readings a turn, {1 / lasted:.1f} turns a second")


def scan_of_turn(turn: list[Reading], time: float, lasted: float) -> Scan:
    """One turn as a scan: evenly spread beams, each with the nearest of its readings; NaN where there was none.

    The lidar counts its angles clockwise, so the increment is negative.
    """
    count = max([n for n in BEAMS if n <= len(turn)] or BEAMS[:1])
    ranges = np.full(count, np.nan)
    place = np.round(np.array([reading.angle for reading in turn]) * count / 360.0).astype(int) % count
    distance = np.array([reading.distance if reading.distance > 0 else math.inf for reading in turn])
    np.fmin.at(ranges, place, distance)
    return Scan(time, ranges, 0.0, -2 * math.pi / count, RANGE_MIN, RANGE_MAX, lasted / count)
