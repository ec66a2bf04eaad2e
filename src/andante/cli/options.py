"""Options that several commands share, each with one spelling and one meaning."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

POSE = '"X Y YAW"'

# ---- what is simulated ---------------------------------------------------------------------------
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Arguments = Annotated[list[str] | None, typer.Argument(metavar="[NAME:=VALUE]...", help="xacro arguments.")]
RobotName = Annotated[str, typer.Argument(metavar="ROBOT", help="Built-in name or a URDF, xacro, SDF or MJCF file.")]
WorldName = Annotated[str, typer.Option("--world", metavar="W", help="Built-in name or an SDF or MJCF file.")]
EngineName = Annotated[str, typer.Option("--engine", metavar="E", help="mujoco, bullet, dart or ode.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of every random number.")]
StepSize = Annotated[float, typer.Option("--dt", metavar="S", help="Step size.")]
Pose = Annotated[str | None, typer.Option("--pose", metavar="NAME", help="Named pose to begin in.")]
Start = Annotated[str, typer.Option("--start", metavar=POSE, help="Where it stands in the world [m, m, rad].")]
Push = Annotated[
    str | None, typer.Option("--push", metavar='"NS DIR T"', help='Push the root: "2.0 left 1.0" [N s, s].')
]
GaitParameters = Annotated[
    Path | None, typer.Option("--params", metavar="FILE", help="Gait parameters, .toml or .json.")
]

# ---- what is written -----------------------------------------------------------------------------
OutFile = Annotated[Path, typer.Argument(metavar="OUT", help="File to write.")]
Record = Annotated[Path | None, typer.Option("--record", metavar="OUT", help="Record to .mcap or .csv.")]
Video = Annotated[Path | None, typer.Option("--video", metavar="OUT", help="Film to .mp4, .gif or .webp.")]
Picture = Annotated[Path | None, typer.Option("--picture", metavar="OUT", help="Last instant as .png.")]
Plot = Annotated[Path | None, typer.Option("--plot", metavar="OUT", help="Draw map and path to .png, .svg or .pdf.")]

# ---- driving to goals ----------------------------------------------------------------------------
LongestTime = Annotated[float, typer.Option("--timeout", metavar="S", help="Longest simulated time.")]
Planner = Annotated[
    str, typer.Option("--planner", metavar="P", help="auto, dijkstra, astar, theta_star, hybrid or file.py:Name.")
]
Controller = Annotated[
    str, typer.Option("--controller", metavar="C", help="mppi, dwa, pursuit, waypoint or file.py:Name.")
]
MAX_SPEED = typer.Option("--max-speed", metavar="V", help="Lowers the speed of the robot file [m/s].")

# ---- logs of scans -------------------------------------------------------------------------------
LogFile = Annotated[
    Path,
    typer.Argument(metavar="LOG", help="rosbag1, rosbag2 (folder, .db3, .mcap) or CARMEN (.log, .clf; .gz)."),
]
MapFile = Annotated[Path | None, typer.Option("--map", metavar="MAP", help="The map's .yaml file.")]
Trajectory = Annotated[
    Path | None,
    typer.Option("--trajectory", metavar="FILE", help="TUM lines (.txt, .tum), or CARMEN lines (.log, .clf)."),
]
MappingParameters = Annotated[
    Path | None, typer.Option("--params", metavar="FILE", help="Mapping parameters, .toml or .json.")
]
ScanTopic = Annotated[str, typer.Option("--scan", metavar="TOPIC", help="Topic of the scans; FLASER or RLASER.")]
OdometryTopic = Annotated[str, typer.Option("--odom", metavar="TOPIC", help="Topic of the odometry.")]
ImuTopic = Annotated[str, typer.Option("--imu", metavar="TOPIC", help="Topic of the IMU.")]
BaseFrame = Annotated[str, typer.Option("--base-frame", metavar="FRAME", help="Frame of the robot.")]
TransformFile = Annotated[
    Path | None,
    typer.Option("--tf", metavar="FILE", help="Robot file, or lines 'parent child x y z yaw pitch roll'."),
]

# ---- many trials ---------------------------------------------------------------------------------
Workers = Annotated[
    int | None, typer.Option("--workers", metavar="K", help="Processes; one per processor by default, 0: none.")
]
Executor = Annotated[str, typer.Option("--executor", metavar="X", help="local or ray.")]
Shards = Annotated[
    list[Path], typer.Argument(metavar="DIR...", help="Folders of the shards; without -o a new one first, to make.")
]
MergedFolder = Annotated[Path | None, typer.Option("-o", "--out", metavar="DIR", help="Folder to make.")]
Shard = Annotated[str, typer.Option("--shard", metavar="i/n", help="Only part i (from 0) of n.")]
TrialTimeout = Annotated[
    float | None, typer.Option("--timeout", metavar="S", help="After which a trial or candidate has failed.")
]
Minutes = Annotated[float | None, typer.Option("--minutes", metavar="MIN", help="After which nothing new is begun.")]
Sampler = Annotated[
    str, typer.Option("--sampler", metavar="S", help="grid, random, cmaes, tpe, nsga2, elites or file.py:Name.")
]


# ---- real robots -----------------------------------------------------------------------------------
BodyAddress = Annotated[
    str,
    typer.Option(
        "--body",
        metavar="B",
        help="sim, ws://HOST:9090, http://HOST:11311, serial:PORT or file.py:Name (a real robot).",
    ),
]
BodyParameters = Annotated[
    Path | None,
    typer.Option("--params", metavar="FILE", help="Tables, [body] for a real robot, .toml or .json."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only print what a real robot would be sent.")]
Yes = Annotated[bool, typer.Option("--yes", help="Move a real robot without asking.")]


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
    from andante.hardware.open import SIMULATED, check_address

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
    from andante.hardware.open import SIMULATED, check_address

    check_address(body)
    if body == SIMULATED:
        raise BadInput("--dry-run prints what a real robot would be sent; name one with --body")
