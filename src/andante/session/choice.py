"""What a live session shows: robot, world, engine and how they start. A change of it builds the scene anew.

`Library` reads robots and worlds by name, once per session.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from andante._moved import renamed
from andante.bus.bus import clean_name
from andante.description import Placement, Robot, SolverSettings, World, load_robot, load_world
from andante.description.world import UNSTATED
from andante.errors import BadInput
from andante.sensors.topics import plain
from andante.settings import DEFAULT_ENGINE, DEFAULT_ROBOT, DEFAULT_WORLD

FARTHEST = 10_000.0  # beyond, coordinates are too coarse for contacts [m]
CONTROL_TIME = 0.01  # between two control steps [s]


@dataclass(frozen=True)
class RobotChoice:
    """One more robot of a session: what it is, how it is called, and where it starts."""

    robot: Robot | str | Path
    name: str = ""  # of its model, namespace and frames; empty: as the robot with a number
    start: tuple[float, float, float] = (0.0, 0.0, 0.0)  # x, y [m], yaw of straight ahead [rad]
    arguments: Mapping[str, str] = field(default_factory=dict)  # name:=value of the robot's file
    gait: str = ""  # empty: the robot's usual way to drive
    pose: str | None = None  # first pose; None: the one in which its gait begins
    drop: float = 0.0  # over the ground [m]

    def __post_init__(self) -> None:
        if len(self.start) != 3 or not all(math.isfinite(v) and abs(v) < FARTHEST for v in self.start):
            raise BadInput(f"robot {self.name or self.robot}: start must be x, y in m and yaw in rad, got {self.start}")
        if self.name:
            clean_name(plain(self.name), "robot")


def robot_choice(given: RobotChoice | str) -> RobotChoice:
    """The robot that a text like `waffle@1,0.5,90:helper` asks for: ROBOT@x,y[,yaw][:name], in m and degrees."""
    if isinstance(given, RobotChoice):
        return given
    robot, sign, rest = given.rpartition("@")
    place, _, name = rest.partition(":")
    try:
        x, y, *turn = (float(word) for word in place.split(","))
        (yaw,) = turn or (0.0,)
    except ValueError:
        sign = ""
    if not (sign and robot):
        raise BadInput(f"a robot is added as ROBOT@x,y[,yaw][:name] in m and degrees, got {given!r}")
    return RobotChoice(robot, name, (x, y, math.radians(yaw)))


@renamed(place="start")
@dataclass(frozen=True)
class SceneChoice:
    """Names, files or the things themselves."""

    robot: Robot | str | Path = DEFAULT_ROBOT
    world: World | str | Path = DEFAULT_WORLD
    engine: str = DEFAULT_ENGINE
    arguments: Mapping[str, str] = field(default_factory=dict)  # name:=value of the robot's file
    gait: str = ""  # empty: the robot's usual way to drive
    pose: str | None = None  # first pose; None: the one in which its gait begins
    start: tuple[float, float, float] = (0.0, 0.0, 0.0)  # x, y [m], yaw of straight ahead [rad]
    drop: float = 0.0  # over the ground [m]
    seed: int = 0
    dt: float | None = None  # physics step [s]; None: that of the solver or the world, else 0.002
    others: tuple[Placement, ...] = ()  # more models
    robots: tuple[RobotChoice, ...] = ()  # more robots that live
    solver: SolverSettings = UNSTATED  # before those of the world

    def __post_init__(self) -> None:
        if len(self.start) != 3 or not all(math.isfinite(v) and abs(v) < FARTHEST for v in self.start):
            raise BadInput(f"start must be x, y in m and yaw in rad, got {self.start}")
        for other in self.others:
            x, y, z = other.pose.translation
            if not max(abs(x), abs(y), abs(z)) < FARTHEST:  # NaN too
                raise BadInput(f"{other.name!r} must stand within {FARTHEST:g} m of the origin, got {x:g}, {y:g}")
        step = self.dt if self.dt is not None else self.solver.dt
        steps = 1.0 if step is None else CONTROL_TIME / step if step > 0 else 0.0
        if steps < 1 or abs(steps - round(steps)) > 1e-6:
            raise BadInput(f"dt must divide the control time of {CONTROL_TIME:g} s, like 0.002, got {step:g}")

    @property
    def robot_name(self) -> str:
        """How the robot was named."""
        return self.robot.name if isinstance(self.robot, Robot) else str(self.robot)

    @property
    def world_name(self) -> str:
        """How the world was named."""
        return self.world.name if isinstance(self.world, World) else str(self.world)


class Library:
    """Keeps what it has read; files that have changed are read anew."""

    def __init__(self) -> None:
        self._robots: dict[tuple[object, ...], Robot] = {}
        self._worlds: dict[tuple[object, ...], World] = {}

    def robot(self, name: Robot | str | Path, arguments: Mapping[str, str] | None = None) -> Robot:
        """A robot by name, file, or itself."""
        if isinstance(name, Robot):
            return name
        key = (str(name), tuple(sorted((arguments or {}).items())), _stamp(name))
        if key not in self._robots:
            self._robots[key] = load_robot(name, dict(arguments or {}))
        return self._robots[key]

    def world(self, name: World | str | Path) -> World:
        """A world by name, file, or itself."""
        if isinstance(name, World):
            return name
        key = (str(name), _stamp(name))
        if key not in self._worlds:
            self._worlds[key] = load_world(name)
        return self._worlds[key]


def _stamp(name: str | Path) -> float:
    path = Path(name)
    return path.stat().st_mtime if path.is_file() else 0.0
