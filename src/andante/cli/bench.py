"""`andante bench [NAME]`: the project's own benchmarks, each beside its baseline in the same run."""

from __future__ import annotations

from typing import Annotated

import typer

from andante.errors import BadInput

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
    from andante.bench.rows import run_benchmarks

    if not 0 < seconds <= 600:
        raise BadInput(f"--seconds should be a time up to 600 s, got {seconds}")
    results = run_benchmarks(name, seconds, quiet=json)
    if json:
        payload = [
            {
                "name": result.name,
                "rows": [
                    {"case": r.case, "andante": r.andante, "baseline": r.baseline, "unit": r.unit, "ratio": r.ratio}
                    for r in result.rows
                ],
            }
            for result in results
        ]
        print_json(payload[0] if name is not None else {"benchmarks": payload})
        return
    for result in results:
        table(
            result.name,
            ["case", "andante", "baseline", "unit", "ratio"],
            [[r.case, f"{r.andante:.4g}", f"{r.baseline:.4g}", r.unit, f"{r.ratio:.3f}"] for r in result.rows],
        )
