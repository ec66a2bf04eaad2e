"""`PozyxTags`: UWB tags at serial ports as a source of ranges; a thread each keeps its line and opens it anew."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from andante.errors import BadInput, one_line
from andante.files import Closing
from andante.geometry import Array
from andante.hardware.serial.ports import OpenPort, Port, SerialPort, serial_ports

from .protocol import (
    DO_RANGING,
    FAILED,
    INFO_BYTES,
    INTERRUPTS,
    POZYX,
    RANGE_INFO,
    RANGED,
    WHO_AM_I,
    Answers,
    anchor_parameters,
    function_request,
    ranged,
    read_request,
)

KEPT = 200  # rounds of ranges
ANSWERING = 0.2  # the longest wait for an answer, and for a range [s]
AGAIN = 1.0  # between two tries to open a port [s]
SILENT = 5  # unanswered requests in a row after which the line is begun anew
FARTHEST = 300.0  # longer ranges are nonsense [m]


@dataclass(frozen=True)
class TagRanges:
    """Ranges of one tag to all anchors, measured at about one time."""

    time: float  # [s]
    tag: int  # number
    ranges: Array  # (anchors,) [m], NaN where there is none


class PozyxTags(Closing):
    """Pozyx tags, each at a serial port of its own (names, or functions that open any other `Port`).

    Args:
        ports: of the tags, the first one first.
        anchors: their network ids, as 0x6902.
        say: told words on what happens to the lines.
        clock: that ranges are stamped by [s].
    """

    def __init__(
        self,
        ports: Sequence[str | OpenPort],
        anchors: Sequence[int],
        say: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not ports or not anchors:
            raise BadInput("Pozyx tags need at least one port and one anchor")
        self.clock, self._say = clock, say or (lambda words: None)
        self.anchors = tuple(anchors)
        self.tags = [_Tag(number, port, self) for number, port in enumerate(ports)]
        self._told: deque[TagRanges] = deque(maxlen=KEPT)
        self._lock, self.stopped = threading.Lock(), threading.Event()
        for tag in self.tags:
            tag.thread.start()

    def ranges(self, since: float) -> tuple[TagRanges, ...]:
        """Rounds that were measured after a time of the clock [s], oldest first."""
        with self._lock:
            return tuple(each for each in self._told if each.time > since)

    def take(self, told: TagRanges) -> None:
        """A tag has measured."""
        with self._lock:
            self._told.append(told)

    def say(self, words: str) -> None:
        """Tell words, unless it is being closed."""
        if not self.stopped.is_set():
            self._say(words)

    def connect(self, timeout: float = 10.0) -> Self:
        """Wait for ranges of every tag; refused in words when one gives none within a time [s]."""
        end = time.monotonic() + timeout
        while waiting := [tag for tag in self.tags if tag.trouble]:
            if time.monotonic() > end:
                named = ", ".join(each.name for each in serial_ports()) or "none"
                tag = waiting[0]
                raise BadInput(f"no ranges of a Pozyx tag at {tag.where}: {tag.trouble}; serial ports here: {named}")
            time.sleep(0.01)
        return self

    def close(self) -> None:
        """Let the lines go."""
        self.stopped.set()
        for tag in self.tags:
            tag.thread.join(2.0)


class _Tag:
    """One tag: asks it for a range to one anchor after the other."""

    def __init__(self, number: int, port: str | OpenPort, tags: PozyxTags) -> None:
        self.number, self._tags = number, tags
        self.where = port if isinstance(port, str) else f"port {number}"
        self._open: OpenPort = (lambda: SerialPort(port, 115200)) if isinstance(port, str) else port
        self.trouble = "it tells nothing so far"  # why there are no ranges; empty: there are
        self._answers = Answers()
        self._silent = 0  # requests in a row without an answer
        self.thread = threading.Thread(target=self._keep, name=f"pozyx {self.where}", daemon=True)

    def _keep(self) -> None:
        stopped = self._tags.stopped
        while not stopped.is_set():
            try:
                port = self._open()
            except Exception as error:
                self._fail(f"it cannot be opened: {one_line(error)}")
                stopped.wait(AGAIN)
                continue
            try:
                self._run(port)
            except OSError as error:
                self._fail(f"the line broke: {one_line(error)}")
            finally:
                with contextlib.suppress(OSError):
                    port.close()
            stopped.wait(AGAIN)

    def _fail(self, words: str) -> None:
        if words != self.trouble:
            self.trouble = words
            self._tags.say(f"Pozyx tag at {self.where}: {words}")

    def _run(self, port: Port) -> None:
        """One connection, until it falls silent."""
        self._answers.forget()
        self._silent = 0
        who = self._ask(port, read_request(WHO_AM_I))
        if who != bytes([POZYX]):
            self._fail("it does not answer as a Pozyx device does" if who else "it does not answer")
            return
        while not self._tags.stopped.is_set() and self._silent < SILENT:
            began = self._tags.clock()
            measured = np.array([self._range(port, anchor) for anchor in self._tags.anchors])
            if not np.isfinite(measured).any():
                if not self.trouble or self._silent:
                    self._fail("it does not answer" if self._silent else "no anchor answers")
                continue
            self._tags.take(TagRanges(0.5 * (began + self._tags.clock()), self.number, measured))
            if self.trouble:
                self.trouble = ""
                heard = int(np.isfinite(measured).sum())
                self._tags.say(f"Pozyx tag at {self.where}: {heard} of {len(measured)} anchors answer")

    def _range(self, port: Port, anchor: int) -> float:
        """The range to an anchor [m]; NaN: none."""
        parameters = anchor_parameters(anchor)
        done = self._ask(port, function_request(DO_RANGING, parameters))
        if not done or done[0] != 1:
            return math.nan
        end = time.monotonic() + ANSWERING
        while not self._tags.stopped.is_set():
            state = self._ask(port, read_request(INTERRUPTS))
            if not state or state[0] & FAILED or time.monotonic() > end:
                return math.nan
            if state[0] & RANGED:
                break
        told = ranged(self._ask(port, function_request(RANGE_INFO, parameters, INFO_BYTES)) or b"")
        return told.distance if told is not None and told.distance < FARTHEST else math.nan

    def _ask(self, port: Port, request: bytes) -> bytes | None:
        """The answer to a request; None: there was none in time."""
        port.write(request)
        end = time.monotonic() + ANSWERING
        while time.monotonic() < end and not self._tags.stopped.is_set():
            if answers := self._answers.feed(port.read()):
                self._silent = 0
                return answers[0]
        self._silent += 1
        return None
