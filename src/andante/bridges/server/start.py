"""`start_server`: the web server of a bus in a process of its own, joined by a line that the loop never waits for."""

from __future__ import annotations

import contextlib
import json
import secrets
import socket
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import quote

from andante.bus import Bus
from andante.child import Child
from andante.errors import AndanteError, BadInput, TimedOut

from .access import Access, Limits, Page, read_token
from .link import Head, Link
from .serve import Serving

START_TIMEOUT = 120.0  # for the process to come up on a busy machine; one that dies is noticed at once [s]
FEW_ARENAS = {"MALLOC_ARENA_MAX": "2"}  # glibc: threads that serve files share their heaps, which then do not add up
REAPED = 0.5  # until the system tells how a process exited whose line has ended [s]
STOP_TIMEOUT = 4.0  # until a process that does not end is killed [s]


class ServerHandle:
    """The server process of a bus. Call `poll` once per cycle of the loop, best before `Bus.spin`."""

    def __init__(self, bus: Bus, config: Head, pages: Sequence[Page], wait: bool = True) -> None:
        self._bus, self._config = bus, config
        self._pages = {page.url: page for page in pages}
        self.host: str = config["host"]
        self.token: str | None = config["token"]
        self.port: int = config["port"]
        self.clients = 0  # connected now, as last reported
        self.exit_code: int | None = None
        self._child: Child | None = None
        self._serving: Serving | None = None
        self._told_dropped = 0
        self._lost: tuple[float, str] | None = None  # when the line to the process ended and why, until it is told
        self._listener: socket.socket | None = None  # while the process comes up
        self._start()
        if wait:
            self.wait()

    def wait(self) -> None:
        """Wait until a server that was started without waiting listens; raises when it cannot."""
        try:
            while not (self._listening or self._advance()):
                time.sleep(0.005)
        except BaseException:
            self.stop()
            raise

    @property
    def url(self) -> str:
        """Address for a browser, with the token if there is one."""
        shown = self.host if self.host not in ("0.0.0.0", "::", "") else "127.0.0.1"
        shown = f"[{shown}]" if ":" in shown else shown
        return f"http://{shown}:{self.port}/" + (f"?token={quote(self.token, safe='')}" if self.token else "")

    @property
    def ws_url(self) -> str:
        """Address of the rosbridge WebSocket, with the token if there is one."""
        head, _, query = self.url.replace("http://", "ws://", 1).partition("?")
        return f"{head}rosbridge" + (f"?{query}" if query else "")

    @property
    def alive(self) -> bool:
        """Whether the process serves or is about to."""
        coming = self._listener is not None or self._lost is not None
        return coming or (self._serving is not None and self._serving.link.open)

    @property
    def pid(self) -> int | None:
        """Number of the server process."""
        return None if self._child is None else self._child.process.pid

    @property
    def dropped(self) -> int:
        """Messages that the server process was too slow to take."""
        return 0 if self._serving is None else self._serving.link.dropped

    def poll(self) -> None:
        """Take requests, send what waits; a server process that has exited is logged once."""
        if self._child is not None and not self._listening:
            self._come_up()
            return
        serving = self._serving
        if serving is None:
            if self._lost is not None:
                self._tell_end(*self._lost)
            return
        serving.poll()
        if not serving.link.open:
            self._ended(serving.link.reason)
        elif serving.link.dropped > 2 * self._told_dropped + 100:
            self._told_dropped = serving.link.dropped
            self._bus.log("warn", f"the web server is slow: {serving.link.dropped} messages dropped so far", "bridge")

    def add_pages(self, pages: Sequence[Page]) -> None:
        """Serve further pages (`Page`) from now on."""
        for page in pages:
            self._pages[page.url] = page
            self._send_page(page)

    def stop(self) -> None:
        """End the server process; the handle can be restarted."""
        self._end(STOP_TIMEOUT)

    def restart(self, wait: bool = False) -> None:
        """Start the server process anew at the same address; it comes up while `poll` is called, unless waited for."""
        self._end(STOP_TIMEOUT if wait else 0.0)
        self._config["port"] = self.port
        self._start()
        if wait:
            self.wait()

    def __enter__(self) -> ServerHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # Inside.

    def _end(self, patience: float) -> None:
        self._stop_listening()
        self._lost = None
        if self._serving is not None:
            self._serving.close()
            self._serving = None
        if self._child is not None:  # the end of the line ends it
            self.exit_code = self._child.end(patience or 0.05, ask=False)
            self._child = None

    def _start(self) -> None:
        """Start the process; `_advance` joins it to the bus."""
        self._secret = secrets.token_hex(32)
        self._failure, self._listening, self.exit_code, self.clients = "", False, None, 0
        self._deadline = time.monotonic() + START_TIMEOUT
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setblocking(False)
        try:
            self._child = Child("andante.bridges.server.worker", told=True, environment=FEW_ARENAS)
        except BaseException:
            self.stop()
            raise
        self._child.tell(f"{self._listener.getsockname()[1]}\n{self._secret}\n{json.dumps(self._config)}\n")

    def _come_up(self) -> None:
        """One pass of a start that nobody waits for; a failure is logged."""
        try:
            if self._advance():
                self._bus.log("info", f"the web server is back at {self.url.partition('?')[0]}", "bridge")
        except AndanteError as error:
            self._end(0.0)
            self._bus.log("error", f"{error}; the session goes on without it", "bridge")

    def _advance(self) -> bool:
        """Bring the start one step on, without waiting; True when the server listens."""
        if self._listener is not None and self._serving is None:
            link = self._accept(self._listener)
            if link is not None:
                self._serving = Serving(self._bus, link)
                self._serving.on_control = self._control
                self._serving.poll()  # sends the graph
                for page in self._pages.values():
                    self._send_page(page)
        if self._serving is not None:
            self._serving.poll()
        if self._failure:
            raise BadInput(self._failure)
        if self._listening:
            self._stop_listening()
            return True
        assert self._child is not None
        if not self._child.alive or (self._serving is not None and not self._serving.link.open):
            raise AndanteError(f"the web server did not start: {self._last_words()}")
        if time.monotonic() > self._deadline:
            raise TimedOut(f"the web server did not start within {START_TIMEOUT:g} s")
        return False

    def _stop_listening(self) -> None:
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    def _accept(self, listener: socket.socket) -> Link | None:
        """The line to the process once it has connected; whoever does not know the secret is sent away."""
        try:
            line, _ = listener.accept()
        except (BlockingIOError, InterruptedError):
            return None
        line.settimeout(0.2)  # the secret is sent right after connecting
        wanted, got = f"{self._secret}\n".encode(), b""
        with contextlib.suppress(OSError):
            while len(got) < len(wanted) and (data := line.recv(len(wanted) - len(got))):
                got += data
        if secrets.compare_digest(got, wanted):
            return Link(line)
        line.close()
        return None

    def _control(self, head: Head, _: bytes) -> None:
        op = head.get("op")
        if op == "listening":
            self.port, self._listening = head["port"], True
        elif op == "failed":
            self._failure = head["error"]
        elif op == "say":
            self._bus.log(head["level"], head["text"], "bridge")
        elif op == "report":
            self.clients = head["clients"]

    def _send_page(self, page: Page) -> None:
        if self._serving is not None:
            path = "" if page.path is None else str(Path(page.path).resolve())
            head: Head = {"op": "page", "url": page.url, "path": path, "media_type": page.media_type}
            self._serving.link.send(head, b"" if page.content is None else page.content)

    def _ended(self, reason: str) -> None:
        """Its clients are gone with the process; the loop goes on."""
        self.clients = 0
        if self._serving is not None:
            self._serving.close()
            self._serving = None
        self._lost = (time.monotonic(), reason)
        self._tell_end(*self._lost)

    def _tell_end(self, since: float, reason: str) -> None:
        """Log that the process is gone, once the system tells how it exited: a moment after its line has ended."""
        if self._child is not None and self._child.alive and time.monotonic() - since < REAPED:
            return
        words = self._last_words()
        self._end(0.0)
        text = f"the web server exited ({words or reason}); the session goes on without it"
        self._bus.log("error", text, "bridge")

    def _last_words(self) -> str:
        """Exit code and last line of the error output."""
        if self._child is None:
            return ""
        code = "" if self._child.alive else f"exit code {self._child.process.returncode}"
        return ", ".join(part for part in (code, self._child.last_words()) if part)


def start_server(
    bus: Bus,
    port: int = 0,
    host: str = "127.0.0.1",
    token: str | None = None,
    pages: Sequence[Page] = (),
    *,
    allow: Sequence[str] = (),
    origins: Sequence[str] = (),
    limits: Limits | None = None,
    routes: str = "",
    arguments: Any = None,
    until: str = "",
    wait: bool = True,
) -> ServerHandle:
    """Start the web server of a bus in a process of its own and wait until it listens.

    Args:
        port: 0 takes a free one.
        host: another address than loopback needs a token.
        token: secret that clients must give; @FILE: the one in that file.
        pages: `Page` objects: folders, files and contents to serve.
        allow: patterns of topic, service and action names that clients may add, such as "/my/*".
        origins: further origins whose pages may connect.
        routes: "module:function"; function(remote_bus, arguments) returns Starlette routes, in the server process.
        arguments: for that function; anything that JSON can carry.
        until: a topic; clients are let in when the session has it, so that none meets one that is half built.
        wait: False returns at once; call `wait` of the handle before anything else.
    """
    token = read_token(token)
    Access(host, token, tuple(origins))  # refuses what is not safe, before a process is started
    if not 0 <= port <= 65535:
        raise BadInput(f"port {port} is not from 0 to 65535")
    config: Head = {
        "host": host, "port": port, "token": token, "allow": list(allow), "origins": list(origins),
        "limits": asdict(limits or Limits()), "routes": routes, "arguments": arguments,
        "until": until,
    }  # fmt: skip
    return ServerHandle(bus, config, pages, wait)
