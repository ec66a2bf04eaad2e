"""A listener beside a session: what was said on a topic, and when it came; in a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from andante.bridges.rosbridge.client import SessionClient, session_url


@dataclass(frozen=True)
class Heard:
    """A message and when it came [s]."""

    at: float
    type_name: str
    data: bytes


class Listener:
    """Listens to one topic of a session (its port or address) until closed."""

    def __init__(self, session: str, topic: str) -> None:
        self.heard: list[Heard] = []
        self._session, self._topic = session, topic
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def since(self, moment: float) -> list[Heard]:
        """What came at or after a moment."""
        return [each for each in list(self.heard) if each.at >= moment]

    def silence(self, begin: float, end: float) -> float:
        """The longest time without a message between two moments [s]."""
        times = [begin, *(each.at for each in list(self.heard) if begin <= each.at <= end), end]
        return max(b - a for a, b in pairwise(times))

    def close(self) -> None:
        """Stop."""
        self._loop.call_soon_threadsafe(self._stop)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        with contextlib.suppress(asyncio.CancelledError):
            self._task = self._loop.create_task(self._listen())
            self._loop.run_until_complete(self._task)

    def _stop(self) -> None:
        self._task.cancel()

    async def _listen(self) -> None:
        client = SessionClient(session_url(self._session))
        connecting = asyncio.create_task(client.run())
        try:
            await client.ready()
            client.subscribe(self._topic, self._take)
            await asyncio.Event().wait()
        finally:
            connecting.cancel()
            await asyncio.gather(connecting, return_exceptions=True)  # it says farewell

    def _take(self, frame: Any) -> None:
        self.heard.append(Heard(time.monotonic(), frame.type_name, bytes(frame.cdr)))
