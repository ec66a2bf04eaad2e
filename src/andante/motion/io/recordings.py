"""Recordings of a run, read back as joint motion: tables (.csv) and bags (.mcap, .bag, .db3, rosbag2 folders).

A table is `time,x,y,z,qx,qy,qz,qw,JOINT,...`. Of a bag of any maker every sensor_msgs/JointState on /joint_states is
taken. Where the robot was is left out: a replay moves the joints only.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from andante.bags import is_bag, messages, open_bag
from andante.description import Robot
from andante.description.source import Source
from andante.errors import BadInput, MissingFile
from andante.files import read_text
from andante.geometry import Array
from andante.motion.keyframes import Key, Keyframes

BASE = ("x", "y", "z", "qx", "qy", "qz", "qw")
TOPIC, TYPE = "/joint_states", "sensor_msgs/msg/JointState"
MAX_BYTES = 512 * 1024 * 1024


@dataclass(frozen=True, eq=False)
class Recording:
    """Joint positions over time."""

    names: tuple[str, ...]
    times: Array  # (n,) from 0 on, growing [s]
    positions: Array  # (n, joints) [rad or m]
    source: Source
    notes: tuple[str, ...] = ()  # what is missing or damaged, and how much was saved


def is_recording(path: Path) -> bool:
    """Whether a path is a recording: any bag, and a .csv with the columns of a root pose."""
    if is_bag(path):
        return True
    if path.suffix.lower() != ".csv" or not path.is_file():
        return False
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        return tuple(file.readline().strip().split(",")[1:8]) == BASE


def read_recording(path: Path) -> Recording:
    """The joint positions of a table or a bag, as far as its writer came."""
    if not path.exists():
        raise MissingFile(f"{path}: no such file")
    return _read_bag(path) if is_bag(path) else _read_csv(path)


def recorded_motion(
    recording: Recording, robot: Robot, joints: Sequence[str] = (), rate: float | None = None
) -> Keyframes:
    """The recording as a motion of a robot: its joints, or those that fit one of the patterns (`?Shoulder*`).

    rate resamples it [Hz]; joints that mimic others are left to their source, positions are brought inside the limits.
    Joints that the robot lacks are left out; when none is left it raises BadInput.
    """
    own = {joint.name for joint in robot.independent}
    chosen = [
        k
        for k, name in enumerate(recording.names)
        if name in own and (not joints or any(fnmatchcase(name, pattern) for pattern in joints))
    ]
    if not chosen:
        wanted = f" that fits {', '.join(joints)}" if joints else ""
        raise BadInput(f"{recording.source}: holds no joint of robot {robot.name!r}{wanted}")
    times, positions = recording.times, recording.positions[:, chosen]
    if rate is not None:
        if not (np.isfinite(rate) and rate > 0):
            raise BadInput(f"the rate of a motion must be > 0 Hz, got {rate}")
        from scipy.interpolate import CubicSpline

        grid = np.arange(0.0, times[-1] + 1e-9, 1.0 / rate)
        positions = CubicSpline(times, positions)(grid) if len(times) > 1 else np.repeat(positions, len(grid), axis=0)
        times = grid
    names = [recording.names[k] for k in chosen]
    limits = [robot.joint(name).limits for name in names]
    inside = np.clip(positions, [limit.lower for limit in limits], [limit.upper for limit in limits])
    keys = tuple(
        Key(t, dict(zip(names, row, strict=True))) for t, row in zip(times.tolist(), inside.tolist(), strict=True)
    )
    return Keyframes(Path(recording.source.file).stem, keys, "cubic", source=recording.source)


def _read_csv(path: Path) -> Recording:
    text = read_text(path, MAX_BYTES)
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        header, table = _table(path, reader, text)
    except csv.Error as error:
        raise BadInput(f"{path}:{reader.line_num}: not a table ({error})") from None
    return _checked(path, tuple(header[8:]), table[:, 0], table[:, 8:])


def _table(path: Path, reader: Any, text: str) -> tuple[list[str], Array]:
    """Names of the columns, and the numbers (n, columns)."""
    header: list[str] = next(reader, [])
    if tuple(header[1:8]) != BASE or header[0] != "time" or len(header) < 9:
        raise BadInput(f"{path}:1: a recording has the columns time,{','.join(BASE)},JOINT,...")
    rows: list[list[float]] = []
    for row in reader:
        if not row:
            continue
        try:
            if len(row) != len(header):
                raise ValueError
            rows.append([float(cell) for cell in row])
        except ValueError:
            if reader.line_num >= text.count("\n") + (not text.endswith("\n")):
                break  # a run that was killed may end in half a row
            raise BadInput(f"{path}:{reader.line_num}: {len(header)} numbers are wanted, got {row[:4]}...") from None
    return header, np.array(rows, dtype=float).reshape(-1, len(header))


def _read_bag(path: Path) -> Recording:
    names: tuple[str, ...] = ()
    times: list[float] = []
    rows: list[Array] = []
    with open_bag(path) as bag:
        for topic, _, state in bag.decoded(TOPIC):
            if topic.type != TYPE:
                continue
            told = tuple(state.name)
            if names and told != names:
                raise BadInput(f"{path}: {TOPIC} tells different joints from message to message")
            if len(state.position) != len(told):
                raise BadInput(f"{path}: {TOPIC} tells {len(state.position)} positions of {len(told)} joints")
            names = told
            times.append(messages.seconds(state.header.stamp))
            rows.append(np.asarray(state.position, dtype=float))
        notes, broken = [*bag.notes], bag.broken
    if not rows:
        held = f"{TYPE} that can be read on {TOPIC} ({broken} are broken)" if broken else f"{TYPE} on {TOPIC}"
        raise BadInput(f"{path}: no {held}; walk, play and sim write such recordings")
    if broken:
        notes.append(f"{path.name}: {broken} broken messages left out")
    return replace(_checked(path, names, np.array(times), np.array(rows)), notes=tuple(notes))


def _checked(path: Path, names: tuple[str, ...], times: Array, positions: Array) -> Recording:
    """From time 0 on, instants told twice left out."""
    if not len(times):
        raise BadInput(f"{path}: the recording is empty")
    if not (np.isfinite(times).all() and np.isfinite(positions).all()):
        raise BadInput(f"{path}: the recording holds numbers that are not finite")
    keep = np.concatenate([[True], np.diff(np.maximum.accumulate(times)) > 0])
    return Recording(names, times[keep] - times[0], positions[keep], Source(str(path)))
