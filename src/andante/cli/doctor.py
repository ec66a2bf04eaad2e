"""`andante doctor`: what is installed, what is missing, how to get it."""

from __future__ import annotations

import platform
from typing import Annotated

import typer

from .options import Json
from .output import console, print_json, table


def doctor(
    warm: Annotated[bool, typer.Option("--warm", help="Fill the compile cache and make the robots' meshes.")] = False,
    json: Json = False,
) -> None:
    """Tell what this installation can do."""
    from andante.bench.warm_up import warm_up
    from andante.tasks.catalog import doctor as run

    if warm:
        for line in warm_up():
            if not json:
                console().print(line, markup=False)
    result = run()
    if json:
        print_json(result.as_dict())
        return
    console().print(f"Python {result.python} on {platform.platform()}", markup=False)
    table(
        "",
        ["part", "version", "state"],
        [[f.part, f.version or "-", "ready" if f.ready and not f.advice else f.advice] for f in result.findings],
    )
