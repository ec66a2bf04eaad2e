"""The project's own benchmarks by name; each row stands beside a bare baseline measured in the same run."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from andante.errors import UnknownName

BENCHMARKS = {
    "physics": "andante.bench.physics",
    "startup": "andante.bench.startup",
    "ik": "andante.bench.ik",
    "nav": "andante.bench.nav",
    "gait": "andante.bench.gait",
    "walk": "andante.bench.walk",
    "bus": "andante.bench.bus",
    "studio": "andante.bench.studio",
}


@dataclass(frozen=True)
class Row:
    """One case: what Andante reaches, what the bare baseline reaches, and their ratio."""

    case: str
    andante: float
    baseline: float
    unit: str

    @property
    def ratio(self) -> float:
        """andante / baseline."""
        return self.andante / self.baseline if self.baseline else float("nan")


@dataclass(frozen=True)
class BenchResult:
    """All rows of one benchmark."""

    name: str
    rows: tuple[Row, ...]


def run_benchmarks(name: str | None, seconds: float, quiet: bool = False) -> list[BenchResult]:
    """Run one benchmark, or all when no name is given."""
    if name is not None and name not in BENCHMARKS:
        raise UnknownName.among("benchmark", name, BENCHMARKS)
    results = []
    for each in [name] if name is not None else BENCHMARKS:
        run: Callable[[float, bool], tuple[Row, ...]] = importlib.import_module(BENCHMARKS[each]).run
        results.append(BenchResult(each, run(seconds, quiet)))
    return results
