"""Run a bridge beside a running session until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Protocol

from andante.errors import AndanteError, BadInput

from .client import BusClient
from .session_client import SessionClient

PATIENCE = 10.0  # time in which the session must answer first [s]


class Bridge(Protocol):
    """Something that joins a session to another world."""

    async def run(self) -> None:
        """Bridge until cancelled, and leave the other world tidily; returns by itself when that world ends it."""
        ...


def session_url(text: str) -> str:
    """The WebSocket address of a session from a port, the address of its page, or that address itself."""
    if text.isdigit():
        return f"ws://127.0.0.1:{text}/rosbridge"
    head, mark, query = text.partition("?")
    if head.startswith(("http://", "https://")):
        head = "ws" + head.removeprefix("http")
        head = head.rstrip("/") + "/rosbridge"
    if not head.startswith(("ws://", "wss://")):
        raise BadInput(f"session {text!r} should be a port or look like ws://127.0.0.1:8000/rosbridge")
    return head + mark + query


async def run_beside(
    session: str,
    make: Callable[[BusClient], Bridge],
    seconds: float | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> None:
    """Connect to a session, make the bridge, and run it for so many seconds or until cancelled."""
    client = SessionClient(session_url(session), say)
    connecting = asyncio.create_task(client.run())
    try:
        try:
            async with asyncio.timeout(PATIENCE):
                await client.ready()
        except TimeoutError:
            raise AndanteError(f"no session answers at {client.url}; start one with andante studio") from None
        bridge = make(client)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await bridge.run()
    finally:
        connecting.cancel()
