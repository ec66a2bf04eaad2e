"""A line that is kept open: opens the port, notices when it vanishes, and tries again with growing waits."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

from andante.errors import AndanteError

from .host import HostLink
from .ports import OpenPort, Port

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
                self._say(f"{self.where} cannot be opened ({_words(error)}); trying again")
            self.error = _words(error)
            self._next_try = now + min(FIRST_WAIT * 2.0 ** min(self.attempts, 30), LONGEST_WAIT)
            self.attempts += 1
            return None
        if self.error:
            self._say(f"{self.where} is connected again")
        self.error, self.attempts = "", 0
        return self._port

    def _vanished(self, error: OSError) -> None:
        self.error = _words(error)
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


def _words(error: Exception) -> str:
    """One line on an error of the system."""
    return " ".join(str(error).split()) or type(error).__name__
