"""Errors and speed of mapping on the Intel Research Lab logs: `python benchmarks/mapping.py [--command] [--json]`.

Prints a line per log and way of mapping: the mean error of the ground-truth relations, scans per second of processor
time, and that time. `--command`: by `andante map` as a user calls it, from the trajectory that it writes, the time from
its start to its end by the wall clock, and its processor time. The data are looked for in $ANDANTE_DATASETS, by default
../shared/datasets. `--json`: one object on stdout, the lines on stderr.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from side_by_side import processor_time

from andante.bench.slam import datasets
from andante.bench.warm_up import warm_mapping
from andante.mapping import build_map
from andante.mapping.evaluation import relation_error, relations_from
from andante.mapping.io.logs import read_log
from andante.mapping.io.trajectories import read_trajectory

CASES = [
    ("intel-dense", True, False),
    ("intel-dense", False, False),
    ("intel-dense", True, True),
    ("intel-dense", False, True),
    ("intel", True, False),
    ("intel", True, True),
]
COMMANDS = [("intel-dense", True, True), ("intel-dense", False, True), ("intel", True, True)]


def inside(path: Path, odometry: bool, loop_closure: bool) -> tuple[Any, int, float, float]:
    """The trajectory by a call of the library, how many scans it has, and the processor time, twice [s]."""
    log = read_log(path)
    began = time.process_time()
    result = build_map(log, odometry=odometry, loop_closure=loop_closure)
    spent = time.process_time() - began
    return result.trajectory, result.scans, spent, spent


def by_command(path: Path, odometry: bool, loop_closure: bool) -> tuple[Any, int, float, float]:
    """The trajectory that `andante map` writes, its number of scans, time from start to end and processor time [s]."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "way.txt"
        words = ["map", str(path), "-o", str(Path(folder) / "map"), "--trajectory", str(file), "--json"]
        words += ["--no-odometry"] * (not odometry) + ["--no-loop-closure"] * (not loop_closure)
        began, busy = time.perf_counter(), processor_time()
        done = subprocess.run([sys.executable, "-m", "andante", *words], check=True, stdout=subprocess.PIPE, text=True)
        spent, busy = time.perf_counter() - began, processor_time() - busy
        return read_trajectory(file), json.loads(done.stdout)["scans"], spent, busy


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", action="store_true")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    folder = datasets() / "slam"
    if not folder.is_dir():
        sys.exit(f"no data in {folder}; set ANDANTE_DATASETS")
    relations = relations_from(np.loadtxt(folder / "intel.relations"))
    warm_mapping()
    rows: list[dict[str, Any]] = []
    make, cases = (by_command, COMMANDS) if asked.command else (inside, CASES)
    for name, odometry, loop_closure in cases:
        trajectory, scans, spent, busy = make(folder / f"{name}.clf.gz", odometry, loop_closure)
        error = relation_error(trajectory, relations)
        print(
            f"{name:12} {'odometry' if odometry else 'scans only':10} {'loops' if loop_closure else 'tracking':8} "
            f"{error.translation:.4f} ± {error.translation_std:.4f} m  {error.yaw:.3f} ± {error.yaw_std:.3f} deg  "
            f"{error.used:4} relations  {scans / spent:6.0f} scans/s  {spent:5.1f} s",
            file=sys.stderr if asked.json else sys.stdout,
            flush=True,
        )
        rows.append(
            {"log": name, "odometry": odometry, "loop_closure": loop_closure, "translation": error.translation,
             "yaw": error.yaw, "relations": error.used, "scans": scans, "seconds": spent,
             "processor": busy}
        )  # fmt: skip
    if asked.json:
        print(json.dumps({"maps": rows}))


if __name__ == "__main__":
    main()
