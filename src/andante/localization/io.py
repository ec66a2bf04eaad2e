"""Files of UWB positioning: logs of ranges (tables or bags), and where anchors and tags are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from andante.bags import messages, open_bag
from andante.bags.reader import SUFFIXES
from andante.description.io.xmltree import read_bytes
from andante.errors import AndanteError, BadInput, MissingFile
from andante.files import write_bytes
from andante.gravity import STANDARD_GRAVITY
from andante.localization.uwb import UwbLog, UwbSetup
from andante.mapping.io.bags import imu_reading
from andante.mapping.io.carmen import read_lines
from andante.mapping.records import LARGEST, LATEST, ImuReading, believable
from andante.parsing import parse_json, parse_toml, parse_yaml

TIME = ("time", "t", "stamp", "timestamp", "time_s", "timestamp_s", "seconds", "sec")
UNITS = {"_ns": 1e-9, "_us": 1e-6, "_ms": 1e-3}
RANGE = ("range", "distance", "dist", "d", "r")
FORM = (
    "a header such as time,tag,anchor,range,gx,gy,gz,ax,ay,az (empty cells where a row has none) or "
    "time,range_NAME,...; or lines 'range,time,tag,anchor,meters' and 'imu,time,gx,gy,gz,ax,ay,az'"
)
GYRO = ("g", "w", "gyro_", "gyro", "gyr_", "imu_g", "omega_", "ang_vel_", "angular_velocity_")
FORCE = ("a", "acc_", "acc", "accel_", "accel", "imu_a", "lin_acc_", "linear_acceleration_")
AXES = {
    f"{front}{axis}": (name, k)
    for name, fronts in (("gyro", GYRO), ("force", FORCE))
    for front in fronts
    for k, axis in enumerate("xyz")
}
MOST_BROKEN = 0.5  # fraction of lines that may be broken
TABLES = (".csv", ".txt", ".csv.gz", ".txt.gz")
RANGE_MESSAGE, IMU_MESSAGE = "sensor_msgs/msg/Range", "sensor_msgs/msg/Imu"
USUAL_IMU = ("/imu/data", "/imu")


def read_uwb_log(path: Path | str, setup: UwbSetup) -> UwbLog:
    """Ranges between the tags and anchors of a setup, and IMU readings where the log has them."""
    path = Path(path)
    name = path.name.lower()
    if not path.exists():
        raise MissingFile(f"{path}: no such log")
    if name.endswith(TABLES):
        return checked(read_table(path, setup), path)
    if name.endswith(SUFFIXES) or path.is_dir():
        return checked(_read_bag(path, setup), path)
    raise BadInput(f"{path}: UWB logs are tables (.csv, .txt, also .gz) or bags (.bag, .db3, folder, .mcap)")


def _read_bag(path: Path, setup: UwbSetup) -> UwbLog:
    """Ranges and IMU readings of a bag.

    A Range topic belongs to the anchor that its name ends with (/uwb/0x6902, /uwb/tag1/0x6902); the tag is told by the
    part in front of it or by the frame_id of the message, else it is the first one.
    """
    rows: list[tuple[float, int, int, float]] = []
    imu: list[ImuReading] = []
    broken = 0
    with open_bag(path) as bag:
        owners = {topic.name: _owner(topic.name, setup) for topic in bag.topics if topic.type == RANGE_MESSAGE}
        topics = [topic.name for topic in bag.topics if topic.type == IMU_MESSAGE]
        inertial = next((topic for topic in USUAL_IMU if topic in topics), topics[0] if topics else "")
        wanted = [name for name, owner in owners.items() if owner is not None] + [inertial] * bool(inertial)
        for topic, _, message in bag.decoded(wanted) if wanted else ():
            try:
                time, owner = messages.seconds(message.header.stamp), owners.get(topic.name)
                if owner is not None:
                    tag = owner[0] if owner[0] is not None else _tag(message.header.frame_id, setup)
                    rows.append((time, tag, owner[1], float(message.range)))
                else:
                    imu.append(imu_reading(message, time))
            except Exception:  # a message of other fields, or of numbers that are none, is left out and counted
                broken += 1
        broken += bag.broken
        notes = [*bag.notes]
    if not rows:
        raise BadInput(
            f"{path}: holds no UWB ranges; they are sensor_msgs/Range messages on topics that end with the name of an "
            f"anchor ({', '.join(setup.anchors)})"
        )
    if broken:
        notes.append(f"{path.name}: {broken} broken messages left out")
    return UwbLog.of_rows(path.name, rows, imu, notes)


def checked(log: UwbLog, path: Path) -> UwbLog:
    """The log with wild readings left out and counted; implausible units are reported."""
    notes = list(log.notes)
    good = np.isfinite(log.times) & (log.ranges > 0) & (log.ranges <= LARGEST)
    if not good.any():
        raise BadInput(f"{path}: holds no usable range")
    if (~good).any():
        notes.append(f"{path.name}: {int((~good).sum())} ranges that are not positive numbers left out")
    if np.median(log.ranges[good]) > 200:
        raise BadInput(f"{path}: ranges of {np.median(log.ranges[good]):.0f} look like millimeters; meters are needed")
    imu = log.imu
    if imu:
        size = float(np.median([np.linalg.norm(reading.acceleration) for reading in imu]))
        if 0.5 < size < 2.0:
            notes.append(f"{path.name}: accelerations of about {size:.2f} look like g; taken as such")
            imu = tuple(_scaled(reading) for reading in imu)
    else:
        notes.append(f"{path.name}: has no IMU readings; positions come from the ranges alone")
    return UwbLog(log.name, log.times[good], log.tags[good], log.anchors[good], log.ranges[good], imu, tuple(notes))


def _scaled(reading: ImuReading) -> ImuReading:
    x, y, z = (STANDARD_GRAVITY * value for value in reading.acceleration)
    return ImuReading(reading.time, reading.gyro, (x, y, z), reading.orientation)


def read_table(path: Path, setup: UwbSetup) -> UwbLog:
    """Ranges and IMU readings of a table, in the order of the file."""
    reader = _Reader(path, setup)
    for number, line in enumerate(read_lines(path), start=1):
        cells = [cell.strip() for cell in line.split("#")[0].replace(";", ",").split(",")]
        if len(cells) == 1:
            cells = cells[0].split()
        if any(cells):
            reader.take(cells, number)
    return reader.log()


def table_text(log: UwbLog, setup: UwbSetup) -> str:
    """The log as lines 'range,time,tag,anchor,meters' and 'imu,time,gx,gy,gz,ax,ay,az', by time."""
    anchors, tags = list(setup.anchors), list(setup.tags)
    rows = [
        (t, f"range,{t:.6f},{tags[tag]},{anchors[anchor]},{distance:.4f}\n")
        for t, tag, anchor, distance in zip(log.times, log.tags, log.anchors, log.ranges, strict=True)
    ]
    for r in log.imu:
        values = ",".join(f"{value:.5f}" for value in (*r.gyro, *r.acceleration))
        rows.append((r.time, f"imu,{r.time:.6f},{values}\n"))
    return "".join(text for _, text in sorted(rows, key=lambda row: row[0]))


def write_table(log: UwbLog, setup: UwbSetup, path: Path | str) -> None:
    """Write a log as a table that `read_table` reads; atomically."""
    write_bytes(table_text(log, setup).encode(), Path(path))


class _Reader:
    def __init__(self, path: Path, setup: UwbSetup) -> None:
        self.path, self.setup = path, setup
        self.header: list[str] | None = None
        self.ranges: list[tuple[float, int, int, float]] = []
        self.imu: list[ImuReading] = []
        self.wide: dict[int, tuple[int, int, float]] = {}  # column to tag, anchor, scale
        self.named: dict[str, int] = {}
        self.axes: dict[tuple[str, int], int] = {}
        self.scale = self.unit = 1.0
        self.broken = self.seen = 0

    def take(self, cells: list[str], number: int) -> None:
        kind = cells[0].lower()
        if self.header is not None:
            kind = "row"
        elif kind not in ("range", "imu"):
            self._head([cell.lower() for cell in cells], number)
            return
        self.seen += 1
        try:
            if kind == "range":
                tag, anchor = self.setup.tag_index(cells[2]), self.setup.anchor_index(cells[3])
                self.ranges.append((_number(cells[1]), tag, anchor, float(cells[4])))
            elif kind == "imu":
                self._inertial(_number(cells[1]), [float(cell) for cell in cells[2:8]])
            else:
                self._row(cells)
        except AndanteError as error:
            raise BadInput(f"{self.path}:{number}: {error}") from None
        except (ValueError, IndexError):
            self.broken += 1

    def _head(self, cells: list[str], number: int) -> None:
        """Find out what the columns are."""
        where = f"{self.path}:{number}"
        times = [cell for cell in cells if cell in TIME or (cell[:-3] in TIME and cell[-3:] in UNITS)]
        if not times:
            raise BadInput(f"{where}: has no column of times; a UWB log has {FORM}")
        self.header = cells
        self.named["time"], self.unit = cells.index(times[0]), UNITS.get(times[0][-3:], 1.0)
        for k, cell in enumerate(cells):
            if cell in AXES:
                self.axes[AXES[cell]] = k
            elif cell in ("tag", "tag_id"):
                self.named["tag"] = k
            elif cell in ("anchor", "anchor_id"):
                self.named["anchor"] = k
            elif cell in RANGE or (cell.removesuffix("_mm").removesuffix("_m") in RANGE):
                self.named["range"], self.scale = k, 1e-3 if cell.endswith("_mm") else 1.0
            elif k != self.named["time"]:
                self._wide_column(k, cell)
        if "range" in self.named and "anchor" not in self.named:
            raise BadInput(f"{where}: the column {cells[self.named['range']]} needs a column 'anchor' beside it")
        if "range" not in self.named and not self.wide:
            raise BadInput(f"{where}: has no column of ranges; a UWB log has {FORM}")

    def _wide_column(self, k: int, cell: str) -> None:
        """A column of one anchor's ranges: NAME, range_NAME, r_NAME, d_NAME, or with the tag range_TAG_NAME."""
        found = re.fullmatch(r"(?:range|distance|dist|r|d)_?(.+?)(_mm|_m)?", cell)
        name, scale = cell, 1.0
        if found:
            name, scale = found.group(1), 1e-3 if found.group(2) == "_mm" else 1.0
        parts = name.split("_", 1)
        try:
            self.wide[k] = (0, self.setup.anchor_index(name), scale)
        except AndanteError:
            if len(parts) == 2:
                try:
                    self.wide[k] = (self.setup.tag_index(parts[0]), self.setup.anchor_index(parts[1]), scale)
                except AndanteError:
                    return

    def _row(self, cells: list[str]) -> None:
        time = self.unit * _number(cells[self.named["time"]])
        tag_cell = cells[self.named["tag"]] if "tag" in self.named and self.named["tag"] < len(cells) else ""
        tag = self.setup.tag_index(tag_cell) if tag_cell else 0
        if "range" in self.named and self.named["range"] < len(cells) and cells[self.named["range"]]:
            anchor = self.setup.anchor_index(cells[self.named["anchor"]])
            self.ranges.append((time, tag, anchor, self.scale * float(cells[self.named["range"]])))
        for k, (of_tag, anchor, scale) in self.wide.items():
            if k < len(cells) and cells[k]:
                self.ranges.append((time, of_tag or tag, anchor, scale * float(cells[k])))
        if len(self.axes) == 6:
            words = [cells[self.axes[name, k]] for name in ("gyro", "force") for k in range(3)]
            if all(words):
                self._inertial(time, [float(word) for word in words])

    def _inertial(self, time: float, values: list[float]) -> None:
        if len(values) != 6 or not believable(values):
            raise ValueError
        gx, gy, gz, ax, ay, az = values
        self.imu.append(ImuReading(time, (gx, gy, gz), (ax, ay, az)))

    def log(self) -> UwbLog:
        if not self.ranges:
            raise BadInput(f"{self.path}: holds no ranges ({self.broken} broken lines); a UWB log has {FORM}")
        if self.broken > MOST_BROKEN * self.seen:
            raise BadInput(f"{self.path}: {self.broken} of {self.seen} lines are broken; a UWB log has {FORM}")
        notes = (f"{self.path.name}: {self.broken} broken lines left out",) if self.broken else ()
        return UwbLog.of_rows(self.path.name, self.ranges, self.imu, notes)


def _number(word: str) -> float:
    value = float(word)
    if not abs(value) <= LATEST:
        raise ValueError
    return value


def _owner(topic: str, setup: UwbSetup) -> tuple[int | None, int] | None:
    """Tag (None: by the frame of the message) and anchor of a topic; None: no topic of an anchor."""
    parts = topic.strip("/").split("/")
    try:
        anchor = setup.anchor_index(parts[-1].removeprefix("n_"))  # as names that begin with a digit are written
    except AndanteError:
        return None
    for part in parts[-2:-1]:
        try:
            return setup.tag_index(part), anchor
        except AndanteError:
            pass
    return None, anchor


def _tag(frame: str, setup: UwbSetup) -> int:
    try:
        return setup.tag_index(frame)
    except AndanteError:
        return 0


MAX_BYTES = 1024 * 1024
SETUP_FORM = "lines 'NAME x y z' for anchors, 'tag NAME x y z' for tags on the robot, 'map x y yaw' for map_from_uwb"
Place = tuple[float, float, float]


def read_uwb_setup(path: Path | str) -> UwbSetup:
    """Anchors, tags and map_from_uwb of a text or CSV file, or of the tables of a .toml, .json or .yaml file.

    Text: lines `NAME x y z` (or `anchor NAME x y z`), `tag NAME x y z`, `map x y yaw`; commas separate as blanks do.
    Tables: `[anchors]` and `[tags]` with NAME = [x, y, z] (or lists of entries with id, x, y, z), and
    map_from_uwb = [x, y, yaw]. Meters and radians.
    """
    path = Path(path)
    if not path.is_file():
        raise MissingFile(f"{path}: no such file of anchors")
    raw = read_bytes(path, MAX_BYTES)
    try:
        if path.suffix.lower() in (".toml", ".json", ".yaml", ".yml"):
            return _of_tables(_tables(raw, path), path)
        return _of_lines(raw.decode("utf-8", errors="replace"), path)
    except AndanteError as error:
        told = str(error)
        raise BadInput(told if told.startswith(str(path)) else f"{path}: {told}") from None


def _tables(raw: bytes, path: Path) -> dict[str, Any]:
    try:
        if path.suffix.lower() == ".toml":
            data: Any = parse_toml(raw.decode("utf-8"))
        else:
            data = parse_json(raw) if path.suffix.lower() == ".json" else parse_yaml(raw)
    except ValueError as error:
        raise BadInput(f"{path}: cannot be read ({' '.join(str(error).split())[:160]})") from None
    if isinstance(data, list) or (isinstance(data, dict) and "anchors" not in data):
        data = {"anchors": data}  # nothing but anchors
    if not isinstance(data, dict) or not isinstance(data["anchors"], dict | list):
        raise BadInput(f"{path}: needs a table 'anchors' with NAME = [x, y, z]")
    return data


def _of_tables(data: dict[str, Any], path: Path) -> UwbSetup:
    anchors = _places(data["anchors"], path, "anchor")
    given = data.get("tags", {})
    if not isinstance(given, dict | list):
        raise BadInput(f"{path}: 'tags' is a table with NAME = [x, y, z]")
    tags = _places(given, path, "tag")
    pose = data.get("map_from_uwb")
    return _setup(anchors, tags, None if pose is None else _place(pose, f"{path}: map_from_uwb"))


def _places(table: dict[Any, Any] | list[Any], path: Path, what: str) -> dict[str, Place]:
    """Places by name, of NAME = [x, y, z] or NAME = {x, y, z}, or of a list of {id or name, x, y, z or position}."""
    if isinstance(table, dict):
        rows = list(table.items())
    else:
        rows = [(row.get("id", row.get("name", k)) if isinstance(row, dict) else k, row) for k, row in enumerate(table)]
    out: dict[str, Place] = {}
    for name, value in rows:
        _new(out, str(name), f"{path}: {what}")
        if isinstance(value, dict):
            value = value.get("position", [value.get(axis) for axis in "xyz"])
        out[str(name)] = _place(value, f"{path}: {what} {name}")
    return out


def _of_lines(text: str, path: Path) -> UwbSetup:
    anchors: dict[str, Place] = {}
    tags: dict[str, Place] = {}
    pose: Place | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split("#")[0].replace(",", " ").replace(";", " ").split()
        where = f"{path}:{number}"
        if not words or [w.lower() for w in words[-3:]] == ["x", "y", "z"]:  # a header
            continue
        kind = words[0].lower()
        if kind in ("map", "map_from_uwb") and len(words) == 4:
            pose = _place(words[1:], where)
        elif kind == "tag" and len(words) == 5:
            tags[words[1]] = _place(words[2:], where)
        elif kind == "anchor" and len(words) == 5:
            _new(anchors, words[1], where)
            anchors[words[1]] = _place(words[2:], where)
        elif len(words) == 4:
            _new(anchors, words[0], where)
            anchors[words[0]] = _place(words[1:], where)
        else:
            raise BadInput(f"{where}: cannot be read; a file of anchors has {SETUP_FORM}")
    if not anchors:
        raise BadInput(f"{path}: holds no anchors; it has {SETUP_FORM}")
    return _setup(anchors, tags, pose)


def _setup(anchors: dict[str, Place], tags: dict[str, Place], pose: Place | None) -> UwbSetup:
    return UwbSetup(anchors, tags, pose) if tags else UwbSetup(anchors, map_from_uwb=pose)


def _new(anchors: dict[str, Place], name: str, where: str) -> None:
    if name in anchors:
        raise BadInput(f"{where}: {name} comes twice")


def _place(value: Any, where: str) -> Place:
    try:
        x, y, z = (float(number) for number in value)
    except (TypeError, ValueError):
        raise BadInput(f"{where}: needs three numbers, got {value!r}") from None
    return x, y, z
