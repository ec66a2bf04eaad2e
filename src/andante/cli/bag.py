"""`andante bag record|info|play|convert`: recordings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from andante.errors import BadInput

from .command import Call, Command
from .options import Take, group
from .output import console, warn

if TYPE_CHECKING:
    from andante.bridges import ServerHandle
    from andante.bus import Bus
    from andante.tasks.bag import BagInfoResult

app = group("bag", "Record, inspect, replay and convert bags: rosbag1 (.bag), MCAP, rosbag2 (folder, .db3).")

BAG = Take("BAG", about="A .bag, .mcap or .db3 file, or a rosbag2 folder.")
SESSION = Take("SESSION", flags="--url")


def _info_words(found: BagInfoResult, call: Call) -> None:
    for line in str(found).splitlines():
        console().print(line, markup=False, style="yellow" if line in found.warnings else None)


def _record(call: Call) -> Any:
    if call.own["every"] and ("topics" in call.given or call.given["regex"]):
        raise BadInput("--all and chosen topics contradict each other; leave one out")
    return call.run(say=warn)


def _play(call: Call) -> Any:
    return call.run(serve=_serve, say=warn)


def _serve(bus: Bus, port: int) -> ServerHandle:
    """A server with the page of the studio."""
    from andante.bridges.server.start import start_server
    from andante.studio.open import ROUTES, scene_arguments, studio_pages

    return start_server(bus, port, pages=studio_pages(), routes=ROUTES, arguments=scene_arguments((), ()))


for command in (
    Command(
        "andante.tasks.bag:info",
        "Tell what is in a bag, whether it is whole, and what it lacks for mapping.",
        {
            "path": BAG,
            "mapping": Take(flags="--mapping/--quick", about="Whether to read the scans to see if they can be mapped."),
        },
        words=_info_words,
    ),
    Command(
        "andante.tasks.bag:record",
        "Record a running session (andante studio) until Ctrl-C; what is written survives a crash.",
        {
            "out": Take("OUT", flags="-o --out"),
            "topics": Take("[TOPIC]...", about="Topics or patterns like '/camera/*'; none: all.", argument=True),
            "session": SESSION,
        },
        {"every": Take(flags="--all -a", about="All topics, as when none is named.")},
        run=_record,
        warned=lambda made: [f"no message received on {', '.join(made.missing)}"] if made.missing else [],
    ),
    Command(
        "andante.tasks.bag:play",
        "Replay a bag: to the page and rosbridge clients of an own server, or into a running session (--url).",
        {
            "bag": BAG,
            "session": SESSION,
            "speed": Take("X", flags="--speed -r"),
            "start": Take("S", flags="--start -s"),
            "loop": Take(flags="--loop -l"),
        },
        run=_play,
    ),
    Command(
        "andante.tasks.bag:convert",
        "Write a bag anew, as another kind, in part, or whole again after a crash.",
        {"bag": BAG, "start": Take("S"), "stop": Take("S"), "storage": Take("K")},
        warned=lambda made: made.notes,
    ),
):
    command.add_to(app)
