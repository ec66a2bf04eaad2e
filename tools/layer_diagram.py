"""Draws the rooms of the package and who imports whom, from the imports themselves.

python tools/layer_diagram.py OUT.svg writes the picture; the site draws it at every build, so it cannot be out of date.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import grimp

PACKAGE = "andante"
BOX, STEP = (142, 46), (168, 96)  # size of a box, way from box to box [px]
MARGIN = 16
COLUMNS = {  # where a room stands from left to right; its row follows from the imports
    "cli": 2.5, "bench": 1.6, "studio": 3.0, "session": 3.6, "experiments": 2.0, "tasks": 2.5, "viz": 1.4,
    "search": 0.0,
    "mobile": 2.0, "hardware": 3.4, "simulation": 2.8, "control": 2.8, "navigation": 0.8, "localization": 1.6,
    "mapping": 1.2, "bridges": 4.2, "bus": 3.8, "locomotion": 3.0, "motion": 3.4, "kinematics": 3.0, "sensors": 4.8,
    "physics": 4.8, "description": 2.7, "bags": 3.6, "robots": 4.6, "geometry": 2.7,
}  # fmt: skip
STYLE = """
.layers { font: 13px system-ui, sans-serif; color: #222; }
.layers text { fill: currentColor; text-anchor: middle; }
.layers .small { font-size: 10.5px; opacity: .72; }
.layers .room { fill: #f3f4f8; stroke: currentColor; stroke-width: 1; rx: 6; }
.layers .edge { fill: none; stroke: #4051b5; stroke-width: 1.6; opacity: .85; }
.layers .far { fill: none; stroke: currentColor; stroke-width: .8; opacity: .16; }
.layers .count { font-size: 11px; font-weight: 600; fill: #4051b5; }
.layers .count { stroke: #fff; stroke-width: 4px; paint-order: stroke; }
.layers marker path { fill: #4051b5; }
@media (prefers-color-scheme: dark) {
  svg.layers:root { color: #ddd; background: #1e2129; }
  svg.layers:root .count { fill: #9fa8ff; stroke: #1e2129; } svg.layers:root .edge { stroke: #9fa8ff; }
  svg.layers:root .room { fill: #2b2f3a; } svg.layers:root marker path { fill: #9fa8ff; }
}
"""


@dataclass(frozen=True)
class Rooms:
    """The packages, how many modules each has, and how many modules of one import each other one."""

    sizes: dict[str, int]
    imports: dict[tuple[str, str], int]  # (importing room, imported room): modules of the first that do

    def below(self, room: str) -> list[str]:
        """Rooms that a room imports."""
        return [b for a, b in self.imports if a == room]

    @cached_property
    def heights(self) -> dict[str, int]:
        """The longest way down from each room; it has one because no room imports one that imports it."""
        found: dict[str, int] = {}

        def height(room: str, above: tuple[str, ...] = ()) -> int:
            if room in above:
                raise ValueError(f"rooms import each other in a circle: {' > '.join((*above, room))}")
            if room not in found:
                found[room] = max((height(low, (*above, room)) + 1 for low in self.below(room)), default=0)
            return found[room]

        for room in self.sizes:
            height(room)
        return found

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each room from below: right under the lowest of those that import it."""
        rows: dict[str, int] = {}
        for room in sorted(self.sizes, key=lambda name: -self.heights[name]):
            users = [rows[a] for a, b in self.imports if b == room]
            rows[room] = min(users, default=max(self.heights.values()) + 1) - 1
        return rows

    @cached_property
    def reduced(self) -> list[tuple[str, str]]:
        """Imports that do not also go over another room."""

        def reach(room: str) -> set[str]:
            return {room}.union(*(reach(low) for low in self.below(room)))

        return [
            (a, b) for a, b in self.imports if not any(b in reach(middle) for middle in self.below(a) if middle != b)
        ]

    @cached_property
    def order(self) -> list[str]:
        """Rooms from top to bottom, left to right."""
        return sorted(self.sizes, key=lambda room: (-self.rows[room], COLUMNS.get(room, 6.0)))


SHARED = {"compiling", "expressions"}  # for everybody, as the modules beside the rooms


def read_rooms() -> Rooms:
    """The rooms of the installed package by its imports, lazy ones and those for types too."""
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    rooms = {child.removeprefix(f"{PACKAGE}.") for child in graph.find_children(PACKAGE) if graph.find_children(child)}
    rooms -= SHARED
    sizes = dict.fromkeys(sorted(rooms), 0)
    users: dict[tuple[str, str], int] = {}
    for module in graph.modules:
        room = room_of(module)
        if room not in rooms:
            continue
        sizes[room] += 1
        others = {room_of(low) for low in graph.find_modules_directly_imported_by(module)} & rooms - {room}
        for other in others:
            users[room, other] = users.get((room, other), 0) + 1
    return Rooms(sizes, dict(sorted(users.items())))


def room_of(module: str) -> str:
    """The package below the top one, "" for the top one itself."""
    return [*module.split("."), ""][1]


def draw(rooms: Rooms) -> str:
    """The picture as SVG: boxes in rows, imports as lines downwards, counts of importing modules beside them."""
    top = max(rooms.rows.values())
    width = round(2 * MARGIN + max(COLUMNS.get(room, 6.0) for room in rooms.sizes) * STEP[0] + BOX[0])
    height = 2 * MARGIN + top * STEP[1] + BOX[1]

    def corner(room: str) -> tuple[float, float]:
        return MARGIN + COLUMNS.get(room, 6.0) * STEP[0], MARGIN + (top - rooms.rows[room]) * STEP[1]

    def line(a: str, b: str) -> tuple[str, float, float]:
        (xa, ya), (xb, yb) = corner(a), corner(b)
        lean = max(-58.0, min(58.0, 0.2 * (xb - xa)))  # lines leave a box towards where they go
        x0, y0, x1, y1 = xa + BOX[0] / 2 + lean, ya + BOX[1], xb + BOX[0] / 2 - lean, yb - 2
        bend = 0.45 * (y1 - y0)
        way = f"M{x0:.0f},{y0:.0f} C{x0:.0f},{y0 + bend:.0f} {x1:.0f},{y1 - bend:.0f} {x1:.0f},{y1:.0f}"
        t = 0.25 if abs(x1 - x0) < STEP[0] else 0.4  # where its count stands
        first, last = (1 - t) ** 2 * (1 + 2 * t), t**2 * (3 - 2 * t)  # weights of both ends, by x
        rise = 3 * t * (1 - t) * ((1 - t) * bend + t * (y1 - y0 - bend)) + t**3 * (y1 - y0)
        return way, first * x0 + last * x1, y0 + rise

    parts = [
        f'<svg class="layers" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="Packages in layers, with lines from each to those it imports"><style>{STYLE}</style>',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z"/></marker></defs>',
    ]
    near = set(rooms.reduced)
    parts += [f'<path class="far" d="{line(a, b)[0]}"/>' for a, b in rooms.imports if (a, b) not in near]
    parts += [f'<path class="edge" marker-end="url(#tip)" d="{line(a, b)[0]}"/>' for a, b in rooms.reduced]
    for room in rooms.order:
        x, y = corner(room)
        parts.append(
            f'<rect class="room" x="{x:.0f}" y="{y:.0f}" width="{BOX[0]}" height="{BOX[1]}"/>'
            f'<text x="{x + BOX[0] / 2:.0f}" y="{y + 20:.0f}">{room}</text>'
            f'<text class="small" x="{x + BOX[0] / 2:.0f}" y="{y + 36:.0f}">{rooms.sizes[room]} modules</text>'
        )
    for a, b in rooms.reduced:
        _, x, y = line(a, b)
        parts.append(f'<text class="count" x="{x:.0f}" y="{y + 4:.0f}">{rooms.imports[a, b]}</text>')
    return "\n".join([*parts, "</svg>\n"])


def table(rooms: Rooms) -> str:
    """All counts as a table: a row per importing room, a column per imported one; nothing stands below the diagonal."""
    order = rooms.order
    head = "".join(f'<th scope="col"><span>{room}</span></th>' for room in order[1:])
    rows = [
        f'<tr><th scope="row">{a}</th>'
        + "".join(f"<td>{rooms.imports.get((a, b), '') if i < j + 1 else '·'}</td>" for j, b in enumerate(order[1:]))
        + "</tr>"
        for i, a in enumerate(order[:-1])
    ]
    return (
        '<table class="imports"><thead><tr><th>imports</th>'
        + head
        + "</tr></thead><tbody>"
        + "".join(rows)
        + "</tbody></table>\n"
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(draw(read_rooms()), encoding="utf-8")
