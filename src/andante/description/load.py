"""Robots and worlds by registered name or file, whatever the format.

Packages register theirs by entry points: a `RobotPackage` in the group `andante.robots`, the path of a world file in
the group `andante.worlds`. In pyproject.toml:

    [project.entry-points."andante.robots"]
    crab = "crab_robot:ROBOT"
    [project.entry-points."andante.worlds"]
    beach = "crab_robot:BEACH"
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from andante.errors import AndanteError, BadInput, MissingFile, UnknownName
from andante.plugins import Registry
from andante.stages import stage
from andante.userfile import is_user_reference, load_user_object

from .robot import Robot
from .world import World


@dataclass(frozen=True)
class RobotPackage:
    """What a package says about its robot; the entry point has the name that the robot has in its file.

    Code is named as `module:attribute`, so that nothing is imported before it is needed.

    Args:
        description: the robot's file, of any format that `load_robot` reads.
        meshes: mapping of part names to functions that return a `trimesh.Trimesh`; the description names such a mesh
            `package://andante/robots/NAME/meshes/PART.stl`, and it is made when it is first asked for.
        motions: folder of motion files (NAME.toml, NAME.action; falls/ for those that get it up again).
        behaviors: folder of state machines (NAME.toml, NAME.scxml, NAME.json).
        gaits: folder of gait parameter files (GAIT_VARIANT.toml).
        walkers: sequence of `Gait`, `Driver` and `PoseMotion` of andante.locomotion.gaits: the ways to walk, to be led
            by velocities and to reach a pose that only robots of this kind have.
        driver: subclass of `andante.mobile.BaseDriver`, which turns velocities into commands of its wheels.
        experiments: folder of experiment files (NAME.toml; reference/NAME.csv for trials of the real robot).
        trials: trials that only this robot has, by the name that experiment files give them; functions of a `Setup`,
            with their `TERMS` beside them.
        objective: what a search for gaits of this robot evaluates unless an objective is named; a class with the
            arguments of `an.gait.search`.
        benchmarks: what `an.bench` measures of this robot, by name; functions of seconds and quiet that give rows.
        body: function of a `Simulation` that gives the `Body` by which a live session moves it, such as a simulated
            microcontroller behind its line; None: as usual.
        nodes: sequence of nodes that a live session with this robot has besides the usual ones.
    """

    description: Path
    meshes: str = ""
    motions: Path | None = None
    gaits: Path | None = None
    walkers: str = ""
    driver: str = ""
    experiments: Path | None = None
    trials: Mapping[str, str] = field(default_factory=dict)
    objective: str = ""
    benchmarks: Mapping[str, str] = field(default_factory=dict)
    behaviors: Path | None = None
    body: str = ""
    nodes: str = ""


ROBOTS: Registry[RobotPackage] = Registry("andante.robots", RobotPackage)
WORLDS: Registry[Path] = Registry("andante.worlds", Path)


def robot_names() -> tuple[str, ...]:
    """Names of the registered robots."""
    return tuple(ROBOTS)


def world_names() -> tuple[str, ...]:
    """Names of the registered worlds."""
    return tuple(WORLDS)


def robot_file(name: str) -> Path:
    """File of a registered robot or of one that another package brings (`public`), or the path itself."""
    if _is_file(name):
        return Path(name)
    if name in ROBOTS:
        return ROBOTS[name].description
    if not _is_path(name):
        from .public import public_alike, public_file

        found = public_file(name)
        if found is not None:
            return found
        return _path(name, "robot", (*robot_names(), *public_alike(name)))
    return _path(name, "robot", robot_names())


def world_file(name: str) -> Path:
    """File of a registered world, or the path itself."""
    if _is_file(name):
        return Path(name)
    return WORLDS[name] if name in WORLDS else _path(name, "world", world_names())


def description_file(name: str) -> Path:
    """File of a robot, else of a world, of that name, or the path itself."""
    registered = not _is_file(name) and name in WORLDS and name not in ROBOTS
    return world_file(name) if registered else robot_file(name)


def _path(name: str, what: str, names: tuple[str, ...]) -> Path:
    if _is_path(name):
        check_file_name(Path(name))
        return Path(name)
    raise UnknownName.among(what, name, names)


def _is_file(name: str) -> bool:
    """Whether it is the path of a plain file; who gives one need not wait until the registries are read."""
    return _is_path(name) and os.path.isfile(name)


def _is_path(name: str) -> bool:
    return bool(Path(name).suffix) or "/" in name or "\\" in name


def check_file_name(path: Path) -> None:
    """Raise BadInput unless there is a plain file of that name."""
    shown = str(path) if len(str(path)) < 300 else f"{str(path)[:100]}... ({len(str(path))} characters)"
    try:
        if path.is_file():
            return
        if path.is_dir():
            raise BadInput(f"{shown} is a folder; name the file in it")
        if path.exists():
            raise BadInput(f"{shown} is not a regular file; refused")
    except BadInput:
        raise
    except (OSError, ValueError) as error:
        raise BadInput(f"{shown} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    raise MissingFile(f"{shown}: no such file")


def load_robot(name: str | Path, arguments: Mapping[str, str] | None = None) -> Robot:
    """A robot by name or file.

    Args:
        name: a registered name ("nao"), a file (URDF, xacro, SDF, MJCF) or a user's `file.py:Name`.
        arguments: xacro arguments, or keywords of the user's function.

    Returns:
        The robot; what its file says and Andante does not use is told in its `problems`.
    """
    with stage(f"reading robot {name}"):
        from .io.open import read_robot

        if is_user_reference(str(name)):
            return user_robot(str(name), dict(arguments or {}))
        return read_robot(robot_file(str(name)), dict(arguments or {}))


def user_robot(reference: str, arguments: Mapping[str, str]) -> Robot:
    """The robot of `file.py:Name`: a `Robot`, or a function that returns one and takes `name:=value` as keywords."""
    found = load_user_object(reference)
    if callable(found):
        try:
            found = found(**arguments)
        except AndanteError:
            raise
        except Exception as error:
            raise BadInput(f"{reference} fails: {type(error).__name__}: {error}") from error
    elif arguments:
        raise BadInput(f"{reference} is no function and takes no arguments, got {', '.join(arguments)}")
    if not isinstance(found, Robot):
        raise BadInput(f"{reference} should be a Robot or a function that returns one, got {type(found).__name__}")
    return found


def load_world(name: str | Path, arguments: Mapping[str, str] | None = None) -> World:
    """A world by name or file.

    Args:
        name: a registered name ("lab") or a file (SDF world, MJCF, a robot file of static parts).
        arguments: xacro arguments.

    Returns:
        The world with all its models; what its file says and Andante does not use is told in its `problems`.
    """
    with stage(f"reading world {name}"):
        from .io.open import read_world

        return read_world(world_file(str(name)), dict(arguments or {}))
