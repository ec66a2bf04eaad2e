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
    from .experiments import commands as experiment
    from .locomotion import Behaviour, Command, Walker
    from .physics import Mode, Settings, check_engine
    from .simulation import Simulation, simulate
    from .studio.launch import launch
    from .studio.notebook import show
    from .tasks import bag, bridge, gait
    from .tasks.catalog import doctor, engines
    from .tasks.describe import check, convert, rig
    from .tasks.explore import explore
    from .tasks.ik import ik
    from .tasks.localize import localize
    from .tasks.map_log import map_log
    from .tasks.mesh import mesh
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
    "show": ("andante.studio.notebook", "show"),
    "AndanteError": ("andante.errors", "AndanteError"),
    "sim": ("andante.tasks.sim", "sim"),
    "walk": ("andante.tasks.walk", "walk"),
    "play": ("andante.tasks.play", "play"),
    "navigate": ("andante.tasks.navigate", "navigate"),
    "explore": ("andante.tasks.explore", "explore"),
    "map_log": ("andante.tasks.map_log", "map_log"),
    "localize": ("andante.tasks.localize", "localize"),
    "ik": ("andante.tasks.ik", "ik"),
    "check": ("andante.tasks.describe", "check"),
    "convert": ("andante.tasks.describe", "convert"),
    "rig": ("andante.tasks.describe", "rig"),
    "mesh": ("andante.tasks.mesh", "mesh"),
    "engines": ("andante.tasks.catalog", "engines"),
    "doctor": ("andante.tasks.catalog", "doctor"),
    "launch": ("andante.studio.launch", "launch"),
}

_GROUPS = {  # commands that have commands of their own: modules of functions
    "gait": "andante.tasks.gait",
    "bag": "andante.tasks.bag",
    "bridge": "andante.tasks.bridge",
    "experiment": "andante.experiments.commands",
}

ROOMS = (
    "geometry", "bags", "description", "physics", "sensors", "kinematics", "motion", "locomotion", "mapping",
    "localization", "navigation", "bus", "bridges", "control", "simulation", "hardware", "mobile", "search", "viz",
    "experiments", "session", "tasks", "robots", "worlds", "bench", "studio",
)  # fmt: skip
# `an.robots()`, `an.worlds()`, `an.bench(...)` and `an.studio(...)` can be called too

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
    "bag",
    "bench",
    "bridge",
    "check",
    "check_engine",
    "convert",
    "doctor",
    "engines",
    "experiment",
    "explore",
    "gait",
    "ik",
    "launch",
    "localize",
    "map_log",
    "mesh",
    "navigate",
    "play",
    "rig",
    "robot",
    "robots",
    "show",
    "sim",
    "simulate",
    "studio",
    "walk",
    "world",
    "worlds",
]

_moved.install()


def __getattr__(name: str) -> Any:
    if name in ROOMS or name in _GROUPS:
        return importlib.import_module(_GROUPS.get(name, f"andante.{name}"))
    if name not in _LAZY:
        raise AttributeError(f"module 'andante' has no attribute {name!r}")
    module, attribute = _LAZY[name]
    value = getattr(importlib.import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *ROOMS})
