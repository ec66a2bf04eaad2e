"""`read_log`: a drive from any log file; `log_info`: what is in it, and what it lacks for mapping."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from andante.bags import BagInfo, TopicInfo, bag_info
from andante.bags.info import mean_rate, size_of
from andante.bags.reader import SUFFIXES
from andante.errors import AndanteError, BadInput, MissingFile
from andante.files import PACKED
from andante.mapping.records import Log
from andante.stages import stage

from .bags import SCAN, LogOptions, read_bag
from .carmen import read_carmen

__all__ = ["LogOptions", "read_log"]

CARMEN = (".log", ".clf", ".log.gz", ".clf.gz", ".carmen", ".carmen.gz")


def read_log(path: Path | str, options: LogOptions | None = None) -> Log:
    """Scans, odometry and IMU readings of a CARMEN log, a rosbag1 or rosbag2, or an MCAP file, in file order."""
    path, asked = Path(path), options or LogOptions()
    name = path.name.lower()
    if not path.exists():
        raise MissingFile(f"{path}: no such log")
    if asked.tf is not None and not asked.tf.is_file():
        raise MissingFile(f"{asked.tf}: no such file of frames (--tf)")
    if name.endswith(CARMEN):
        for flag, value in (("--odom", asked.odom), ("--imu", asked.imu), ("--base-frame", asked.base_frame)):
            if value:
                raise BadInput(f"{path}: a CARMEN log has no topics or frames; leave {flag} out")
        with stage(f"reading log {path}"):
            return read_carmen(path, asked.scan)
    if name.endswith(SUFFIXES) or path.is_dir():
        with stage(f"reading log {path}"):
            return read_bag(path, asked)
    if name.endswith(tuple(bag + packed for bag in SUFFIXES for packed in PACKED)):
        raise BadInput(f"{path}: is packed; unpack it first, then name {path.with_suffix('')}")
    raise BadInput(f"{path}: logs are CARMEN (.log, .clf, also .gz), rosbag1 (.bag), rosbag2 (folder, .db3) or .mcap")


@dataclass(frozen=True)
class LogInfo(BagInfo):
    """A log in short, and whether it will do for mapping."""

    mapping: tuple[str, ...] = ()  # what the log lacks for mapping, and the flag that repairs it
    mappable: bool = False

    def to_json(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {**super().to_json(), "mappable": self.mappable, "mapping": list(self.mapping)}


def log_info(path: Path | str, mapping: bool = True) -> LogInfo:
    """Topics, counts, duration and damage of a log.

    Args:
        path: a bag, or a CARMEN log, which has its kinds of lines for topics.
        mapping: also read the scans of a bag to say what they lack.

    Returns:
        The log in short; not mappable when that was not asked for.
    """
    path = Path(path)
    if path.name.lower().endswith(CARMEN):
        return _carmen_info(path)
    found = LogInfo(**vars(bag_info(path)))
    if not mapping:
        return found
    if SCAN not in {topic.type for topic in found.topics}:
        return replace(found, mapping=("no sensor_msgs/LaserScan topic: there is nothing to map from",))
    try:
        notes = read_log(path).notes
    except AndanteError as error:
        return replace(found, mapping=(str(error),))
    return replace(found, mapping=tuple(note for note in notes if note not in found.notes), mappable=True)


def _carmen_info(path: Path) -> LogInfo:
    log = read_log(path)
    times = [record.time for record in log.records]
    first, span = min(times, default=0.0), max(times, default=0.0) - min(times, default=0.0)
    counts = Counter(type(record).__name__ for record in log.records)
    topics = tuple(
        TopicInfo(kind.lower(), kind, count, mean_rate(count, span), False) for kind, count in sorted(counts.items())
    )
    total, size, usable = counts.total(), size_of(path), "Scan" in counts
    return LogInfo(path, "carmen", size, True, first, span, total, topics, (), log.notes, usable)
