"""Trajectory files: TUM lines `time x y z qx qy qz qw` and CARMEN lines `ODOM x y th tv rv acc time host time`."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from andante.errors import BadInput
from andante.files import write_bytes
from andante.geometry import Array
from andante.mapping.records import LATEST, Trajectory

from .carmen import read_lines

CARMEN = (".log", ".clf")


def read_trajectory(path: Path | str) -> Trajectory:
    """Planar poses of a TUM file (8 numbers), of `time x y yaw` lines (4 numbers), or of a CARMEN log's ODOM lines.

    Commas separate as blanks do; text after # is ignored.
    """
    path = Path(path)
    rows: list[tuple[float, float, float, float]] = []
    for number, line in enumerate(read_lines(path), start=1):
        words = line.split("#")[0].replace(",", " ").split()
        if not words or words[0] in ("PARAM", "FLASER", "RLASER", "SYNC", "MARKER"):
            continue
        rows.append(_row(words, f"{path}:{number}"))
    if not rows:
        raise BadInput(f"{path}: holds no poses; lines are 'time x y z qx qy qz qw'")
    table = np.array(rows)
    return Trajectory(table[:, 0], table[:, 1:])


def write_trajectory(trajectory: Trajectory, path: Path | str) -> None:
    """Write TUM lines, or CARMEN ODOM lines where the file ends in .log or .clf; atomically."""
    write_bytes(trajectory_bytes(trajectory, Path(path)), Path(path))


def trajectory_bytes(trajectory: Trajectory, path: Path) -> bytes:
    """What `write_trajectory` puts into a file of that name."""
    form = carmen_text if path.suffix.lower() in CARMEN else tum_text
    return form(trajectory).encode()


def tum_text(trajectory: Trajectory) -> str:
    """Lines `time x y z qx qy qz qw` in the plane z = 0."""
    half = 0.5 * trajectory.poses[:, 2]
    return "".join(
        f"{t:.6f} {x:.6f} {y:.6f} 0 0 0 {s:.9f} {c:.9f}\n"
        for t, (x, y, _), s, c in zip(trajectory.times, trajectory.poses, np.sin(half), np.cos(half), strict=True)
    )


def carmen_text(trajectory: Trajectory) -> str:
    """Lines `ODOM x y th tv rv acc time host time`."""
    return "".join(
        f"ODOM {x:.6f} {y:.6f} {yaw:.6f} 0 0 0 {t:.6f} andante {t:.6f}\n"
        for t, (x, y, yaw) in zip(trajectory.times, trajectory.poses, strict=True)
    )


def _row(words: list[str], where: str) -> tuple[float, float, float, float]:
    """time, x, y, yaw of one line."""
    carmen = words[0] == "ODOM"
    try:
        values = [float(word) for word in (words[1:7] + words[-1:] if carmen else words)]
    except ValueError:
        raise BadInput(f"{where}: a pose line holds numbers, got {' '.join(words)[:80]!r}") from None
    if not all(abs(value) <= LATEST for value in values):
        raise BadInput(f"{where}: a number is not finite, or beyond {LATEST:g}")
    if carmen and len(words) >= 9:
        return values[6], values[0], values[1], values[2]
    if not carmen and len(values) == 4:
        return values[0], values[1], values[2], values[3]
    if not carmen and len(values) == 8:
        return values[0], values[1], values[2], _yaw(np.array(values[4:]), where)
    raise BadInput(f"{where}: {len(words)} words; lines are 'time x y z qx qy qz qw', 'time x y yaw' or ODOM lines")


def _yaw(quaternion: Array, where: str) -> float:
    """Heading of x, y, z, w: atan2(2 (w z + x y), 1 - 2 (y² + z²)) after scaling to length 1."""
    length = float(np.linalg.norm(quaternion))
    if length < 1e-9:
        raise BadInput(f"{where}: the quaternion is zero")
    x, y, z, w = quaternion / length
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
