"""Portable gray maps: P2 (text) and P5 (bytes), one picture per file."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from andante.errors import BadInput
from andante.mapping.grid import MOST_CELLS


def decode_pgm(data: bytes, path: Path) -> NDArray[np.uint8]:
    """Gray values (rows, cols) 0 to 255, top row first; deeper pictures are scaled down."""
    kind = data[:2]
    if kind not in (b"P2", b"P5"):
        raise BadInput(f"{path}: is no pgm picture (it should begin with P2 or P5)")
    numbers, at = _header(data, path)
    width, height, most = numbers
    if not (width > 0 and height > 0 and width * height <= MOST_CELLS):
        raise BadInput(f"{path}: a pgm of {width} x {height} pixels is empty or larger than {MOST_CELLS} pixels")
    if not 0 < most < 65536:
        raise BadInput(f"{path}: greatest gray value must be 1 to 65535, got {most}")
    count = width * height
    if kind == b"P5":
        depth = np.dtype(np.uint8 if most < 256 else ">u2")
        whole = max(0, len(data) - at) // depth.itemsize
        values = np.frombuffer(data, dtype=depth, offset=min(at, len(data)), count=min(count, whole))
    else:
        values = _text_values(data[at:], path, count)
    if len(values) < count:
        raise BadInput(f"{path}: the picture ends early, {len(values)} of {count} pixels")
    if most == 255:
        return np.asarray(values, dtype=np.uint8).reshape(height, width)
    scaled = np.minimum(np.asarray(values, dtype=float) * 255.0 / most, 255.0)
    return np.rint(scaled).astype(np.uint8).reshape(height, width)


def encode_pgm(pixels: NDArray[np.uint8], zipped: bool = False) -> bytes:
    """A P5 file of gray values (rows, cols), top row first; gzipped on demand."""
    height, width = pixels.shape
    data = b"P5\n%d %d\n255\n" % (width, height) + np.ascontiguousarray(pixels, dtype=np.uint8).tobytes()
    return gzip.compress(data, mtime=0) if zipped else data


def _header(data: bytes, path: Path) -> tuple[tuple[int, int, int], int]:
    """Width, height, greatest value, and where the pixels begin; comments run from # to the end of the line."""
    found: list[int] = []
    at = 2
    while len(found) < 3:
        while at < len(data) and (data[at : at + 1].isspace() or data[at : at + 1] == b"#"):
            if data[at : at + 1] == b"#":
                end = data.find(b"\n", at)
                at = len(data) if end < 0 else end
            else:
                at += 1
        start = at
        while at < len(data) and data[at : at + 1].isdigit():
            at += 1
        if at == start or at - start > 9:
            raise BadInput(f"{path}: the pgm header needs width, height and greatest gray value")
        found.append(int(data[start:at]))
    return (found[0], found[1], found[2]), at + 1


def _text_values(body: bytes, path: Path, count: int) -> NDArray[np.int64]:
    lines = body.split(b"\n") if b"#" in body else [body]
    words = b" ".join(line.split(b"#")[0] for line in lines).split()
    try:
        values = np.array(words[:count], dtype=np.int64)
    except (ValueError, OverflowError):
        raise BadInput(f"{path}: a P2 picture holds numbers only") from None
    if len(values) and values.min() < 0:
        raise BadInput(f"{path}: a gray value is negative")
    return values
