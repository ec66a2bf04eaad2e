"""Fill the store of compiled kernels (`andante.compiling.store`) of this checkout, for the wheel and for `make`.

Runs a short piece of every capability (`andante doctor --warm`) in a process that compiles for the portable level of
processors and keeps the result below src/andante/compiling/stores. Nothing is done when the sources of all kernels and
the versions are those of the last time. About three minutes of processor time when everything is new.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src"
MARK = "sources.sha256"  # in the store: what it was built from

sys.path.insert(0, str(SOURCE))
from andante.compiling import store  # noqa: E402


def up_to_date() -> bool:
    """Whether the store of these versions was built from these sources."""
    try:
        return (store.STORES / store.versions() / MARK).read_text(encoding="utf-8") == store.sources()
    except OSError:
        return False


def fresh_stores() -> list[Path]:
    """Stores of any versions that were built from these sources."""
    now = store.sources()
    return [mark.parent for mark in sorted(store.STORES.glob(f"*/{MARK}")) if mark.read_text(encoding="utf-8") == now]


def wheel_tag(name: str) -> str:
    """Tag of a wheel that carries the store of that name: machine code for one Python, which calls no library of C."""
    machine = next(machine for machine, (level, _) in store.LEVELS.items() if name.startswith(f"{level}-"))
    python = re.search(r"-cpython-(\d+)", name)
    assert python is not None, name
    return f"cp{python[1]}-none-manylinux_2_17_{machine}"


def build(fresh: bool = False) -> str:
    """Fill the store; what went wrong, else an empty text.

    Args:
        fresh: throw away what is there, so that nothing stale is left (a wheel).
    """
    level = store.level()
    if level is None:
        return store.store_problem(frozenset())
    if fresh:
        shutil.rmtree(store.STORES, ignore_errors=True)
    elif up_to_date():
        return ""
    folder = store.STORES / store.versions()
    folder.mkdir(parents=True, exist_ok=True)
    chosen = {store.BUILD: str(folder), "NUMBA_CPU_NAME": level[0], "NUMBA_CPU_FEATURES": ""}
    before, path = store.sources(), os.pathsep.join(filter(None, (str(SOURCE), os.environ.get("PYTHONPATH"))))
    words = [sys.executable, "-P", "-m", "andante", "doctor", "--warm"]
    ran = subprocess.run(
        words, env={**os.environ, **chosen, "PYTHONPATH": path}, stdout=subprocess.DEVNULL, check=False
    )
    if ran.returncode:
        return f"{' '.join(words)} ended with {ran.returncode}"
    (folder / MARK).write_text(before, encoding="utf-8")
    return ""


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fresh", action="store_true", help="throw away what is there first")
    problem = build(parser.parse_args().fresh)
    if problem:
        print(f"kernels are compiled on first use: {problem}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
