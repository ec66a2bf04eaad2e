"""Ten thousand trials: does a run, its tables and its report hold them in memory? python benchmarks/many_trials.py

    python benchmarks/many_trials.py [--trials 10000] [--json]

An experiment without physics is run with a tenth of the trials and with all, each in a process of its own; then its
rows are streamed into a CSV table and the report is written. `growth` is by how much the peak memory of the larger run
exceeds that of the smaller, beside the size of what it has written: who holds the trials needs more than that.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from andante.experiments import Experiment, Measure, RunJob, Setup, rows_of, run_experiment, write_report
from andante.experiments.table import write_csv

CELLS = 4
PATH_POINTS = 40  # of the way that every trial keeps


def stroll(setup: Setup) -> dict[str, Any]:
    """A way with an error of its luck, and its path."""
    rng = np.random.default_rng(setup.seed)
    way = float(setup.factors["way"])
    x, y = way * (1 + 0.01 * rng.standard_normal()), 0.02 * rng.standard_normal()
    path = [[0.1 * k, x * k / PATH_POINTS, y * k / PATH_POINTS, 0.0] for k in range(PATH_POINTS + 1)]
    return {"x": x, "y": y, "planar": math.hypot(x, y), "path": path}


def experiment(trials: int) -> Experiment:
    """So many trials over four cells."""
    return Experiment(
        "stroll",
        f"{Path(__file__).resolve()}:stroll",
        {"way": tuple(float(k + 1) for k in range(CELLS))},
        {"planar": Measure("planar", "m", "distance", "way"), "x": Measure("x", "m"), "y": Measure("y", "m")},
        trials=trials // CELLS,
    )


def peak() -> float:
    """Largest memory of this process so far [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def carry_out(trials: int, folder: Path) -> dict[str, float]:
    """Run, table and report of so many trials in this process: their times [s] and the peak memory [MB]."""
    what = experiment(trials)
    begin = time.perf_counter()
    done = run_experiment(RunJob(what, folder / "run", workers=0))
    ran = time.perf_counter()
    written = write_csv(folder / "all.csv", what, rows_of(folder / "run", what))
    assert done.trials == written == trials
    told = {"trials": trials, "run": ran - begin, "memory": peak()}
    told["size"] = (folder / "run" / "results.jsonl").stat().st_size / 2**20
    begin = time.perf_counter()
    write_report([folder / "run"], folder / "report")
    return {**told, "report": time.perf_counter() - begin, "memory_report": peak()}


def main() -> None:
    """Both sizes, each in a fresh process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if asked.here:
            print(json.dumps(carry_out(asked.trials, Path(folder))))
            return
        few, many = (_fresh(count) for count in (asked.trials // 10, asked.trials))
    told = {"few": few, "many": many, "growth": many["memory"] - few["memory"], "size": many["size"]}
    told["growth_report"] = many["memory_report"] - few["memory_report"]
    if asked.json:
        print(json.dumps(told))
        return
    print(f"{many['trials']} trials in {many['run']:.0f} s, {many['size']:.1f} MB of results")
    print(f"peak memory {many['memory']:.0f} MB, {told['growth']:+.1f} MB beside a tenth of the trials")
    print(f"report in {many['report']:.1f} s, {told['growth_report']:+.1f} MB beside a tenth of the trials")


def _fresh(trials: int) -> dict[str, float]:
    words = [sys.executable, __file__, "--here", "--trials", str(trials)]
    return json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout)


if __name__ == "__main__":
    main()
