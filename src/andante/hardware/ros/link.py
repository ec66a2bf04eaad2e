"""The line to a ROS world, kept by a thread of its own: what is common to rosbridge and a ROS 1 master."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

TICK = 0.05  # between two looks at what is overdue [s]
OUTBOX = 100  # messages that may wait; the oldest goes
LAST_WORDS = 0.5  # time to send what waits when the line is closed [s]
HOPE = "; trying again"
UNTRIED = "not reached yet"
PATIENCE = 4.0  # how long `close` waits for the thread [s]


@dataclass(frozen=True)
class Listener:
    """Who is told what happens on a line; called from its thread."""

    heard: Callable[[str, Any], None]  # topic, message
    joined: Callable[[], None]  # the other side is there, again
    lost: Callable[[str], None]  # the other side is gone, and why
    tick: Callable[[], None]  # every `TICK` seconds
    say: Callable[[str], None]


class RosLink(ABC):
    """Hears and tells topics, connects again by itself. Subclasses give `_keep` and use `_join`, `_lose`, `_write`."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.connected = False
        self.error = UNTRIED  # why there is no connection
        self.over = False  # it has ended for good
        self.dropped = 0  # messages that found no room
        self.subscribed: Mapping[str, str] = {}  # topic: type
        self.advertised: Mapping[str, str] = {}
        self._lock = threading.Lock()
        self._outbox: deque[tuple[str, Any]] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._more, self._ending = asyncio.Event(), asyncio.Event()
        self._thread: threading.Thread | None = None

    def open(self, subscribed: Mapping[str, str], advertised: Mapping[str, str], listener: Listener) -> None:
        """Keep the line from now on: hear and tell these topics {name: type}."""
        self.subscribed, self.advertised, self.listener = dict(subscribed), dict(advertised), listener
        self._thread = threading.Thread(target=self._run, name=f"line {self.where}", daemon=True)
        self._thread.start()

    def post(self, topic: str, message: Any) -> None:
        """Send a message as soon as the line takes it; never waits."""
        with self._lock:
            if len(self._outbox) >= OUTBOX:
                self._outbox.popleft()
                self.dropped += 1
            self._outbox.append((topic, message))
        self._call(self._more.set)

    def clear(self) -> None:
        """Forget what waits to be sent."""
        with self._lock:
            self._outbox.clear()

    @property
    def hope(self) -> str:
        """What is said after the reason of a lost line that is not over."""
        return "" if self.over else HOPE

    @property
    def refused(self) -> bool:
        """Whether the last try to connect has failed."""
        return not self.connected and self.error != UNTRIED

    def listeners(self, topic: str) -> int | None:
        """How many hear a topic that is told here; None where nobody can tell."""
        return None

    def close(self) -> bool:
        """Send what waits and end the thread; False when it hangs and is left behind."""
        self._call(self._ending.set)
        if self._thread is not None:
            self._thread.join(PATIENCE)
        return self._thread is None or not self._thread.is_alive()

    # For subclasses.

    @abstractmethod
    async def _keep(self) -> None:
        """Keep the line until cancelled; a return says that it is over for good, for the reason in `error`."""

    def _join(self) -> None:
        self.clear()  # what was said into the void stays there
        self.connected, self.error = True, ""
        self.listener.joined()

    def _lose(self, reason: str) -> None:
        was, self.connected, self.error = self.connected, False, reason
        if was:
            self.clear()
            self.listener.lost(reason)

    async def _write(self, send: Callable[[str, Any], Awaitable[None]]) -> None:
        """Send what waits, and what comes, until cancelled."""
        while True:
            while (waiting := self._next()) is not None:
                await send(*waiting)
            self._more.clear()
            if not self._outbox:
                await self._more.wait()

    # Inside.

    def _next(self) -> tuple[str, Any] | None:
        with self._lock:
            return self._outbox.popleft() if self._outbox else None

    def _call(self, work: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            if self._loop is not None:
                self._loop.call_soon_threadsafe(work)
            else:
                work()  # the thread has not come so far yet; it will see the mark

    def _run(self) -> None:
        try:
            asyncio.run(self._whole())
        except Exception as error:  # told in words: nobody looks at the end of a thread
            self.error = f"{type(error).__name__}: {error}"
            self.listener.say(f"{self.where}: the line has ended ({self.error})")
        self.connected = False

    async def _whole(self) -> None:
        self._loop = asyncio.get_running_loop()
        keeping, ticking = asyncio.create_task(self._keep()), asyncio.create_task(self._tick())
        ending = asyncio.create_task(self._ending.wait())
        await asyncio.wait({keeping, ticking, ending}, return_when=asyncio.FIRST_COMPLETED)
        try:
            if keeping.done() or ticking.done():
                self.over = True
                await (keeping if keeping.done() else ticking)  # raises what ended it
                self._lose(self.error)
                await ending
            until = self._loop.time() + LAST_WORDS
            while self.connected and self._outbox and self._loop.time() < until:
                await asyncio.sleep(0.01)
        finally:
            for task in (keeping, ticking, ending):
                task.cancel()
            await asyncio.wait({keeping, ticking, ending})

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            self.listener.tick()
