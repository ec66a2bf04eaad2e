"""Import, help and check beside their limits, as `andante bench startup`: python benchmarks/startup.py [SECONDS]."""

from __future__ import annotations

import sys

from andante.bench.rows import run_benchmarks

for row in run_benchmarks("startup", float(sys.argv[1]) if len(sys.argv) > 1 else 4.0)[0].rows:
    print(f"{row.case:28} {row.andante:8.3f} {row.baseline:8.3f} {row.unit:12} {row.ratio:6.3f}")
