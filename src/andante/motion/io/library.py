"""Motions by name or file: a pose of the robot, a motion of the built-in library, a user's file or a recording.

The library of a robot is the folder `motions` of its package: NAME.toml (key-frames) and NAME.action (actions).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from andante.bags.reader import SUFFIXES as BAGS
from andante.description import ROBOTS, Robot
from andante.description.io.xmltree import read_bytes
from andante.errors import BadInput, UnknownName
from andante.motion.actions.model import ActionSet
from andante.motion.actions.text import parse_actions
from andante.motion.keyframes import Keyframes

from .keyframe_files import read_keyframes_csv, read_keyframes_toml
from .recordings import is_recording, read_recording, recorded_motion

MAX_BYTES = 4 * 1024 * 1024


def read_actions(path: Path) -> ActionSet:
    """The actions of a file; errors name the line."""
    try:
        text = read_bytes(path, MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{path}: not a text file (UTF-8)") from None
    return parse_actions(text, str(path))


SUFFIXES = (".toml", ".csv", ".action", *BAGS)


@dataclass(frozen=True)
class PoseChoice:
    """A named pose of the robot."""

    name: str


@dataclass(frozen=True)
class ActionChoice:
    """One action of a set."""

    actions: ActionSet
    name: str


Choice = PoseChoice | Keyframes | ActionChoice


def motions_folder(robot: Robot) -> Path | None:
    """Folder of the motions that the package of a robot of that name holds; None where there is none."""
    return ROBOTS[robot.name].motions if robot.name in ROBOTS else None


def library_motions(robot: Robot) -> dict[str, Path]:
    """Built-in motions for a robot, by name."""
    folder = motions_folder(robot)
    if folder is None or not folder.is_dir():
        return {}
    return {path.stem: path for path in sorted(folder.iterdir()) if path.suffix in SUFFIXES}


def find_motion(robot: Robot, name: str) -> Choice:
    """What a name means: a pose, a library motion, or a file; FILE:ACTION (or MOTION:ACTION) picks one of several."""
    folded = {pose.casefold(): pose for pose in robot.poses}
    if name.casefold() in folded:
        return PoseChoice(folded[name.casefold()])
    known = library_motions(robot)
    place, sign, action = name.rpartition(":")
    if not sign or not (_plain(place) in known or Path(place).suffix in SUFFIXES):
        place, action = name, ""
    if _plain(place) in known:
        return _read(known[_plain(place)], action, robot)
    path = Path(place)
    if path.suffix in SUFFIXES or "/" in place or "\\" in place:
        return _read(path, action, robot)
    choices = [*robot.poses, *known]
    raise UnknownName(
        f"no pose or motion {name!r} for robot {robot.name!r}; choices: {', '.join(choices) or 'none'}, "
        f"or a file ({', '.join(SUFFIXES)})"
    )


def _plain(name: str) -> str:
    """A name as the library spells it: get-up and Get_Up are get_up."""
    return name.casefold().replace("-", "_")


def _read(path: Path, action: str, robot: Robot) -> Choice:
    if path.suffix == ".action":
        actions = read_actions(path)
        chosen = action or actions.first
        actions.action(chosen)
        return ActionChoice(actions, chosen)
    if action:
        raise BadInput(f"{path}: only action files hold several actions; leave out :{action}")
    if path.suffix == ".toml":
        return read_keyframes_toml(path)
    if is_recording(path):
        return recorded_motion(read_recording(path), robot)
    if path.suffix == ".csv":
        return read_keyframes_csv(path)
    raise BadInput(f"{path}: motions are files ending in {', '.join(SUFFIXES)}")
