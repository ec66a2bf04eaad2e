"""What `walk`, `play` and drives would send to a real robot, without moving it: `--dry-run`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from andante.control.drivers import make_ready
from andante.control.start import first_positions
from andante.control.walking import WalkSettings
from andante.hardware.open import dry_run
from andante.locomotion.gaits import Request, prepare
from andante.locomotion.io.gait_parameters import checked_parameters
from andante.mobile.driver import base_driver
from andante.motion.actions.model import Value

from .bodies import read_params
from .inputs import RobotLike, as_robot
from .play import activity_of, check_play

Lines = list[dict[str, Any]]


def dry_walk(
    robot: RobotLike,
    body: str,
    gait: str = "",
    params: Path | None = None,
    rig: Path | None = None,
    arguments: Mapping[str, str] | None = None,
) -> Lines:
    """The first period of a walk; see `walk` for the arguments."""
    given = read_params(params)
    given.settings("walk", WalkSettings())
    ready = prepare(as_robot(robot, arguments), Request(gait, rig, checked_parameters(given.rest, given.path) or None))
    return dry_run(body, ready.robot, given.body, ready.walker, ready.pose)


def dry_play(
    robot: RobotLike,
    motion: str,
    body: str,
    params: Path | None = None,
    parameters: Mapping[str, Value] | None = None,
    pose: str | None = None,
    speed: float = 1.0,
    loop: int | None = None,
    joints: Sequence[str] = (),
    arguments: Mapping[str, str] | None = None,
) -> Lines:
    """The first period of a motion from the robot's standing pose; see `play` for the arguments."""
    asked: dict[str, Any] = {"parameters": parameters, "pose": pose, "speed": speed, "loop": loop, "joints": joints}
    checked = check_play(robot, motion, **asked, arguments=arguments)
    activity = activity_of(checked, speed, loop, parameters or {})
    return dry_run(body, checked.robot, read_params(params).body, activity, checked.start)


def dry_drive(
    robot: RobotLike, body: str, params: Path | None = None, arguments: Mapping[str, str] | None = None
) -> Lines:
    """The first period of a drive, in which the robot stands still."""
    made = as_robot(robot, arguments)
    return dry_run(body, made, read_params(params).body, base_driver(made), first_positions(made, None))


def dry_studio(
    robot: RobotLike, body: str, params: Path | None = None, arguments: Mapping[str, str] | None = None
) -> Lines:
    """The first period of a live session, in which the robot stands."""
    return dry_session(robot, body, read_params(params).body, arguments)


def dry_session(
    robot: RobotLike, body: str, table: Mapping[str, Any], arguments: Mapping[str, str] | None = None, gait: str = ""
) -> Lines:
    """The same with the table [body] as it is, as launch files have it."""
    ready = make_ready(as_robot(robot, arguments), gait)
    return dry_run(body, ready.robot, table, ready.walker or base_driver(ready.robot), ready.pose)
