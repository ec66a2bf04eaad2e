"""`an.robots`, `an.worlds`, `an.engines` and `an.doctor`: what there is, what is missing and how to get it."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from importlib import metadata
from typing import Any, TypeVar

from andante import hardware
from andante.compiling.place import REMEDY, kept_nowhere
from andante.description import load_robot, load_world, robot_names, world_names
from andante.description.public import public_robots
from andante.errors import AndanteError
from andante.extras import how_to_get
from andante.physics.registry import ENGINES, installed, version
from andante.physics.solver import SettingRow, setting_rows

from .result import Result

E = TypeVar("E")
IN_EXTRAS = {"pyopengl": "pictures", "av": "pictures", "matplotlib": "plot", "optuna": "search"}


@dataclass(frozen=True)
class Entry:
    """One registered thing; `problem` says why it cannot be used, its other values are then empty."""

    name: str

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract; `problem` only where there is one."""
        table = {each.name: getattr(self, each.name) for each in fields(self)}
        return table if table.get("problem") else {name: value for name, value in table.items() if name != "problem"}


@dataclass(frozen=True)
class RobotEntry(Entry):
    """A registered robot."""

    links: int = 0
    joints: int = 0  # that move
    independent: int = 0  # of them, those that mimic no other
    mass: float = 0.0  # [kg]
    poses: tuple[str, ...] = ()
    sensors: tuple[str, ...] = ()  # kinds
    problem: str = ""


@dataclass(frozen=True)
class WorldEntry(Entry):
    """A registered world."""

    models: int = 0
    shapes: int = 0  # collision shapes
    gravity: tuple[float, ...] = ()  # [m/s^2]
    problem: str = ""


@dataclass(frozen=True)
class EngineInfo(Entry):
    """A registered physics engine."""

    installed: bool = False
    version: str | None = None
    extra: str = ""  # of pip, that brings it
    summary: str = ""
    problem: str = ""

    @property
    def advice(self) -> str:
        """How to get it; empty when it is there."""
        return "" if self.installed else self.problem or how_to_get(self.extra)


@dataclass(frozen=True)
class PublicEntry(Entry):
    """A robot that another package brings."""

    source: str = ""
    file: str = ""
    problem: str = ""


def robots(public: bool = False) -> list[RobotEntry] | list[PublicEntry]:
    """List the registered robots.

    Args:
        public: those instead that are on this disk beside Andante: robots of pybullet_data, of the cache of
            robot_descriptions, and of the folders in ANDANTE_ROBOTS (MuJoCo Menagerie). They are not loaded for that.

    Returns:
        An entry each; that of a package that cannot be loaded names the problem.
    """
    if public:
        return [PublicEntry(robot.name, robot.source, str(robot.file)) for robot in public_robots().values()]
    return _entries(RobotEntry, robot_names(), _robot)


def worlds() -> list[WorldEntry]:
    """List the registered worlds.

    Returns:
        An entry each; that of a package that cannot be loaded names the problem.
    """
    return _entries(WorldEntry, world_names(), _world)


def engines() -> list[EngineInfo]:
    """List the registered physics engines.

    Returns:
        An entry each: name, and whether it is installed.
    """
    return _entries(EngineInfo, ENGINES, _engine)


def _entries(kind: Callable[..., E], names: Iterable[str], make: Callable[[str], E]) -> list[E]:
    """An entry of every name; that of what cannot be loaded only has its problem."""
    made = []
    for name in names:
        try:
            made.append(make(name))
        except AndanteError as error:
            made.append(kind(name, problem=str(error)))
    return made


def _robot(name: str) -> RobotEntry:
    robot = load_robot(name)
    return RobotEntry(
        name,
        len(robot.links),
        len(robot.movable),
        len(robot.independent),
        robot.mass,
        tuple(robot.poses),
        tuple(sorted({str(sensor.kind) for sensor in robot.sensors})),
    )


def _world(name: str) -> WorldEntry:
    world = load_world(name)
    shapes = sum(len(link.collisions) for model in world.models for link in model.robot.links)
    return WorldEntry(name, len(world.models), shapes, tuple(world.gravity))


def _engine(name: str) -> EngineInfo:
    entry = ENGINES[name]
    return EngineInfo(entry.name, installed(entry), version(entry), entry.extra, entry.summary)


# ---- doctor --------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Finding:
    """One part of the installation."""

    part: str
    ready: bool
    version: str = ""
    advice: str = ""  # what to do, empty when all is well


@dataclass(frozen=True)
class DoctorResult(Result):
    """What this installation can do."""

    python: str
    platform: str
    findings: tuple[Finding, ...]
    settings: tuple[SettingRow, ...] = ()  # of solvers and surfaces, with the engines that have them

    def __str__(self) -> str:
        lines = [f"Python {self.python} on {platform.platform()}"]
        for each in self.findings:
            state = "ready" if each.ready and not each.advice else each.advice
            lines.append(f"{each.part:20} {each.version or '-':12} {state}")
        lines += [f"{row.name:32} {'  '.join(cells_of(row))}" for row in self.settings]
        return "\n".join(lines)


def doctor() -> DoctorResult:
    """Look for what is installed: engines, rendering, file formats and the tools that the tests compare with.

    Returns:
        Python, platform, and a finding each with how to get what is missing.
    """
    findings = (*_engines(), _rendering(), *_libraries(), _kernels(), _serial(), *_tools())
    return DoctorResult(platform.python_version(), sys.platform, findings, tuple(setting_rows()))


def cells_of(row: SettingRow) -> list[str]:
    """What each engine has of a setting, in a word: its own value, yes, or a dash."""
    return ["-" if value is None else "yes" if value is True else f"{value}" for value in row.engines.values()]


def _engines() -> Iterator[Finding]:
    for engine in engines():
        advice = engine.advice
        if engine.name == "mujoco" and engine.version == "4.0.0":
            advice = "4.0.0 has a solver bug: pip install 'mujoco-core>=4.0.1'"
        yield Finding(f"engine {engine.name}", engine.installed, engine.version or "", advice)


def _rendering() -> Finding:
    from andante.physics.rendering import Camera
    from andante.physics.rendering.renderer import Renderer

    try:
        with Renderer((), load_world("empty"), 64, 48) as renderer:
            renderer.render([], Camera())
    except AndanteError as error:
        return Finding("pictures and films", False, "", str(error))
    return Finding("pictures and films", True)


def _libraries() -> Iterator[Finding]:
    for name in ("numpy", "numba", "trimesh", "pycollada", "xacro", "rosbags", "pyserial", *IN_EXTRAS):
        try:
            yield Finding(name, True, metadata.version(name))
        except metadata.PackageNotFoundError:
            yield Finding(name, False, "", how_to_get(IN_EXTRAS[name]) if name in IN_EXTRAS else f"pip install {name}")


def _kernels() -> Finding:
    """Where compiled code is kept."""
    if kept_nowhere():
        told = "compiled anew in every run: neither the installation nor the home can be written to"
        return Finding("compiled code", True, "", f"{told}; {REMEDY}")
    return Finding("compiled code", True)


def _serial() -> Finding:
    return Finding("serial ports", True, ", ".join(port.name for port in hardware.serial_ports()) or "none found")


def _tools() -> Iterator[Finding]:
    for tool, package in (("check_urdf", "liburdfdom-tools"), ("ign", "ignition-tools libsdformat-dev")):
        path = shutil.which(tool)
        advice = "" if path else f"only the tests need it: apt-get install {package}"
        yield Finding(f"tool {tool}", path is not None, "", advice)
