"""`andante studio [ROBOT]` and `andante launch FILE`: the page in the browser, and all that a launch file names."""

from __future__ import annotations

from typing import Any

from andante.settings import DEFAULT_ENGINE, DEFAULT_ROBOT, STUDIO_WORLD

from .command import Call, Command
from .options import BODY, SHARED, Take, allow, refuse_simulated
from .output import console, print_json, print_lines

WITH = Take("ROBOT@X,Y[,YAW][:NAME]", flags="--with", about="One more robot (m, degrees); may be given often.")


def _studio(call: Call) -> None:
    from andante.studio.open import built

    def announce(url: str) -> None:
        if call.json:
            named = {name: call.given[name] for name in ("robot", "engine")}
            print_json({"url": url, **named, "page": built()})
            return
        out = console()
        out.print(f"studio at {url}", markup=False, highlight=False)
        if not built():
            out.print("the page is not built: python tools/build_web.py", markup=False, style="yellow")
        out.print("Ctrl-C stops it", style="dim")

    call.run(announce=announce)


studio = Command(
    "andante.studio.open:studio",
    "Open the studio: watch, drive, push and measure a robot in the browser. Ctrl-C stops it.",
    {
        "robot": Take("[ROBOT]", about=SHARED["robot"].about, default=DEFAULT_ROBOT, argument=True),
        "world": Take("W", about=SHARED["world"].about, default=STUDIO_WORLD),
        "engine": Take("E", default=DEFAULT_ENGINE),
        "host": Take("A"),
        "token": Take("T"),
        "folder": Take("DIR"),
        "robots": WITH,
    },
    run=_studio,
    dry="andante.tasks.dry_run:dry_studio",
)


def _launch(call: Call) -> Any:
    from andante.session.launch_file import read_launch
    from andante.studio.launch import launch as run
    from andante.tasks.dry_run import dry_session

    def say(text: str) -> None:
        if not call.json:
            console().print(text, markup=False)

    words = call.own["overrides"] or ()
    plan = read_launch(call.given["file"], words)
    if call.own["dry_run"]:
        refuse_simulated(plan.body.address)
        print_lines(dry_session(plan.robot, plan.body.address, plan.body.options, plan.arguments, plan.gait))
        return None
    allow(plan.body.address, plan.robot, call.own["yes"])
    return run(call.given["file"], *words, robots=call.given.get("robots", ()), say=say)


launch = Command(
    "andante.studio.launch:launch",
    "Start robot, world, engine, behaviours and bridges of a launch file; Ctrl-C ends all of them.",
    {"robots": WITH},
    own={
        "overrides": Take(
            "[NAME:=VALUE]...",
            about="robot:=shell, server.port:=9000, /nao/pgain:=80 ...",
            kind=list[str],
            default=None,
            argument=True,
        ),
        **BODY,
    },
    run=_launch,
)
