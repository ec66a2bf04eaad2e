"""Andante: a whole robot lab in one install.

    import andante as an
    nao = an.robot("nao")
    sim = an.simulate(nao, world="lab")
    sim.target(nao.poses["StandInit"]); sim.run(2.0)
    print(sim.base_pose)

Everything below is imported when it is first used, so that `import andante` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from .description import Robot, World
    from .description import load_robot as robot
    from .description import load_world as world
    from .errors import AndanteError
    from .physics import Mode, Settings, check_engine
    from .simulation import Simulation, simulate
    from .studio.show import show

_LAZY = {
    "robot": ("andante.description", "load_robot"),
    "world": ("andante.description", "load_world"),
    "Robot": ("andante.description", "Robot"),
    "World": ("andante.description", "World"),
    "simulate": ("andante.simulation", "simulate"),
    "Simulation": ("andante.simulation", "Simulation"),
    "Settings": ("andante.physics", "Settings"),
    "Mode": ("andante.physics", "Mode"),
    "check_engine": ("andante.physics", "check_engine"),
    "show": ("andante.studio.show", "show"),
    "AndanteError": ("andante.errors", "AndanteError"),
}

__all__ = [
    "AndanteError",
    "Mode",
    "Robot",
    "Settings",
    "Simulation",
    "World",
    "__version__",
    "check_engine",
    "robot",
    "show",
    "simulate",
    "world",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'andante' has no attribute {name!r}")
    module, attribute = _LAZY[name]
    value = getattr(importlib.import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
