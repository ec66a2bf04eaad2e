"""`andante bench [NAME]`: the project's own benchmarks, each beside its baseline in the same run."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Json
from .output import print_json, table


def bench(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Which benchmark; all when left out.")] = None,
    json: Json = False,
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
