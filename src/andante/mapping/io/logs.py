"""`read_log`: a drive from any log file."""

from __future__ import annotations

from pathlib import Path

from andante.bags.reader import SUFFIXES
from andante.errors import BadInput, MissingFile
from andante.files import PACKED
from andante.mapping.records import Log

from .bags import LogOptions, read_bag
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
        return read_carmen(path, asked.scan)
    if name.endswith(SUFFIXES) or path.is_dir():
        return read_bag(path, asked)
    if name.endswith(tuple(bag + packed for bag in SUFFIXES for packed in PACKED)):
        raise BadInput(f"{path}: is packed; unpack it first, then name {path.with_suffix('')}")
    raise BadInput(f"{path}: logs are CARMEN (.log, .clf, also .gz), rosbag1 (.bag), rosbag2 (folder, .db3) or .mcap")
