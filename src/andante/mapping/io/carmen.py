"""Text logs, and CARMEN logs: ODOM, FLASER, RLASER, ROBOTLASER and RAWLASER lines, plain or gzipped."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np

from andante.description.io.xmltree import gunzip, read_bytes
from andante.errors import BadInput
from andante.files import write_bytes
from andante.geometry import Array, se2
from andante.mapping.records import LATEST, Log, Odometry, Record, believable
from andante.mapping.scan import MOST_BEAMS, Scan

TEXT_BYTES = 512 * 1024 * 1024
MOST_LINES = 20_000_000
BREAKS = (b"\n", b"\r", b"\v", b"\f", b"\x1c", b"\x1d", b"\x1e", b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xa9")


def read_lines(path: Path, limit: int = TEXT_BYTES) -> list[str]:
    """The lines of a text file, unpacked where its name ends in .gz; bytes that are no UTF-8 become question marks.

    limit: of the file and of what it unpacks to [bytes].
    """
    data = read_bytes(path, limit)
    if path.name.lower().endswith(".gz"):
        data = gunzip(data, str(path), limit)
    if sum(map(data.count, BREAKS)) > MOST_LINES:
        raise BadInput(f"{path} has more than {MOST_LINES} lines; cut the log into parts")
    return data.decode("utf-8", errors="replace").splitlines()


MAX_BYTES = 1024 * 1024 * 1024
FAR = 80.0  # ranges of a SICK above this mean no echo [m]
SAME = (0.01, 0.01, 0.01)  # laser offsets that differ by less are one offset [m, m, rad]


def read_carmen(path: Path, laser: str = "") -> Log:
    """Scans and odometry of a CARMEN log.

    laser: FLASER (front), RLASER (rear), ROBOTLASER1, RAWLASER1 and so on; empty: the kind that comes most often.
    """
    lines = read_lines(path, MAX_BYTES)
    kinds: dict[str, int] = {}
    for line in lines:
        word = line.split(" ", 1)[0]
        if word in ("FLASER", "RLASER") or word[:-1] in ("ROBOTLASER", "RAWLASER"):
            kinds[word] = kinds.get(word, 0) + 1
    wanted = laser.upper() or max(kinds, key=lambda kind: kinds[kind], default="")
    if wanted not in kinds:
        if laser:
            raise BadInput(f"{path}: no {laser} lines; the log has {', '.join(kinds) or 'no laser lines'}")
        raise BadInput(f"{path}: holds no laser lines (FLASER, RLASER, ROBOTLASER1, RAWLASER1); is it a CARMEN log?")
    return _Reader(path, wanted).read(lines)


class _Reader:
    def __init__(self, path: Path, wanted: str) -> None:
        self.path, self.wanted = path, wanted
        self.parameters: dict[str, str] = {}
        self.rows: list[tuple[str, float, Array, Array | None, tuple[float, ...]]] = []
        self.broken = 0

    def read(self, lines: list[str]) -> Log:
        for number, line in enumerate(lines, start=1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if words[0] == "PARAM" and len(words) >= 3:
                self.parameters[words[1]] = words[2]
            elif words[0] == "ODOM" or words[0] == self.wanted:
                try:
                    self._take(words)
                except (ValueError, IndexError):
                    self.broken += 1
                    if self.broken > max(20, number // 2):
                        raise BadInput(f"{self.path}:{number}: too many broken lines; is it a CARMEN log?") from None
        scans = [row for row in self.rows if row[0] == "scan"]
        if not scans:
            raise BadInput(f"{self.path}: no whole {self.wanted} line ({self.broken} broken)")
        return self._log(scans)

    def _take(self, words: list[str]) -> None:
        """Keep one line; ValueError or IndexError where it is broken."""
        if words[0] == "ODOM":
            values = _floats(words[1:4])
            self.rows.append(("odom", _stamp(words), values, None, ()))
            return
        if words[0] in ("FLASER", "RLASER"):
            count, first = _count(words[1]), 2
            tail = _floats(words[first + count : first + count + 6])
            poses, angles = tail.reshape(2, 3), _half_circle(count)
        else:
            start, field, step, most = (float(word) for word in words[2:6])
            count, first = _count(words[8]), 9
            angles = (start, step if step > 0 else field / max(count - 1, 1), most)
            after = first + count
            after += 1 + _count(words[after])
            raw = words[0].startswith("RAW")
            poses = np.zeros((0, 3)) if raw else _floats(words[after : after + 6]).reshape(2, 3)
        ranges = np.array(words[first : first + count], dtype=float)
        if len(ranges) != count or not believable(poses):
            raise ValueError
        self.rows.append(("scan", _stamp(words), ranges, poses, angles))

    def _log(self, scans: list[tuple[str, float, Array, Array | None, tuple[float, ...]]]) -> Log:
        notes: list[str] = []
        if self.broken:
            notes.append(f"{self.path.name}: {self.broken} broken lines left out")
        longest = self._longest([row[2] for row in scans])
        sensor = self._offset([row[3] for row in scans if row[3] is not None and len(row[3])], notes)
        records: list[Record] = []
        for kind, time, values, poses, angles in self.rows:
            if kind == "odom":
                records.append(Odometry(time, (float(values[0]), float(values[1]), float(values[2]))))
                continue
            if poses is not None and len(poses):
                x, y, yaw = (float(value) for value in poses[1])
                records.append(Odometry(time, (x, y, yaw)))
            start, step, most = angles
            top = min(longest, most) if most > 0 else longest
            ranges = np.where(values >= top, np.inf, np.where(values <= 0, np.nan, values))
            records.append(Scan(time, ranges, start, step, 0.0, top, sensor=sensor))
        if not any(isinstance(record, Odometry) for record in records):
            notes.append(f"{self.path.name}: has no odometry; scans are matched without it")
        return Log(self.path.name, tuple(records), tuple(notes))

    def _longest(self, all_ranges: list[Array]) -> float:
        """Ranges from here on mean no echo: the log's own value, else 80 m, else a greatest value that piles up."""
        for name in ("robot_front_laser_max", "robot_frontlaser_max_range", "laser_front_laser_max_range"):
            try:
                told = float(self.parameters.get(name, "nan"))
            except ValueError:
                continue
            if 0 < told < FAR:
                return told
        values = np.concatenate(all_ranges)
        values = values[np.isfinite(values)]
        top = float(values.max(initial=0.0))
        if top <= 0 or top > FAR:
            return FAR
        piled = np.mean(values >= top - 1e-9) > 0.005
        return top if piled else top + 0.01

    def _offset(self, poses: list[Array], notes: list[str]) -> tuple[float, float, float]:
        """Place of the laser on the robot: the constant offset between the two poses of every line, or a parameter."""
        if poses:
            pairs = np.array(poses)
            offsets = se2.between(pairs[:, 1], pairs[:, 0])
            middle = np.median(offsets, axis=0)
            same = (np.abs(offsets - middle) < SAME).all(axis=1).mean() > 0.95
            if same and np.hypot(middle[0], middle[1]) < 2.0:
                x, y, yaw = (float(value) if abs(value) > 1e-6 else 0.0 for value in middle)
                return x, y, yaw
            notes.append(f"{self.path.name}: laser poses do not follow the odometry (a corrected log?); laser centered")
        try:
            ahead = float(self.parameters.get("robot_frontlaser_offset", "0"))
        except ValueError:
            ahead = 0.0
        return (ahead if math.isfinite(ahead) and abs(ahead) < 2.0 else 0.0), 0.0, 0.0


def _floats(words: list[str]) -> Array:
    values = np.array(words, dtype=float)
    if len(values) not in (3, 6) or not believable(values):
        raise ValueError
    return values


def _count(word: str) -> int:
    count = int(word)
    if not 0 <= count <= MOST_BEAMS:
        raise ValueError
    return count


def _stamp(words: list[str]) -> float:
    """Logger or message time: the word before the host name, which is the last but two."""
    time = float(words[-3])
    if not abs(time) <= LATEST or len(words) < 9:
        raise ValueError
    return time


def _half_circle(count: int) -> tuple[float, float, float]:
    """First angle and step over a half circle: an even number of beams ends one step early, an odd one at its end."""
    steps = count if count % 2 == 0 else count - 1
    return -math.pi / 2, math.pi / max(steps, 1), 0.0


def write_carmen(log: Log, path: Path | str) -> None:
    """ODOM and ROBOTLASER1 lines of a log, gzipped where the name ends in .gz; atomically.

    Beams without an echo are written as range_max, IMU readings are left out.
    """
    path = Path(path)
    data = carmen_log(log).encode()
    write_bytes(gzip.compress(data, mtime=0) if path.name.lower().endswith(".gz") else data, path)


def carmen_log(log: Log) -> str:
    """The text of such a log."""
    lines, last = [], (0.0, 0.0, 0.0)
    for record, following in zip(log.records, (*log.records[1:], None), strict=True):
        stamp = f"{record.time:.6f} andante {record.time:.6f}"
        if isinstance(record, Odometry):
            last = record.pose
            if not (isinstance(following, Scan) and following.time == record.time):  # else it is in the scan's line
                lines.append(f"ODOM {_numbers(last)} 0 0 0 {stamp}")
        elif isinstance(record, Scan):
            top = record.range_max if np.isfinite(record.range_max) else 80.0
            ranges = np.where(np.isnan(record.ranges) | (record.ranges < record.range_min), 0.0, record.ranges)
            span = record.angle_increment * max(len(ranges) - 1, 0)
            laser = se2.compose(last, record.sensor)
            head = f"{record.angle_min:.9f} {span:.9f} {record.angle_increment:.9f} {top:.4f} 0.01 0 {len(ranges)}"
            body = " ".join(f"{value:.4f}" for value in np.minimum(ranges, top))
            lines.append(f"ROBOTLASER1 0 {head} {body} 0 {_numbers(laser)} {_numbers(last)} 0 0 0 0 0 {stamp}")
    return "\n".join(lines) + "\n"


def _numbers(values: object) -> str:
    return " ".join(f"{float(value):.6f}" for value in np.asarray(values, dtype=float))
