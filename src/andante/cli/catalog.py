"""`andante robots | worlds | engines | doctor | bench`: what there is, and how fast it is."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from .command import Call, Command
from .options import POSE, Take
from .output import console, table
from .words import listed, pose_of


@dataclass(frozen=True)
class Listing:
    """A list of results, with the key that it has in JSON."""

    key: str
    rows: Sequence[Any]

    def as_dict(self) -> dict[str, Any]:
        """The rows under their key."""
        return {self.key: [row.as_dict() for row in self.rows]}


def _listed(key: str, about: str, columns: list[str], cells: Callable[[Any], list[str]]) -> Command:
    """A command that lists what there is as a table, with a warning about each that cannot be loaded."""

    def words(found: Listing, call: Call) -> None:
        table("", columns, [cells(row) for row in found.rows if key == "engines" or not row.problem])

    return Command(
        f"andante.tasks.catalog:{key}",
        about,
        run=lambda call: Listing(key, call.run()),
        words=words,
        warned=lambda found: [row.problem for row in found.rows if row.problem and key != "engines"],
    )


def _robot_words(found: Listing, call: Call) -> None:
    if call.given.get("public"):
        table("", ["robot", "brought by", "file"], [[row.name, row.source, row.file] for row in found.rows])
        return
    columns = ["robot", "links", "joints", "mass [kg]", "poses", "sensors"]
    table("", columns, [_robot_cells(row) for row in found.rows if not row.problem])


def _robot_cells(row: Any) -> list[str]:
    free = f" ({row.independent} free)" if row.independent != row.joints else ""
    sensors = ", ".join(row.sensors)
    return [row.name, str(row.links), f"{row.joints}{free}", f"{row.mass:.3f}", ", ".join(row.poses), sensors]


robots = Command(
    "andante.tasks.catalog:robots",
    "List the built-in robots, or those that other packages bring.",
    {"public": Take(about="Robots of pybullet_data, robot_descriptions' cache and ANDANTE_ROBOTS instead.")},
    run=lambda call: Listing("robots", call.run()),
    words=_robot_words,
    warned=lambda found: [row.problem for row in found.rows if row.problem],
)
worlds = _listed(
    "worlds",
    "List the built-in worlds.",
    ["world", "models", "collision shapes"],
    lambda row: [row.name, str(row.models), str(row.shapes)],
)
engines = _listed(
    "engines",
    "List the physics engines and whether they are installed.",
    ["engine", "version", "", ""],
    lambda row: [row.name, row.version or "-", row.advice or "ready", row.summary],
)


def _doctor(call: Call) -> Any:
    from andante.bench.warm_up import warm_up

    for line in warm_up() if call.own["warm"] else ():
        if not call.json:
            console().print(line, markup=False)
    return call.run()


def _doctor_words(result: Any, call: Call) -> None:
    console().print(f"Python {result.python} on {platform.platform()}", markup=False)
    rows = [[f.part, f.version or "-", "ready" if f.ready and not f.advice else f.advice] for f in result.findings]
    table("", ["part", "version", "state"], rows)
    if result.settings:
        from andante.tasks.catalog import cells_of

        engines = list(result.settings[0].engines)
        rows = [[row.name, *cells_of(row)] for row in result.settings]
        table("what engines have, with their own values; - : no such thing", ["setting", *engines], rows)


doctor = Command(
    "andante.tasks.catalog:doctor",
    "Tell what this installation can do.",
    own={"warm": Take(about="Fill the compile cache and make the robots' meshes.")},
    run=_doctor,
    words=_doctor_words,
)


def _bench(call: Call) -> Any:
    results = call.run()
    return results[0] if call.json and "name" in call.given else Listing("benchmarks", results)


def _bench_words(found: Listing, call: Call) -> None:
    for result in found.rows:
        rows = [[r.case, f"{r.andante:.4g}", f"{r.baseline:.4g}", r.unit, f"{r.ratio:.3f}"] for r in result.rows]
        table(result.name, ["case", "andante", "baseline", "unit", "ratio"], rows)


bench = Command(
    "andante.bench.rows:bench",
    "Measure speed beside a bare baseline.",
    {"name": Take("[NAME]", about="Which benchmark; all when left out.", argument=True)},
    run=_bench,
    words=_bench_words,
)


zoo = Command(
    "andante.tasks.zoo.run:zoo",
    "Put the robots and worlds of a list through every command; resumable, with a table and a page at the end.",
    {
        "listing": Take("LIST.tsv"),
        "out": Take("DIR", flags="-o --out"),
        "only": Take("TEXT,...", listed, kind=str, default=None),
        "steps": Take("STEP,...", listed, kind=str, default=None),
        "limit": Take("S"),
        "world": Take("W"),
        "goal": Take(POSE, partial(pose_of, "--goal")),
        "visitor": Take("ROBOT"),
    },
)
