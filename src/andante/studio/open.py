"""`open_studio`: a live session, the web server beside it, and the page in a browser.

with open_studio("nao", world="lab") as studio:
    studio.run()          # until Ctrl-C
"""

from __future__ import annotations

import contextlib
import secrets
import signal
import time
import webbrowser
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from andante.bridges.server.access import Access, Page, read_token
from andante.bridges.server.start import ServerHandle, start_server
from andante.errors import BadInput
from andante.files import Closing, session_folder
from andante.gc_paused import gc_paused
from andante.settings import DEFAULT_ENGINE, DEFAULT_ROBOT, STUDIO_WORLD

if TYPE_CHECKING:
    from andante.control.body import Body
    from andante.description.solver import SolverLike
    from andante.session import LiveSession
    from andante.tasks.inputs import RobotLike, WorldLike

ROUTES = "andante.studio.scenes:scene_routes"  # robots and worlds, made in the server process
STATIC = Path(__file__).resolve().parent / "static"
MISSING = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Andante Studio</title>
<body style="font:16px system-ui;max-width:38em;margin:4em auto;line-height:1.5">
<h1>The page is not built</h1>
<p>The session runs and rosbridge is served, but this installation has no page. In a source tree run
<code>python tools/build_web.py</code> (it needs Node 20 or newer), then reload.</p></body></html>
"""
READY = "/status"  # the last topic that a page cannot do without
LONGEST_WAIT = 60.0  # before a server process that dies again and again is started once more [s]


def built(folder: Path = STATIC) -> bool:
    """Whether the page is there."""
    return (folder / "index.html").is_file()


def studio_pages(folder: Path = STATIC) -> list[Page]:
    """What the server serves at the root."""
    if built(folder):
        return [Page("/", folder)]
    return [Page("/", None, MISSING.encode(), "text/html")]


def scene_arguments(
    robots: Sequence[str], worlds: Sequence[str], folder: Path | str | None = None
) -> dict[str, list[str]]:
    """What the routes of `ROUTES` are told: built-in names to make ready at once (others are passed over).

    The mark tells a page that has come back whether it still meets the same session. What the page is given goes into
    the folder.
    """
    place = session_folder(folder).resolve()
    return {
        "robots": list(robots),
        "worlds": list(worlds),
        "session": [secrets.token_hex(8)],
        "folder": [str(place)],
    }


class Studio(Closing):
    """A session with its server. The loop never waits for the server, and goes on when that dies."""

    def __init__(self, session: LiveSession, server: ServerHandle) -> None:
        self.session, self.server = session, server
        self._closing = False
        self._wait, self._next = 0.0, 0.0  # until the next start after a death, and when that may be [s]
        from .building import add_nodes

        add_nodes(session, server)
        session.inbound.append(self._poll)

    @property
    def url(self) -> str:
        """Address of the page."""
        return self.server.url

    def browse(self) -> bool:
        """Open the page in the user's browser; whether there is one."""
        return webbrowser.open(self.url)

    def run(self, seconds: float | None = None) -> None:
        """Run the session at the pace of the wall clock, until `session.stop()` or for some simulated seconds."""
        self.session.run(seconds, pace=True)

    def _poll(self) -> None:
        """A server that has died is started anew: at once, then after 1, 2, 4 ... s while it does not last."""
        self.server.poll()
        now = time.monotonic()
        if self.server.alive or self._closing or now < self._next:
            return
        if now > self._next + LONGEST_WAIT:  # it had lasted
            self._wait = 0.0
        self._next, self._wait = now + self._wait, min(max(1.0, 2 * self._wait), LONGEST_WAIT)
        self.session.log("the web server is started anew", "warn")
        try:
            self.server.restart()
        except OSError as error:
            self.session.log(f"the web server cannot be started: {error.strerror or error}", "error")

    def close(self) -> None:
        """End the server and the session."""
        self._closing = True
        self.server.stop()
        self.session.close()


def check_address(port: int, host: str, token: str | None) -> None:
    """Refuse an address that is no good before a session is built for it."""
    Access(host, read_token(token))
    if not 0 <= port <= 65535:
        raise BadInput(f"port {port} is not from 0 to 65535")


@gc_paused()  # it would walk over half-made modules again and again: a fifth of a second
def open_studio(
    robot: str | Path = DEFAULT_ROBOT,
    world: str | Path = STUDIO_WORLD,
    engine: str = DEFAULT_ENGINE,
    *,
    seed: int = 0,
    arguments: Mapping[str, str] | None = None,
    folder: Path | str | None = None,
    port: int = 0,
    host: str = "127.0.0.1",
    token: str | None = None,
    announce: Callable[[str], None] | None = None,
    body: Body | str = "sim",
    params: Path | str | None = None,
    solver: SolverLike | None = None,
    robots: Sequence[str] = (),
) -> Studio:
    """A studio with a new session; call its `run`.

    Args:
        arguments: name:=value of the robot's file.
        folder: where recordings and clips go; by default ./andante_sessions.
        port: 0 takes a free one.
        host: another address than loopback needs a token.
        announce: is called with the address of the page as soon as that can be opened, while the session is built.
        body: sim, or a real robot: a `Body`, ws://HOST:9090, http://HOST:11311, naoqi://HOST:9559, serial:PORT, or
            `file.py:Name`. The page then shows what it tells, and keys move it.
        params: a TOML file with tables [teleop], [follow], [falls] (`FallRules`), and [body] and [start] for a real
            robot.
        solver: settings of the solver, such as {"iterations": 50}, before those of the world.
        robots: more robots, each as ROBOT@x,y[,yaw][:name] in m and degrees.
    """
    check_address(port, host, token)
    from andante.bus import Bus

    bus = Bus()
    named = scene_arguments([str(robot)], [str(world)], folder)
    server = start_server(
        bus, port, host, token, studio_pages(), routes=ROUTES, arguments=named, until=READY, wait=False
    )
    try:
        from .building import build_session  # takes a while, as does the server beside it

        session = build_session(
            server, bus, robot, world, engine, seed=seed, arguments=arguments, folder=folder, announce=announce,
            body=body, params=params, solver=solver, robots=robots,
        )  # fmt: skip
    except BaseException:
        server.stop()
        raise
    return Studio(session, server)


def studio(
    robot: RobotLike = DEFAULT_ROBOT,
    *,
    world: WorldLike = STUDIO_WORLD,
    engine: str = DEFAULT_ENGINE,
    arguments: Mapping[str, str] | None = None,
    port: int = 8642,
    host: str = "127.0.0.1",
    token: str | None = None,
    browser: bool = True,
    folder: Path | str | None = None,
    seconds: float | None = None,
    seed: int = 0,
    announce: Callable[[str], None] = lambda url: None,
    body: Body | str = "sim",
    params: Path | str | None = None,
    solver: SolverLike | None = None,
    robots: Sequence[str] = (),
    naoqi: bool = False,
) -> None:
    """Open the studio and run it until Ctrl-C: watch, drive, push and measure a robot in the browser.

    `an.show` does so inside a notebook, `an.studio.open_studio` gives the session to a program.

    Args:
        robot: a `Robot` that has a file, a name or a path.
        world: a `World` that has a file, a name or a path.
        engine: mujoco, bullet, dart or ode.
        arguments: `name:=value` arguments of the robot's file.
        port: port of the page; 0 takes a free one.
        host: address to bind; beyond this machine needs a token.
        token: secret that clients must give (8 letters or more); @FILE reads it from there, out of sight of others.
        browser: open the page in the browser.
        folder: folder of recordings and clips; ./andante_sessions by default.
        seconds: end after this simulated time [s].
        seed: random seed of all noise.
        announce: called with the address of the page as soon as it can be opened.
        body: sim, or a real robot: a `Body`, ws://HOST:9090, http://HOST:11311, naoqi://HOST:9559, serial:PORT, or
            `file.py:Name`.
        params: a TOML file with tables [teleop], [follow], [falls] (`FallRules`), and [body] and [start] for a real
            robot.
        solver: settings of the solver, such as {"iterations": 50}, before those of the world.
        robots: more robots, each as ROBOT@x,y[,yaw][:name] in m and degrees; they live below their names on the bus.
        naoqi: offer the robot to programs of a NAO too, at port 9559 of this machine.
    """
    if naoqi:
        from andante.bridges.naoqi import require

        require()

    def ready(url: str) -> None:
        announce(url)
        if browser:
            webbrowser.open(url)

    from andante.tasks.inputs import file_of

    opened = open_studio(
        file_of(robot),
        file_of(world),
        engine,
        seed=seed,
        arguments=arguments,
        folder=folder,
        port=port,
        host=host,
        token=token,
        announce=ready,
        body=body,
        params=params,
        solver=solver,
        robots=robots,
    )
    with opened, ended_by_signal(opened.session.stop), contextlib.ExitStack() as stack:
        if naoqi:
            from andante.session.launch_run import BridgeProcess

            stack.callback(BridgeProcess(opened.session, "naoqi", opened.url, {}).stop)
        opened.run(seconds)


@contextlib.contextmanager
def ended_by_signal(stop: Callable[[], None]) -> Iterator[None]:
    """Let the first Ctrl-C or SIGTERM end the loop after the present step; the next one ends it as usual."""

    def end(number: int, _frame: object) -> None:
        signal.signal(number, before[number])
        stop()

    before = {int(number): signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
