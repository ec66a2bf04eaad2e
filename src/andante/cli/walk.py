"""`andante walk | sim | play | behave`: robots that move; and how pictures are shown in a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from andante.errors import BadInput

from .command import Call, Command, in_words
from .options import Take
from .output import console, warn
from .words import texts_of, velocity_of

if TYPE_CHECKING:
    from andante.tasks import EnginesResult, PlayResult, SimResult

TOLD = 3  # warnings shown before the rest is counted

walk = Command(
    "andante.tasks.walk:walk",
    "Let a robot walk and tell how far it came.",
    {
        "gait": Take("G", about="walk (two legs), tripod, ripple, wave, crawl, trot ... or file.py:Name."),
        "velocity": Take('"VX VY WZ"', velocity_of),
        "speed": Take("PERCENT"),
        "rig": Take("RIG"),
    },
    dry="andante.tasks.dry_run:dry_walk",
)


def _sim_words(result: SimResult | EnginesResult, call: Call) -> None:
    out = console()
    faults = [problem for problem in result.problems if problem.severity != "info"]
    for problem in faults[:TOLD]:
        out.print(str(problem), markup=False, style="dim")
    if len(faults) > TOLD:
        robot = call.given["robot"]
        out.print(f"and {len(faults) - TOLD} more; andante check {robot} lists them", markup=False, style="dim")
    in_words(result, call)
    if "picture" in call.given and out.is_terminal:
        show_picture(call.given["picture"])


def _sim(call: Call) -> Any:
    if call.given.get("engine") != "all":
        return call.run()
    useless = [name for name in ("record", "video", "picture", "push", "params", "solver") if call.given.get(name)]
    if useless:
        raise BadInput(f"--engine all takes no --{useless[0]}; name one engine")
    return call.by("andante.tasks.compare_engines:compare_engines")


sim = Command(
    "andante.tasks.sim:sim",
    "Simulate a robot and tell where it ends.",
    {"engine": Take("E", about="mujoco, bullet, dart, ode, or file.py:Name; all: compare them.")},
    run=_sim,
    words=_sim_words,
)


def _play(call: Call) -> Any:
    if call.own["check"]:
        return call.by("andante.tasks.play:check_play")
    result = call.run()
    if result.kind == "recording":
        for problem in result.problems:
            warn(problem.message)
    return result


def _play_words(result: PlayResult, call: Call) -> None:
    for problem in () if call.own["check"] or result.kind == "recording" else result.problems:
        console().print(str(problem), markup=False, style="dim")
    in_words(result, call)


play = Command(
    "andante.tasks.play:play",
    "Play a motion on a robot and tell how well it followed; get-up lets it lie first and stand up.",
    {
        "motion": Take(
            "MOTION",
            about="Pose, built-in motion, get-up, or .toml, .csv, .action file (FILE:ACTION picks), or a recording.",
        ),
        "parameters": Take("NAME=VALUE", texts_of, "--set", "Parameter of an action, or solver.NAME; repeat it."),
        "joints": Take("PATTERN", about="Only these joints of a recording (?Shoulder*); repeat it."),
    },
    {"check": Take(about="Only check it and print problems.")},
    run=_play,
    words=_play_words,
    dry="andante.tasks.dry_run:dry_play",
)


def _behave(call: Call) -> Any:
    return call.by("andante.session.behaviors.behave:check_behave") if call.own["check"] else call.run()


behave = Command(
    "andante.session.behaviors.behave:behave",
    "Run a state machine on a robot: motions, walks, speech, sensors and events.",
    {"machine": Take("MACHINE", about="Built-in state machine, or a .toml, .scxml, .json file, or file.py:Class.")},
    {"check": Take(about="Only check it and print problems.")},
    run=_behave,
    code=lambda made: 1 if getattr(made, "ok", True) is False else 0,
    dry="andante.tasks.dry_run:dry_studio",
)


def show_picture(path: Path, columns: int = 72) -> None:
    """Print an image with half blocks in true color."""
    from PIL import Image
    from rich.color import Color
    from rich.segment import Segment, Segments
    from rich.style import Style

    with Image.open(path) as opened:
        width = min(columns, console().width)
        height = max(2, round(opened.height * width / opened.width) // 2 * 2)
        small = opened.convert("RGB").resize((width, height), Image.Resampling.LANCZOS)
    segments = []
    for y in range(0, height, 2):
        for x in range(width):
            top, bottom = small.getpixel((x, y)), small.getpixel((x, y + 1))
            style = Style(color=Color.from_rgb(*top), bgcolor=Color.from_rgb(*bottom))  # type: ignore[misc]
            segments.append(Segment("▀", style))
        segments.append(Segment.line())
    console().print(Segments(segments))
