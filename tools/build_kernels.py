"""Fill the store of compiled kernels (`andante.compiling.store`) of this checkout, for `make` and for the wheel.

Runs a short piece of every capability (`andante doctor --warm`) in a process that keeps what it compiles below
src/andante/compiling/stores: for this very processor, or, for a wheel, for the portable levels of processors that this
one can run. Nothing is done when the sources of all kernels and the versions are those of the last time. About two
minutes of processor time a level when everything is new.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src"
MARK = "sources.sha256"  # in the store: what it was built from

sys.path.insert(0, str(SOURCE))
from andante.compiling import store  # noqa: E402


def up_to_date(folder: Path) -> bool:
    """Whether a store was built from these sources."""
    try:
        return (folder / MARK).read_text(encoding="utf-8") == store.sources()
    except OSError:
        return False


def fresh_stores() -> list[Path]:
    """Stores of portable levels, of any versions, that were built from these sources."""
    names = tuple(f"{level.name}-" for levels in store.LEVELS.values() for level in levels)
    folders = sorted(folder for folder in store.STORES.glob("*") if folder.name.startswith(names))
    return [folder for folder in folders if up_to_date(folder)]


def wheel_tag(stores: Sequence[Path]) -> str:
    """Tag of a wheel that carries these stores: code for one Python, which calls no library of C; empty: there is none.

    A wheel is for one kind of machine and one Python.
    """
    tags = set()
    for folder in stores:
        python = re.search(r"-cpython-(\d+)", folder.name)
        assert python is not None, folder
        for machine, levels in store.LEVELS.items():
            if folder.name.startswith(tuple(f"{level.name}-" for level in levels)):
                tags.add(f"cp{python[1]}-none-manylinux_2_17_{machine}")
    return tags.pop() if len(tags) == 1 else ""


def build(portable: bool = False) -> str:
    """Fill the store; what went wrong, else an empty text.

    Args:
        portable: throw away what is there, so that nothing stale is left, and fill stores of all portable levels that
            this processor can run (a wheel).
    """
    from andante.compiling.cache import processor

    itself, *others = store.levels(processor()) or (None,)
    if itself is None:
        return f"no compiled kernels are made for {sys.platform} {platform.machine()}"
    if portable:
        shutil.rmtree(store.STORES, ignore_errors=True)
        return " ".join(filter(None, (_fill(level, level.name) for level in others)))
    return _fill(itself)


def _fill(level: store.Processor, cpu: str = "") -> str:
    """Fill the store of a level, of the processor of that name for LLVM or of this one; what went wrong."""
    folder = store.folder_of(level)
    if up_to_date(folder):
        return ""
    folder.mkdir(parents=True, exist_ok=True)
    chosen = {store.BUILD: str(folder)} | ({"NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": ""} if cpu else {})
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
    parser.add_argument("--portable", action="store_true", help="for a wheel: all portable levels, and nothing else")
    problem = build(parser.parse_args().portable)
    if problem:
        print(f"kernels are compiled on first use: {problem}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
