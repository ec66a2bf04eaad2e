"""How arguments that several functions have are taken from the command line, each in one way."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import typer

from .signature import REQUIRED
from .words import arguments_of, pose_of, solver_of

POSE = '"X Y YAW"'
SET = "--set"  # settings of the solver; in some commands also of what they do, told apart by `solver.`


@dataclass(frozen=True)
class Take:
    """How an argument is taken; what is left out is as the signature and docstring of the function say."""

    metavar: str = ""  # what stands for the value in the help
    convert: Callable[[Any], Any] | None = None  # from the words to the value
    flags: str = ""  # such as "-o --out"; empty: --NAME, or a bare argument where it is the first of the function
    about: str = ""  # help
    kind: Any = None  # type of the words
    default: Any = REQUIRED
    required: bool = False  # although the function has a default
    argument: bool = False  # without a flag
    least: int | None = None

    def value(self, words: Any) -> Any:
        """The value that the function gets."""
        return words if self.convert is None else self.convert(words)


CALLBACKS = {"progress", "say", "announce", "serve"}  # of functions, no options
SHARED = {
    "robot": Take("ROBOT", about="Built-in name or a URDF, xacro, SDF or MJCF file."),
    "arguments": Take("[NAME:=VALUE]...", arguments_of, about="xacro arguments.", argument=True),
    "world": Take("W", about="Built-in name or an SDF or MJCF file."),
    "body": Take(
        "B",
        about="sim, ws://HOST:9090, http://HOST:11311, naoqi://HOST:9559, serial:PORT or file.py:Name (a real robot).",
        default="sim",
    ),
    "seed": Take("N", least=0),
    "start": Take(POSE, partial(pose_of, "--start")),
    "solver": Take(
        "solver.NAME=VALUE", solver_of, SET, "Setting of the solver, like solver.iterations=50; repeat it.", list[str]
    ),
    "push": Take('"NS DIR T"', about='Push the root: "2.0 left 1.0" [N s, s].'),
    "topics": Take("T", flags="-t --topic", about="A topic, or a pattern like '/camera/*'."),
    "exclude": Take("T", flags="-x --exclude"),
    "record": Take("OUT", about="Record to .mcap, .bag or .csv."),
    "video": Take("OUT", about="Film to .mp4, .gif or .webp."),
    "picture": Take("OUT", about="Last instant as .png, .jpg or .webp."),
    "plot": Take("OUT", about="Draw map and path to .png, .svg or .pdf."),
    "map": Take("MAP", about="The map's .yaml file."),
    "planner": Take("P", about="auto, dijkstra, astar, theta_star, hybrid or file.py:Name."),
    "controller": Take("C", about="mppi, dwa, pursuit, waypoint or file.py:Name."),
    **{name: Take(metavar) for name, metavar in {
        "engine": "E", "pose": "NAME", "max_speed": "V", "base_frame": "FRAME", "workers": "K", "executor": "X",
        "shard": "i/n", "sampler": "S", "regex": "RE", "exclude_regex": "RE", "host": "H", "rank": "K", "port": "P",
        "log": "LOG", "scan": "TOPIC", "odom": "TOPIC", "imu": "TOPIC", "out": "OUT",
    }.items()},
}  # fmt: skip
JSON = {"json": Take(about="Print one JSON object and nothing else.")}
BODY = {
    "dry_run": Take(about="Only print what a real robot would be sent."),
    "yes": Take(about="Move a real robot without asking."),
}


def group(name: str, about: str) -> typer.Typer:
    """A command that has commands of its own, such as `andante gait`."""
    return typer.Typer(
        name=name,
        help=about,
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def allow(body: str, robot: str, yes: bool) -> None:
    """Ask before a real robot moves; ends the command where the answer is no."""
    from andante.errors import BadInput
    from andante.hardware.address import SIMULATED, check_address

    check_address(body)
    if body == SIMULATED or yes:
        return
    if not sys.stdin.isatty():
        raise BadInput(f"{robot} at {body} would move and nobody can be asked here; --yes moves it, --dry-run does not")
    sys.stderr.write(f"move {robot} at {body}? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().casefold() not in ("y", "yes"):
        raise BadInput("nothing was moved")


def refuse_simulated(body: str) -> None:
    """A dry run is for real robots."""
    from andante.errors import BadInput
    from andante.hardware.address import SIMULATED, check_address

    check_address(body)
    if body == SIMULATED:
        raise BadInput("--dry-run prints what a real robot would be sent; name one with --body")
