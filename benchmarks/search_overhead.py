"""What the search adds to a candidate, beyond starting its processes: CPU time of the study and of its workers.

python benchmarks/search_overhead.py [--candidates N] [--work MS] [--workers K]

The objective spins for WORK milliseconds of CPU time. Every figure is the difference of a study of 2 N candidates and
one of N, by N, so that starting up cancels out; `fraction` is the work in the CPU time that a candidate takes in all.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from andante.search import ObjectiveSpec, Real, Space, StudyConfig, search


class Spin:
    """Works for a given CPU time [s]."""

    def __init__(self, work: float = 0.05) -> None:
        self.work = work
        self.space = Space({f"x{k}": Real(-1.0, 1.0) for k in range(10)})

    def evaluate(self, parameters: dict[str, Any], seed: int) -> dict[str, Any]:
        """Spin, then give figures like those of a gait."""
        begin = time.thread_time()
        while time.thread_time() - begin < self.work:
            pass
        return {"fitness": -sum(x * x for x in parameters.values()), **{f"figure{k}": seed / 7 for k in range(10)}}

    def stamp(self) -> dict[str, Any]:
        """Nothing matters."""
        return {}


def cost(config: StudyConfig, workers: int) -> tuple[float, float]:
    """CPU time of the study's process and of its workers for a whole study [s]."""
    own, theirs = time.process_time(), _children()
    with tempfile.TemporaryDirectory() as folder:
        search(Path(folder) / "s", config, workers=workers)
    return time.process_time() - own, _children() - theirs


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print a row per sampler."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=int, default=500)
    parser.add_argument("--work", type=float, default=20.0)
    parser.add_argument("--workers", type=int, default=2)
    told = parser.parse_args()
    spec = ObjectiveSpec(f"{Path(__file__).resolve()}:Spin", {"work": told.work / 1e3})
    space, count = spec.build().space, told.candidates
    print(f"{'sampler':8} {'study':>11} {'worker':>11} {'share':>7}   (CPU time a candidate, beyond {told.work:g} ms)")
    for sampler in ("random", "cmaes", "elites"):
        cost(StudyConfig(spec, space, sampler, budget=20), told.workers)  # imports
        short, long = (cost(StudyConfig(spec, space, sampler, budget=n), told.workers) for n in (count, 2 * count))
        study, worker = (1e3 * (b - a) / count for a, b in zip(short, long, strict=True))
        fraction = told.work / (study + worker)
        print(f"{sampler:8} {study:8.3f} ms {worker - told.work:8.3f} ms {fraction:7.3f}")


if __name__ == "__main__":
    main()
