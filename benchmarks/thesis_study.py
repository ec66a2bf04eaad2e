"""Both experiments of the thesis: python benchmarks/thesis_study.py [--engines E,...] [--out DIR] [--workers N] [--fit]

Straight walks and turns in place, 7 trials of each test, on the named engines; then the report, and what it says beside
the real robot and the simulators of the thesis. With --fit the parameters are identified as well, and proven on tests
that were left out. Whatever is in the folder already is not done again. `--trials N`: fewer or more than 7.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

from andante.experiments import RunJob, load_experiment, run_experiment
from andante.experiments.fit import FitJob, run_fit
from andante.experiments.report import write_report
from andante.experiments.report.verdict import nice
from andante.experiments.runner import with_settings

NAMES = ("straight-walk", "turn-in-place")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engines", default="mujoco")
    parser.add_argument("--out", type=Path, default=Path("thesis"))
    parser.add_argument("--workers", type=int)
    parser.add_argument("--trials", type=int)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--budget", type=int, default=66)
    asked = parser.parse_args()
    engines = asked.engines.split(",")
    for name in NAMES:
        folders = [study(name, engine, asked) for engine in engines]
        report = write_report(folders, asked.out / f"{name}-report")
        print(f"{name}: report in {report.seconds:.1f} s, {report.path}")
        print(*(f"  {sentence}" for sentence in report.verdict), sep="\n")
        for standing in report.analysis.standings:
            error = f"{100 * standing.error:6.1f} %" if not math.isnan(standing.error) else "        "
            inside = f"within range {standing.inside}/{len(standing.tests)}"
            print(f"  {nice(standing.source):28} {standing.measure:8} {error}  {inside}")
        if asked.fit:
            for engine in engines:
                fit(name, engine, asked)


def study(name: str, engine: str, asked: argparse.Namespace) -> Path:
    """One experiment on one engine."""
    folder = asked.out / f"{name}-{engine}"
    asked.out.mkdir(parents=True, exist_ok=True)
    begin = time.perf_counter()
    experiment = with_settings(load_experiment(name), [engine], asked.trials)
    done = run_experiment(RunJob(experiment, folder, workers=asked.workers), progress=True)
    spent = time.perf_counter() - begin
    print(
        f"{name} on {engine}: {done.trials} trials, {done.failed} failed, {done.evaluated} now in {spent:.0f} s",
        flush=True,
    )
    return folder


def fit(name: str, engine: str, asked: argparse.Namespace) -> None:
    """Identify and prove."""
    job = FitJob(load_experiment(name), asked.out / f"{name}-{engine}-fit", engine, budget=asked.budget,
                 workers=asked.workers, trials=asked.trials)  # fmt: skip
    found = run_fit(job, progress=True)
    for label, proofs in (("before", found.before), ("left out", found.held_out), ("fitted", found.fitted)):
        for proof in proofs:
            inside = f"within range {proof.inside}/{proof.tests}"
            print(f"  fit on {engine}, {label:8} {proof.measure:8} {100 * proof.error:6.1f} %  {inside}", flush=True)


if __name__ == "__main__":
    main()
