"""Zones of a map as a file beside it: MAP.zones.toml for MAP.yaml.

[[keep_out]]
name = "stairs"
outline = [[1.0, 2.0], [2.0, 2.0], [2.0, 3.0]]   # corners x, y on the map [m]
[[slow]]
outline = [[3, 0], [5, 0], [5, 2], [3, 2]]
speed = 0.15                                     # [m/s]
[[preferred]]
outline = [[0, -0.5], [8, -0.5], [8, 0.5], [0, 0.5]]
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from andante.errors import BadInput, UnknownName
from andante.files import read_toml
from andante.navigation.zones import KINDS, Zone
from andante.parsing import parse_toml

MAX_BYTES = 1024 * 1024
MOST = 1000


def zones_beside(map_file: Path | str) -> tuple[Zone, ...]:
    """The zones of MAP.zones.toml beside a map; none where there is no such file."""
    path = Path(map_file)
    file = path.with_name(f"{path.name.removesuffix('.yaml').removesuffix('.yml')}.zones.toml")
    return zones_of(read_toml(file, MAX_BYTES), str(file)) if file.is_file() else ()


def read_zones(text: str, where: str = "zones") -> tuple[Zone, ...]:
    """The zones of a text as such a file has it."""
    if len(text) > MAX_BYTES:
        raise BadInput(f"{where}: up to {MAX_BYTES} letters, got {len(text)}")
    try:
        return zones_of(parse_toml(text), where)
    except ValueError as error:
        raise BadInput(f"{where}: not valid TOML: {error}") from None


def zones_of(table: Mapping[str, Any], where: str) -> tuple[Zone, ...]:
    """The zones of a table."""
    UnknownName.check("kind of zone", sorted(table), KINDS, where)
    out: list[Zone] = []
    for kind in KINDS:
        entries = table.get(kind, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise BadInput(f"{where}: {kind} is written as [[{kind}]] sections")
        for k, entry in enumerate(entries):
            place = f"{where}: [[{kind}]] {k + 1}"
            UnknownName.check("key", sorted(entry), ("name", "outline", *(("speed",) if kind == "slow" else ())), place)
            name = str(entry.get("name") or f"{kind}_{k + 1}")
            try:
                corners = tuple((float(x), float(y)) for x, y in entry.get("outline", ()))
                out.append(Zone(kind, corners, name, float(entry.get("speed", math.nan))))
            except BadInput as error:
                raise BadInput(f"{place}: {error}") from None
            except (TypeError, ValueError):
                raise BadInput(f"{place}: outline is [[x, y], ...] and speed a number") from None
    if len(out) > MOST:
        raise BadInput(f"{where}: up to {MOST} zones, got {len(out)}")
    return tuple(out)


def zones_text(zones: tuple[Zone, ...]) -> str:
    """The text of a file with these zones."""
    lines: list[str] = []
    for zone in zones:
        corners = ", ".join(f"[{x:g}, {y:g}]" for x, y in zone.outline)
        quoted = zone.name.replace("\\", "").replace('"', "'")
        lines += [f"[[{zone.kind}]]", f'name = "{quoted}"', f"outline = [{corners}]"]
        lines += [f"speed = {zone.speed:g}"] if zone.kind == "slow" else []
    return "\n".join(lines) + "\n" if lines else ""
