"""`an.bag`: recordings; open them, tell what is in them, record and replay sessions, convert."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from andante import viz
from andante.bags import Bag, TopicChoice, convert_bag, open_bag
from andante.bridges.client import Say, quiet
from andante.bridges.server.start import ServerHandle, start_server
from andante.bus import Bus, Player
from andante.errors import BadInput
from andante.mapping.io.logs import LogInfo, log_info
from andante.progress import bar
from andante.tasks.result import HIDDEN, Result

from .session import record_session, replay_into

Serve = Callable[[Bus, int], ServerHandle]  # the server of a bus on a port


def open(path: Path | str) -> Bag:
    """Open a bag to read its messages, also one that was cut off. Use it in a `with`.

    Args:
        path: a .bag, .mcap or .db3 file, or a rosbag2 folder.

    Returns:
        The bag; iterating over it gives messages with topic, time [ns] and data.
    """
    return open_bag(path)


# ---- info ----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class BagInfoResult(LogInfo, Result):
    """A log in short: topics, counts, damage, and whether it will do for mapping."""

    asked: bool = field(default=True, metadata=HIDDEN)  # whether mapping was looked at

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract."""
        return self.to_json()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is missing or damaged, and what to do."""
        if self.whole:
            return self.notes
        return (*self.notes, f"andante bag convert {self.path.name} NEW.mcap writes a whole bag")

    def __str__(self) -> str:
        lines = [
            f"{self.path}: {self.kind}{'' if self.whole else ', without index'}, {self.size / 1e6:.2f} MB, "
            f"{self.duration:.3f} s from {self.start:.3f} s, {self.count} messages"
        ]
        names, types = (max((len(getattr(t, part)) for t in self.topics), default=0) for part in ("name", "type"))
        for t in self.topics:
            rate = "latched" if t.latched else "" if t.rate is None else f"{t.rate:.1f} Hz"
            lines.append(f"  {t.name:<{names}}  {t.type:<{types}}  {t.count:>7}  {rate:>10}")
        lines += self.warnings
        if self.asked:
            lines.append(f"mapping: {'can be mapped (andante map)' if self.mappable else 'cannot be mapped'}")
            lines += [f"  {line}" for line in self.mapping]
        return "\n".join(lines)

    def plot(self) -> viz.Figure:
        """How many messages every topic has."""
        return viz.plot_bars({t.name: float(t.count) for t in self.topics}, "messages", str(self.path.name))


def info(path: Path | str, *, mapping: bool = True) -> BagInfoResult:
    """Tell what is in a bag or CARMEN log, whether it is whole, and what it lacks for mapping.

    Args:
        path: a .bag, .mcap, .db3, .log or .clf file, or a rosbag2 folder.
        mapping: read the scans to see whether they can be mapped.

    Returns:
        Topics, counts, duration and damage.
    """
    return BagInfoResult(**vars(log_info(path, mapping=mapping)), asked=mapping)


# ---- record and convert --------------------------------------------------------------------------
@dataclass(frozen=True)
class BagResult(Result):
    """A bag that was written."""

    path: Path
    messages: int
    files: tuple[str, ...]
    topics: tuple[str, ...]
    missing: tuple[str, ...] = field(default=(), metadata=HIDDEN)  # topics that were asked for and not heard

    def __str__(self) -> str:
        return f"wrote {self.path}: {self.messages} messages in {len(self.files)} files"


@dataclass(frozen=True)
class ConvertedBag(Result):
    """A bag that was written anew."""

    path: Path
    messages: int
    notes: tuple[str, ...]  # what was lost or left out

    def __str__(self) -> str:
        return f"wrote {self.path}: {self.messages} messages"


def record(
    out: Path | str,
    topics: Sequence[str] = (),
    *,
    session: str | int = "8642",
    regex: str = "",
    exclude: Sequence[str] = (),
    exclude_regex: str = "",
    max_size: float | None = None,
    seconds: float | None = None,
    say: Say = quiet,
) -> BagResult:
    """Record a running session until Ctrl-C, its end, or for some seconds; what is written survives a crash.

    Args:
        out: `run.mcap`, run.bag, or run (a rosbag2 folder).
        topics: names or patterns such as `/camera/*`; none: all.
        session: port or address of the session (ws://..., http://...).
        regex: topics in which this expression is found.
        exclude: topics or patterns that are left out.
        exclude_regex: topics in which this expression is found are left out.
        max_size: a new file begins at this size [MB].
        seconds: duration [s]; None: until Ctrl-C.
        say: callback for messages, one line each.

    Returns:
        The bag. Nothing is left behind when no session answers.
    """
    choice = TopicChoice(tuple(topics), regex, tuple(exclude), exclude_regex)
    writer = record_session(str(session), Path(out), choice, seconds, _bytes(max_size), say)
    files = tuple(part.name for part in writer.parts)
    return BagResult(
        writer.path, writer.count, files, tuple(writer.topics), missing=tuple(choice.missing(writer.topics))
    )


def convert(
    bag: Path | str,
    out: Path | str,
    topics: Sequence[str] = (),
    *,
    regex: str = "",
    exclude: Sequence[str] = (),
    exclude_regex: str = "",
    start: float | None = None,
    stop: float | None = None,
    max_size: float | None = None,
    storage: str = "mcap",
) -> ConvertedBag:
    """Write a bag anew, as another kind, in part, or whole again after a crash.

    Args:
        bag: the bag to read.
        out: `new.mcap`, new.bag, new.db3, or new (a rosbag2 folder); it must not exist.
        topics, regex, exclude, exclude_regex, max_size: as in `record`.
        start: leave out what is before, from the beginning [s].
        stop: leave out what is after, from the beginning [s].
        storage: of a folder, mcap or sqlite3.

    Returns:
        The new bag, and what was left out.
    """
    choice = TopicChoice(tuple(topics), regex, tuple(exclude), exclude_regex)
    made = convert_bag(bag, out, choice, start, stop, _bytes(max_size), storage)
    return ConvertedBag(made.path, made.count, tuple(made.notes))


def _bytes(megabytes: float | None) -> int | None:
    if megabytes is None:
        return None
    if not 0 < megabytes < 1e6:
        raise BadInput(f"max_size should be a number of megabytes above 0, got {megabytes:g}")
    return max(4096, round(megabytes * 1e6))


# ---- play ----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class PlayedBag(Result):
    """A bag that was replayed."""

    path: str
    messages: int
    rounds: int
    broken: int  # messages that could not be read

    def __str__(self) -> str:
        return f"played {self.messages} messages of {self.path}"


def play(
    bag: Path | str,
    topics: Sequence[str] = (),
    *,
    regex: str = "",
    exclude: Sequence[str] = (),
    exclude_regex: str = "",
    speed: float = 1.0,
    start: float = 0.0,
    loop: bool = False,
    clock: bool = True,
    session: str | int = "",
    port: int = 0,
    wait: bool = False,
    serve: Serve = start_server,
    say: Say = quiet,
    progress: bool = False,
) -> PlayedBag:
    """Replay a bag into a running session, or to rosbridge clients of a server of its own.

    Args:
        bag: the bag to read.
        topics, regex, exclude, exclude_regex: as in `record`.
        speed: 2 plays twice as fast.
        start: time to skip at the beginning [s].
        loop: begin anew at the end, until Ctrl-C.
        clock: publish /clock; never into a session, which has its own.
        session: port or address of a running session or rosbridge server; empty: a server of our own.
        port: port of that server; 0: a free one.
        wait: begin when the first client has come.
        serve: starts that server; the command line serves the page of the studio too.
        say: callback for messages, one line each.
        progress: print progress on stderr.

    Returns:
        How much was played.
    """
    choice = TopicChoice(tuple(topics), regex, tuple(exclude), exclude_regex)
    player = Player(Bus(), Path(bag), speed, loop, start, choice, clock=clock and not session)
    told = list(player.notes)
    for note in told:
        say(note)
    with closing(player):
        if session:
            replay_into(str(session), player, say)
        else:
            with serve(player.bus, port) as handle:
                _play_beside(handle, player, wait, say, progress)
        for note in player.notes:
            if note not in told:  # damage that was met on the way
                say(note)
    return PlayedBag(str(bag), player.count, player.rounds, player.broken)


def _play_beside(handle: ServerHandle, player: Player, wait: bool, say: Say, progress: bool) -> None:
    """Play beside a server of our own; the end of its process does not stop it."""
    say(f"replay at {handle.url}, rosbridge at {handle.ws_url}")
    while wait and not handle.clients:
        handle.poll()
        time.sleep(0.02)

    def pace(seconds: float) -> None:
        handle.poll()
        time.sleep(seconds)

    def told(player: Player) -> None:
        at, end = player.position, player.bag.duration
        report(at, end, f"played {at:.0f} of {end:.0f} s")

    with bar("replay", progress) as report:
        try:
            player.run(told, pace)
        except KeyboardInterrupt:
            if not player.loop:
                raise
