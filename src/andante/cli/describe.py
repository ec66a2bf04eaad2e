"""`andante check | convert | mesh | rig | ik`: what is wrong with a description, other forms of it, and its reach."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

from andante.errors import BadInput

from .command import Call, Command, in_words
from .options import Take
from .output import console, warn
from .words import numbers_of

if TYPE_CHECKING:
    from andante.tasks import CheckResult, IkResult, RigResult

COLORS = {"error": "bold red", "warning": "yellow", "info": "dim"}


def _check_words(report: CheckResult, call: Call) -> None:
    out = console()
    out.print(report.name, style="bold", markup=False, end=" ")
    out.print(f"({report.kind}): {report.links} links, {report.joints} joints, {report.mass:.4g} kg")
    for line in report.recognised:
        out.print(f"  {line}", markup=False)
    for problem in report.problems:
        where = f"{problem.source}: " if str(problem.source) else ""
        out.print(f"[{COLORS[problem.severity]}]{problem.severity:8}[/]", end=" ")
        out.print(f"{where}{problem.message}", markup=False)
    if not report.problems:
        out.print("  no problems found")


def _numbers(option: str, counts: tuple[int, ...], text: str) -> list[float] | None:
    values = numbers_of(text)
    if text and len(values) not in counts:
        raise BadInput(f"{option} needs {' or '.join(map(str, counts))} numbers, got {text!r}")
    return values or None


def _rig_words(result: RigResult, call: Call) -> None:
    if result.file is None:
        sys.stdout.write(result.text)
    else:
        in_words(result, call)
    if result.warning:
        warn(result.warning)


def _held(words: list[str]) -> dict[str, float]:
    held = {}
    for word in words:
        name, sign, value = word.rpartition("=")
        try:
            held[name.strip()] = float(value)
        except ValueError:
            sign = ""
        if not sign:
            raise BadInput(f"--hold {word!r} should look like joint=0.5")
    return held


def _target(text: str) -> list[float]:
    values = numbers_of(text)
    if len(values) != 6:
        raise BadInput(f"--target {text!r}: expected six numbers (x y z yaw pitch roll, nan = free)")
    return values


def _ik_words(result: IkResult, call: Call) -> None:
    out = console()
    for note in result.notes:
        out.print(note, markup=False, style="dim")
    in_words(result, call)
    for name, value in result.q.items():
        out.print(f"  {name:24} {value:+.6f}", markup=False)


check = Command(
    "andante.tasks.describe.check:check",
    "Check a robot or world file; exit 1 when it has errors.",
    {"file": Take("FILE", about="Robot or world: built-in name or file.")},
    words=_check_words,
    code=lambda report: 0 if report.ok else 1,
)
convert = Command(
    "andante.tasks.describe.convert:convert",
    "Convert a robot or world: .xacro .urdf .sdf .world .xml (MJCF); also a map.yaml to a world and back.",
    {
        "source": Take("IN", about="Built-in name or file: xacro, URDF, SDF, world, MJCF."),
        "meshes": Take("DIR"),
        "height": Take("M"),
    },
)
mesh = Command(
    "andante.tasks.mesh:mesh",
    "Convert a mesh file; turn, scale, re-center and split it, or wrap it in a hull or box; tell its inertia.\n\n"
    "The steps happen in this order: scale, rotate, center, split, then hull or box of each piece.",
    {
        "source": Take("IN"),
        "target": Take("OUT"),
        "rotate": Take('"r p y"', partial(_numbers, "--rotate", (3,))),
        "scale": Take("S", partial(_numbers, "--scale", (1, 3)), about='One factor, or one per axis: "x y z".'),
    },
)
rig = Command(
    "andante.tasks.describe.rig:rig",
    "Infer a rig: what gaits must know about a legged robot.",
    {"out": Take("RIG.toml", flags="-o --out", about="File to write; else stdout."), "stance": Take("STANCE.toml")},
    words=_rig_words,
)
ik = Command(
    "andante.tasks.ik:ik",
    "Solve inverse kinematics for any link of a robot.",
    {
        "tip": Take("LINK"),
        "target": Take('"X Y Z YAW PITCH ROLL"', _target),
        "base": Take("LINK"),
        "hold": Take("JOINT=VALUE", _held),
    },
    words=_ik_words,
)
