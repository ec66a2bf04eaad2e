"""`read_log`: a drive from any log file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from andante.errors import BadInput, MissingFile
from andante.files import PACKED
from andante.mapping.records import Log

from .carmen import read_carmen

CARMEN = (".log", ".clf", ".log.gz", ".clf.gz", ".carmen", ".carmen.gz")
BAGS = (".bag", ".db3", ".mcap")


@dataclass(frozen=True)
class LogOptions:
    """What cannot be guessed from a log; empty: guess."""

    scan: str = ""  # topic of the scans; in a CARMEN log the kind of line, FLASER or RLASER
    odom: str = ""  # topic of the odometry
    imu: str = ""  # topic of the IMU
    base_frame: str = ""  # frame of the robot
    tf: Path | None = None  # robot file, or lines `parent child x y z yaw pitch roll`


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
    if name.endswith(BAGS) or path.is_dir():
        from .bags import BagChoice, read_bag

        return read_bag(path, BagChoice(asked.scan, asked.odom, asked.imu, asked.base_frame, asked.tf))
    if name.endswith(tuple(bag + packed for bag in BAGS for packed in PACKED)):
        raise BadInput(f"{path}: is packed; unpack it first, then name {path.with_suffix('')}")
    raise BadInput(f"{path}: logs are CARMEN (.log, .clf, also .gz), rosbag1 (.bag), rosbag2 (folder, .db3) or .mcap")
