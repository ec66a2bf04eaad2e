"""What came out of a zoo: a row per file, and figures over all of them with the misses named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from .listing import Animal

Records = Mapping[tuple[str, str], Mapping[str, Any]]  # of one file, by step and case
SAME_HEIGHT = 0.02  # [m]
LACKS_FILES = re.compile(
    r"opening file|unable to (?:find|resolve) |not found|could not open|no such file", re.IGNORECASE
)
NAMED = 12  # misses that a line of figures names


@dataclass(frozen=True)
class Row:
    """What happened to one file; None: nothing was measured."""

    file: str
    what: str
    accepted: bool | None  # by the reference tool; None: no tool, or files are missing in this copy
    opens: bool | None
    clean: bool | None  # no errors but missing files
    check: str
    heavy: bool | None  # the reference refuses its masses alone; whether `check` warns of masses. None: it does not
    engines: Mapping[str, float | str]  # height of the base [m], or why there is none
    written: Mapping[str, str]  # by format: empty, or what is wrong with it
    carry: str | None  # what the static torque test says; None: not tested
    able: bool  # False: by that test its joints cannot hold it in its stance
    walk: str | None  # empty: it walked; else why it did not
    walked: Mapping[str, Any]
    navigate: str | None
    check_seconds: float | None

    @property
    def agrees(self) -> bool:
        """`check` and the reference find it readable, or neither; masses do not keep a file from being read.

        Masses and tensors that no body has are mended for simulation: errors of the reference, warnings here.
        """
        if self.heavy is not None:
            return bool(self.clean) and self.heavy
        return bool(self.clean) == (self.accepted is not False)

    @property
    def runs(self) -> bool | None:
        """Whether every engine ran it."""
        return all(isinstance(z, float) for z in self.engines.values()) if self.engines else None

    @property
    def spread(self) -> float | None:
        """Largest difference between the heights on two engines [m]."""
        heights = [z for z in self.engines.values() if isinstance(z, float)]
        return max(heights) - min(heights) if len(heights) > 1 else None


def row_of(animal: Animal, records: Records) -> Row:
    """The row of a file."""

    def of(step: str) -> dict[str, Mapping[str, Any]]:
        return {case: record for (name, case), record in records.items() if name == step}

    check, written, walks, drives = of("check"), of("convert"), of("walk"), of("navigate")
    carry = next(iter(of("carry").values()), None)
    own = check.get("andante", {})
    tool = next((record for case, record in check.items() if case != "andante"), None)
    walked = next(iter(walks.values()), None)
    return Row(
        file=animal.key,
        what=animal.what,
        accepted=_accepted(animal, tool) if check else None,
        opens=own.get("opens"),
        clean=own.get("clean"),
        check=str(own.get("said", "")),
        heavy=bool(own.get("masses")) if tool is not None and tool.get("masses") else None,
        engines={case: _height(record) for case, record in of("sim").items()},
        written={
            case: _written(record, next((r for c, r in written.items() if c.startswith(f"{case} by ")), None))
            for case, record in written.items()
            if " by " not in case
        },
        carry=None if carry is None else str(carry["said"]),
        able=carry is None or carry["ok"] is not False,
        walk=None if walked is None else _why(walked),
        walked={k: walked.get(k) for k in ("distance", "turned", "fallen")} if walked else {},
        navigate=next((_why(record) for record in drives.values()), None),
        check_seconds=own.get("seconds"),
    )


def _accepted(animal: Animal, tool: Mapping[str, Any] | None) -> bool | None:
    if tool is None:
        return animal.accepted_by_list
    if not tool["ok"] and LACKS_FILES.search(str(tool["said"])):
        return None
    return bool(tool["ok"])


def _height(record: Mapping[str, Any]) -> float | str:
    return float(record["z"]) if record["ok"] else str(record["said"])


def _written(record: Mapping[str, Any], tool: Mapping[str, Any] | None) -> str:
    if not record["ok"]:
        return str(record["said"]) or "not written"
    return "" if tool is None or tool["ok"] else f"written, but refused: {tool['said']}"


def _why(record: Mapping[str, Any]) -> str:
    if record["ok"]:
        return ""
    if record.get("said"):
        return str(record["said"])
    told = [f"{k} {record[k]:.3g}" for k in ("distance", "turned") if isinstance(record.get(k), int | float)]
    return ", ".join([*told, *(["fallen"] if record.get("fallen") else [])]) or "no"


@dataclass(frozen=True)
class Figure:
    """How many of how many, and which not."""

    name: str
    good: int
    of: int
    misses: tuple[str, ...]

    def __str__(self) -> str:
        share = f"{100 * self.good / self.of:.0f} %" if self.of else "-"
        named = ", ".join(self.misses[:NAMED]) + (" ..." if len(self.misses) > NAMED else "")
        return f"{self.name}: {self.good} of {self.of} ({share})" + (f"; not {named}" if named else "")


def figures_of(rows: Sequence[Row]) -> list[Figure]:
    """The figures over all rows."""
    readable = [row for row in rows if row.opens is not False or row.accepted]  # no tool can do more with the others
    formats = dict.fromkeys(name for row in rows for name in row.written)
    wanted: list[tuple[str, Iterable[Row], Callable[[Row], bool]]] = [
        (
            "opens what the reference accepts",
            [row for row in rows if row.accepted and row.opens is not None],
            lambda row: bool(row.opens),
        ),
        (
            "check agrees with the reference, missing files apart",
            [row for row in rows if row.accepted is not None and row.opens is not None],
            lambda row: row.agrees,
        ),
        ("runs on every engine", [row for row in readable if row.engines], lambda row: bool(row.runs)),
        (
            f"heights agree within {100 * SAME_HEIGHT:g} cm",
            [row for row in rows if row.runs and row.spread is not None],
            lambda row: (row.spread or 0.0) <= SAME_HEIGHT,
        ),
        *(
            (f"written as {name} and accepted", [row for row in readable if name in row.written], _accepts(name))
            for name in formats
        ),
        ("can carry itself by static torques", [row for row in rows if row.carry is not None], lambda row: row.able),
        (
            "walks 1 m within 10 % and 10 deg, of those that can carry themselves",
            [row for row in rows if row.walk is not None and row.able],
            lambda row: not row.walk,
        ),
        (
            "reaches the goal without touching anything",
            [row for row in rows if row.navigate is not None],
            lambda row: not row.navigate,
        ),
    ]
    made = []
    for name, among, good in wanted:
        chosen = list(among)
        misses = tuple(_short(row.file) for row in chosen if not good(row))
        if chosen:
            made.append(Figure(name, len(chosen) - len(misses), len(chosen), misses))
    return made


def _accepts(name: str) -> Callable[[Row], bool]:
    return lambda row: not row.written[name]


def _short(file: str) -> str:
    return file.split(" ")[0].rpartition("/")[2]


def median_check(rows: Sequence[Row]) -> float | None:
    """Median processor time of `check` [s]; None where nothing was checked."""
    times = [row.check_seconds for row in rows if row.check_seconds is not None]
    return median(times) if times else None
