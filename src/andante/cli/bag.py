"""`andante bag record|info|play|convert`: recordings."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.progress import PlainLines, on_terminal

from .options import Json, group
from .output import console, print_json, warn

if TYPE_CHECKING:
    from andante.bags import TopicChoice
    from andante.bus import Player

app = group("Record, inspect, replay and convert bags: rosbag1 (.bag), MCAP, rosbag2 (folder, .db3).")

BagPath = Annotated[Path, typer.Argument(metavar="BAG", help="A .bag, .mcap or .db3 file, or a rosbag2 folder.")]
Topics = Annotated[
    list[str] | None, typer.Option("--topic", "-t", metavar="T", help="A topic, or a pattern like '/camera/*'.")
]
Regex = Annotated[str, typer.Option("--regex", metavar="RE", help="Topics in which this expression is found.")]
Exclude = Annotated[list[str] | None, typer.Option("--exclude", "-x", metavar="T", help="Topics or patterns left out.")]
ExcludeRegex = Annotated[str, typer.Option("--exclude-regex", metavar="RE", help="Topics with this are left out.")]
MaxSize = Annotated[float | None, typer.Option("--max-size", metavar="MB", help="Begin a new file at this size.")]


def _choice(names: list[str] | None, regex: str, exclude: list[str] | None, exclude_regex: str) -> TopicChoice:
    from andante.bags import TopicChoice

    return TopicChoice(tuple(names or ()), regex, tuple(exclude or ()), exclude_regex)


def _bytes(megabytes: float | None) -> int | None:
    from andante.errors import BadInput

    if megabytes is None:
        return None
    if not 0 < megabytes < 1e6:
        raise BadInput(f"--max-size should be a number of megabytes above 0, got {megabytes:g}")
    return max(4096, round(megabytes * 1e6))


@app.command("info")
def info(
    bag: BagPath,
    quick: Annotated[bool, typer.Option("--quick", help="Do not read the scans to see if they can be mapped.")] = False,
    json: Json = False,
) -> None:
    """Tell what is in a bag, whether it is whole, and what it lacks for mapping."""
    from andante.mapping.io.log_info import log_info

    found = log_info(bag, mapping=not quick)
    if json:
        print_json(found.to_json())
        return
    out = console()
    size = found.size / 1e6
    state = "" if found.whole else ", without index"
    out.print(
        f"{found.path}: {found.kind}{state}, {size:.2f} MB, {found.duration:.3f} s from {found.start:.3f} s, "
        f"{found.count} messages",
        markup=False,
    )
    wide = max((len(t.name) for t in found.topics), default=0), max((len(t.type) for t in found.topics), default=0)
    for t in found.topics:
        rate = "" if t.rate is None else f"{t.rate:.1f} Hz"
        line = f"  {t.name:<{wide[0]}}  {t.type:<{wide[1]}}  {t.count:>7}  {'latched' if t.latched else rate:>10}"
        out.print(line, markup=False)
    for note in found.notes:
        out.print(note, markup=False, style="yellow")
    if not found.whole:
        out.print(f"andante bag convert {found.path.name} NEW.mcap writes a whole bag", markup=False, style="yellow")
    if not quick:
        words = "can be mapped (andante map)" if found.mappable else "cannot be mapped"
        out.print(f"mapping: {words}", markup=False)
        for line in found.mapping:
            out.print(f"  {line}", markup=False)


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
    from andante.errors import BadInput
    from andante.tasks.bag_session import record_session

    if every and (topics or regex):
        raise BadInput("--all and chosen topics contradict each other; leave one out")
    choice = _choice(topics, regex, exclude, exclude_regex)
    writer = record_session(url, out, choice, seconds, _bytes(max_size), say=warn)
    result = {"path": str(writer.path), "messages": writer.count, "files": [part.name for part in writer.parts]}
    missing = choice.missing(writer.topics)
    if missing:
        warn(f"no message received on {', '.join(missing)}")
    if json:
        print_json({**result, "topics": writer.topics})
        return
    console().print(f"wrote {writer.path}: {writer.count} messages in {len(writer.parts)} files", markup=False)


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
    from andante.bus import Bus, Player
    from andante.tasks.bag_session import replay_into

    choice = _choice(topics, regex, exclude, exclude_regex)
    player = Player(Bus(), bag, speed, loop, start, choice, clock=not no_clock and not url)
    told = list(player.notes)
    for note in told:
        warn(note)
    try:
        if url:
            replay_into(url, player, warn)
        else:
            _serve(player, port, wait, json)
        for note in player.notes:
            if note not in told:  # damage that was met on the way
                warn(note)
    finally:
        player.close()
    result = {"path": str(bag), "messages": player.count, "rounds": player.rounds, "broken": player.broken}
    if json:
        print_json(result)
        return
    console().print(f"played {player.count} messages of {bag}", markup=False)


def _serve(player: Player, port: int, wait: bool, json: bool) -> None:
    """Play beside a server of our own."""
    import time

    from andante.bridges.server.start import start_server
    from andante.studio.open import ROUTES, scene_arguments, studio_pages
    from andante.tasks.bag_session import serve_replay

    with start_server(
        player.bus, port, pages=studio_pages(), routes=ROUTES, arguments=scene_arguments((), ())
    ) as handle:
        warn(f"replay at {handle.url}, rosbridge at {handle.ws_url}")
        while wait and not handle.clients:
            handle.poll()
            time.sleep(0.02)
        bar = _Progress(player, shown=not json)
        try:
            serve_replay(player, handle, bar.tell)
        except KeyboardInterrupt:
            if not player.loop:
                raise
        finally:
            bar.end()


class _Progress:
    """How far a replay is, on stderr: a moving line on a terminal, one now and then elsewhere; only for people."""

    def __init__(self, player: Player, shown: bool) -> None:
        self._shown = shown and on_terminal()
        self._lines = PlainLines() if shown and not self._shown else None

    def tell(self, player: Player) -> None:
        if self._shown:
            sys.stderr.write(f"\r{player.position:8.2f} of {player.bag.duration:.2f} s  ")
            sys.stderr.flush()
        elif self._lines is not None:
            self._lines.tell(lambda: f"played {player.position:.0f} of {player.bag.duration:.0f} s")

    def end(self) -> None:
        if self._shown:
            sys.stderr.write("\n")


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
    from andante.bags import convert_bag

    choice = _choice(topics, regex, exclude, exclude_regex)
    made = convert_bag(bag, out, choice, start, stop, _bytes(max_size), storage)
    for note in made.notes:
        warn(note)
    result: dict[str, Any] = {"path": str(made.path), "messages": made.count, "notes": made.notes}
    if json:
        print_json(result)
        return
    console().print(f"wrote {made.path}: {made.count} messages", markup=False)
