"""Files with the positions of UWB anchors and tags."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from andante.description.io.xmltree import read_bytes
from andante.errors import AndanteError, BadInput, MissingFile
from andante.localization.uwb import UwbSetup
from andante.parsing import parse_json, parse_toml, parse_yaml

MAX_BYTES = 1024 * 1024
FORM = "lines 'NAME x y z' for anchors, 'tag NAME x y z' for tags on the robot, 'map x y yaw' for map_from_uwb"
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
            raise BadInput(f"{where}: cannot be read; a file of anchors has {FORM}")
    if not anchors:
        raise BadInput(f"{path}: holds no anchors; it has {FORM}")
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
