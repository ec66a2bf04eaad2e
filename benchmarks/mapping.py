"""Errors and speed of mapping on the Intel Research Lab logs: `python benchmarks/mapping.py`.

Prints a line per log and way of mapping: the mean error of the ground-truth relations, scans per second of processor
time, and that time. The data are looked for in $ANDANTE_DATASETS, by default ../shared/datasets.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from andante.mapping import build_map
from andante.mapping.io.logs import read_log
from andante.mapping.metric import relation_error, relations_from
from andante.runtime.bench_mapping import datasets
from andante.runtime.map_job import warm

CASES = [
    ("intel-dense", True, False),
    ("intel-dense", False, False),
    ("intel-dense", True, True),
    ("intel-dense", False, True),
    ("intel", True, False),
    ("intel", True, True),
]


def main() -> None:
    """Print the table."""
    folder = datasets() / "slam"
    if not folder.is_dir():
        sys.exit(f"no data in {folder}; set ANDANTE_DATASETS")
    relations = relations_from(np.loadtxt(folder / "intel.relations"))
    warm()
    for name, odometry, loop_closure in CASES:
        log = read_log(folder / f"{name}.clf.gz")
        began = time.process_time()
        result = build_map(log, odometry=odometry, loop_closure=loop_closure)
        spent = time.process_time() - began
        error = relation_error(result.trajectory, relations)
        print(
            f"{name:12} {'odometry' if odometry else 'scans only':10} {'loops' if loop_closure else 'tracking':8} "
            f"{error.translation:.4f} ± {error.translation_std:.4f} m  {error.yaw:.3f} ± {error.yaw_std:.3f} deg  "
            f"{error.used:4} relations  {result.scans / spent:6.0f} scans/s  {spent:5.1f} s"
        )


if __name__ == "__main__":
    main()
