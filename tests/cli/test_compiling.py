"""The notice of compilation: told at a terminal when kernels are compiled, not when they come from the cache."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

from andante.compiling.cache import NOTICE

PROGRAM = """
from andante.cli import output
import andante.compiling.cache
output.tell_stages(0.01)
from kernel import twice
print(twice(21), twice(0.5))
"""


def run(folder: Path, stderr: int) -> None:
    """Run the program with its own cache of kernels."""
    kernel = "from numba import njit\n\n@njit(cache=True)\ndef twice(x):\n    return 2 * x\n"
    (folder / "kernel.py").write_text(kernel, encoding="utf-8")
    variables = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join([str(folder), *sys.path]),
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=variables, stdout=subprocess.PIPE, stderr=stderr, text=True, timeout=120
    )
    assert done.returncode == 0
    assert done.stdout.split() == ["42", "1.0"]


def test_told_once_and_only_for_the_first_run(tmp_path: Path) -> None:
    said = []
    for _ in range(2):
        ours, theirs = pty.openpty()
        run(tmp_path, theirs)
        os.write(theirs, b"the end\n")  # so that reading never waits
        with open(ours, encoding="utf-8") as terminal:
            said.append(list(iter(terminal.readline, "the end\n")))
        os.close(theirs)
    assert [re.sub(r"[\d.]+ s: ", "", line) for line in said[0]] == [f"andante: {NOTICE}\n"]
    assert said[1] == []


def test_not_told_to_a_file(tmp_path: Path) -> None:
    with open(tmp_path / "stderr", "wb") as file:
        run(tmp_path, file.fileno())
    assert (tmp_path / "stderr").read_bytes() == b""
