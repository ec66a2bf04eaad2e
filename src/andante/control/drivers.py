"""How a robot is driven by velocity: its walkers by name, wheels, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from andante.control.start import first_positions
from andante.description import Robot
from andante.description.io.open import sidecar_path
from andante.errors import AndanteError, UnknownName
from andante.kinematics import find_drive
from andante.locomotion import Walker
from andante.locomotion.behaviour import HoldPose
from andante.locomotion.gaits import Request, gait_names, prepare_driver
from andante.locomotion.io.rig_file import rig_for
from andante.locomotion.rigs.rig import with_rig

WHEELS, NOTHING = "wheels", "none"


@dataclass(frozen=True)
class Ready:
    """A robot as it is built into the scene, and how it is driven; `walker` is None for wheels until they exist."""

    robot: Robot
    pose: Mapping[str, float]
    walker: Walker | None
    gait: str
    forward: float = 0.0  # azimuth of straight ahead in the root frame [rad]


def rigged(robot: Robot) -> Robot:
    """The robot with the stance, gains and sensors of the rig NAME.rig.toml beside its file; unchanged without one."""
    if not robot.source.file or not Path(robot.source.file).parent.joinpath(_rig_name(robot.source.file)).is_file():
        return robot
    return with_rig(robot, rig_for(robot))


def _rig_name(file: str) -> str:
    return f"{sidecar_path(Path(file)).stem}.rig.toml"


def drive_names(robot: Robot) -> tuple[str, ...]:
    """Ways in which a robot can be driven by velocity."""
    names = gait_names(robot)
    return names or ((WHEELS,) if has_wheels(robot) else ())


def has_wheels(robot: Robot) -> bool:
    """Whether wheels carry a robot."""
    try:
        return bool(find_drive(robot).wheels)
    except AndanteError:
        return False


def make_ready(robot: Robot, gait: str = "") -> Ready:
    """A robot with its usual way to drive, or a named one; a robot that cannot go anywhere stands."""
    known = gait_names(robot)
    if known:
        made = prepare_driver(robot, Request(gait or known[0]))
        return Ready(made.robot, made.pose, made.walker, made.gait, made.forward)
    robot = rigged(robot)
    pose = first_positions(robot, None)
    name = WHEELS if has_wheels(robot) else NOTHING
    if gait and gait != name:
        raise UnknownName.among("gait", gait, (name,), f"robot {robot.name!r}")
    return Ready(robot, pose, None if name == WHEELS else HoldPose(robot, pose), name)


def again(ready: Ready) -> Ready:
    """The same way to drive with a walker that starts anew."""
    if ready.walker is None:
        return ready
    fresh = make_ready(ready.robot, "" if ready.gait in (NOTHING, WHEELS) else ready.gait)
    return replace(ready, walker=fresh.walker)
