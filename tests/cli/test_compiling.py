"""The notice of compilation: told when kernels are compiled, not when they come from the cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from andante.cli.compiling import NOTICE

PROGRAM = """
import sys
from andante.cli import compiling
compiling.tell_when_compiling(0.01)
import numba, time
time.sleep(0.7)
from kernel import twice
print(twice(21), twice(0.5))
"""


def test_told_once_and_only_for_the_first_run(tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(
        "from numba import njit\n\n@njit(cache=True)\ndef twice(x):\n    return 2 * x\n", encoding="utf-8"
    )
    variables = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}
    said = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=variables, capture_output=True, text=True, check=True, timeout=120
        )
        assert done.stdout.split() == ["42", "1.0"]
        said.append(done.stderr)
    assert said == [f"andante: {NOTICE}\n", ""]
