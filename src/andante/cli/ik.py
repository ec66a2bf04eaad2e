"""`andante ik ROBOT --tip LINK --target "..."`: joint positions that bring a link to a pose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .options import Arguments, Json, Pose, RobotName, Seed
from .output import console, print_json
from .words import arguments_of, numbers_of

if TYPE_CHECKING:
    from andante.description import Robot
    from andante.geometry import Array
    from andante.kinematics import Chain


def ik(
    robot: RobotName,
    tip: Annotated[str, typer.Option("--tip", metavar="LINK", help="Link that should reach the target.")],
    target: Annotated[
        str,
        typer.Option("--target", metavar='"X Y Z YAW PITCH ROLL"', help="In the base frame [m, rad]; nan = free."),
    ],
    arguments: Arguments = None,
    base: Annotated[
        str | None, typer.Option("--base", metavar="LINK", help="Where the chain begins: the root.")
    ] = None,
    pose: Pose = None,
    hold: Annotated[
        list[str] | None, typer.Option("--hold", metavar="JOINT=VALUE", help="A joint that stands still [rad, m].")
    ] = None,
    axes: Annotated[
        str, typer.Option("--axes", help="Whose axes free coordinates are meant in: base or tool.")
    ] = "base",
    no_limits: Annotated[bool, typer.Option("--no-limits", help="Let joints leave their limits.")] = False,
    restarts: Annotated[int, typer.Option("--restarts", metavar="N", help="Attempts from random places.")] = 300,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Solve inverse kinematics for any link of a robot."""
    from andante.description import load_robot

    made = load_robot(robot, arguments_of(arguments))
    chain = made.chain(base or made.root, tip)
    if hold:
        chain = chain.hold(_held(hold))
    wanted = _target(target)
    begin, notes = _start(made, chain, pose, not no_limits)
    found = chain.ik(wanted, begin, axes=axes, limits=not no_limits, restarts=restarts, seed=seed)
    positions = dict(zip(chain.joint_names, found.q.tolist(), strict=True))
    if json:
        print_json(
            {
                "converged": found.converged,
                "q": positions,
                "error": found.error,
                "iterations": found.iterations,
                "base": chain.base,
                "tip": chain.tip,
                "held": dict(chain.held),
                "reached": chain.coordinates(found.q),
                "notes": notes,
            }
        )
        return
    out = console()
    for note in notes:
        out.print(note, markup=False, style="dim")
    state = "[green]reached[/green]" if found.converged else "[yellow]out of reach, nearest solution[/yellow]"
    out.print(f"{chain.base} to {chain.tip}: {state}, error {found.error:.3g}, {found.iterations} iterations")
    for name, value in positions.items():
        out.print(f"  {name:24} {value:+.6f}", markup=False)


def _target(words: str) -> list[float]:
    """Six numbers, nan for free ones."""
    from andante.errors import BadInput

    numbers = numbers_of(words)
    if len(numbers) != 6:
        raise BadInput(f"--target {words!r}: expected six numbers (x y z yaw pitch roll, nan = free)")
    return numbers


def _held(words: list[str]) -> dict[str, float]:
    from andante.errors import BadInput

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


def _start(robot: Robot, chain: Chain, pose: str | None, limited: bool) -> tuple[Array | None, list[str]]:
    """Joint positions of a named pose, cut at the limits with a note."""
    import numpy as np

    if pose is None:
        return None, []
    q = chain.vector(robot.complete(robot.pose(pose)))
    lower, upper = chain.limits
    inside = np.clip(q, lower, upper)
    notes = [
        f"pose: {name} at {value:.4g} is outside {low:.4g} to {high:.4g}; begins at {cut:.4g}"
        for name, value, low, high, cut in zip(chain.joint_names, q, lower, upper, inside, strict=True)
        if limited and value != cut
    ]
    return (inside if limited else q), notes
