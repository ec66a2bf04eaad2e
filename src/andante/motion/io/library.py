"""Motions by name or file: a pose of the robot, a motion of the built-in library, a user's file or a recording.

The library of a robot is the folder `motions` of its package: NAME.toml (key-frames) and NAME.action (actions).
Key-frame motions are CSV tables `time,JOINT,JOINT,...`, Python code as Choregraphe exports it (see `choregraphe`), or
TOML (or JSON with the same entries) with one [[keys]] table per instant:

name = "wave_hand"
robot = "nao"                # for whom it is meant (optional)
interpolation = "smooth"     # smooth | cubic | linear | hold
loop = 2                     # rounds; true: until stopped
repeat = {from = 1.0, to = 2.2, count = 3}

[[keys]]
time = 1.0                   # [s]
RShoulderPitch = -1.0        # any joints [rad or m]
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from andante.bags.reader import SUFFIXES as BAGS
from andante.description import ROBOTS, Robot
from andante.description.source import Source
from andante.errors import BadInput, UnknownName
from andante.files import read_text, write_bytes
from andante.motion.actions.model import ActionSet
from andante.motion.actions.text import parse_actions
from andante.motion.keyframes import Key, Keyframes, Repeat
from andante.parsing import parse_json, parse_toml, toml_value

from .choregraphe import read_choregraphe
from .recordings import is_recording, read_recording, recorded_motion

MAX_CSV_BYTES = 64 * 1024 * 1024


def read_keyframes_csv(path: Path, interpolation: str = "cubic") -> Keyframes:
    """The motion of a CSV file; tables are usually dense, so the default interpolation is cubic."""
    text = read_text(path, MAX_CSV_BYTES)
    keys: list[Key] = []
    header: list[str] = []
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if not any(cells) or cells[0].startswith("#"):
                continue
            if not header:
                header = _csv_header(cells, path, reader.line_num)
                continue
            keys.append(_row_key(header, cells, Source(str(path), reader.line_num)))
    except csv.Error as error:
        raise BadInput(f"{path}:{reader.line_num}: not a table ({error})") from None
    return Keyframes(path.stem, tuple(keys), interpolation, source=Source(str(path)))


def _csv_header(cells: list[str], path: Path, line: int) -> list[str]:
    if cells[0].lower() != "time" or len(cells) < 2 or not all(cells):
        raise BadInput(f"{path}:{line}: the first row should be time,JOINT,JOINT,..., got {','.join(cells)[:60]!r}")
    if len(set(cells)) != len(cells):
        raise BadInput(f"{path}:{line}: two columns have the same name")
    return cells


def _row_key(header: list[str], cells: list[str], source: Source) -> Key:
    if len(cells) > len(header):
        raise BadInput(f"{source}: {len(cells)} cells under {len(header)} columns")
    numbers: dict[str, float] = {}
    for name, cell in zip(header, cells, strict=False):
        if not cell:
            continue
        try:
            numbers[name] = float(cell)
        except ValueError:
            raise BadInput(f"{source}: {name} should be a number, got {cell[:40]!r}") from None
    if header[0] not in numbers:
        raise BadInput(f"{source}: the row has no time")
    return Key(numbers.pop(header[0]), numbers, source)


MAX_BYTES = 8 * 1024 * 1024
TOP = ("name", "robot", "interpolation", "loop", "repeat", "keys")


def read_keyframes_toml(path: Path) -> Keyframes:
    """The motion of a TOML file; errors name the file and the line of the key."""
    text = read_text(path, MAX_BYTES)
    try:
        data = parse_toml(text)
    except ValueError as error:
        raise BadInput(f"{path}: not valid TOML ({' '.join(str(error).split())})") from None
    lines = [number for number, line in enumerate(text.split("\n"), 1) if line.replace(" ", "").startswith("[[keys]]")]
    return keyframes_of(data, path, lines)


def read_keyframes_json(path: Path) -> Keyframes:
    """The motion of a JSON file with the entries of the TOML form."""
    return keyframes_of_json(read_text(path, MAX_BYTES), path)


def keyframes_of_json(text: str, path: Path) -> Keyframes:
    """The motion of a JSON text; errors name the path."""
    try:
        data = parse_json(text)
    except ValueError as error:
        raise BadInput(f"{path}: not valid JSON ({error})") from None
    if not isinstance(data, dict):
        raise BadInput(f"{path}: a motion is an object with name, interpolation, loop and keys")
    return keyframes_of(data, path)


def keyframes_of(data: Mapping[str, Any], path: Path, lines: Sequence[int] = ()) -> Keyframes:
    """The motion of the entries of a file; lines: of the keys, where they are known."""
    for name in data:
        if name not in TOP:
            raise UnknownName.among("entry", name, TOP, str(path))
    tables = data.get("keys", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise BadInput(f"{path}: keys must be tables, like [[keys]] time = 0.5 JOINT = 0.3")
    if len(lines) != len(tables):
        lines = [0] * len(tables)
    keys = tuple(_key(table, Source(str(path), line)) for table, line in zip(tables, lines, strict=True))
    return Keyframes(
        _string(path, data, "name", path.stem),
        keys,
        _string(path, data, "interpolation", "smooth"),
        _loop(path, data.get("loop", 1)),
        _repeat(path, data.get("repeat")),
        _string(path, data, "robot", ""),
        Source(str(path)),
    )


def keyframes_table(motion: Keyframes) -> dict[str, Any]:
    """The entries of a motion's file; `keyframes_of` gives it back."""
    table: dict[str, Any] = {"name": motion.name, "interpolation": motion.interpolation}
    if motion.robot:
        table["robot"] = motion.robot
    table["loop"] = True if motion.loop == inf else int(motion.loop)
    if motion.repeat is not None:
        span = motion.repeat
        table["repeat"] = {"from": float(span.start), "to": float(span.end), "count": span.count}
    keys = [
        {"time": float(key.time)} | {joint: float(value) for joint, value in key.positions.items()}
        for key in motion.keys
    ]
    return table | {"keys": keys}


def write_keyframes_toml(motion: Keyframes, path: Path) -> None:
    """Write a motion so that reading gives it back exactly; the file is complete or absent."""
    write_bytes(toml_text(motion).encode(), path)


def toml_text(motion: Keyframes) -> str:
    """The motion as TOML."""
    table = keyframes_table(motion)
    lines = [f"{name} = {toml_value(value)}" for name, value in table.items() if name != "keys"]
    for key in table["keys"]:
        lines += [
            "",
            "[[keys]]",
            *(f"{toml_value(name) if name != 'time' else name} = {toml_value(value)}" for name, value in key.items()),
        ]
    return "\n".join([*lines, ""])


def _key(table: dict[str, Any], source: Source) -> Key:
    if "time" not in table:
        raise BadInput(f"{source}: a key needs a time [s]")
    for name, value in table.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadInput(f"{source}: {name} should be a number, got {str(value)[:40]!r}")
    return Key(float(table["time"]), {name: float(value) for name, value in table.items() if name != "time"}, source)


def _loop(path: Path, value: Any) -> float:
    if value is True:
        return inf
    if value is False:
        return 1
    if not isinstance(value, int):
        raise BadInput(f"{path}: loop should be a number of rounds, or true for no end, got {str(value)[:40]!r}")
    return value


def _repeat(path: Path, value: Any) -> Repeat | None:
    if value is None:
        return None
    try:
        count = value["count"]
        if set(value) != {"from", "to", "count"} or isinstance(count, bool) or not isinstance(count, int):
            raise ValueError
        return Repeat(float(value["from"]), float(value["to"]), count)
    except (TypeError, KeyError, ValueError):
        raise BadInput(f"{path}: repeat should look like {{from = 1.0, to = 2.0, count = 3}}") from None


def _string(path: Path, data: Mapping[str, Any], name: str, default: str) -> str:
    value = data.get(name, default)
    if not isinstance(value, str):
        raise BadInput(f"{path}: {name} should be a word in quotes, got {str(value)[:40]}")
    return value


def read_actions(path: Path) -> ActionSet:
    """The actions of a file; errors name the line."""
    return parse_actions(read_text(path, MAX_BYTES), str(path))


SUFFIXES = (".toml", ".json", ".csv", ".action", ".py", *BAGS)


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


def library_motions(robot: Robot, own: Path | None = None) -> dict[str, Path]:
    """Built-in motions for a robot, by name, and those of a folder of the user's own, which go before them."""
    found: dict[str, Path] = {}
    for folder in (motions_folder(robot), own):
        if folder is not None and folder.is_dir():
            found |= {path.stem: path for path in sorted(folder.iterdir()) if path.suffix in SUFFIXES}
    return found


def find_motion(robot: Robot, name: str, own: Path | None = None) -> Choice:
    """What a name means: a pose, a library motion, or a file; FILE:ACTION (or MOTION:ACTION) picks one of several.

    own: a folder of motions that are known by name too.
    """
    folded = {pose.casefold(): pose for pose in robot.poses}
    if name.casefold() in folded:
        return PoseChoice(folded[name.casefold()])
    known = library_motions(robot, own)
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
    if path.suffix == ".json":
        return read_keyframes_json(path)
    if is_recording(path):
        return recorded_motion(read_recording(path), robot)
    if path.suffix == ".csv":
        return read_keyframes_csv(path)
    if path.suffix == ".py":
        return read_choregraphe(path)
    raise BadInput(f"{path}: motions are files ending in {', '.join(SUFFIXES)}")
