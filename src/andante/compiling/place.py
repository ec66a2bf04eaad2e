"""A place for compiled kernels where neither the installation nor the home can be written to.

Numba keeps what it compiles beside the source, else in the user's cache folder, and ends with an error where it can
write to neither. Then a folder of this process takes it, which its children share and which goes with it: everything
runs, but is compiled anew every time.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

CHOSEN = "NUMBA_CACHE_DIR"  # which numba asks first
KEPT_NOWHERE = "ANDANTE_KERNELS_KEPT_NOWHERE"  # told to children
REMEDY = f"set {CHOSEN} to a folder that can be written to"


def find_place() -> None:
    """Choose a folder for this process where there is no other; a few calls of the system."""
    if os.environ.get(CHOSEN) or any(_writable(folder) for folder in _usual()):
        return
    try:
        made = tempfile.mkdtemp(prefix="andante-kernels-")
    except OSError:
        return  # no place at all
    os.environ[CHOSEN] = os.environ[KEPT_NOWHERE] = made
    atexit.register(shutil.rmtree, made, ignore_errors=True)


def folder() -> Path:
    """Where compiled kernels are kept, as numba chooses."""
    chosen = os.environ.get(CHOSEN)
    return Path(chosen) if chosen else next((each for each in _usual() if _writable(each)), Path(tempfile.gettempdir()))


def kept_nowhere() -> bool:
    """Whether kernels are compiled anew in every run."""
    return bool(os.environ.get(KEPT_NOWHERE)) and os.environ.get(CHOSEN) == os.environ.get(KEPT_NOWHERE)


def _usual() -> Iterator[Path]:
    """Beside the source, and in the user's cache."""
    yield Path(__file__).parent.parent / "__pycache__"
    if sys.platform == "win32":
        yield Path(os.environ.get("LOCALAPPDATA") or "~\\AppData\\Local").expanduser() / "numba"
    elif sys.platform == "darwin":
        yield Path("~/Library/Caches/numba").expanduser()
    else:
        yield Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "numba"


def _writable(folder: Path) -> bool:
    """Whether files can be made in a folder, or it in one that is there."""
    try:
        there = next(each for each in (folder, *folder.parents) if each.exists() or each.is_symlink())
    except (OSError, StopIteration):
        return False
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)
