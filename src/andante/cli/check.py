"""`andante check FILE`: what is wrong with a robot or world, where, and what to do."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Arguments, Json
from .output import console, print_json
from .words import arguments_of

COLORS = {"error": "bold red", "warning": "yellow", "info": "dim"}


def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Robot or world: built-in name or file.")],
    arguments: Arguments = None,
    json: Json = False,
) -> None:
    """Check a robot or world file; exit 1 when it has errors."""
    from andante.tasks.describe import check as run

    report = run(file, arguments_of(arguments))
    if json:
        print_json(report.as_dict())
    else:
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
    if not report.ok:
        raise typer.Exit(1)
