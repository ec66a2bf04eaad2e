"""Ways to walk by name: which robots they suit and how they are made.

Packages register theirs by the entry points `andante.behaviours`, each a `Gait`; ours are registered in the same way.
What only one kind of robot has is named by its own package (`RobotPackage.walkers`). Users give theirs as
`file.py:Name`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from andante.description import ROBOTS, Robot
from andante.description.check.balance import balance_told
from andante.errors import AndanteError, BadInput, UnknownName
from andante.geometry import Array
from andante.motion import JointMotion
from andante.plugins import Registry, load_reference
from andante.settings import present_names
from andante.stages import stage
from andante.userfile import is_user_reference, load_user_object

from .behaviour import Walker
from .biped.settings import BipedSettings
from .biped.walk import BipedWalk
from .io.rig_file import rig_for, stance_words
from .legged.gait import LeggedGait, LeggedSettings
from .legged.patterns import PATTERNS
from .rigs.legs import branches, find_legs, leg_faults
from .rigs.rig import weak_joints, weak_told, with_rig

T = TypeVar("T")


@dataclass(frozen=True)
class Prepared:
    """A robot ready to walk: its first pose, what moves it, and where straight ahead is in its root frame [rad]."""

    robot: Robot
    pose: Mapping[str, float]
    walker: Walker
    forward: float = 0.0
    gait: str = ""
    start: str = "first pose of its gait"  # where the pose comes from, in words
    doubt: str = ""  # why its body may not do what the gait asks


@dataclass(frozen=True)
class Request:
    """What a way to walk is made from."""

    gait: str
    rig: Path | None = None
    parameters: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Gait:
    """A way to walk.

    Args:
        name: by which it is asked for.
        suits: whether a robot can.
        make: prepares a robot for it.
        rank: of all that suit a robot the one with the lowest is its usual one.
    """

    name: str
    suits: Callable[[Robot], bool]
    make: Callable[[Robot, Request], Prepared]
    rank: int = 100


@dataclass(frozen=True)
class Driver:
    """How robots that `suits` are driven by free velocities, where that is not simply one of their gaits."""

    suits: Callable[[Robot], bool]
    make: Callable[[Robot, Request], Prepared]


@dataclass(frozen=True)
class PoseMotion:
    """How robots reach poses to which the straight way does not lead.

    Args:
        suits: whether it is for that robot and pose.
        make: the motion from joint positions (joints,) to a pose at a fraction of the joints' speed.
    """

    suits: Callable[[Robot, str], bool]
    make: Callable[[Robot, Array, str, float], JointMotion]


BEHAVIOURS: Registry[Gait] = Registry("andante.behaviours", Gait)
_REGISTERED: list[Gait | Driver] = []


def register(gait: Gait | Driver) -> None:
    """Add a way to walk or to be driven for this process; the latest is asked first, and before all others."""
    _REGISTERED.insert(0, gait)


@cache
def _of_robots() -> tuple[object, ...]:
    """What the packages of robots add; a warning tells of one that cannot be loaded."""
    found: list[object] = []
    for reference in dict.fromkeys(package.walkers for _, package in ROBOTS.usable() if package.walkers):
        try:
            found.extend(load_reference(reference))
        except BadInput as error:
            warnings.warn(str(error), RuntimeWarning, stacklevel=2)
    return tuple(found)


def _known(kind: type[T]) -> list[T]:
    """All gaits, drivers or pose motions, in the order in which they are asked; gaits by their rank."""
    return [each for each in (*_REGISTERED, *_of_robots()) if isinstance(each, kind)]


def _gaits(robot: Robot) -> dict[str, Gait]:
    """The ways in which a robot can walk by name, its usual one first."""
    general = [gait for _, gait in BEHAVIOURS.usable()]
    suits: dict[Callable[[Robot], bool], bool] = {}  # some share a test
    found: dict[str, Gait] = {}
    for gait in (*_known(Gait), *general):
        if gait.suits not in suits:
            suits[gait.suits] = gait.suits(robot)
        if suits[gait.suits]:
            found.setdefault(gait.name, gait)
    return dict(sorted(found.items(), key=lambda item: (item[1] not in _REGISTERED, item[1].rank)))


def gait_names(robot: Robot) -> tuple[str, ...]:
    """Names of the ways in which a robot can walk, its usual one first."""
    return tuple(_gaits(robot))


def prepare(robot: Robot, request: Request) -> Prepared:
    """Make a robot ready to walk; an empty gait name takes its usual one."""
    if is_user_reference(request.gait):
        made = load_user_object(request.gait)(robot, **(request.parameters or {}))
        check_walker(made, robot, request.gait)
        if not isinstance(made, Walker):
            made.__class__ = _as_walker(made, request.gait)
        return Prepared(robot, made.pose or robot.complete({}), made, float(made.forward), request.gait)
    known = _gaits(robot)
    if not known:
        legs = leg_count(robot)
        if not legs and (falls := balance_told(robot)):
            raise BadInput(falls)
        if not legs and (robot.loops or len(branches(robot)) >= 4):
            find_legs(robot)  # tells which loop, and which way they point
        raise BadInput(
            f"robot {robot.name!r} cannot walk: {_counted(legs)} found in it ({leg_faults(robot)}); gaits "
            f"need 2 legs (walk), 4 or more ({', '.join(PATTERNS)}), as andante rig shows, or your own file.py:Name"
        )
    name = request.gait or next(iter(known))
    UnknownName.check("gait", name, known, f"robot {robot.name!r}")
    with stage(f"preparing gait {name} of {robot.name}"):
        return known[name].make(robot, request)


def prepare_driver(robot: Robot, request: Request) -> Prepared:
    """A robot ready to follow any stream of velocities, by the gait of that name or its usual one."""
    driver = next((driver for driver in _known(Driver) if driver.suits(robot)), None)
    return (driver.make if driver else prepare)(robot, request)


def pose_motion(robot: Robot, start: Array, pose: str, speed: float) -> JointMotion | None:
    """The way from joint positions (joints,) to a pose that robots of its kind take; None: they have none of their own.

    Args:
        robot: which moves.
        start: its joint positions (joints,).
        pose: name of the pose.
        speed: fraction of the joints' speed.
    """
    ways = (way.make(robot, start, pose, speed) for way in _known(PoseMotion) if way.suits(robot, pose))
    return next(ways, None)


OLD_NAMES = {"max_speed": "top_speed", "max_turn": "top_turn"}  # of 0.1.0


def _as_walker(made: Any, name: str) -> type:
    """The class of a gait that was written for 0.1.0, with the defaults of `Walker` behind what it has itself."""
    kind = type(made)
    warnings.warn(
        f"{name}: a gait subclasses andante.locomotion.Walker; classes that do not are taken for the last time",
        FutureWarning,
        stacklevel=3,
    )
    old = {old: vars(made).get(old, getattr(kind, old, 0.0)) for old in OLD_NAMES.values() if hasattr(made, old)}
    return type(kind.__name__, (kind, Walker), old)


def check_walker(walker: Any, robot: Robot, name: str) -> None:
    """Raise BadInput unless an object has what `Walker` asks for and gives one finite target per joint."""
    for attribute in ("max_speed", "max_turn", "standing", "position", "stopping_time", "update"):
        if not hasattr(walker, attribute) and not hasattr(walker, OLD_NAMES.get(attribute, attribute)):
            raise BadInput(f"{name}: a gait needs {attribute!r}; see andante.locomotion.Walker")
    if not callable(walker.update):
        raise BadInput(f"{name}: update must be a method update(readings, command, dt)")
    if np.shape(walker.position) != (3,):
        raise BadInput(f"{name}: position must be x, y and heading, got shape {np.shape(walker.position)}")


def leg_count(robot: Robot) -> int:
    """How many legs a robot stands on, 0 when none are found."""
    try:
        return len(find_legs(robot))
    except AndanteError:
        return 0


def _counted(legs: int) -> str:
    return {0: "no legs were", 1: "1 leg was"}.get(legs, f"{legs} legs were")


def _settings(kind: type[T], request: Request, gait: str) -> T:
    """The settings of a gait with the parameters that are asked for."""
    given = present_names(kind, request.parameters or {}, "gait parameter", f"gait {gait!r}")
    try:
        return kind(**given)
    except TypeError as error:
        raise BadInput(f"gait {gait!r}: {error}") from None


def _many_legs(robot: Robot) -> bool:
    return leg_count(robot) >= 4


def _make_legged(robot: Robot, request: Request) -> Prepared:
    """A rigged robot with one of the patterns."""
    rig = rig_for(robot, request.rig)
    gait = request.gait or ("tripod" if len(rig.legs) > 4 else "trot")
    settings = _settings(LeggedSettings, request, gait)
    rigged = with_rig(robot, rig)
    walker, doubt = LeggedGait(rigged, rig, gait, settings), weak_told(weak_joints(robot, rig))
    return Prepared(rigged, rig.stance, walker, rig.forward, gait, stance_words(robot, request.rig), doubt)


def _two_legs(robot: Robot) -> bool:
    return leg_count(robot) == 2


def _make_walk(robot: Robot, request: Request) -> Prepared:
    """A robot on two legs, standing as its walk begins."""
    rig = rig_for(robot, request.rig)
    settings = _settings(BipedSettings, request, "walk")
    rigged = with_rig(robot, rig)
    walker, doubt = BipedWalk(rigged, rig, settings), weak_told(weak_joints(robot, rig))
    return Prepared(rigged, walker.pose or {}, walker, rig.forward, "walk", stance_words(robot, request.rig), doubt)


WALK = Gait("walk", _two_legs, _make_walk, len(PATTERNS))
TRIPOD, RIPPLE, WAVE, CRAWL, TROT = (Gait(name, _many_legs, _make_legged, k) for k, name in enumerate(PATTERNS))
