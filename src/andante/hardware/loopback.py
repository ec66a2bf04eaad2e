"""A line in memory with two ends: a serial cable for tests, examples and simulated microcontrollers."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from .ports import CHUNK

ROOM = 4096  # bytes that wait in one direction; more are dropped, as by a UART


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
