"""The slowest tests of the last `make test`, from the times that it wrote down; `make test-times` shows them.

Times are those on the wall, of set-up, test and clean-up together: a test that waits for a robot in another process
shows what it waits. Rooms are summed below.
"""

from __future__ import annotations

import argparse
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from pathlib import Path

WRITTEN = Path("build/test-times.xml")  # by pytest --junitxml


def times(text: str) -> list[tuple[float, str]]:
    """Time [s] and name of every test of a JUnit report, slowest first."""
    cases = ET.fromstring(text).iter("testcase")
    rows = [(float(case.get("time", 0.0)), f"{case.get('classname')}::{case.get('name')}") for case in cases]
    return sorted(rows, reverse=True)


def rooms(rows: list[tuple[float, str]]) -> list[tuple[float, int, str]]:
    """Sum of times [s], number of tests and name of every folder of tests, slowest first."""
    sums: dict[str, list[float]] = defaultdict(list)
    for spent, name in rows:
        sums[".".join(name.split(".")[:2]).partition("::")[0]].append(spent)
    return sorted(((sum(spent), len(spent), room) for room, spent in sums.items()), reverse=True)


def table(rows: list[tuple[float, str]], count: int) -> str:
    """What is printed."""
    lines = [f"{spent:8.2f} s  {name}" for spent, name in rows[:count]]
    lines += ["", *(f"{spent:8.1f} s  {number:5d} tests  {room}" for spent, number, room in rooms(rows)[:count])]
    return "\n".join([*lines, "", f"{sum(spent for spent, _ in rows):8.1f} s  in {len(rows)} tests"])


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path, default=WRITTEN, help="JUnit report of a run")
    parser.add_argument("--count", type=int, default=20, help="how many are listed")
    asked = parser.parse_args()
    if not asked.file.is_file():
        print(f"{asked.file}: no such file; `make test` writes it", file=sys.stderr)
        return 2
    print(table(times(asked.file.read_text(encoding="utf-8")), asked.count))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
