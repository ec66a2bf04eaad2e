"""Joint-level recordings for identification: positions and targets of joints over time, efforts where there are any.

From a bag: sensor_msgs/JointState on /joint_states, and targets as sensor_msgs/JointState (velocity targets where the
position is NaN), naoqi_bridge_msgs/JointAnglesWithSpeed or trajectory_msgs/JointTrajectory of one point. From a table
(.csv): `time` and columns NAME.position, NAME.target or NAME.target_velocity, NAME.effort, NAME.current.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from andante.bags import BagTopic, BagWriter, is_bag, messages, open_bag
from andante.control.publishers import EXECUTED_TARGETS
from andante.errors import BadInput, MissingFile
from andante.files import read_text, write_whole
from andante.geometry import Array

STATES, JOINT_STATE = "/joint_states", "sensor_msgs/msg/JointState"
TARGETS = ("/joint_targets", "/joint_angles", "/joint_trajectory")  # where targets are looked for, after ...
LOOKED = (EXECUTED_TARGETS, *TARGETS)  # ... those that the servos were told, in recordings of walks and motions
ANGLES, TRAJECTORY = "naoqi_bridge_msgs/msg/JointAnglesWithSpeed", "trajectory_msgs/msg/JointTrajectory"
PARTS = ("position", "target", "target_velocity", "effort", "current")
MAX_BYTES = 512 * 1024 * 1024
STILL = 1e-3  # a joint that moves by less does not move [rad or m]
ODOM, IMU = "/odom", "/imu/data"
AWAY, SWING = 0.02, 0.1  # a base that goes further, or turns faster on average, is not held [m, rad/s]


@dataclass(frozen=True, eq=False)
class JointRecording:
    """What joints were told and what they did.

    `targets` hold from their own time until the next; NaN: nothing was told. A joint has either position or velocity
    targets. Arrays are (n, joints) in the order of `names`, NaN where nobody measured.
    """

    names: tuple[str, ...]
    times: Array  # (n,) of the states, growing [s]
    positions: Array  # [rad or m]
    target_times: Array  # (m,) [s]
    targets: Array  # (m, joints) [rad or m]
    speeds: Array  # (m, joints) velocity targets [rad/s or m/s]
    efforts: Array  # [N m or N]
    currents: Array  # [A]
    source: str = ""
    notes: tuple[str, ...] = field(default=())

    @property
    def seconds(self) -> float:
        """How long it is [s]."""
        return float(self.times[-1] - self.times[0])

    def told(self, name: str) -> str:
        """How a joint was told: "position", "velocity", or "" for not at all."""
        if name not in self.names:
            return ""
        k = self.names.index(name)
        if np.isfinite(self.targets[:, k]).any():
            return "position"
        return "velocity" if np.isfinite(self.speeds[:, k]).any() else ""

    def moved(self, name: str) -> float:
        """How far a joint moved, from its least to its greatest position [rad or m]."""
        column = self.positions[:, self.names.index(name)]
        return float(np.nanmax(column) - np.nanmin(column))

    def urged(self, name: str) -> bool:
        """Whether the targets of a joint change by more than `STILL`, or it is told to turn."""
        k = self.names.index(name)
        if self.told(name) == "velocity":
            return bool((self.speeds[np.isfinite(self.speeds[:, k]), k] != 0).any())
        told = self.targets[np.isfinite(self.targets[:, k]), k]
        return bool(len(told) and np.ptp(told) >= STILL)

    def has(self, part: str, name: str) -> bool:
        """Whether `efforts` or `currents` of a joint were measured and are not all the same."""
        column = getattr(self, part)[:, self.names.index(name)]
        return bool(np.isfinite(column).all() and np.ptp(column) > 0)


def read_joint_recording(path: Path | str, targets: str = "") -> JointRecording:
    """A recording from a bag or a table.

    Args:
        path: .mcap, .bag, .db3, a rosbag2 folder, or .csv.
        targets: topic of the targets in a bag; empty: the first of the usual ones that is there.
    """
    file = Path(path)
    if not file.exists():
        raise MissingFile(f"{file}: no such file")
    return _from_bag(file, targets) if is_bag(file) else _from_table(file)


# ---- bags --------------------------------------------------------------------------------------------
def _from_bag(path: Path, topic: str) -> JointRecording:
    states: list[tuple[float, dict[str, tuple[float, float]]]] = []
    orders: dict[str, list[tuple[float, dict[str, tuple[float, float]]]]] = {}
    places, rates = list[tuple[float, float]](), list[float]()  # of the base: x, y [m], how fast it turns [rad/s]
    with open_bag(path) as bag:
        for told, stamp, message in bag.decoded((STATES, ODOM, IMU, *((topic,) if topic else LOOKED))):
            if told.name == STATES and told.type == JOINT_STATE:
                states.append(_state(path, message))
            elif told.type == "nav_msgs/msg/Odometry":
                places.append((message.pose.pose.position.x, message.pose.pose.position.y))
            elif told.type == "sensor_msgs/msg/Imu":
                turning = message.angular_velocity
                rates.append(math.hypot(turning.x, turning.y, turning.z))
            elif told.name != STATES and told.type in READERS:
                orders.setdefault(told.name, []).append(READERS[told.type](message, stamp / 1e9))
        notes = (*bag.notes, *_held(path, places, rates))
    if not states:
        raise BadInput(f"{path}: no {JOINT_STATE} on {STATES}; record the joints, or name other files")
    chosen = topic or next((name for name in LOOKED if name in orders), "")
    rows = orders.get(chosen, [])
    if not rows:
        raise BadInput(f"{path}: no joint targets on {topic or ' or '.join(LOOKED)}; name their topic as `targets`")
    names = tuple(dict.fromkeys(name for _, table in states for name in table))
    first = states[0][0]
    position, effort = _columns([table for _, table in states], names)
    target, speed = _columns([table for _, table in rows], names)
    return JointRecording(
        names, np.array([t for t, _ in states]) - first, position, np.array([t for t, _ in rows]) - first, target,
        np.where(np.isfinite(target), np.nan, speed), effort, np.full_like(effort, np.nan), str(path), notes,
    )  # fmt: skip


def _held(path: Path, places: Sequence[tuple[float, float]], rates: Sequence[float]) -> Iterator[str]:
    """A note where the base was not held, which a fit takes for granted."""
    way = float(np.nanmax(np.ptp(np.array(places), axis=0))) if places else 0.0
    rate = float(np.sqrt(np.nanmean(np.square(rates)))) if np.isfinite(rates).any() else 0.0
    if way > AWAY or rate > SWING:
        yield (
            f"{path}: the base was not held: it went {way:.2f} m and turned at {rate:.2f} rad/s; a fit takes it as "
            "held: limbs on the ground and masses cannot be told from this, those in the air roughly; record a held "
            "robot with `andante experiment excite`"
        )


Row = tuple[float, dict[str, tuple[float, float]]]


def _columns(rows: Sequence[Mapping[str, tuple[float, float]]], names: Sequence[str]) -> tuple[Array, Array]:
    """Both numbers of every name in every row, (n, names) each; NaN where a row lacks it."""
    none = (math.nan, math.nan)
    table = np.array([[row.get(name, none) for name in names] for row in rows], dtype=float)
    both = table.reshape(len(rows), len(names), 2)
    return both[..., 0].copy(), both[..., 1].copy()


def _state(path: Path, message: Any) -> Row:
    names, position, effort = list(message.name), list(message.position), list(message.effort)
    if len(position) != len(names):
        raise BadInput(f"{path}: {STATES} tells {len(position)} positions of {len(names)} joints")
    effort = effort if len(effort) == len(names) else [math.nan] * len(names)
    pairs = zip(names, zip(map(float, position), map(float, effort), strict=True), strict=True)
    return messages.seconds(message.header.stamp), dict(pairs)


def _stamp(message: Any, received: float) -> float:
    stamp = messages.seconds(message.header.stamp)
    return stamp if stamp > 0 else received


def _of_states(message: Any, received: float) -> Row:
    names = list(message.name)
    position = list(message.position) or [math.nan] * len(names)
    speed = list(message.velocity) or [math.nan] * len(names)
    pairs = zip(names, zip(map(float, position), map(float, speed), strict=True), strict=False)
    return _stamp(message, received), dict(pairs)


def _of_angles(message: Any, received: float) -> Row:
    pairs = zip(message.joint_names, message.joint_angles, strict=False)
    return _stamp(message, received), {name: (float(value), math.nan) for name, value in pairs}


def _of_trajectory(message: Any, received: float) -> Row:
    last = list(message.points[-1].positions) if len(message.points) else []
    values = zip(message.joint_names, last, strict=False)
    return _stamp(message, received), {name: (float(value), math.nan) for name, value in values}


READERS: dict[str, Callable[[Any, float], Row]] = {
    JOINT_STATE: _of_states,
    ANGLES: _of_angles,
    TRAJECTORY: _of_trajectory,
}


# ---- tables ------------------------------------------------------------------------------------------
def _from_table(path: Path) -> JointRecording:
    if path.suffix.lower() != ".csv":
        raise BadInput(f"{path}: recordings of joints are bags (.mcap .bag .db3) or tables (.csv)")
    rows = csv.reader(io.StringIO(read_text(path, MAX_BYTES), newline=""))
    try:
        header = [cell.strip() for cell in next(rows, [])]
        table = np.array([*_numbers(path, rows, len(header))], dtype=float).reshape(-1, max(1, len(header)))
    except csv.Error as error:
        raise BadInput(f"{path}:{rows.line_num}: not a table ({error})") from None
    columns = _parts(path, header)
    names = tuple(dict.fromkeys(name for name, part in columns if part == "position"))
    if not len(table):
        raise BadInput(f"{path}: the recording is empty")
    times = table[:, 0] - (table[0, 0] if math.isfinite(table[0, 0]) else 0.0)

    def part(wanted: str) -> Array:
        out = np.full((len(table), len(names)), np.nan)
        for k, name in enumerate(names):
            if (name, wanted) in columns:
                out[:, k] = table[:, columns[name, wanted]]
        return out

    return JointRecording(
        names, times, part("position"), times, part("target"), part("target_velocity"), part("effort"),
        part("current"), str(path),
    )  # fmt: skip


def _numbers(path: Path, rows: Any, count: int) -> Iterator[list[float]]:
    for row in rows:
        if not row:
            continue
        try:
            if len(row) != count:
                raise ValueError
            yield [float(cell) if cell.strip() else math.nan for cell in row]
        except ValueError:
            raise BadInput(f"{path}:{rows.line_num}: {count} numbers are wanted, got {row[:4]}...") from None


def _parts(path: Path, header: Sequence[str]) -> dict[tuple[str, str], int]:
    """Where the columns of joints are, by joint and part."""
    layout = f"time, NAME.position, NAME.target, and NAME.{', NAME.'.join(PARTS[2:])} where there are any"
    if not header or header[0] != "time":
        raise BadInput(f"{path}:1: a recording of joints has the columns {layout}")
    found = {}
    for k, column in enumerate(header[1:], start=1):
        name, dot, part = column.rpartition(".")
        if not dot or part not in PARTS:
            raise BadInput(f"{path}:1: column {column!r} is none of {layout}")
        found[name, part] = k
    if not any(part == "position" for _, part in found):
        raise BadInput(f"{path}:1: no joint has a position; the columns are {layout}")
    return found


# ---- writing -----------------------------------------------------------------------------------------
def write_joint_recording(path: Path | str, recording: JointRecording) -> None:
    """Write a recording as a bag (/joint_states, /joint_targets) or a table; the file is whole or absent."""
    file = Path(path)
    if file.suffix.lower() == ".csv":
        write_whole(file, _table_text(recording))
        return
    rows: list[tuple[float, str, Any]] = []
    names = list(recording.names)
    for time, q, effort in zip(recording.times, recording.positions, recording.efforts, strict=True):
        told = [] if np.isnan(effort).all() else effort
        state = messages.make(JOINT_STATE, header=messages.header(float(time)), name=names, position=q, effort=told)
        rows.append((float(time), STATES, state))
    for time, q, v in zip(recording.target_times, recording.targets, recording.speeds, strict=True):
        speed = [] if np.isnan(v).all() else v
        order = messages.make(JOINT_STATE, header=messages.header(float(time)), name=names, position=q, velocity=speed)
        rows.append((float(time), TARGETS[0], order))
    rows.sort(key=lambda row: row[0])
    with BagWriter(file) as bag:
        for topic in (STATES, TARGETS[0]):
            bag.add(BagTopic(topic, JOINT_STATE, bag.encoding))
        pack = messages.to_ros1 if bag.encoding == "ros1" else messages.to_cdr
        for time, topic, message in rows:
            bag.write(topic, round(time * 1e9), pack(message))


def _table_text(recording: JointRecording) -> str:
    r = at_states(recording)
    arrays = {"position": r.positions, "target": r.targets, "target_velocity": r.speeds, "effort": r.efforts,
              "current": r.currents}  # fmt: skip
    columns = [
        (f"{name}.{part}", values[:, k])
        for k, name in enumerate(r.names)
        for part, values in arrays.items()
        if np.isfinite(values[:, k]).any()
    ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["time", *(name for name, _ in columns)])
    for i, time in enumerate(r.times):
        writer.writerow([f"{time:.6f}", *(f"{values[i]:.9g}" for _, values in columns)])
    return out.getvalue()


def at_states(recording: JointRecording) -> JointRecording:
    """The recording with its targets at the times of the states, each the newest that was told."""
    newest = np.searchsorted(recording.target_times, recording.times + 1e-9, side="right") - 1
    known = np.where(newest >= 0, newest, 0)
    return replace(
        recording, target_times=recording.times, targets=recording.targets[known], speeds=recording.speeds[known]
    )
