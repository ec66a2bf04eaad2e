"""Ways to walk by name: which robots they suit and how they are made. Users add theirs as `file.py:Name`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from andante.description import Robot
from andante.errors import AndanteError, BadInput, UnknownName
from andante.userfile import is_user_reference, load_user_object

from .behaviour import Walker
from .legged.patterns import PATTERNS


@dataclass(frozen=True)
class Prepared:
    """A robot ready to walk: its first pose, what moves it, and where straight ahead is in its root frame [rad]."""

    robot: Robot
    pose: Mapping[str, float]
    walker: Walker
    forward: float = 0.0
    gait: str = ""


@dataclass(frozen=True)
class Request:
    """What a way to walk is made from."""

    gait: str
    rig: Path | None = None
    parameters: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Gait:
    """A way to walk: `suits` tells whether a robot can, `make` prepares it."""

    name: str
    suits: Callable[[Robot], bool]
    make: Callable[[Robot, Request], Prepared]


_GAITS: list[Gait] = []


def register(gait: Gait) -> None:
    """Add a way to walk; of two with the same name the later one is asked first."""
    _GAITS.insert(0, gait)


def gait_names(robot: Robot) -> tuple[str, ...]:
    """Names of the ways in which a robot can walk."""
    suits = {test: test(robot) for test in dict.fromkeys(gait.suits for gait in _GAITS)}  # some share a test
    return tuple(dict.fromkeys(gait.name for gait in _GAITS if suits[gait.suits]))


def prepare(robot: Robot, request: Request) -> Prepared:
    """Make a robot ready to walk; an empty gait name takes the first that suits."""
    if is_user_reference(request.gait):
        made = load_user_object(request.gait)(robot, **(request.parameters or {}))
        check_walker(made, robot, request.gait)
        if not isinstance(made, Walker):
            made.__class__ = _as_walker(type(made), request.gait)
        pose = getattr(made, "pose", None) or robot.complete({})
        return Prepared(robot, pose, made, float(getattr(made, "forward", 0.0)), request.gait)
    for gait in _GAITS:
        if (not request.gait or gait.name == request.gait) and gait.suits(robot):
            return gait.make(robot, request)
    names = gait_names(robot)
    if not names:
        from .rigs.legs import leg_faults

        raise BadInput(
            f"robot {robot.name!r} cannot walk: {_counted(leg_count(robot))} found in it ({leg_faults(robot)}); gaits "
            f"need 2 legs (walk), 4 or more ({', '.join(PATTERNS)}), as andante rig shows, or your own file.py:Name"
        )
    raise UnknownName.among("gait", request.gait, names, f"robot {robot.name!r}")


def _as_walker(kind: type, name: str) -> type:
    """The class of a gait that was written for 0.1.0, with the defaults of `Walker` behind what it has itself."""
    warnings.warn(
        f"{name}: a gait subclasses andante.locomotion.Walker; classes that do not are taken for the last time",
        FutureWarning,
        stacklevel=3,
    )
    return type(kind.__name__, (kind, Walker), {})


def check_walker(walker: Any, robot: Robot, name: str) -> None:
    """Raise BadInput unless an object has what `Walker` asks for and gives one finite target per joint."""
    for attribute in ("max_speed", "max_turn", "standing", "position", "stopping_time", "update"):
        if not hasattr(walker, attribute):
            raise BadInput(f"{name}: a gait needs {attribute!r}; see andante.locomotion.Walker")
    if not callable(walker.update):
        raise BadInput(f"{name}: update must be a method update(readings, command, dt)")
    if np.shape(walker.position) != (3,):
        raise BadInput(f"{name}: position must be x, y and heading, got shape {np.shape(walker.position)}")


def leg_count(robot: Robot) -> int:
    """How many legs a robot stands on, 0 when none are found."""
    from .rigs.legs import find_legs

    try:
        return len(find_legs(robot))
    except AndanteError:
        return 0


@dataclass(frozen=True)
class Driver:
    """How robots that `suits` are driven by free velocities, where that is not simply one of their gaits."""

    suits: Callable[[Robot], bool]
    make: Callable[[Robot, Request], Prepared]


_DRIVERS: list[Driver] = []


def register_driver(driver: Driver) -> None:
    """Add a way to drive a kind of robot; the latest is asked first."""
    _DRIVERS.insert(0, driver)


def prepare_driver(robot: Robot, request: Request) -> Prepared:
    """A robot ready to follow any stream of velocities, by the gait of that name or its usual one."""
    for driver in _DRIVERS:
        if driver.suits(robot):
            return driver.make(robot, request)
    return prepare(robot, request)


def _counted(legs: int) -> str:
    return {0: "no legs were", 1: "1 leg was"}.get(legs, f"{legs} legs were")


def _many_legs(robot: Robot) -> bool:
    return leg_count(robot) >= 4


def _make_legged(robot: Robot, request: Request) -> Prepared:
    """A rigged robot with one of the patterns."""
    from .io.rig_file import rig_for
    from .legged.gait import LeggedGait, LeggedSettings
    from .rigs.rig import with_rig

    rig = rig_for(robot, request.rig)
    gait = request.gait or ("tripod" if len(rig.legs) > 4 else "trot")
    known = [field.name for field in fields(LeggedSettings)]
    for key in request.parameters or {}:
        if key not in known:
            raise UnknownName.among("gait parameter", key, known, f"gait {gait!r}")
    try:
        settings = LeggedSettings(**(request.parameters or {}))
    except TypeError as error:
        raise BadInput(f"gait {gait!r}: {error}") from None
    rigged = with_rig(robot, rig)
    walker = LeggedGait(rigged, rig, gait, settings)
    return Prepared(rigged, rig.stance, walker, rig.forward, gait)


def _two_legs(robot: Robot) -> bool:
    return leg_count(robot) == 2


def _make_walk(robot: Robot, request: Request) -> Prepared:
    from .biped.walk import make_walk
    from .io.rig_file import rig_for

    return make_walk(robot, rig_for(robot, request.rig), request.parameters)


def _folds(robot: Robot) -> bool:
    """Whether a robot has the poses and joints of the Shell."""
    return {"stand", "tall", "tuck", "ball"} <= set(robot.poses) and {"q111", "q114", "q212"} <= set(robot.joint_names)


def _make_roll(robot: Robot, request: Request) -> Prepared:
    from .ball.gait import make_roll

    return make_roll(robot, request)


def waves(robot: Robot) -> bool:
    """Whether a robot has the joints and the first pose of the NAO."""
    from .wave.model import JOINTS

    return set(JOINTS) <= set(robot.joint_names) and "standinit" in {name.casefold() for name in robot.poses}


def _make_wave(robot: Robot, request: Request) -> Prepared:
    from .io.wave_file import default_gait
    from .wave.gait import make_wave

    return make_wave(robot, request.parameters, default_gait)


def _drive_waves(robot: Robot, request: Request) -> Prepared:
    """The wave gait under any command: it walks while it shall go ahead, and stands otherwise."""
    from .wave.gait import WaveGait

    made = prepare(robot, request)
    if isinstance(made.walker, WaveGait):
        made.walker.strict = False
    return made


def _drive_shell(robot: Robot, request: Request) -> Prepared:
    from .shell_driver import make_shell_driver

    return make_shell_driver(robot, request)


register_driver(Driver(waves, _drive_waves))
register_driver(Driver(_folds, _drive_shell))
register(Gait("wave", waves, _make_wave))
register(Gait("walk", _two_legs, _make_walk))
register(Gait("roll", _folds, _make_roll))
for _name in reversed(PATTERNS):
    register(Gait(_name, _many_legs, _make_legged))
