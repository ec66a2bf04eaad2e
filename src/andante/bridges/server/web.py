"""The web server: rosbridge over WebSockets, pages and files, one access rule for all.

Each client has a bounded queue of its own and a task that empties it. A client that takes nothing for some seconds
is cut off, so it can neither fill the memory nor hold up the others.
"""

from __future__ import annotations

import asyncio
import contextlib
import mimetypes
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any
from urllib.parse import quote, unquote

from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from andante.bridges.client import BusClient
from andante.bridges.rosbridge.calls import Hub
from andante.bridges.rosbridge.session import Session

from .access import COOKIE, Access, Bucket, Guesses, Limits, Page, is_loopback

SMALL = 1024  # answers below are not packed [bytes]
UNPACKED = (".mesh", ".mcap", ".png", ".jpg", ".mp4", ".webp")
REFUSED = 1.0  # time in which a client that is one too many may say goodbye [s]
FAREWELL = 0.3  # time in which clients are told that the session has ended [s]
GOING_AWAY, POLICY, TOO_MANY = 1001, 1008, 1013  # close codes of RFC 6455 and the IANA registry


class _Waiting:
    """Something that waits for a client; None once it was dropped."""

    __slots__ = ("data", "lane")

    def __init__(self, data: str | bytes, lane: str) -> None:
        self.data: str | bytes | None = data
        self.lane = lane


class Outbox:
    """What waits for one client: a bounded queue with one lane per topic. Every operation takes constant time."""

    def __init__(self, size: int) -> None:
        self.dropped = 0
        self.overflow = False  # more undroppable data than the size allows: the client is to be cut off
        self._size, self._bytes, self._solid = size, 0, 0  # bytes in all, and of what may not be dropped
        self._queue: deque[_Waiting] = deque()  # in order; what was dropped stays as an empty entry until it is met
        self._loose: deque[_Waiting] = deque()  # what may be dropped, in order, some of it gone already
        self._lanes: dict[str, deque[_Waiting]] = {}
        self._filled = asyncio.Event()

    def __len__(self) -> int:
        return sum(waiting.data is not None for waiting in self._queue)

    def put(self, data: str | bytes, lane: str = "", depth: int = 0) -> None:
        """Queue data; the oldest of a lane that is longer than `depth` goes, then the oldest of any lane.

        What has just come stays, however large it is: a client gets at least the newest.
        """
        new = _Waiting(data, lane)
        self._queue.append(new)
        self._bytes += len(data)
        if lane:
            of_lane = self._lanes.setdefault(lane, deque())
            if depth and len(of_lane) >= depth:
                self._drop(of_lane[0])
            self._lanes.setdefault(lane, of_lane).append(new)
        else:
            self._solid += len(data)
        while self._bytes > self._size and self._loose:
            oldest = self._loose.popleft()
            if oldest.data is not None:
                self._drop(oldest)
        if lane:
            self._loose.append(new)
        self.overflow = self.overflow or self._solid > self._size
        self._filled.set()

    async def get(self) -> str | bytes:
        """The next data, waiting for it if need be."""
        while True:
            while self._queue:
                waiting = self._queue.popleft()
                if waiting.data is not None:
                    return self._forget(waiting)
            self._loose.clear()
            self._filled.clear()
            await self._filled.wait()

    def clear(self) -> None:
        """Forget everything: the client is gone, and its messages shall not wait until it is collected."""
        for kept in (self._queue, self._loose, self._lanes):
            kept.clear()
        self._bytes = self._solid = 0

    def _drop(self, waiting: _Waiting) -> None:
        """Let the oldest of a lane go; its place in the queue stays empty."""
        self._forget(waiting)
        self.dropped += 1
        while self._queue and self._queue[0].data is None:
            self._queue.popleft()
        while self._loose and self._loose[0].data is None:
            self._loose.popleft()

    def _forget(self, waiting: _Waiting) -> str | bytes:
        data, waiting.data = waiting.data, None
        assert data is not None
        self._bytes -= len(data)
        if not waiting.lane:
            self._solid -= len(data)
            return data
        of_lane = self._lanes[waiting.lane]
        of_lane.popleft()  # lanes are emptied from the front alone
        if not of_lane:
            del self._lanes[waiting.lane]
        return data


class Client:
    """One WebSocket: reads operations, writes what its outbox holds."""

    def __init__(self, socket: WebSocket, bus: BusClient, hub: Hub, limits: Limits, allow: tuple[str, ...]) -> None:
        self.socket, self.limits = socket, limits
        self.outbox = Outbox(limits.queue_bytes)
        self.session = Session(bus, hub, self.outbox, limits, allow)
        self._sending_since = float("inf")  # loop time of the last progress of the write under way
        self._unsent = 0  # bytes that the system had not taken at the last look
        self.reason = ""
        self.silent = True  # it has said nothing yet
        now = asyncio.get_running_loop().time()
        self._messages = Bucket(limits.message_rate, limits.message_burst, now)
        self._bytes = Bucket(limits.byte_rate, limits.byte_rate + limits.message_size, now)
        self._strikes = 0

    async def run(self) -> None:
        """Serve the client until it leaves or is cut off."""
        writer = asyncio.create_task(self._write())
        try:
            await self._read()
        finally:
            writer.cancel()
            self.session.close()
            self.outbox.clear()

    def cut(self, reason: str) -> None:
        """End the connection at once, whatever is still on the way."""
        self.reason = self.reason or reason
        transport = self.socket.scope.get("state", {}).get("transport")
        if transport is not None:
            transport.abort()

    def stalled(self) -> bool:
        """Whether the client has read nothing for too long, though there is something for it; asked regularly."""
        now = asyncio.get_running_loop().time()
        transport = self.socket.scope.get("state", {}).get("transport")
        unsent = transport.get_write_buffer_size() if transport is not None else 0
        if unsent < self._unsent and self._sending_since < now:
            self._sending_since = now
        self._unsent = unsent
        return self.outbox.overflow or now - self._sending_since > self.limits.stall

    async def _read(self) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            message = await self.socket.receive()
            if message["type"] != "websocket.receive":
                return
            self.silent = False
            data = message.get("text")
            if data is None:
                data = message.get("bytes") or b""
            now = clock()
            if self._messages.take(1.0, now) and self._bytes.take(len(data), now):
                self.session.receive(data)
                continue
            self._strikes += 1
            if self._strikes == 1:
                self.session.status("error", f"too many messages: at most {self.limits.message_rate:g} a second")
            if self._strikes > self.limits.strikes:
                self.reason = "too many messages"
                await self.socket.close(POLICY, self.reason)
                return

    async def _write(self) -> None:
        clock = asyncio.get_running_loop().time
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
            while True:
                data = await self.outbox.get()
                self._sending_since = clock()
                if isinstance(data, str):
                    await self.socket.send_text(data)
                else:
                    await self.socket.send_bytes(data)
                self._sending_since = float("inf")


class AccessMiddleware:
    """Refuses requests by the access rule, and sets the token as a cookie for the page's own requests."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access
        self._guesses = Guesses()
        self._headers = guarding_headers(access)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        query = request.query_params.get("token")
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        cookie = unquote(request.cookies.get(COOKIE) or "")
        tokens = tuple(token for token in (query, bearer, cookie) if token)
        address, now = (scope.get("client") or ("",))[0], asyncio.get_running_loop().time()
        status, refusal = 429, "too many wrong tokens from this address; wait a little"
        if not (tokens and self.access.token and self._guesses.spent(address, now)):
            host, origin = request.headers.get("host"), request.headers.get("origin")
            status, refusal = 403, self.access.refusal(host, origin, tokens)
            if tokens and self.access.token and not self.access.knows(tokens):
                self._guesses.wrong(address, now)
        if refusal:
            if scope["type"] == "websocket":
                await WebSocket(scope, receive, send).close(POLICY, refusal)
            else:
                await PlainTextResponse(f"andante: {refusal}\n", status)(scope, receive, send)
            return
        await self.app(scope, receive, _headed(send, self._headers, self.access.token if query else None))


def guarding_headers(access: Access) -> list[tuple[bytes, bytes]]:
    """Headers that keep a page to itself: scripts of its own only, in frames of its own and of notebooks only."""
    local = ("http://localhost:*", "http://127.0.0.1:*", "https://localhost:*", "https://127.0.0.1:*")
    frames = " ".join(("'self'", *(local if is_loopback(access.host) else ()), *access.origins))
    policy = (
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self' data:; worker-src 'self' blob:; "
        "connect-src 'self' data: blob: ws: wss:; object-src 'none'; base-uri 'none'; form-action 'self'; "
        f"frame-ancestors {frames}"
    )
    guards = {
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
    }
    if not is_loopback(access.host) and not access.origins:
        guards["x-frame-options"] = "SAMEORIGIN"  # for browsers that do not know frame-ancestors
    return [(name.encode(), value.encode("latin-1", "ignore")) for name, value in guards.items()]


def _headed(send: Send, guards: list[tuple[bytes, bytes]], token: str | None) -> Send:
    """Sends with those headers, and with the cookie for a token that came as a query."""

    async def headed(message: Any) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *guards]
            if token:
                cookie = f"{COOKIE}={quote(token, safe='')}; Path=/; HttpOnly; SameSite=Strict"
                message["headers"].append((b"set-cookie", cookie.encode()))
        await send(message)

    return headed


class WebServer:
    """The application of one session. `app` is ASGI; `clients` are those connected now."""

    def __init__(
        self,
        bus: BusClient,
        access: Access,
        *,
        limits: Limits | None = None,
        allow: tuple[str, ...] = (),
        pages: list[Page] | None = None,
        routes: list[BaseRoute] | None = None,
        say: Callable[[str, str], None] = lambda level, text: None,
        until: str = "",
    ) -> None:
        """`until` names a topic: sockets are held until the session has it."""
        self.bus, self.limits, self.allow = bus, limits or Limits(), allow
        self.hub = Hub()
        self.clients: dict[Client, None] = {}  # in the order they came
        self._say, self._until = say, until
        self._pages: dict[str, Page] = {}
        self._folders: list[tuple[str, StaticFiles]] = []
        self.add_pages(pages or [])
        own: list[BaseRoute] = [WebSocketRoute("/rosbridge", self._socket), WebSocketRoute("/", self._socket)]
        files = Mount("/", app=self._serve_file)
        self._routed = Starlette(routes=[*own, *(routes or []), files], lifespan=self._lifespan)
        self._packed = GZipMiddleware(self._serve, minimum_size=SMALL, compresslevel=6)
        self.app = AccessMiddleware(self._serve_packed, access)

    def add_pages(self, pages: list[Page]) -> None:
        """Serve these too; an address that is served already gets the new page."""
        for page in pages:
            if page.url.endswith("/") and page.path is not None and page.content is None and page.path.is_dir():
                served = StaticFiles(directory=page.path, html=True)
                self._folders = [entry for entry in self._folders if entry[0] != page.url]
                self._folders.append((page.url, served))
                self._folders.sort(key=lambda entry: -len(entry[0]))
            else:
                self._pages[page.url] = page

    async def _serve_packed(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Text goes packed over the wire; binary meshes hardly shrink, and wait for nothing."""
        plain = scope["type"] != "http" or scope["path"].endswith(UNPACKED)
        await (self._serve if plain else self._packed)(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A page that was added goes before the routes: these may own its folder (robots that came by file)."""
        added = scope["type"] == "http" and scope["path"] in self._pages
        await (self._serve_file if added else self._routed)(scope, receive, send)

    async def _serve_file(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await WebSocket(scope, receive, send).close(POLICY, "no such address")
            return
        response = await self._file(Request(scope, receive))
        await response(scope, receive, send)

    async def _file(self, request: Request) -> Response:
        if request.method not in ("GET", "HEAD"):
            return PlainTextResponse("andante: only GET and HEAD\n", 405)
        path = request.scope["path"]
        page = self._pages.get(path)
        if page is not None:
            kind = page.media_type or mimetypes.guess_type(path)[0] or "application/octet-stream"
            if page.content is not None:
                return Response(page.content, media_type=kind, headers={"cache-control": "no-cache"})
            if page.path is not None and page.path.is_file():
                return FileResponse(page.path, media_type=kind)
        from starlette.exceptions import HTTPException

        for url, folder in self._folders:
            if path.startswith(url) or f"{path}/" == url:
                inside = folder.get_path({**request.scope, "path": "/" + path[len(url) :], "root_path": ""})
                with contextlib.suppress(HTTPException):
                    return await folder.get_response(inside, request.scope)
        return PlainTextResponse("andante: no such page\n", 404)

    def _make_room(self) -> bool:
        """Cut off the first client that has said nothing yet; whether there is one."""
        client = next((client for client in self.clients if client.silent), None)
        if client is not None:
            self.clients.pop(client)
            client.cut("it had said nothing, and others wait")
        return client is not None

    async def _socket(self, socket: WebSocket) -> None:
        if len(self.clients) >= self.limits.clients and not self._make_room():
            await socket.accept()
            if (transport := socket.scope.get("state", {}).get("transport")) is not None:
                asyncio.get_running_loop().call_later(REFUSED, transport.abort)
            await socket.close(TOO_MANY, f"{self.limits.clients} clients are connected already")
            return
        await self._session_there()
        await socket.accept()
        client = Client(socket, self.bus, self.hub, self.limits, self.allow)
        self.clients[client] = None
        try:
            await client.run()
        finally:
            self.clients.pop(client, None)
            if client.reason:
                self._say("warn", f"a client was disconnected: {client.reason}")

    async def farewell(self) -> None:
        """Tell all clients that the session has ended; who does not take it in time is not waited for."""
        closing = [client.socket.close(GOING_AWAY, "the session has ended") for client in list(self.clients)]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL):
                await asyncio.gather(*closing, return_exceptions=True)

    async def _session_there(self) -> None:
        """Wait while the session is still being built."""
        if not self._until or self._until in self.bus.graph.topics:
            return
        there = asyncio.Event()
        watch = self.bus.on_graph(lambda graph: there.set() if self._until in graph.topics else None)
        try:
            await there.wait()
        finally:
            watch.close()

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        watch = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watch.cancel()

    async def _watch(self) -> None:
        """Disconnect clients that do not read."""
        while True:
            await asyncio.sleep(min(1.0, self.limits.stall / 4.0))
            for client in list(self.clients):
                if client.stalled():
                    client.cut(f"it read nothing for {self.limits.stall:g} s")
