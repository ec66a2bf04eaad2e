"""The motions that protect a falling robot and get it up again, from the built-in library.

ROBOT/motions/falls: protect_front, protect_back, protect_left, protect_right, and get_up_belly, get_up_back,
get_up_left, get_up_right, get_up_sitting: each leads from that posture to the next one. They lean on the ground and on
the robot itself, so they are played by `GetUp`, which checks how they end, not by themselves. Beside them may lie
stiffness.toml: the fraction of the servos' strength while falling, by joint name pattern.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from andante.description import Robot
from andante.errors import BadInput
from andante.locomotion.falls.get_up import DIRECTIONS, FallMotions, Posture, Stage
from andante.motion import Keyframes, fit
from andante.motion.io.library import motions_folder, read_keyframes_toml

STAND = ("StandInit", "stand", "Stand")
LYING = frozenset((Posture.BELLY, Posture.BACK))
ENDS = {
    Posture.BELLY: frozenset((Posture.SITTING,)),
    Posture.BACK: frozenset((Posture.SITTING,)),
    Posture.LEFT: LYING,
    Posture.RIGHT: LYING,
    Posture.SITTING: frozenset((Posture.STANDING,)),
}
STIFFNESS = "stiffness"  # the file of the servos' strength while falling, by joint name pattern
YIELDING = {"*": 0.1}  # fraction of it without such a file


def fall_files(robot: Robot) -> dict[str, Path]:
    """Files of the motions of a fall for a robot, by name."""
    folder = motions_folder(robot)
    return {path.stem: path for path in sorted((folder / "falls").glob("*.toml"))} if folder else {}


def can_get_up(robot: Robot) -> bool:
    """Whether the library knows how a robot gets up."""
    return {f"get_up_{posture}" for posture in ENDS} <= set(fall_files(robot))


def fall_motions(robot: Robot) -> FallMotions:
    """All motions of a fall for a robot, brought inside its joint limits."""
    known = fall_files(robot)
    wanted = [f"protect_{direction}" for direction in DIRECTIONS] + [f"get_up_{posture}" for posture in ENDS]
    missing = [name for name in wanted if name not in known]
    if missing:
        raise BadInput(f"robot {robot.name!r} has no motions {', '.join(missing)} in the library; it cannot get up")
    pose = next((name for name in STAND if name in robot.poses), None)
    if pose is None:
        raise BadInput(f"robot {robot.name!r} has none of the poses {', '.join(STAND)} to stand in")

    def motion(name: str) -> Keyframes:
        return fit(read_keyframes_toml(known[name]), robot).motion

    return FallMotions(
        protect={direction: motion(f"protect_{direction}") for direction in DIRECTIONS},
        stages={posture: Stage(motion(f"get_up_{posture}"), ends) for posture, ends in ENDS.items()},
        stand=robot.pose(pose),
        stiffness=tomllib.loads(known[STIFFNESS].read_text(encoding="utf-8")) if STIFFNESS in known else YIELDING,
    )
