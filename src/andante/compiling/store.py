"""The store of compiled kernels that comes with the installation: where it is, and for whom it is.

It holds numba's cache files for one portable level of processors, below a folder that is named by everything that
machine code depends on: level, Python, numba, llvmlite and the main version of numpy. Where any of these differs there
is no such folder, and kernels are compiled for the machine as ever. Stale entries are told by a hash of what a
kernel is made of (`cache.stamp`), so a store is never used for another source.

`tools/build_kernels.py` fills it; numba is not imported here.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

STORES = Path(__file__).parent / "stores"
BUILD = "ANDANTE_BUILD_KERNELS"  # set while a store is filled: its folder
# Portable levels by machine: name for LLVM, and what a processor has to have (x86-64 psABI, level 3; without
# fused multiply-add inverse kinematics would be slower and round otherwise).
LEVELS = {
    "x86_64": (
        "x86-64-v3",
        frozenset(("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "xsave")),
    ),
}


def level() -> tuple[str, frozenset[str]] | None:
    """The portable level of this kind of machine and the features that it takes; None: no store is made for it."""
    if sys.platform != "linux" or sys.implementation.name != "cpython":
        return None
    return LEVELS.get(platform.machine())


@cache
def versions() -> str:
    """What machine code depends on, as the name of a folder."""
    of_level = level()
    numpy = metadata.version("numpy").split(".")[0]
    python = f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}"
    tools = f"numba-{metadata.version('numba')}-llvmlite-{metadata.version('llvmlite')}-numpy-{numpy}"
    return f"{of_level[0] if of_level else 'none'}-{python}-{tools}"


def sources() -> str:
    """A hash of all files of this package that have kernels, and of what exercises them."""
    package = Path(__file__).parent.parent
    files = [path for path in sorted(package.rglob("*.py")) if b"compiling import njit" in path.read_bytes()]
    files += [*sorted((package / "kinematics/ik").glob("*.py")), package / "bench/warm_up.py"]
    told = "\n".join(f"{path.relative_to(package)} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files)
    return hashlib.sha256(told.encode()).hexdigest()


def building() -> bool:
    """Whether this process fills a store: kernels are compiled for the portable level and kept there."""
    return bool(os.environ.get(BUILD))


def store_folder() -> Path:
    """Where the store of these versions is, or would be."""
    chosen = os.environ.get(BUILD)
    return Path(chosen) if chosen else STORES / versions()


def store_problem(features: frozenset[str]) -> str:
    """Why the store does not serve this process; empty: it does.

    Args:
        features: what the processor can do, in LLVM's words.
    """
    of_level = level()
    if of_level is None:
        return f"no compiled kernels are made for {sys.platform} {platform.machine()}"
    lacking = sorted(of_level[1] - features)
    if lacking:
        return f"this processor lacks {', '.join(lacking)}, which the compiled kernels use"
    if not store_folder().is_dir():
        there = sorted(folder.name for folder in STORES.glob("*") if folder.is_dir())
        return f"the compiled kernels are for {' and '.join(there)}" if there else "no compiled kernels were installed"
    return ""
