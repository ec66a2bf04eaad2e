"""`andante bag record|info|play|convert`: recordings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from andante.errors import BadInput

from .options import Json, group
from .output import console, print_json, warn

if TYPE_CHECKING:
    from andante.bridges import ServerHandle
    from andante.bus import Bus
    from andante.tasks import Result

app = group("Record, inspect, replay and convert bags: rosbag1 (.bag), MCAP, rosbag2 (folder, .db3).")

BagPath = Annotated[Path, typer.Argument(metavar="BAG", help="A .bag, .mcap or .db3 file, or a rosbag2 folder.")]
Topics = Annotated[
    list[str] | None, typer.Option("--topic", "-t", metavar="T", help="A topic, or a pattern like '/camera/*'.")
]
Regex = Annotated[str, typer.Option("--regex", metavar="RE", help="Topics in which this expression is found.")]
Exclude = Annotated[list[str] | None, typer.Option("--exclude", "-x", metavar="T", help="Topics or patterns left out.")]
ExcludeRegex = Annotated[str, typer.Option("--exclude-regex", metavar="RE", help="Topics with this are left out.")]
MaxSize = Annotated[float | None, typer.Option("--max-size", metavar="MB", help="Begin a new file at this size.")]


@app.command("info")
def info(
    bag: BagPath,
    quick: Annotated[bool, typer.Option("--quick", help="Do not read the scans to see if they can be mapped.")] = False,
    json: Json = False,
) -> None:
    """Tell what is in a bag, whether it is whole, and what it lacks for mapping."""
    from andante.tasks.bag import info as run

    found = run(bag, mapping=not quick)
    if json:
        print_json(found.as_dict())
        return
    for line in str(found).splitlines():
        console().print(line, markup=False, style="yellow" if line in found.warnings else None)


@app.command("record")
def record(
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="OUT", help="run.mcap, run.bag, or run (a rosbag2 folder).")
    ],
    topics: Annotated[
        list[str] | None, typer.Argument(metavar="[TOPIC]...", help="Topics or patterns like '/camera/*'; none: all.")
    ] = None,
    url: Annotated[
        str,
        typer.Option("--url", metavar="SESSION", help="Port or address of a running session (ws://..., http://...)."),
    ] = "8642",
    every: Annotated[bool, typer.Option("--all", "-a", help="All topics, as when none is named.")] = False,
    regex: Regex = "",
    exclude: Exclude = None,
    exclude_regex: ExcludeRegex = "",
    max_size: MaxSize = None,
    seconds: Annotated[float | None, typer.Option("--seconds", metavar="S", help="Stop after this time.")] = None,
    json: Json = False,
) -> None:
    """Record a running session (andante studio) until Ctrl-C; what is written survives a crash."""
    from andante.tasks.bag import record as run

    if every and (topics or regex):
        raise BadInput("--all and chosen topics contradict each other; leave one out")
    result = run(
        out,
        topics or (),
        session=url,
        regex=regex,
        exclude=exclude or (),
        exclude_regex=exclude_regex,
        max_size=max_size,
        seconds=seconds,
        say=warn,
    )
    if result.missing:
        warn(f"no message received on {', '.join(result.missing)}")
    _print_result(result, json)


@app.command("play")
def play(
    bag: BagPath,
    topics: Topics = None,
    regex: Regex = "",
    exclude: Exclude = None,
    exclude_regex: ExcludeRegex = "",
    speed: Annotated[float, typer.Option("--speed", "-r", metavar="X", help="2 plays twice as fast.")] = 1.0,
    start: Annotated[float, typer.Option("--start", "-s", metavar="S", help="Start at this offset.")] = 0.0,
    loop: Annotated[bool, typer.Option("--loop", "-l", help="Repeat from the start until Ctrl-C.")] = False,
    no_clock: Annotated[bool, typer.Option("--no-clock", help="Do not publish /clock.")] = False,
    url: Annotated[
        str, typer.Option("--url", metavar="SESSION", help="Publish into this running session or rosbridge server.")
    ] = "",
    port: Annotated[
        int, typer.Option("--port", metavar="P", help="Port of the page and rosbridge; 0: a free one.")
    ] = 0,
    wait: Annotated[bool, typer.Option("--wait", help="Start when the first client connects.")] = False,
    json: Json = False,
) -> None:
    """Replay a bag: to the page and rosbridge clients of an own server, or into a running session (--url)."""
    from andante.tasks.bag import play as run

    result = run(
        bag,
        topics or (),
        regex=regex,
        exclude=exclude or (),
        exclude_regex=exclude_regex,
        speed=speed,
        start=start,
        loop=loop,
        clock=not no_clock,
        session=url,
        port=port,
        wait=wait,
        serve=_serve,
        say=warn,
        progress=not json,
    )
    _print_result(result, json)


def _serve(bus: Bus, port: int) -> ServerHandle:
    """A server with the page of the studio."""
    from andante.bridges.server.start import start_server
    from andante.studio.open import ROUTES, scene_arguments, studio_pages

    return start_server(bus, port, pages=studio_pages(), routes=ROUTES, arguments=scene_arguments((), ()))


@app.command("convert")
def convert(
    bag: BagPath,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="new.mcap, new.bag, new.db3, or new (a rosbag2 folder).")],
    topics: Topics = None,
    regex: Regex = "",
    exclude: Exclude = None,
    exclude_regex: ExcludeRegex = "",
    start: Annotated[float | None, typer.Option("--start", metavar="S", help="Leave out what is before [s].")] = None,
    stop: Annotated[float | None, typer.Option("--stop", metavar="S", help="Leave out what is after [s].")] = None,
    max_size: MaxSize = None,
    storage: Annotated[str, typer.Option("--storage", metavar="K", help="Of a folder: mcap or sqlite3.")] = "mcap",
    json: Json = False,
) -> None:
    """Write a bag anew, as another kind, in part, or whole again after a crash."""
    from andante.tasks.bag import convert as run

    result = run(
        bag,
        out,
        topics or (),
        regex=regex,
        exclude=exclude or (),
        exclude_regex=exclude_regex,
        start=start,
        stop=stop,
        max_size=max_size,
        storage=storage,
    )
    for note in result.notes:
        warn(note)
    _print_result(result, json)


def _print_result(result: Result, json: bool) -> None:
    if json:
        print_json(result.as_dict())
    else:
        console().print(str(result), markup=False)
