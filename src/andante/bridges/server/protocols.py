"""uvicorn's protocols with bounds on what a client may cost before anybody knows who it is."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from .access import Bucket

HANDSHAKE = 10.0  # a connection that has asked for nothing by then is closed [s]
MOST_SILENT = 256  # connections that have asked for nothing yet; the oldest goes first
MOST_OPEN = 320  # connections that are no WebSockets; the one that has neither asked nor read for longest goes first
PINGS = (50.0, 200.0)  # pings that a client may send: in the long run [1/s], and at once


class PromptProtocol(H11Protocol):
    """uvicorn's HTTP protocol; connections that ask for nothing, or take no answer, keep nobody out."""

    silent: ClassVar[dict[PromptProtocol, asyncio.TimerHandle]] = {}  # in the order they came
    open: ClassVar[dict[PromptProtocol, None]] = {}  # the one that has done nothing for longest is the first

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request only so long."""
        super().connection_made(transport)
        while len(self.silent) >= MOST_SILENT:
            next(iter(self.silent))._leave()
        while len(self.open) >= MOST_OPEN:
            next(iter(self.open))._leave()
        self.silent[self] = self.loop.call_later(HANDSHAKE, self._leave)
        self.open[self] = None

    def data_received(self, data: bytes) -> None:
        """A request whose head is whole ends the waiting."""
        super().data_received(data)
        if self.headers is not None and (timer := self.silent.pop(self, None)) is not None:
            timer.cancel()
            self._progress()
        if self.transport.get_protocol() is not self:  # a WebSocket, which has bounds of its own
            self.open.pop(self, None)

    def resume_writing(self) -> None:
        """The client reads what it has asked for."""
        super().resume_writing()
        self._progress()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._forget()
        super().connection_lost(exc)

    def _progress(self) -> None:
        if self in self.open:
            del self.open[self]
            self.open[self] = None

    def _forget(self) -> None:
        self.open.pop(self, None)
        if (timer := self.silent.pop(self, None)) is not None:
            timer.cancel()

    def _leave(self) -> None:
        self._forget()
        self.transport.abort()


class AbortableProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket protocol; it lets the application cut a connection off, and floods of pings end it."""

    _pings: Bucket | None = None

    def handle_ping(self, *arguments: Any) -> None:
        """Answer, as long as there are not too many."""
        now = self.loop.time()
        if self._pings is None:
            self._pings = Bucket(*PINGS, now)
        if self._pings.take(1.0, now):
            super().handle_ping(*arguments)
        else:
            self.transport.abort()

    async def run_asgi(self) -> None:
        """Run the application with the transport in its state."""
        self.scope["state"]["transport"] = self.transport
        await super().run_asgi()
