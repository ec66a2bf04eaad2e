"""What every task takes: a robot or a world as a value, a name or a path."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from andante.description import Robot, World, load_robot, load_world
from andante.errors import BadInput

RobotLike = Robot | str | Path
WorldLike = World | str | Path


def as_robot(robot: RobotLike, arguments: Mapping[str, str] | None = None) -> Robot:
    """The robot itself, of a name, or of a file with its `name:=value` arguments."""
    if not isinstance(robot, Robot):
        return load_robot(robot, arguments or {})
    if arguments:
        raise BadInput(f"robot {robot.name!r} is loaded already; arguments belong to a file: {', '.join(arguments)}")
    return robot


def as_world(world: WorldLike) -> World:
    """The world itself, of a name, or of a file."""
    return world if isinstance(world, World) else load_world(world)


def file_of(thing: Robot | World | Path | str) -> str:
    """The name or path of a robot or world, for work in other processes; BadInput where it has no file."""
    if not isinstance(thing, Robot | World):
        return str(thing)
    if not thing.source.file:
        raise BadInput(f"{thing.name!r} has no file; write it to one and give that")
    return str(thing.source.file)
