"""Ports: something that gives and takes bytes without ever waiting long. Serial ports by pyserial."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import serial
from serial.tools import list_ports

from andante.errors import BadInput

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
    """A serial port of this computer."""

    def __init__(self, name: str, baud: int = 115200, wait: float = WAIT) -> None:
        alone = True if os.name == "posix" else None  # elsewhere ports are never shared
        try:
            self._port = serial.Serial(name, baud, timeout=wait, write_timeout=WRITE_WAIT, exclusive=alone)
        except ValueError as error:  # pyserial on a baud rate that cannot be
            raise BadInput(f"serial port {name}: {error}") from error
        except OSError:
            raise
        except Exception as error:  # the system's own error type for a terminal that vanished while it was opened
            raise OSError(f"serial port {name}: {error}") from error

    def read(self) -> bytes:
        """What has come."""
        return self._port.read(min(max(1, self._port.in_waiting), CHUNK))

    def write(self, data: bytes) -> bool:
        """Send; a line that is stuck is left after `WRITE_WAIT`."""
        try:
            self._port.write(data)
        except serial.SerialTimeoutException:
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
