"""`andante ik ROBOT --tip LINK --target "..."`: joint positions that bring a link to a pose."""

from __future__ import annotations

from typing import Annotated

import typer

from andante.errors import BadInput

from . import options
from .output import console, print_json
from .words import arguments_of, numbers_of


def ik(
    robot: options.RobotName,
    tip: Annotated[str, typer.Option("--tip", metavar="LINK", help="Link that should reach the target.")],
    target: Annotated[
        str,
        typer.Option("--target", metavar='"X Y Z YAW PITCH ROLL"', help="In the base frame [m, rad]; nan = free."),
    ],
    arguments: options.Arguments = None,
    base: Annotated[
        str | None, typer.Option("--base", metavar="LINK", help="Where the chain begins: the root.")
    ] = None,
    pose: options.Pose = None,
    hold: Annotated[
        list[str] | None, typer.Option("--hold", metavar="JOINT=VALUE", help="A joint that stands still [rad, m].")
    ] = None,
    axes: Annotated[
        str, typer.Option("--axes", help="Whose axes free coordinates are meant in: base or tool.")
    ] = "base",
    no_limits: Annotated[bool, typer.Option("--no-limits", help="Let joints leave their limits.")] = False,
    restarts: Annotated[int, typer.Option("--restarts", metavar="N", help="Attempts from random places.")] = 300,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Solve inverse kinematics for any link of a robot."""
    from andante.tasks.ik import ik as run

    result = run(
        robot,
        tip=tip,
        target=_target(target),
        base=base,
        pose=pose,
        hold=_held(hold or []),
        axes=axes,
        limits=not no_limits,
        restarts=restarts,
        arguments=arguments_of(arguments),
        seed=seed,
    )
    if json:
        print_json(result.as_dict())
        return
    out = console()
    for note in result.notes:
        out.print(note, markup=False, style="dim")
    out.print(str(result), markup=False)
    for name, value in result.q.items():
        out.print(f"  {name:24} {value:+.6f}", markup=False)


def _target(words: str) -> list[float]:
    """Six numbers, nan for free ones."""
    numbers = numbers_of(words)
    if len(numbers) != 6:
        raise BadInput(f"--target {words!r}: expected six numbers (x y z yaw pitch roll, nan = free)")
    return numbers


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
