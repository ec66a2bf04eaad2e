# ruff: noqa: E501 (tables of data)
"""Seeds: maps, CARMEN logs, trajectories, frames, UWB tables."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from functools import cache

import numpy as np

from andante.mapping.io.carmen import carmen_log
from andante.mapping.records import Log
from andante.mapping.synthetic import Drive, drive, rooms, smooth_path

from .seeds import Seed, words

YAML = b"image: room.pgm\nmode: trinary\nresolution: 0.1\norigin: [0.0, 0.0, 0.0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n"
LOCALIZE = "localize {in}/drive.log --map {in}/room.yaml --initial-pose 1~1~0 --json"


@cache
def short_drive() -> Drive:
    """A few metres through a room, few beams."""
    walls = rooms([(0, 0), (6, 0), (6, 4), (0, 4)], (2.5, 1.5, 1, 1))
    return drive(walls, smooth_path([(1, 1), (2.2, 0.8), (3.2, 0.9)], 0.2), beams=45)


@cache
def carmen() -> bytes:
    """The drive as a CARMEN log."""
    return carmen_log(short_drive().log).encode()


@cache
def picture() -> np.ndarray:
    """Gray values of the room, 42 x 62."""
    pixels = np.full((42, 62), 254, np.uint8)
    pixels[[0, -1]] = 0
    pixels[:, [0, -1]] = 0
    pixels[16:26, 26:36] = 0
    pixels[18:24, 28:34] = 205
    return pixels


def pgm() -> bytes:
    """The room as P5."""
    return b"P5\n# room\n62 42\n255\n" + picture().tobytes()


def png() -> bytes:
    """The room as PNG."""
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(picture()).save(out, "PNG")
    return out.getvalue()


def seeds() -> Iterator[Seed]:
    """Maps, logs and UWB files."""
    log = {"drive.log": carmen()}
    navigate = "navigate waffle --world empty --map {in}/room.yaml --goal 2~1~0 --start 1~1~0 --timeout 0.02 --json"
    into = ("convert {in}/room.yaml {out}/w.sdf", "convert {in}/room.yaml {out}/w.xml")
    text = b"P2\n62 42\n255\n" + b"\n".join(b" ".join(b"%d" % v for v in row) for row in picture()) + b"\n"
    pictures = {"room.pgm": pgm(), "room.png": png(), "room.pgm.gz": gzip.compress(pgm(), mtime=0)}
    for name, data in pictures.items():
        files = {"room.yaml": YAML.replace(b"room.pgm", name.encode()), name: data, **log}
        yield Seed("map", name, files, words(*into), ("room.yaml", name), words(navigate, LOCALIZE))
    text_files = {"room.yaml": YAML.replace(b"trinary", b"scale"), "room.pgm": text, **log}
    yield Seed("map", "text", text_files, words(*into), ("room.yaml", "room.pgm"))
    yield from _logs()
    yield from _uwb()


def _logs() -> Iterator[Seed]:
    trajectory = "".join(f"{t:.3f} {x:.4f} {y:.4f} 0 0 0 {np.sin(a / 2):.6f} {np.cos(a / 2):.6f}\n"
                         for t, (x, y, a) in zip(short_drive().truth.times, short_drive().truth.poses, strict=True))  # fmt: skip
    room = {"room.yaml": YAML, "room.pgm": pgm()}
    making = "map {in}/%s -o {out}/m --trajectory {out}/t.txt --json"
    yield Seed("log", "carmen", {"drive.log": carmen(), **room},
               words(making % "drive.log", making % "drive.log" + " --no-odometry --no-loop-closure",
                     "map {in}/drive.log -o {out}/m", LOCALIZE), ("drive.log",))  # fmt: skip
    yield Seed(
        "log", "flaser", {"old.clf": _flaser()}, words(making % "old.clf", "map {in}/old.clf -o {out}/m --scan FLASER")
    )
    yield Seed("log", "gzip", {"drive.log.gz": gzip.compress(carmen(), mtime=0)}, words(making % "drive.log.gz"))
    yield Seed("log", "reference", {"truth.tum": trajectory.encode(), "drive.log": carmen(), **room},
               words(LOCALIZE + " --reference {in}/truth.tum"), ("truth.tum",))  # fmt: skip


def _flaser() -> bytes:
    """The drive in the older form of the lines."""
    lines = []
    log: Log = short_drive().log
    for scan in log.scans:
        ranges = np.where(np.isfinite(scan.ranges), scan.ranges, 81.0)
        lines.append(
            f"FLASER {len(ranges)} {' '.join(f'{r:.2f}' for r in ranges)} 0 0 0 0 0 0 {scan.time:.3f} host {scan.time:.3f}"
        )
    return ("PARAM robot_frontlaser_offset 0.1\n" + "\n".join(lines) + "\n").encode()


def _uwb() -> Iterator[Seed]:
    anchors = {"A": (0, 0, 1.5), "B": (6, 0, 1.6), "C": (6, 4, 1.4), "D": (0, 4, 1.5)}
    rows = ["time,tag,anchor,range,gx,gy,gz,ax,ay,az"]
    for k in range(60):
        t, x, y = 0.05 * k, 1 + 0.02 * k, 1 + 0.01 * k
        for name, (ax, ay, az) in anchors.items():
            rows.append(f"{t:.3f},tag,{name},{np.sqrt((x - ax) ** 2 + (y - ay) ** 2 + (0.3 - az) ** 2):.4f},,,,,,")
        rows.append(f"{t:.3f},,,,0,0,0.01,0,0,9.81")
    lines = (
        "".join(f"{name} {x} {y} {z}\n" for name, (x, y, z) in anchors.items()) + "tag tag 0 0 0.3\nmap 0.1 0.2 0.05\n"
    )
    toml = (
        "[anchors]\n"
        + "".join(f"{n} = [{x}, {y}, {z}]\n" for n, (x, y, z) in anchors.items())
        + "[tags]\ntag = [0, 0, 0.3]\n"
    )
    yaml = (
        "anchors:\n"
        + "".join(f"  {n}: [{x}, {y}, {z}]\n" for n, (x, y, z) in anchors.items())
        + "tags: {tag: [0, 0, 0.3]}\nmap_from_uwb: [0, 0, 0]\n"
    )
    for name, text in (("anchors.txt", lines), ("anchors.toml", toml), ("anchors.yaml", yaml)):
        files = {"uwb.csv": "\n".join(rows).encode(), name: text.encode()}
        yield Seed("uwb", name, files, words(f"localize {{in}}/uwb.csv --uwb {{in}}/{name} --json",
                   f"localize {{in}}/uwb.csv --uwb {{in}}/{name} --trajectory {{out}}/t.txt"))  # fmt: skip
