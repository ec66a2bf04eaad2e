"""`andante robots | worlds | engines`: what there is."""

from __future__ import annotations

from .options import Json
from .output import print_json, table, warn


def robots(json: Json = False) -> None:
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


def worlds(json: Json = False) -> None:
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


def engines(json: Json = False) -> None:
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
