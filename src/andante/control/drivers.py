"""How a robot is driven by velocity: its walkers by name, wheels, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from andante.control.start import first_positions
from andante.description import Robot
from andante.errors import AndanteError, BadInput, UnknownName
from andante.kinematics import find_drive
from andante.locomotion import Walker
from andante.locomotion.behaviour import HoldPose
from andante.locomotion.gaits import Request, gait_names, prepare_driver
from andante.locomotion.io.rig_file import beside, rig_for, stance_words
from andante.locomotion.rigs.infer import infer_rig
from andante.locomotion.rigs.rig import held_targets, with_rig

WHEELS, NOTHING = "wheels", "none"


@dataclass(frozen=True)
class Ready:
    """A robot as it is built into the scene, and how it is driven; `walker` is None for wheels until they exist."""

    robot: Robot
    pose: Mapping[str, float]
    walker: Walker | None
    gait: str
    forward: float = 0.0  # azimuth of straight ahead in the root frame [rad]
    start: str = ""  # where the pose comes from, in words
    hindrance: str = ""  # why it stands and does not walk, although it has legs


@dataclass(frozen=True)
class Start:
    """How a robot starts: with what it needs to stand, its first positions, and where they come from in words."""

    robot: Robot
    positions: Mapping[str, float]
    words: str
    held: Mapping[str, float] = field(default_factory=dict)  # targets of leg joints that carry it, sag made up for


def start_of(robot: Robot, pose: str | Mapping[str, float] | None = None) -> Start:
    """A robot as it can stand.

    A pose that is given, else the stance of the rig beside its file, else a standing pose that its file names, else
    positions that its file starts from, else the stance that its legs allow, with the gains that hold it, else zero.
    """
    robot = rigged(robot)
    if pose is not None:
        return Start(robot, first_positions(robot, pose), f"pose {pose!r}" if isinstance(pose, str) else "given pose")
    if robot.standing is not None:
        return Start(robot, first_positions(robot, None), stance_words(robot))
    if any(joint.initial for joint in robot.movable):
        return Start(robot, first_positions(robot, None), "initial positions of the file")
    if robot.movable and not robot.fixed_base and not has_wheels(robot):
        try:
            rig = infer_rig(robot)
        except AndanteError:
            pass
        else:
            stance = robot.complete(rig.stance)
            return Start(with_rig(robot, rig), stance, stance_words(robot), held_targets(robot, rig))
    return Start(robot, first_positions(robot, None), "zero pose of the file")


def rigged(robot: Robot) -> Robot:
    """The robot with the stance, gains and sensors of the rig NAME.rig.toml beside its file; unchanged without one."""
    return robot if beside(robot) is None else with_rig(robot, rig_for(robot))


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
    known, hindrance = gait_names(robot), ""
    if known:
        try:
            made = prepare_driver(robot, Request(gait or known[0]))
        except BadInput as error:
            if gait:
                raise
            hindrance = str(error)
        else:
            return Ready(made.robot, made.pose, made.walker, made.gait, made.forward, made.start)
    begun = start_of(robot)
    robot, pose = begun.robot, begun.positions
    name = WHEELS if has_wheels(robot) else NOTHING
    if gait and gait != name:
        raise UnknownName.among("gait", gait, (name,), f"robot {robot.name!r}")
    walker = None if name == WHEELS else HoldPose(robot, dict(pose))
    return Ready(robot, pose, walker, name, start=begun.words, hindrance=hindrance)


def again(ready: Ready) -> Ready:
    """The same way to drive with a walker that starts anew."""
    if ready.walker is None:
        return ready
    fresh = make_ready(ready.robot, "" if ready.gait in (NOTHING, WHEELS) else ready.gait)
    return replace(ready, walker=fresh.walker)
