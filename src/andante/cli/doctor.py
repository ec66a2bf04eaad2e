"""`andante doctor`: what is installed, what is missing, how to get it."""

from __future__ import annotations

import platform
import sys
from typing import Annotated

import typer

from .options import Json
from .output import console, print_json, table


def doctor(
    warm: Annotated[bool, typer.Option("--warm", help="Fill the compile cache and make the robots' meshes.")] = False,
    json: Json = False,
) -> None:
    """Tell what this installation can do."""
    from andante.tasks.doctor import diagnose
    from andante.tasks.warm_up import warm_up

    if warm:
        for line in warm_up():
            if not json:
                console().print(line, markup=False)
    findings = diagnose()
    if json:
        print_json(
            {
                "python": platform.python_version(),
                "platform": sys.platform,
                "findings": [
                    {"part": f.part, "ready": f.ready, "version": f.version, "advice": f.advice} for f in findings
                ],
            }
        )
        return
    console().print(f"Python {platform.python_version()} on {platform.platform()}", markup=False)
    table(
        "",
        ["part", "version", "state"],
        [[f.part, f.version or "-", "ready" if f.ready and not f.advice else f.advice] for f in findings],
    )
