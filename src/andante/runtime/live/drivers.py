"""How a robot is driven by velocity: its walkers by name, wheels, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from andante.description import Robot
from andante.errors import AndanteError, UnknownName
from andante.geometry import Array
from andante.kinematics import find_drive
from andante.locomotion import Command, Readings
from andante.locomotion.ball.gait import RollingWalker
from andante.locomotion.gaits import Prepared, Request, Walker, gait_names, prepare
from andante.locomotion.hold_pose import HoldPose
from andante.locomotion.wave.gait import WaveGait
from andante.runtime.job import rigged
from andante.runtime.spawn import first_positions

from .shell_driver import ShellDriver

WHEELS, NOTHING, ROLL = "wheels", "none", "roll"


@dataclass(frozen=True)
class Ready:
    """A robot as it is built into the scene, and how it is driven; `walker` is None for wheels until they exist."""

    robot: Robot
    pose: Mapping[str, float]
    walker: Walker | None
    gait: str
    forward: float = 0.0  # azimuth of straight ahead in the root frame [rad]


class StraightOnly:
    """The wave gait under any command: it walks while it shall go ahead, and stands otherwise."""

    top_turn = 0.0  # [rad/s]

    def __init__(self, gait: WaveGait) -> None:
        self.gait = gait

    @property
    def top_speed(self) -> float:
        """Straight ahead [m/s]."""
        return self.gait.top_speed

    @property
    def standing(self) -> bool:
        """Whether the waves have come to rest."""
        return self.gait.standing

    @property
    def position(self) -> Array:
        """x, y [m] and heading [rad] by the gait's usual speed."""
        return self.gait.position

    @property
    def stopping_time(self) -> float:
        """From walking to a stand [s]."""
        return self.gait.stopping_time

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Targets of the waves."""
        ahead = Command(vx=command.vx) if command.vx > 0 else Command()
        return self.gait.update(readings, ahead, dt)


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
        return _walking(robot, gait, known)
    robot = rigged(robot)
    pose = first_positions(robot, None)
    name = WHEELS if has_wheels(robot) else NOTHING
    if gait and gait != name:
        raise UnknownName.among("gait", gait, (name,), f"robot {robot.name!r}")
    return Ready(robot, pose, None if name == WHEELS else HoldPose(robot, pose), name)


def _walking(robot: Robot, gait: str, known: tuple[str, ...]) -> Ready:
    made = prepare(robot, Request(gait or known[0]))
    walker: Walker = made.walker
    if ROLL in known:
        legs = prepare(robot, Request("tripod")) if made.gait == ROLL else made
        walker = _shell(legs, folded=made.gait == ROLL)
    elif isinstance(walker, WaveGait):
        walker = StraightOnly(walker)
    return Ready(made.robot, made.pose, walker, made.gait, made.forward)


def _shell(legs: Prepared, folded: bool) -> Walker:
    """The Shell on these legs, which begins to fold at once where it shall roll."""
    assert not isinstance(legs.walker, RollingWalker)
    driver = ShellDriver(legs.robot, legs.walker, legs.forward)
    if folded:
        driver.fold()
    return driver


def again(ready: Ready) -> Ready:
    """The same way to drive with a walker that starts anew."""
    if ready.walker is None:
        return ready
    fresh = make_ready(ready.robot, "" if ready.gait in (NOTHING, WHEELS) else ready.gait)
    return replace(ready, walker=fresh.walker)
