"""The store of compiled kernels that comes with the installation: where it is, and for whom it is.

It holds numba's cache files for one level of processors, below a folder that is named by everything that machine code
depends on: level, Python, numba, llvmlite and the main version of numpy. A wheel carries the portable levels of its
kind of machine, a checkout the level of the very processor that it was set up on. Where no level fits, kernels are
compiled for the machine as ever. Stale entries are told by a hash of what a kernel is made of (`cache.stamp`), so a
store is never used for another source.

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
from typing import NamedTuple

STORES = Path(__file__).parent / "stores"
BUILD = "ANDANTE_BUILD_KERNELS"  # set while a store is filled: its folder


class Processor(NamedTuple):
    """What LLVM calls a processor, and what it can do; a level of processors is told in the same way."""

    name: str
    features: frozenset[str]


V3 = frozenset(("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "xsave"))
V4 = V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
# Portable levels by machine, the best first (x86-64 psABI; without fused multiply-add inverse kinematics would be slow
# and round otherwise; code for level 3 alone solves it a quarter slower on processors of level 4).
LEVELS = {"x86_64": (Processor("x86-64-v4", V4), Processor("x86-64-v3", V3))}


def portable() -> tuple[Processor, ...]:
    """Levels of this kind of machine for which stores are made, the best first; empty: none is made for it."""
    if sys.platform != "linux" or sys.implementation.name != "cpython":
        return ()
    return LEVELS.get(platform.machine(), ())


def levels(processor: Processor) -> tuple[Processor, ...]:
    """Levels whose stores serve a processor, the best first: itself, then the portable ones."""
    portables = portable()
    if not portables:
        return ()
    told = hashlib.sha256(" ".join(sorted(processor.features)).encode()).hexdigest()
    itself = Processor(f"{platform.machine()}-{processor.name}-{told[:8]}", processor.features)
    return (itself, *(level for level in portables if level.features <= processor.features))


@cache
def versions() -> str:
    """What machine code depends on besides the processor."""
    numpy = metadata.version("numpy").split(".")[0]
    python = f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}"
    return f"{python}-numba-{metadata.version('numba')}-llvmlite-{metadata.version('llvmlite')}-numpy-{numpy}"


def folder_of(level: Processor) -> Path:
    """Where the store of a level and these versions is, or would be."""
    return STORES / f"{level.name}-{versions()}"


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


def store_folder(processor: Processor) -> Path | None:
    """The store that serves a processor, the one that is filled now; None: there is none."""
    chosen = os.environ.get(BUILD)
    if chosen:
        return Path(chosen)
    return next((folder for folder in map(folder_of, levels(processor)) if folder.is_dir()), None)
