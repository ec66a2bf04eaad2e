"""`andante bridge`: join a running session to ROS 1, ROS 2, Foxglove or another rosbridge server."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import group

if TYPE_CHECKING:
    from andante.bridges.base import Bridge
    from andante.bridges.client import BusClient, Directions

app = group("Join a running session to ROS 1, ROS 2, Foxglove or another rosbridge server.")

Session = Annotated[
    str, typer.Argument(metavar="SESSION", help="Its address (ws://127.0.0.1:PORT/rosbridge or http://...) or port.")
]
Out = Annotated[list[str] | None, typer.Option("--out", metavar="PATTERN", help="Topics that go out; all by default.")]
In = Annotated[list[str] | None, typer.Option("--in", metavar="PATTERN", help="Topics that come in; all by default.")]
Exclude = Annotated[
    list[str] | None, typer.Option("--exclude", "-x", metavar="PATTERN", help="Names that are not bridged.")
]
Seconds = Annotated[float | None, typer.Option("--seconds", metavar="S", help="Stop after this time.")]


def _directions(out: list[str] | None, into: list[str] | None, exclude: list[str] | None) -> Directions:
    from andante.bridges.client import Directions

    return Directions(tuple(out or ("*",)), tuple(into or ("*",)), tuple(exclude or ()))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _run(session: str, make: Callable[[BusClient], Bridge], seconds: float | None) -> None:
    """Run a bridge until Ctrl-C, SIGTERM or the end of its time; all of them leave the other world tidily."""
    import asyncio
    import contextlib
    import signal

    from andante.bridges.rosbridge.client import run_beside
    from andante.errors import BadInput

    if seconds is not None and not seconds > 0.0:
        raise BadInput(f"--seconds should be a number above 0, got {seconds:g}")

    async def whole() -> None:
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(NotImplementedError, RuntimeError):  # Windows has no such handlers
                loop.add_signal_handler(number, task.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await run_beside(session, make, seconds, _say)

    asyncio.run(whole())


@app.command("ros1")
def ros1(
    session: Session,
    master: Annotated[
        str, typer.Option("--master", metavar="URI", help="The ROS master; $ROS_MASTER_URI by default.")
    ] = "",
    host: Annotated[
        str, typer.Option("--host", metavar="H", help="Our own address for other nodes; $ROS_IP by default.")
    ] = "",
    name: Annotated[str, typer.Option("--name", metavar="N", help="Name of our node.")] = "/andante",
    out: Out = None,
    into: In = None,
    exclude: Exclude = None,
    sim_time: Annotated[bool, typer.Option(help="Set /use_sim_time while the session publishes /clock.")] = True,
    seconds: Seconds = None,
) -> None:
    """Make a session a node of a ROS 1 master. No ROS install is needed on this side."""
    from andante.bridges.encoding import absolute
    from andante.bridges.ros1 import Ros1Bridge
    from andante.bridges.ros1.xmlrpc import address

    node = absolute(name)
    uri = master or os.environ.get("ROS_MASTER_URI", "http://127.0.0.1:11311")
    own = host or os.environ.get("ROS_IP") or os.environ.get("ROS_HOSTNAME") or "127.0.0.1"
    address(uri)
    directions = _directions(out, into, exclude)

    def make(bus: BusClient) -> Any:
        return Ros1Bridge(bus, uri, name=node, host=own, directions=directions, sim_time=sim_time, say=_say)

    _run(session, make, seconds)


@app.command("ros2")
def ros2(
    session: Session,
    domain: Annotated[
        int | None, typer.Option("--domain", metavar="N", help="The ROS domain; $ROS_DOMAIN_ID or 0 by default.")
    ] = None,
    interface: Annotated[
        str, typer.Option("--interface", metavar="I", help="Network interface; the loopback by default.")
    ] = "",
    out: Out = None,
    into: In = None,
    exclude: Exclude = None,
    seconds: Seconds = None,
) -> None:
    """Bring the topics of a session into a ROS 2 domain over DDS (experimental). No ROS install is needed."""
    from andante.bridges.ros2 import Ros2Bridge
    from andante.bridges.ros2.ends import check_domain, require
    from andante.errors import BadInput

    require()
    said = os.environ.get("ROS_DOMAIN_ID", "0") or "0"
    if domain is None and not said.isdigit():
        raise BadInput(f"ROS_DOMAIN_ID should be a number, got {said!r}")
    number = int(said) if domain is None else domain
    check_domain(number)
    directions = _directions(out, into, exclude)

    def make(bus: BusClient) -> Any:
        return Ros2Bridge(bus, number, interface=interface, directions=directions, say=_say)

    _run(session, make, seconds)


@app.command("foxglove")
def foxglove(
    session: Session,
    port: Annotated[
        int, typer.Option("--port", metavar="P", help="Port of the Foxglove server; 0 takes a free one.")
    ] = 8765,
    drive: Annotated[
        bool, typer.Option("--drive", help="Let clients publish, call services and set parameters too.")
    ] = False,
    out: Out = None,
    into: In = None,
    exclude: Exclude = None,
    seconds: Seconds = None,
) -> None:
    """Show a session to Foxglove on this machine."""
    from andante.bridges.foxglove import FoxgloveBridge

    directions = _directions(out, into, exclude)

    def make(bus: BusClient) -> Any:
        return FoxgloveBridge(bus, port, drive=drive, directions=directions, say=_say)

    _run(session, make, seconds)


@app.command("rosbridge")
def rosbridge(
    session: Session,
    server: Annotated[str, typer.Argument(metavar="SERVER", help="The other rosbridge server, ws://robot:9090.")],
    out: Annotated[
        list[str] | None, typer.Option("--out", metavar="PATTERN", help="Topics that go to it; none by default.")
    ] = None,
    into: In = None,
    exclude: Exclude = None,
    seconds: Seconds = None,
) -> None:
    """Join a session to another rosbridge server: what the session hears comes in, what --out names goes out."""
    from andante.bridges.client import Directions
    from andante.bridges.rosbridge.bridge import RosbridgeBridge

    directions = Directions(tuple(out or ()), tuple(into or ("*",)), tuple(exclude or ()))

    def make(bus: BusClient) -> Any:
        return RosbridgeBridge(bus, server, directions, _say)

    _run(session, make, seconds)
