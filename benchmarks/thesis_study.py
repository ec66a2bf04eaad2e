"""Both experiments of the thesis: python benchmarks/thesis_study.py [--engines E,...] [--out DIR] [--workers N] [--fit]
                                                                      [--names NAME,...] [--mode MODE] [--json]

Straight walks and turns in place, 7 trials of each test, on the named engines; then the report, and what it says beside
the real robot and the simulators of the thesis. With --fit the parameters are identified as well, and proven on tests
that were left out. Whatever is in the folder already is not done again. `--trials N`: fewer or more than 7.
`--mode open-loop`: as in the thesis, at a constant velocity until the robot has counted its way, nothing steers back.
`--json`: one object on stdout, the lines on stderr.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import Any

from andante.experiments import (
    FitJob,
    RunJob,
    load_experiment,
    rows_of,
    run_experiment,
    run_fit,
    with_settings,
    write_report,
)
from andante.search import StudyFolder

NAMES = ("straight-walk", "turn-in-place")


def say(*words: str) -> None:
    """Lines for people."""
    print(*words, sep="\n", file=sys.stderr if "--json" in sys.argv else sys.stdout, flush=True)


def main() -> None:
    """Run, report, fit where asked, and tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engines", default="mujoco")
    parser.add_argument("--names", default=",".join(NAMES))
    parser.add_argument("--out", type=Path, default=Path("thesis"))
    parser.add_argument("--workers", type=int)
    parser.add_argument("--trials", type=int)
    parser.add_argument("--mode", default="")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--budget", type=int, default=66)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    engines = asked.engines.split(",")
    told: dict[str, Any] = {"engines": engines, "trials": 0, "failed": 0, "seconds": 0.0}
    for name in asked.names.split(","):
        folders = []
        for engine in engines:
            folder, counts = study(name, engine, asked)
            folders.append(folder)
            for key, count in counts.items():
                told[key] += count
        report = write_report(folders, asked.out / "-".join(filter(None, (name, asked.mode, "report"))))
        told[name] = {key: report.as_dict()[key] for key in ("commanded", "reference", "verdict")}
        told[name] |= {"report_seconds": report.seconds, "falls": falls(name, folders)}
        say(f"{name}: report in {report.seconds:.1f} s, {report.path}", *(f"  {line}" for line in report.verdict))
        for standing in report.analysis.standings:
            error = f"{100 * standing.error:6.1f} %" if not math.isnan(standing.error) else "        "
            inside = f"within range {standing.inside}/{len(standing.tests)}"
            say(f"  {report.analysis.label(standing.source):28} {standing.measure:8} {error}  {inside}")
        if asked.fit:
            told[name]["fit"] = {engine: fit(name, engine, asked) for engine in engines}
    if asked.json:
        print(json.dumps(told))


def study(name: str, engine: str, asked: argparse.Namespace) -> tuple[Path, dict[str, float]]:
    """One experiment on one engine: its folder, trials, failures, and seconds of all sessions."""
    folder = asked.out / "-".join(filter(None, (name, engine, asked.mode)))
    asked.out.mkdir(parents=True, exist_ok=True)
    experiment = with_settings(load_experiment(name), [engine], asked.trials, mode=asked.mode)
    done = run_experiment(RunJob(experiment, folder, workers=asked.workers), progress=not asked.json)
    spent = sum(
        (each["ended"] or each["started"]) - each["started"] for each in StudyFolder.open(folder).manifest()["sessions"]
    )
    say(f"{name} on {engine}: {done.trials} trials, {done.failed} failed, {done.evaluated} now; {spent:.0f} s in all")
    return folder, {"trials": done.trials, "failed": done.failed, "seconds": spent}


def falls(name: str, folders: list[Path]) -> dict[str, int]:
    """How many robots fell on each engine."""
    counts: dict[str, int] = {}
    experiment = load_experiment(name)
    for folder in folders:
        for row in rows_of(folder, experiment):
            counts[row.source] = counts.get(row.source, 0) + bool(row.measures.get("fallen"))
    return counts


def fit(name: str, engine: str, asked: argparse.Namespace) -> dict[str, Any]:
    """Identify and prove."""
    experiment = with_settings(load_experiment(name), mode=asked.mode)
    job = FitJob(experiment, asked.out / f"{name}-{engine}-fit", engine, budget=asked.budget,
                 workers=asked.workers, trials=asked.trials)  # fmt: skip
    found = run_fit(job, progress=not asked.json)
    for label, proofs in (("before", found.before), ("left out", found.held_out), ("fitted", found.fitted)):
        for proof in proofs:
            inside = f"within range {proof.inside}/{proof.tests}"
            say(f"  fit on {engine}, {label:8} {proof.measure:8} {100 * proof.error:6.1f} %  {inside}")
    table = found.as_dict()
    return {key: table[key] for key in ("model", "candidates", "held_out_tests", "before", "held_out", "fitted")}


if __name__ == "__main__":
    main()
