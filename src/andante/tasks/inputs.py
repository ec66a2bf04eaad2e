"""What tasks take: a robot or a world as a value, a name or a path; poses and limits of drives, checked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from andante.description import Robot, World, load_robot, load_world
from andante.description.check.recognize import find_wheels
from andante.errors import BadInput

RobotLike = Robot | str | Path
WorldLike = World | str | Path
Pose = tuple[float, float, float]  # x, y [m], yaw [rad]
LONGEST = 36_000.0  # drive [s]
FARTHEST = 1e4  # that a pose may lie from the origin [m]


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


@contextmanager
def told_of_legs(robot: Robot, by_itself: bool) -> Iterator[None]:
    """What is refused about legs is told with the file, and of a robot on wheels in the words of `check`: it drives.

    Args:
        robot: whose legs are looked for.
        by_itself: nobody has said by gait, rig or stance how it is to walk.
    """
    try:
        yield
    except BadInput as error:
        text = str(error)
        wheels = find_wheels(robot) if by_itself else []
        if wheels:
            names = ", ".join(wheel.joint for wheel in wheels)
            text = (
                f"robot {robot.name!r} drives on {len(wheels)} wheels ({names}) and has no legs to walk on; "
                "andante navigate drives it, a walk of your own goes in as gait file.py:Name"
            )
        raise type(error)(_placed(text, robot)) from None


@contextmanager
def told_of_wheels(robot: Robot) -> Iterator[None]:
    """What is refused about wheels is told with the file, and of a robot on legs in the words of `check`: it walks."""
    try:
        yield
    except BadInput as error:
        from andante.locomotion.gaits import leg_count

        text = str(error)
        legs = 0 if find_wheels(robot) else leg_count(robot)
        if legs:
            text = f"robot {robot.name!r} walks on {legs} legs and has no wheels to drive on; andante walk moves it"
        raise type(error)(_placed(text, robot)) from None


def _placed(text: str, robot: Robot) -> str:
    """A message with the place of a robot before it, unless it names the file already."""
    file = robot.source.file
    return text if not file or file in text else f"{robot.source}: {text}"


def file_of(thing: Robot | World | Path | str) -> str:
    """The name or path of a robot or world, for work in other processes; BadInput where it has no file."""
    if not isinstance(thing, Robot | World):
        return str(thing)
    if not thing.source.file:
        raise BadInput(f"{thing.name!r} has no file; write it to one and give that")
    return str(thing.source.file)


def pose_of(name: str, values: Sequence[float], free_yaw: bool = False) -> Pose:
    """x, y [m], yaw [rad] as numbers, BadInput where they are none; with `free_yaw` the yaw may be NaN."""
    known = values[:2] if free_yaw and len(values) == 3 and math.isnan(values[2]) else values
    if len(values) != 3 or not all(math.isfinite(value) for value in known):
        raise BadInput(f"{name} must be x, y, yaw as finite numbers, got {' '.join(map(str, values))}")
    x, y, yaw = (float(value) for value in values)
    if max(abs(x), abs(y)) > FARTHEST:
        raise BadInput(f"{name} lies further than {FARTHEST:g} m from the origin")
    return x, y, yaw


def check_drive(timeout: float, max_speed: float | None) -> None:
    """Refuse a drive that lasts too long [s] or is too slow or fast [m/s]."""
    if not 0 < timeout <= LONGEST:
        raise BadInput(f"timeout must lie above 0 and up to {LONGEST:g} s, got {timeout}")
    if max_speed is not None and not 0.01 <= max_speed <= 50:
        raise BadInput(f"max_speed must lie from 0.01 to 50 m/s, got {max_speed}")
