"""`andante robots | worlds | engines | doctor | bench`: what there is, and how fast it is."""

from __future__ import annotations

import platform
from typing import Annotated

import typer

from . import options
from .output import console, print_json, table, warn


def robots(json: options.Json = False) -> None:
    """List the built-in robots."""
    from andante.tasks.catalog import robots as run

    rows = run()
    if json:
        print_json({"robots": [row.as_dict() for row in rows]})
        return
    table(
        "",
        ["robot", "links", "joints", "mass [kg]", "poses", "sensors"],
        [
            [
                row.name,
                str(row.links),
                f"{row.joints}" + (f" ({row.independent} free)" if row.independent != row.joints else ""),
                f"{row.mass:.3f}",
                ", ".join(row.poses),
                ", ".join(row.sensors),
            ]
            for row in rows
            if not row.problem
        ],
    )
    _warn([row.problem for row in rows])


def worlds(json: options.Json = False) -> None:
    """List the built-in worlds."""
    from andante.tasks.catalog import worlds as run

    rows = run()
    if json:
        print_json({"worlds": [row.as_dict() for row in rows]})
        return
    table(
        "",
        ["world", "models", "collision shapes"],
        [[row.name, str(row.models), str(row.shapes)] for row in rows if not row.problem],
    )
    _warn([row.problem for row in rows])


def engines(json: options.Json = False) -> None:
    """List the physics engines and whether they are installed."""
    from andante.tasks.catalog import engines as run

    rows = run()
    if json:
        print_json({"engines": [row.as_dict() for row in rows]})
        return
    table(
        "",
        ["engine", "version", "", ""],
        [[row.name, row.version or "-", row.advice or "ready", row.summary] for row in rows],
    )


def _warn(problems: list[str]) -> None:
    """A line on stderr for each row that could not be told."""
    for problem in problems:
        if problem:
            warn(problem)


def doctor(
    warm: Annotated[bool, typer.Option("--warm", help="Fill the compile cache and make the robots' meshes.")] = False,
    json: options.Json = False,
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


def bench(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Which benchmark; all when left out.")] = None,
    json: options.Json = False,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", help="Simulated or wall time per case, about.")
    ] = 4.0,
) -> None:
    """Measure speed beside a bare baseline."""
    from andante.bench.rows import bench as run

    results = run(name, seconds=seconds, progress=not json)
    if json:
        payload = [result.as_dict() for result in results]
        print_json(payload[0] if name is not None else {"benchmarks": payload})
        return
    for result in results:
        table(
            result.name,
            ["case", "andante", "baseline", "unit", "ratio"],
            [[r.case, f"{r.andante:.4g}", f"{r.baseline:.4g}", r.unit, f"{r.ratio:.3f}"] for r in result.rows],
        )
