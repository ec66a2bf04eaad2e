"""What a figure was measured on: processor, memory, Python and the versions of the engines. No names, no paths."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = {
    "MuJoCo": "mujoco",
    "Bullet": "pybullet",
    "DART": "dartpy",
    "ODE": "pyode",
    "numpy": "numpy",
    "numba": "numba",
    "roboticstoolbox": "roboticstoolbox-python",
    "Pinocchio": "pin",
}


def machine() -> dict[str, str]:
    """The facts by name, all as text."""
    found = {
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{memory():.0f} GB",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
    }
    for name, package in packages().items():
        try:
            found[name] = version(package)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def packages() -> dict[str, str]:
    """Names and distributions: the engines as the library knows them, then the rest."""
    from andante.physics.registry import ENGINES

    titles = {"mujoco": "MuJoCo", "bullet": "Bullet", "dart": "DART", "ode": "ODE"}
    return {**PACKAGES, **{titles.get(name, name): entry.distribution for name, entry in ENGINES.items()}}


def processor(info: Path = Path("/proc/cpuinfo")) -> str:
    """The model of the processor."""
    if info.is_file():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def memory() -> float:
    """Memory of the machine [GB]; NaN where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (ValueError, OSError, AttributeError):
        return float("nan")
