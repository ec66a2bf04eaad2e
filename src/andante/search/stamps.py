"""What results depend on beside their study: versions, machine, and what the objective tells of itself."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from andante._version import __version__
from andante.userfile import is_user_reference

from .config import StudyConfig
from .objective import Objective
from .record import plain

PACKAGES = ("numpy", "scipy", "numba")
OF_SAMPLERS = {"cmaes": ("cmaes",), "tpe": ("optuna",), "nsga2": ("optuna",)}


def stamp_of(config: StudyConfig, objective: Objective) -> dict[str, Any]:
    """Versions, machine, the objective's own stamp, and the content of users' files as a hash."""
    stamp: dict[str, Any] = {
        "andante": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
    }
    for name in (*PACKAGES, *OF_SAMPLERS.get(config.sampler, ())):
        try:
            stamp[name] = version(name)
        except PackageNotFoundError:
            continue
    for reference in (config.objective.factory, config.sampler):
        if is_user_reference(reference):
            file = Path(reference.rpartition(":")[0])
            stamp[file.name] = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    return {**stamp, "objective": plain(dict(objective.stamp()))}


def differences(before: Mapping[str, Any], now: Mapping[str, Any], above: str = "") -> list[str]:
    """Where two stamps differ, as "numpy 2.0 -> 2.1"."""
    found: list[str] = []
    for name in dict.fromkeys((*before, *now)):
        old, new = before.get(name), now.get(name)
        path = f"{above}.{name}" if above else name
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            found += differences(old, new, path)
        elif old != new:
            found.append(f"{path} {'none' if old is None else old} -> {'none' if new is None else new}")
    return found
