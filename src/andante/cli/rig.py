"""`andante rig FILE -o RIG.toml`: legs, feet, stance, steps and gains of any legged robot, as a file to edit."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .options import Arguments, Json, RobotName
from .output import console, print_json, warn
from .words import arguments_of


def rig(
    robot: RobotName,
    arguments: Arguments = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="RIG.toml", help="File to write; else stdout.")
    ] = None,
    knees: Annotated[str, typer.Option("--knees", help="same, back, front, in, out or up.")] = "same",
    height: Annotated[float | None, typer.Option("--height", metavar="M", help="Of the body over the ground.")] = None,
    json: Json = False,
) -> None:
    """Infer a rig: what gaits must know about a legged robot."""
    from andante.description import load_robot
    from andante.locomotion.io.rig_file import rig_text, write_rig
    from andante.locomotion.rigs.infer import infer_rig
    from andante.locomotion.rigs.rig import weak_joints

    model = load_robot(robot, arguments_of(arguments))
    made = infer_rig(model, knees, height)
    weak = weak_joints(model, made)
    if out is not None:
        write_rig(made, out)
    if json:
        print_json(
            {
                "robot": made.robot,
                "body": made.body,
                "forward": made.forward,
                "height": made.height,
                "legs": [
                    {"name": leg.name, "joints": leg.joints, "foot": leg.foot, "reach": leg.reach} for leg in made.legs
                ],
                "weak": {name: {"load": load, "effort": effort} for name, (load, effort) in weak.items()},
                "file": out,
            }
        )
    elif out is None:
        sys.stdout.write(rig_text(made))
    else:
        names = ", ".join(leg.name for leg in made.legs)
        console().print(f"{len(made.legs)} legs ({names}), body {made.height:.3f} m high; wrote {out}", markup=False)
    if weak and not json:
        name, (load, effort) = next(iter(weak.items()))
        others = f" (and {len(weak) - 1} other joints)" if len(weak) > 1 else ""
        warn(
            f"{name} holds {load:.2g} N m when half of the legs carry the robot, its effort limit is {effort:g}"
            f"{others}: it will sink; take stronger servos, less weight or straighter legs (--height)"
        )
