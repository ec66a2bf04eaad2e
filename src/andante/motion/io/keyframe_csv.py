"""Key-frame motions as a table: `time,JOINT,JOINT,...`, one row per instant, cells empty where a joint is not told."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from andante.description.io.xmltree import read_bytes
from andante.description.source import Source
from andante.errors import BadInput
from andante.files import write_bytes
from andante.motion.keyframes import Key, Keyframes

MAX_BYTES = 64 * 1024 * 1024


def read_keyframes_csv(path: Path, interpolation: str = "cubic") -> Keyframes:
    """The motion of a CSV file; tables are usually dense, so the default interpolation is cubic."""
    try:
        text = read_bytes(path, MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{path}: not a text file (UTF-8)") from None
    keys: list[Key] = []
    header: list[str] = []
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if not any(cells) or cells[0].startswith("#"):
                continue
            if not header:
                header = _header(cells, path, reader.line_num)
                continue
            keys.append(_key(header, cells, Source(str(path), reader.line_num)))
    except csv.Error as error:
        raise BadInput(f"{path}:{reader.line_num}: not a table ({error})") from None
    return Keyframes(path.stem, tuple(keys), interpolation, source=Source(str(path)))


def write_keyframes_csv(motion: Keyframes, path: Path) -> None:
    """Write the keys of one round, repeats written out; name, interpolation and loop are not kept by this format."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["time", *motion.names])
    for key in motion.expanded:
        cells = [repr(key.positions[name]) if name in key.positions else "" for name in motion.names]
        writer.writerow([repr(key.time), *cells])
    write_bytes(out.getvalue().encode(), path)


def _header(cells: list[str], path: Path, line: int) -> list[str]:
    if cells[0].lower() != "time" or len(cells) < 2 or not all(cells):
        raise BadInput(f"{path}:{line}: the first row should be time,JOINT,JOINT,..., got {','.join(cells)[:60]!r}")
    if len(set(cells)) != len(cells):
        raise BadInput(f"{path}:{line}: two columns have the same name")
    return cells


def _key(header: list[str], cells: list[str], source: Source) -> Key:
    if len(cells) > len(header):
        raise BadInput(f"{source}: {len(cells)} cells under {len(header)} columns")
    numbers: dict[str, float] = {}
    for name, cell in zip(header, cells, strict=False):
        if not cell:
            continue
        try:
            numbers[name] = float(cell)
        except ValueError:
            raise BadInput(f"{source}: {name} should be a number, got {cell[:40]!r}") from None
    if header[0] not in numbers:
        raise BadInput(f"{source}: the row has no time")
    return Key(numbers.pop(header[0]), numbers, source)
