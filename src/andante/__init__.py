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
from .compiling import place as _place
from .lazy import lazy_names

if TYPE_CHECKING:
    from .control import Body, ControlLoop
    from .description import Robot, World
    from .description import load_robot as robot
    from .description import load_world as world
    from .errors import AndanteError
    from .experiments import commands as experiment
    from .locomotion import Behaviour, Command, Walker
    from .physics import Mode, Settings, check_engine
    from .session import naoqi
    from .session.behaviors.behave import behave
    from .simulation import Simulation, simulate
    from .studio.launch import launch
    from .studio.notebook import show
    from .tasks import bag, bridge, gait
    from .tasks.catalog import doctor, engines
    from .tasks.compare_engines import compare_engines
    from .tasks.describe.check import check
    from .tasks.describe.convert import convert
    from .tasks.describe.rig import rig
    from .tasks.explore import explore
    from .tasks.ik import ik
    from .tasks.maps.localize import localize
    from .tasks.maps.map_log import map_log
    from .tasks.mesh import mesh
    from .tasks.navigate import navigate
    from .tasks.play import play
    from .tasks.sim import sim
    from .tasks.tune import tune
    from .tasks.walk import walk
    from .tasks.zoo.run import zoo

_named = lazy_names(__name__)

ROOMS = (
    "geometry", "bags", "description", "physics", "sensors", "vision", "kinematics", "motion", "locomotion", "mapping",
    "localization", "navigation", "bus", "bridges", "control", "simulation", "hardware", "mobile", "search", "viz",
    "experiments", "session", "tasks", "robots", "worlds", "bench", "studio",
)  # fmt: skip
# `an.robots()`, `an.worlds()`, `an.bench(...)` and `an.studio(...)` can be called too

__all__ = [
    "AndanteError", "Behaviour", "Body", "Command", "ControlLoop", "Mode", "Robot", "Settings", "Simulation", "Walker",
    "World", "__version__", "bag", "behave", "bench", "bridge", "check", "check_engine", "compare_engines", "convert",
    "doctor", "engines", "experiment", "explore", "gait", "ik", "launch", "localize", "map_log", "mesh", "naoqi",
    "navigate", "play", "rig", "robot", "robots", "show", "sim", "simulate", "studio", "tune", "walk", "world",
    "worlds", "zoo",
]  # fmt: skip

_moved.install()
_place.find_place()


def __getattr__(name: str) -> Any:
    if name in ROOMS:
        return importlib.import_module(f"andante.{name}")
    return _named(name)


def __dir__() -> list[str]:
    return sorted({*__all__, *ROOMS})
