"""`andante bridge`: join a running session to ROS 1, ROS 2, Foxglove or another rosbridge server."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from . import options

app = options.group("bridge", "Join a running session to ROS 1, ROS 2, Foxglove or another rosbridge server.")

ALL = ("*",)
Session = Annotated[
    str, typer.Argument(metavar="SESSION", help="Its address (ws://127.0.0.1:PORT/rosbridge or http://...) or port.")
]
Out = Annotated[list[str] | None, typer.Option("--out", metavar="PATTERN", help="Topics that go out; all by default.")]
In = Annotated[list[str] | None, typer.Option("--in", metavar="PATTERN", help="Topics that come in; all by default.")]
Exclude = Annotated[
    list[str] | None, typer.Option("--exclude", "-x", metavar="PATTERN", help="Names that are not bridged.")
]
Seconds = Annotated[float | None, typer.Option("--seconds", metavar="S", help="Stop after this time.")]


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


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
    from andante.tasks.bridge import ros1 as run

    run(
        session,
        master=master,
        host=host,
        name=name,
        out=out or ALL,
        into=into or ALL,
        exclude=exclude or (),
        sim_time=sim_time,
        seconds=seconds,
        say=_say,
    )


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
    from andante.tasks.bridge import ros2 as run

    run(
        session,
        domain=domain,
        interface=interface,
        out=out or ALL,
        into=into or ALL,
        exclude=exclude or (),
        seconds=seconds,
        say=_say,
    )


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
    from andante.tasks.bridge import foxglove as run

    run(
        session,
        port=port,
        drive=drive,
        out=out or ALL,
        into=into or ALL,
        exclude=exclude or (),
        seconds=seconds,
        say=_say,
    )


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
    from andante.tasks.bridge import rosbridge as run

    run(session, server, out=out or (), into=into or ALL, exclude=exclude or (), seconds=seconds, say=_say)
