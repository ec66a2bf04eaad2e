"""`an.bridge`: join a running session to ROS 1, ROS 2, Foxglove or another rosbridge server."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from andante.bridges.client import BusClient, Directions
from andante.bridges.encoding import absolute
from andante.errors import BadInput

if TYPE_CHECKING:
    from andante.bridges.base import Bridge

Say = Callable[[str], None]
ALL = ("*",)


def _silent(text: str) -> None:
    """Say nothing."""


def ros1(
    session: str | int,
    *,
    master: str = "",
    host: str = "",
    name: str = "/andante",
    out: Sequence[str] = ALL,
    into: Sequence[str] = ALL,
    exclude: Sequence[str] = (),
    sim_time: bool = True,
    seconds: float | None = None,
    say: Say = _silent,
) -> None:
    """Make a session a node of a ROS 1 master, until Ctrl-C. No ROS install is needed on this side.

    Args:
        session: its address (ws://127.0.0.1:PORT/rosbridge or http://...) or port.
        master: URI of the ROS master; $ROS_MASTER_URI by default.
        host: our own address for other nodes; $ROS_IP by default.
        name: name of our node.
        out, into: patterns of topics that go out and come in.
        exclude: patterns of names that are not bridged.
        sim_time: set /use_sim_time while the session publishes /clock.
        seconds: duration [s]; None: until Ctrl-C.
        say: callback for messages, one line each.
    """
    from andante.bridges.ros1 import Ros1Bridge
    from andante.bridges.ros1.xmlrpc import address

    node, directions = absolute(name), Directions(tuple(out), tuple(into), tuple(exclude))
    uri = master or os.environ.get("ROS_MASTER_URI", "http://127.0.0.1:11311")
    own = host or os.environ.get("ROS_IP") or os.environ.get("ROS_HOSTNAME") or "127.0.0.1"
    address(uri)

    def make(bus: BusClient) -> Any:
        return Ros1Bridge(bus, uri, name=node, host=own, directions=directions, sim_time=sim_time, say=say)

    _run(session, make, seconds, say)


def ros2(
    session: str | int,
    *,
    domain: int | None = None,
    interface: str = "",
    out: Sequence[str] = ALL,
    into: Sequence[str] = ALL,
    exclude: Sequence[str] = (),
    seconds: float | None = None,
    say: Say = _silent,
) -> None:
    """Bring the topics of a session into a ROS 2 domain over DDS (experimental), until Ctrl-C.

    Args:
        session: its address or port.
        domain: the ROS domain; $ROS_DOMAIN_ID or 0 by default.
        interface: network interface; the loopback by default.
        out, into, exclude, seconds, say: as in `ros1`.
    """
    from andante.bridges.ros2 import Ros2Bridge, check_domain, require

    require()
    said = os.environ.get("ROS_DOMAIN_ID", "0") or "0"
    if domain is None and not said.isdigit():
        raise BadInput(f"ROS_DOMAIN_ID should be a number, got {said!r}")
    number = int(said) if domain is None else domain
    check_domain(number)
    directions = Directions(tuple(out), tuple(into), tuple(exclude))

    def make(bus: BusClient) -> Any:
        return Ros2Bridge(bus, number, interface=interface, directions=directions, say=say)

    _run(session, make, seconds, say)


def foxglove(
    session: str | int,
    *,
    port: int = 8765,
    drive: bool = False,
    out: Sequence[str] = ALL,
    into: Sequence[str] = ALL,
    exclude: Sequence[str] = (),
    seconds: float | None = None,
    say: Say = _silent,
) -> None:
    """Show a session to Foxglove on this machine, until Ctrl-C.

    Args:
        session: its address or port.
        port: of the Foxglove server; 0 takes a free one.
        drive: let clients publish, call services and set parameters too.
        out, into, exclude, seconds, say: as in `ros1`.
    """
    from andante.bridges.foxglove import FoxgloveBridge

    directions = Directions(tuple(out), tuple(into), tuple(exclude))

    def make(bus: BusClient) -> Any:
        return FoxgloveBridge(bus, port, drive=drive, directions=directions, say=say)

    _run(session, make, seconds, say)


def rosbridge(
    session: str | int,
    server: str,
    *,
    out: Sequence[str] = (),
    into: Sequence[str] = ALL,
    exclude: Sequence[str] = (),
    seconds: float | None = None,
    say: Say = _silent,
) -> None:
    """Join a session to another rosbridge server, until Ctrl-C: what it subscribes to comes in, `out` goes out.

    Args:
        session: its address or port.
        server: the other rosbridge server, ws://robot:9090.
        out: patterns of topics that go to it; none by default.
        into, exclude, seconds, say: as in `ros1`.
    """
    from andante.bridges.rosbridge.client import RosbridgeBridge

    directions = Directions(tuple(out), tuple(into), tuple(exclude))

    def make(bus: BusClient) -> Any:
        return RosbridgeBridge(bus, server, directions, say)

    _run(session, make, seconds, say)


def _run(session: str | int, make: Callable[[BusClient], Bridge], seconds: float | None, say: Say) -> None:
    """Run a bridge until Ctrl-C, SIGTERM or the end of its time; all of them leave the other world tidily."""
    from andante.bridges.rosbridge.client import run_beside

    if seconds is not None and not seconds > 0.0:
        raise BadInput(f"seconds should be a number above 0, got {seconds:g}")

    async def whole() -> None:
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(NotImplementedError, RuntimeError):  # Windows has no such handlers
                loop.add_signal_handler(number, task.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await run_beside(str(session), make, seconds, say)

    asyncio.run(whole())
