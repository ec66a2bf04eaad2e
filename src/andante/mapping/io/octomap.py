"""OctoMap's files: `.bt` (free, occupied, unknown) and `.ot` (log odds), read within limits and written whole."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from andante.errors import BadInput
from andante.files import read_bytes, write_bytes
from andante.mapping.octree.octree import OccupancyModel, OcTree, log_odds
from andante.mapping.octree.pyramid import BAD_END, TOO_DEEP, emit, parse, pyramid

BINARY, FULL = "# Octomap OcTree binary file", "# Octomap OcTree file"
NOTE = "# (feel free to add / change comments, but leave the first line as it is!)\n#"
TREES = {"OcTree": 0, "ColorOcTree": 3}  # kinds of trees, and bytes of color after each value
LARGEST = 512 * 1024 * 1024  # of a file [bytes]
HEADER = 4096  # bytes within which a header ends


def save_octree(path: Path | str, tree: OcTree) -> None:
    """Write a tree as `.bt` or `.ot`, whole or not at all."""
    write_bytes(encode_octree(tree, whole=_is_whole(Path(path))), Path(path))


def encode_octree(tree: OcTree, *, whole: bool) -> bytes:
    """The file of a tree: with all log odds (`.ot`), or by what is most likely (`.bt`)."""
    places, uniform, store, cells = tree.blocks
    if not whole:
        _, _, low, high = tree.model.log_odds.astype(np.float32)
        limit = log_odds(tree.model.occupied)
        uniform, cells = (
            np.where(np.isnan(each), np.float32(np.nan), np.where(each >= limit, high, low))
            for each in (uniform, cells)
        )
    data, nodes = b"", 0
    if len(places):
        made = pyramid(places, uniform, store, cells)
        room = 5 * (int((made.kinds != 0).sum()) + sum(int((kinds != 0).sum()) for kinds in made.inside_kinds) + 1)
        out = np.empty(room, dtype=np.uint8)
        used, nodes = emit(
            made.values, made.kinds, made.first, made.children, made.inside, made.inside_kinds, whole, out
        )
        data = out[:used].tobytes()
    head = f"{FULL if whole else BINARY}\n{NOTE}\nid OcTree\nsize {nodes}\nres {tree.resolution:.9g}\ndata\n"
    return head.encode() + data


def load_octree(path: Path | str, model: OccupancyModel | None = None) -> OcTree:
    """Read a `.bt` or `.ot` file; the first line of the file says which it is."""
    content = read_bytes(Path(path), LARGEST)
    return decode_octree(content, str(path), model)


def decode_octree(content: bytes, name: str = "octree", model: OccupancyModel | None = None) -> OcTree:
    """The tree of a file's content; `name` stands in messages."""
    head, mark, _ = content[:HEADER].partition(b"\ndata\n")
    lines = head.decode("latin-1").splitlines()
    first = lines[0].strip() if lines else ""
    if not mark or first not in (BINARY, FULL):
        raise BadInput(f"{name} is no octree of OctoMap: its first line is not {BINARY!r} or {FULL!r}")
    entries = dict(line.split(None, 1) for line in lines if not line.startswith("#") and len(line.split(None, 1)) == 2)
    kind = entries.get("id", "").strip()
    if kind not in TREES:
        raise BadInput(f"{name}: trees of the kind {kind or '(none)'!r} are not read; these are: {', '.join(TREES)}")
    try:
        resolution, size = float(entries.get("res", "")), int(entries.get("size", ""))
    except ValueError:
        raise BadInput(f"{name}: its header lacks numbers for 'res' and 'size'") from None
    if not (math.isfinite(resolution) and resolution > 0):
        raise BadInput(f"{name}: 'res' must be a positive number of meters, got {resolution}")
    tree = OcTree(resolution, model)
    data = np.frombuffer(content, dtype=np.uint8, offset=len(head) + len(mark))
    if size == 0 and not len(data):
        return tree
    whole = first == FULL
    extra = TREES[kind] if whole else 0
    most = len(data) // (5 + extra) + 1 if whole else 4 * len(data) + 8
    corners, depths = np.empty((most, 3), dtype=np.int64), np.empty(most, dtype=np.int64)
    values = np.empty(most, dtype=np.float32)
    _, _, low, high = tree.model.log_odds
    found = parse(data, whole, extra, low, high, corners, depths, values)
    if found == BAD_END:
        raise BadInput(f"{name} ends in the middle of the tree; copy it again")
    if found == TOO_DEEP:
        raise BadInput(f"{name}: its tree has more than 16 levels")
    values = values[:found]
    if not np.isfinite(values).all():
        raise BadInput(f"{name}: its tree has values that are not finite")
    tree.fill(corners[:found], depths[:found], np.clip(values, low, high, dtype=np.float32))
    return tree


def _is_whole(path: Path) -> bool:
    if path.suffix not in (".bt", ".ot"):
        raise BadInput(f"{path}: an octree is written as .bt (occupied, free, unknown) or .ot (log odds)")
    return path.suffix == ".ot"
