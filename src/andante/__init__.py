"""Andante: a whole robot lab in one install.

    import andante as an
    nao = an.robot("nao")
    an.walk(nao, distance=1.0).plot()
    sim = an.simulate(nao, world="lab")
    sim.target(nao.poses["StandInit"]); sim.run(2.0)

Every command has its function here, and the rooms are attributes (`an.mapping`, `an.navigation`, ...). Everything is
imported when it is first used, so that `import andante` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _moved
from ._version import __version__

if TYPE_CHECKING:
    from .control import Body, ControlLoop
    from .description import Robot, World
    from .description import load_robot as robot
    from .description import load_world as world
    from .errors import AndanteError
    from .locomotion import Behaviour, Command, Walker
    from .physics import Mode, Settings, check_engine
    from .simulation import Simulation, simulate
    from .studio.show import show
    from .tasks.explore import explore
    from .tasks.localize import localize
    from .tasks.map_log import map_log
    from .tasks.navigate import navigate
    from .tasks.play import play
    from .tasks.sim import sim
    from .tasks.walk import walk

_LAZY = {
    "robot": ("andante.description", "load_robot"),
    "world": ("andante.description", "load_world"),
    "Robot": ("andante.description", "Robot"),
    "World": ("andante.description", "World"),
    "simulate": ("andante.simulation", "simulate"),
    "Simulation": ("andante.simulation", "Simulation"),
    "Body": ("andante.control", "Body"),
    "ControlLoop": ("andante.control", "ControlLoop"),
    "Behaviour": ("andante.locomotion", "Behaviour"),
    "Walker": ("andante.locomotion", "Walker"),
    "Command": ("andante.locomotion", "Command"),
    "Settings": ("andante.physics", "Settings"),
    "Mode": ("andante.physics", "Mode"),
    "check_engine": ("andante.physics", "check_engine"),
    "show": ("andante.studio.show", "show"),
    "AndanteError": ("andante.errors", "AndanteError"),
    "sim": ("andante.tasks.sim", "sim"),
    "walk": ("andante.tasks.walk", "walk"),
    "play": ("andante.tasks.play", "play"),
    "navigate": ("andante.tasks.navigate", "navigate"),
    "explore": ("andante.tasks.explore", "explore"),
    "map_log": ("andante.tasks.map_log", "map_log"),
    "localize": ("andante.tasks.localize", "localize"),
}

ROOMS = (
    "geometry", "description", "physics", "sensors", "kinematics", "motion", "locomotion", "mapping", "localization",
    "navigation", "bus", "bridges", "control", "simulation", "hardware", "mobile", "search", "viz", "experiments",
    "session", "tasks", "bench", "studio",
)  # fmt: skip

__all__ = [
    "AndanteError",
    "Behaviour",
    "Body",
    "Command",
    "ControlLoop",
    "Mode",
    "Robot",
    "Settings",
    "Simulation",
    "Walker",
    "World",
    "__version__",
    "check_engine",
    "explore",
    "localize",
    "map_log",
    "navigate",
    "play",
    "robot",
    "show",
    "sim",
    "simulate",
    "walk",
    "world",
]

_moved.install()


def __getattr__(name: str) -> Any:
    if name in ROOMS:
        return importlib.import_module(f"andante.{name}")
    if name not in _LAZY:
        raise AttributeError(f"module 'andante' has no attribute {name!r}")
    module, attribute = _LAZY[name]
    value = getattr(importlib.import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *ROOMS})
