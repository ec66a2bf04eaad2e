"""The project's own benchmarks by name; each row stands beside a bare baseline measured in the same run."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from andante import viz
from andante.description import ROBOTS
from andante.errors import BadInput, UnknownName
from andante.plugins import load_reference
from andante.tasks.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BENCHMARKS = {
    "physics": "andante.bench.physics:run",
    "startup": "andante.bench.startup:run",
    "ik": "andante.bench.ik:run",
    "nav": "andante.bench.nav:run",
    "walk": "andante.bench.walk:run",
    "bus": "andante.bench.bus:run",
    "studio": "andante.bench.studio:run",
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
class BenchResult(Result):
    """All rows of one benchmark."""

    name: str
    rows: tuple[Row, ...]

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract."""
        rows = [
            {"case": r.case, "andante": r.andante, "baseline": r.baseline, "unit": r.unit, "ratio": r.ratio}
            for r in self.rows
        ]
        return {"name": self.name, "rows": rows}

    def __str__(self) -> str:
        wide = max((len(r.case) for r in self.rows), default=0)
        lines = [f"{r.case:{wide}}  {r.andante:10.4g}  {r.baseline:10.4g}  {r.unit}  {r.ratio:.3f}" for r in self.rows]
        return "\n".join([f"{self.name}: andante, baseline, ratio", *lines])

    def plot(self) -> Figure:
        """andante / baseline of every case."""
        return viz.plot_bars({r.case: r.ratio for r in self.rows}, "andante / baseline", self.name)


def leave_out(case: str, reason: str, quiet: bool) -> None:
    """Say on stderr why a case is not measured."""
    if not quiet:
        sys.stderr.write(f"left out: {case}: {reason}\n")


def cpu_time(work: Callable[[], object]) -> float:
    """Processor time of a call [s]."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def bench(name: str | None = None, *, seconds: float = 4.0, progress: bool = False) -> list[BenchResult]:
    """Measure speed beside a bare baseline.

    Args:
        name: which benchmark; None: all.
        seconds: simulated or wall time per case, about [s].
        progress: tell each case on stderr.

    Returns:
        A result for every benchmark that was run.
    """
    if not 0 < seconds <= 600:
        raise BadInput(f"seconds should be a time up to 600 s, got {seconds}")
    return run_benchmarks(name, seconds, quiet=not progress)


def run_benchmarks(name: str | None, seconds: float, quiet: bool = False) -> list[BenchResult]:
    """Run one benchmark, or all when no name is given."""
    known = benchmarks()
    if name is not None and name not in known:
        raise UnknownName.among("benchmark", name, known)
    chosen = known if name is None else [name]
    return [BenchResult(each, load_reference(known[each])(seconds, quiet)) for each in chosen]


def benchmarks() -> dict[str, str]:
    """Every benchmark, also of robot packages: its name, and module:function of seconds and quiet that gives rows."""
    return BENCHMARKS | {name: entry for robot in ROBOTS for name, entry in ROBOTS[robot].benchmarks.items()}
