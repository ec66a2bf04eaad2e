"""`an.bridge`: join a running session to ROS 1, ROS 2, Foxglove, another rosbridge server, or offer it as a NAO."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from andante.bridges.base import Bridge
from andante.bridges.client import Directions, Say, quiet
from andante.bridges.encoding import absolute
from andante.bridges.foxglove import FoxgloveBridge, require_sdk
from andante.bridges.naoqi import NaoqiBridge, check_place
from andante.bridges.naoqi import require as require_qi
from andante.bridges.ros1 import Ros1Bridge
from andante.bridges.ros1.package import write_package
from andante.bridges.ros1.xmlrpc import address
from andante.bridges.ros2 import Ros2Bridge, check_domain, require
from andante.bridges.rosbridge.client import RosbridgeBridge, SessionClient, run_beside
from andante.errors import BadInput

ALL = ("*",)


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
    types: Path | str | None = None,
    seconds: float | None = None,
    say: Say = quiet,
) -> None:
    """Make a session a node of a ROS 1 master, until Ctrl-C. No ROS install is needed on this side.

    Args:
        session: its address (ws://127.0.0.1:PORT/rosbridge or http://...) or port.
        master: URI of the ROS master; $ROS_MASTER_URI by default.
        host: our own address for other nodes; $ROS_IP by default.
        name: name of our node.
        out: patterns of topics that go out; all by default.
        into: patterns of topics that come in; all by default.
        exclude: patterns of names that are not bridged.
        sim_time: set /use_sim_time while the session publishes /clock.
        types: folder to write the package andante_msgs into, for `rosservice call` and `rostopic pub`.
        seconds: duration [s]; None: until Ctrl-C.
        say: callback for messages, one line each.
    """
    node, directions = absolute(name), Directions(tuple(out), tuple(into), tuple(exclude))
    uri = master or os.environ.get("ROS_MASTER_URI", "http://127.0.0.1:11311")
    own = host or os.environ.get("ROS_IP") or os.environ.get("ROS_HOSTNAME") or "127.0.0.1"
    address(uri)
    if types is not None:
        write_package(types)
        say(f"types of andante_msgs: export ROS_PACKAGE_PATH={Path(types).absolute()}:$ROS_PACKAGE_PATH")
    bridge = partial(Ros1Bridge, master=uri, name=node, host=own, directions=directions, sim_time=sim_time, say=say)
    run_until_stopped(session, bridge, seconds, say)


def ros2(
    session: str | int,
    *,
    domain: int | None = None,
    interface: str = "",
    out: Sequence[str] = ALL,
    into: Sequence[str] = ALL,
    exclude: Sequence[str] = (),
    seconds: float | None = None,
    say: Say = quiet,
) -> None:
    """Bring the topics of a session into a ROS 2 domain over DDS (experimental), until Ctrl-C.

    Args:
        session: as in `ros1`.
        domain: the ROS domain; $ROS_DOMAIN_ID or 0 by default.
        interface: network interface to open; by default only programs on this machine see and command it.
        out, into, exclude, seconds, say: as in `ros1`.
    """
    require()
    said = os.environ.get("ROS_DOMAIN_ID", "0") or "0"
    if domain is None and not said.isdigit():
        raise BadInput(f"ROS_DOMAIN_ID should be a number, got {said!r}")
    number = int(said) if domain is None else domain
    check_domain(number)
    directions = Directions(tuple(out), tuple(into), tuple(exclude))
    bridge = partial(Ros2Bridge, domain=number, interface=interface, directions=directions, say=say)
    run_until_stopped(session, bridge, seconds, say)


def foxglove(
    session: str | int,
    *,
    port: int = 8765,
    drive: bool = False,
    out: Sequence[str] = ALL,
    into: Sequence[str] = ALL,
    exclude: Sequence[str] = (),
    seconds: float | None = None,
    say: Say = quiet,
) -> None:
    """Show a session to Foxglove on this machine, until Ctrl-C.

    Args:
        session: as in `ros1`.
        port: port of the Foxglove server; 0 takes a free one.
        drive: let clients publish, call services and set parameters too.
        out, into, exclude, seconds, say: as in `ros1`.
    """
    require_sdk()
    directions = Directions(tuple(out), tuple(into), tuple(exclude))
    bridge = partial(FoxgloveBridge, port=port, drive=drive, directions=directions, say=say)
    run_until_stopped(session, bridge, seconds, say)


def rosbridge(
    session: str | int,
    server: str,
    *,
    out: Sequence[str] = (),
    into: Sequence[str] = ALL,
    exclude: Sequence[str] = (),
    seconds: float | None = None,
    say: Say = quiet,
) -> None:
    """Join a session to another rosbridge server, until Ctrl-C: what it subscribes to comes in, `out` goes out.

    Args:
        session: as in `ros1`.
        server: the other rosbridge server, ws://robot:9090.
        out: patterns of topics that go to it; none by default.
        into, exclude, seconds, say: as in `ros1`.
    """
    directions = Directions(tuple(out), tuple(into), tuple(exclude))
    run_until_stopped(session, lambda bus: RosbridgeBridge(bus, server, directions, say), seconds, say)


def naoqi(
    session: str | int,
    *,
    host: str = "127.0.0.1",
    port: int = 9559,
    folder: Path | str | None = None,
    sound: bool = True,
    report: Path | str | None = None,
    seconds: float | None = None,
    say: Say = quiet,
) -> None:
    """Offer a session as a NAO: the services of NAOqi at a qi session of their own, until Ctrl-C.

    Args:
        session: as in `ros1`.
        host: address to listen at; beyond this machine whoever reaches the port moves the robot.
        port: port of NAOqi.
        folder: folder for files of the robot (pictures, recordings); a temporary one by default.
        sound: speak aloud where espeak-ng is installed.
        report: JSON file for the calls that were made and those that a stub answered, written in the end.
        seconds, say: as in `ros1`.
    """
    check_place(host, port)
    require_qi()
    bridge = partial(NaoqiBridge, host=host, port=port, folder=folder, sound=sound, report=report, say=say)
    run_until_stopped(session, bridge, seconds, say)


def run_until_stopped(
    session: str | int, make: Callable[[SessionClient], Bridge], seconds: float | None = None, say: Say = quiet
) -> None:
    """Run a bridge beside a session until Ctrl-C, SIGTERM or the end of its time; all of them leave it tidily."""
    if seconds is not None and not seconds > 0.0:
        raise BadInput(f"seconds should be a number above 0, got {seconds:g}")

    async def whole() -> None:
        task = asyncio.current_task()
        assert task is not None
        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(NotImplementedError, RuntimeError):  # Windows has no such handlers
                asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await run_beside(str(session), make, seconds, say)

    asyncio.run(whole())
