"""The computer's end of the line: what is to be sent, what was heard last, and the watchdog; pure, as `Endpoint` is.

Every kind of message has one place in the outbox: a newer pose replaces one that has not gone out, so nothing queues up
and nothing grows. Acknowledged messages are sent again until they are answered. When the microcontroller falls silent
everything that moves it is forgotten; parameters are remembered and told again.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from andante.errors import AndanteError, one_line

from .endpoint import VERSION, WATCHDOG, Endpoint, LineCounters
from .messages import Ack, Answer, Log, Message, Role, Run, SetParameter, TagPose, pack
from .ports import OpenPort, Port

RESEND = 0.1  # an unanswered message goes out again after this time [s]
ATTEMPTS = 20  # and is given up after so many
LOGS_KEPT = 100
LOGS_PER_EXCHANGE = 10  # more words at once are counted and dropped

M = TypeVar("M", bound=Message)


@dataclass
class _Pending:
    """An acknowledged message on its way."""

    message: Message
    sequence: int
    sent: float
    attempts: int = 1


class HostLink:
    """One exchange after the other: bytes that came and the time in, bytes to send out."""

    def __init__(self, session: int, say: Callable[[str], None], name: str = "andante", version: int = VERSION) -> None:
        self.endpoint = Endpoint(Role.COMPUTER, session, name, version)
        self.logs: deque[Log] = deque(maxlen=LOGS_KEPT)
        self._say = say
        self._latest: dict[type[Message], Message] = {}
        self._before: dict[type[Message], Message] = {}
        self._came: dict[type[Message], float] = {}  # when the newest came [s]
        self._outbox: dict[tuple[int, int], Message] = {}
        self._pending: dict[tuple[int, int], _Pending] = {}
        self._parameters: dict[int, SetParameter] = {}
        self._known = 0  # connections that were dealt with
        self._refused = ""

    @property
    def connected(self) -> bool:
        """Whether a microcontroller of this protocol version answers."""
        return self.endpoint.connected

    @property
    def counters(self) -> LineCounters:
        """What has passed over the line."""
        return self.endpoint.counters

    @property
    def unanswered(self) -> int:
        """How many acknowledged messages wait to be sent or answered."""
        return len(self._pending) + sum(message.acknowledged for message in self._outbox.values())

    def latest(self, kind: type[M]) -> M | None:
        """The newest message of a kind in this connection."""
        found = self._latest.get(kind)
        return found if isinstance(found, kind) else None

    def before(self, kind: type[M]) -> M | None:
        """The message of a kind that came before the newest."""
        found = self._before.get(kind)
        return found if isinstance(found, kind) else None

    def came(self, kind: type[Message]) -> float:
        """When the newest message of a kind came [s], -inf before the first."""
        return self._came.get(kind, -math.inf)

    # ---- what goes out ---------------------------------------------------------------------------
    def post(self, message: Message) -> bool:
        """Put a message into its place in the outbox; False while nobody is connected, and counted if it is lost."""
        pack(message)  # refuses bad values before anything is kept
        if isinstance(message, SetParameter):
            self._parameters[message.number] = message  # told at the next connection if not now
        if not self.connected:
            self.counters.dropped += not isinstance(message, SetParameter)
            return False
        key = _place(message)
        self._pending.pop(key, None)
        self._outbox[key] = message
        return True

    def exchange(self, data: bytes, now: float) -> bytes:
        """Take what came, do what is due, and say what shall be sent."""
        for waiting in self._pending.values():
            waiting.sent = min(waiting.sent, now)
        words = 0
        for got in self.endpoint.receive(data, now):
            if isinstance(got.message, Ack):
                self._answered(got.message)
            elif isinstance(got.message, Log):
                words += 1
                if words <= LOGS_PER_EXCHANGE:
                    self.logs.append(got.message)
                else:
                    self.counters.dropped += 1
            else:
                kind = type(got.message)
                if kind in self._latest:
                    self._before[kind] = self._latest[kind]
                self._latest[kind], self._came[kind] = got.message, now
        if self.endpoint.silent(now):
            self.lose(
                f"no message from the microcontroller for {WATCHDOG:g} s; its motors stop, it must be started again"
            )
        if self.endpoint.refused != self._refused:
            self._refused = self.endpoint.refused
            if self._refused:
                self._say(self._refused)
        if self.endpoint.connections != self._known:
            self._begin()
        out = self.endpoint.due(now)
        return out + self._send(now) if self.connected else out

    def lose(self, words: str) -> None:
        """The line is cut: forget everything that moves the robot."""
        if self.connected:
            self._say(words)
        self.endpoint.disconnect()
        self._forget()

    def _begin(self) -> None:
        """A session has begun: stop the motors, tell the parameters."""
        self._known = self.endpoint.connections
        self._forget()
        self._say(f"connected to {self.endpoint.peer or 'a microcontroller'}")
        for message in (Run(0), *self._parameters.values()):
            self._outbox[_place(message)] = message

    def _forget(self) -> None:
        self._outbox.clear()
        self._pending.clear()
        self._latest.clear()
        self._before.clear()
        self._came.clear()

    def _send(self, now: float) -> bytes:
        out = bytearray()
        for key, waiting in list(self._pending.items()):
            if now - waiting.sent < RESEND:
                continue
            if waiting.attempts >= ATTEMPTS:
                del self._pending[key]
                self._say(f"{type(waiting.message).__name__} was sent {ATTEMPTS} times and never acknowledged")
                continue
            data, waiting.sequence = self.endpoint.send(waiting.message, now)
            waiting.sent, waiting.attempts = now, waiting.attempts + 1
            out += data
        for key in sorted(self._outbox, key=lambda place: place[0] != Run.code):  # start and stop go first
            message = self._outbox.pop(key)
            data, sequence = self.endpoint.send(message, now)
            out += data
            if message.acknowledged:
                self._pending[key] = _Pending(message, sequence, now)
        return bytes(out)

    def _answered(self, ack: Ack) -> None:
        for key, waiting in list(self._pending.items()):
            if waiting.message.code == ack.of and waiting.sequence == ack.sequence:
                del self._pending[key]
                if ack.answer != Answer.DONE:
                    why = "no such parameter" if ack.answer == Answer.UNKNOWN else "refused"
                    self._say(f"the microcontroller rejected {waiting.message}: {why}")


def _place(message: Message) -> tuple[int, int]:
    """Where a message stands in the outbox; a newer one of the same place replaces it."""
    if isinstance(message, TagPose):
        return message.code, message.tag
    if isinstance(message, SetParameter):
        return message.code, message.number
    return message.code, 0


FIRST_WAIT = 0.1  # before the second attempt to open a port; doubled from attempt to attempt [s]
LONGEST_WAIT = 2.0  # [s]
IDLE = 0.02  # how long the thread rests while there is no port [s]
PATIENCE = 1.0  # how long `close` waits for the thread [s]


class Line:
    """Drives a `HostLink` over a port. `poll` makes one pass; `start` lets a thread do so until `close`."""

    def __init__(
        self,
        open_port: OpenPort,
        link: HostLink,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        where: str = "the port",
    ) -> None:
        self.link, self.where, self.clock = link, where, clock
        self.lock = threading.RLock()  # guards the link; never held while the port is read or written
        self.error = ""  # why there is no port now
        self.attempts = 0  # to open it since it was last open
        self.stalls = 0  # times that the line took no more bytes
        self._open_port, self._say = open_port, say
        self._port: Port | None = None
        self._next_try = -float("inf")
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def open(self) -> bool:
        """Whether the port is open."""
        return self._port is not None

    def start(self) -> None:
        """Poll from a thread from now on."""
        self._thread = threading.Thread(target=self._run, name=f"line {self.where}", daemon=True)
        self._thread.start()

    def poll(self) -> None:
        """One pass: open the port if it is time to, take what came, send what is due."""
        port = self._port or self._try_to_open()
        if port is None:
            return
        try:
            data = port.read()
            with self.lock:
                out = self.link.exchange(data, self.clock())
            if out and not port.write(out):
                self.stalls += 1
        except OSError as error:
            self._vanished(error)

    def _try_to_open(self) -> Port | None:
        now = self.clock()
        self._next_try = min(self._next_try, now + LONGEST_WAIT)  # a clock may be set back
        if now < self._next_try:
            return None
        try:
            self._port = self._open_port()
        except (OSError, AndanteError) as error:
            if not self.attempts and not self.error:
                self._say(f"{self.where} cannot be opened ({one_line(error)}); trying again")
            self.error = one_line(error)
            self._next_try = now + min(FIRST_WAIT * 2.0 ** min(self.attempts, 30), LONGEST_WAIT)
            self.attempts += 1
            return None
        if self.error:
            self._say(f"{self.where} is connected again")
        self.error, self.attempts = "", 0
        return self._port

    def _vanished(self, error: OSError) -> None:
        self.error = one_line(error)
        self._say(f"{self.where} has disconnected ({self.error}); waiting for it to return")
        self._let_go()
        self._next_try = self.clock() + FIRST_WAIT
        self.attempts = 1
        with self.lock:
            self.link.lose("the line is cut; the motors stop by themselves, they must be started again")

    def _let_go(self) -> None:
        port, self._port = self._port, None
        if port is not None:
            with contextlib.suppress(Exception):  # it is gone
                port.close()

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                self.poll()
            except Exception as error:  # whatever a port does, the line is kept
                self._vanished(OSError(f"{type(error).__name__}: {error}"))
            if self._port is None:
                self._ending.wait(IDLE)
        self._finish()

    def _finish(self) -> None:
        """Send what waits (a last stop) and let the port go."""
        if self._port is not None:
            self.poll()
        self._let_go()

    def close(self) -> bool:
        """End the thread and let the port go; False when a hung port holds its thread, which is then left behind."""
        self._ending.set()
        if self._thread is None:
            self._finish()
            return True
        self._thread.join(PATIENCE)
        return not self._thread.is_alive()
