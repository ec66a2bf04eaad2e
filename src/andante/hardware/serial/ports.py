"""Ports: something that gives and takes bytes without ever waiting long. Serial ports, and a cable in memory."""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import serial
from serial.tools import list_ports

from andante.errors import BadInput

ROOM = 4096  # bytes that wait in one direction; more are dropped, as by a UART
CHUNK = 4096  # most bytes that are taken at once
WAIT = 0.01  # how long `read` waits for a first byte [s]
WRITE_WAIT = 0.05  # how long `write` waits for a full line [s]


class Port(Protocol):
    """An open line. `read` and `write` raise OSError when it is gone."""

    def read(self) -> bytes:
        """What has come, at most `CHUNK` bytes; waits a moment at most."""

    def write(self, data: bytes) -> bool:
        """Send; False when the line took no more, so that a part of the bytes may be lost."""

    def close(self) -> None:
        """Let the line go."""


OpenPort: TypeAlias = Callable[[], Port]


class SerialPort:
    """A serial port of this computer; dtr: the level of its DTR line, None: as the system sets it."""

    def __init__(self, name: str, baud: int = 115200, wait: float = WAIT, dtr: bool | None = None) -> None:
        alone = True if os.name == "posix" else None  # elsewhere ports are never shared
        try:
            self._port = serial.Serial(name, baud, timeout=wait, write_timeout=WRITE_WAIT, exclusive=alone)
        except ValueError as error:  # pyserial on a baud rate that cannot be
            raise BadInput(f"serial port {name}: {error}") from error
        except OSError:
            raise
        except Exception as error:  # the system's own error type for a terminal that vanished while it was opened
            raise OSError(f"serial port {name}: {error}") from error
        if dtr is not None:
            with contextlib.suppress(Exception):  # a pseudo terminal has no such line
                self._port.dtr = dtr

    def read(self) -> bytes:
        """What has come."""
        return self._port.read(min(max(1, self._port.in_waiting), CHUNK))

    def write(self, data: bytes) -> bool:
        """Send; a line that is stuck is left after `WRITE_WAIT`.

        pyserial also counts the time that this process waited for its turn, even when all bytes are out.
        """
        if os.name != "posix":
            try:
                self._port.write(data)
            except serial.SerialTimeoutException:
                return False
            return True
        line, rest = self._port.fileno(), memoryview(data)
        end = time.monotonic() + WRITE_WAIT
        while rest:
            try:
                rest = rest[os.write(line, rest) :]
            except BlockingIOError:
                if not select.select([], [line], [], max(0.0, end - time.monotonic()))[1]:
                    return False
        return True

    def close(self) -> None:
        """Drop what has not gone out, so that closing never waits for a stuck line."""
        with contextlib.suppress(Exception):  # a port that is gone gives errors of many types
            self._port.reset_output_buffer()
        with contextlib.suppress(Exception):
            self._port.close()


@dataclass(frozen=True)
class PortInfo:
    """A serial port that this computer has."""

    name: str
    words: str


def serial_ports() -> tuple[PortInfo, ...]:
    """All serial ports of this computer, sorted by name."""
    return tuple(PortInfo(each.device, each.description or "") for each in sorted(list_ports.comports()))


@dataclass
class _Pipe:
    """One direction."""

    data: bytearray = field(default_factory=bytearray)
    dropped: int = 0


class Loopback:
    """A cable. `pull` cuts it, `plug` joins it again; `computer()` and `microcontroller()` open its ends."""

    def __init__(self, wait: float = 0.0) -> None:
        self.wait = wait  # how long `read` waits for a first byte [s]
        self.plugged = True
        self._changed = threading.Condition()
        self._down, self._up = _Pipe(), _Pipe()

    def computer(self) -> LoopbackEnd:
        """The end of the computer; refused while the cable is pulled."""
        return self._open(self._up, self._down)

    def microcontroller(self) -> LoopbackEnd:
        """The end of the microcontroller."""
        return self._open(self._down, self._up)

    def pull(self) -> None:
        """Cut the cable; what is under way is lost."""
        with self._changed:
            self.plugged = False
            self._down.data.clear()
            self._up.data.clear()
            self._changed.notify_all()

    def plug(self) -> None:
        """Join it again."""
        with self._changed:
            self.plugged = True

    @property
    def dropped(self) -> int:
        """Bytes that found no room."""
        return self._down.dropped + self._up.dropped

    def _open(self, incoming: _Pipe, outgoing: _Pipe) -> LoopbackEnd:
        if not self.plugged:
            raise OSError("the cable is not plugged in")
        return LoopbackEnd(self, incoming, outgoing)

    def take(self, pipe: _Pipe) -> bytes:
        """Bytes of one direction."""
        with self._changed:
            if self.wait and not pipe.data and self.plugged:
                self._changed.wait(self.wait)
            if not self.plugged:
                raise OSError("the cable was pulled")
            data = bytes(pipe.data[:CHUNK])
            del pipe.data[:CHUNK]
            return data

    def give(self, pipe: _Pipe, data: bytes) -> bool:
        """Put bytes into one direction; False when some found no room."""
        with self._changed:
            if not self.plugged:
                raise OSError("the cable was pulled")
            fits = data[: ROOM - len(pipe.data)]
            pipe.data += fits
            pipe.dropped += len(data) - len(fits)
            self._changed.notify_all()
            return len(fits) == len(data)


class LoopbackEnd:
    """One open end: a `Port`."""

    def __init__(self, cable: Loopback, incoming: _Pipe, outgoing: _Pipe) -> None:
        self._cable, self._incoming, self._outgoing = cable, incoming, outgoing

    def read(self) -> bytes:
        """What has come."""
        return self._cable.take(self._incoming)

    def write(self, data: bytes) -> bool:
        """Send."""
        return self._cable.give(self._outgoing, data)

    def close(self) -> None:
        """Nothing to let go: the cable stays."""
