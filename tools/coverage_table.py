"""Coverage of the suite per package, as a table in Markdown.

    python tools/coverage_table.py [DATA ...] [--untested N]

DATA are coverage data files (`.coverage` by default); several are put together. A row tells statements and branches of
a package, how many of both the tests have run, and the fraction of them together. Compiled kernels are not counted (see
.coveragerc). `--untested N` lists the N modules with the most statements that no test has run.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from coverage import Coverage
from coverage.exceptions import CoverageException

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ROOT / "src" / "andante"
CONFIG = ROOT / ".coveragerc"


@dataclass(frozen=True)
class Row:
    """What the tests have run of a package or module."""

    name: str
    statements: int = 0
    run: int = 0
    branches: int = 0
    taken: int = 0

    @property
    def fraction(self) -> float:
        """Statements and branches that were run, of all [%]; 100 where there are none."""
        whole = self.statements + self.branches
        return 100.0 * (self.run + self.taken) / whole if whole else 100.0

    def plus(self, other: Row) -> Row:
        """The sum of two rows under the name of this one."""
        return Row(
            self.name,
            self.statements + other.statements,
            self.run + other.run,
            self.branches + other.branches,
            self.taken + other.taken,
        )


def module_rows(told: Mapping[str, Mapping[str, Mapping[str, float]]], rooms: Path = ROOMS) -> list[Row]:
    """A row per module of the package, named by its path below it, from the `files` of coverage's JSON."""
    rows = []
    for path, entry in told.items():
        file = (ROOT / path).resolve()
        if not file.is_relative_to(rooms):
            continue
        sums = {key: int(value) for key, value in entry["summary"].items() if not key.startswith("percent")}
        rows.append(
            Row(
                file.relative_to(rooms).as_posix(),
                sums["num_statements"],
                sums["covered_lines"],
                sums.get("num_branches", 0),
                sums.get("covered_branches", 0),
            )
        )
    return sorted(rows, key=lambda row: row.name)


def package_rows(modules: Iterable[Row]) -> list[Row]:
    """Modules summed up per package; those beside the packages stand under `andante`."""
    sums: dict[str, Row] = {}
    for row in modules:
        head, slash, _ = row.name.partition("/")
        name = head if slash else "andante"
        sums[name] = sums.get(name, Row(name)).plus(row)
    return [sums[name] for name in sorted(sums)]


def as_table(rows: Iterable[Row]) -> str:
    """Rows and their sum as a table in Markdown."""
    rows = list(rows)
    whole = Row("all")
    for row in rows:
        whole = whole.plus(row)
    lines = ["| package | statements | run | branches | taken | coverage |", "|---|---:|---:|---:|---:|---:|"]
    lines += [
        f"| {row.name} | {row.statements} | {row.run} | {row.branches} | {row.taken} | {row.fraction:.1f} % |"
        for row in [*rows, whole]
    ]
    return "\n".join(lines) + "\n"


def measured(files: Iterable[Path], modules: Iterable[Path] | None = None) -> list[Row]:
    """A row per module, of all or of some, from data files, which are read and left as they are."""
    chosen = None if modules is None else [str(module) for module in modules]
    with tempfile.TemporaryDirectory() as folder:
        coverage = Coverage(data_file=str(Path(folder) / "all"), config_file=str(CONFIG))
        coverage.combine([str(file) for file in files], strict=True, keep=True)
        told = Path(folder) / "told.json"
        coverage.json_report(outfile=str(told), ignore_errors=True, include=chosen)
        return module_rows(json.loads(told.read_text(encoding="utf-8"))["files"])


def main() -> int:
    parser = argparse.ArgumentParser(description="Coverage of the suite per package, as a table in Markdown.")
    parser.add_argument("data", nargs="*", type=Path, default=[ROOT / ".coverage"], metavar="DATA")
    parser.add_argument("--untested", type=int, default=0, metavar="N", help="modules with the most that no test runs")
    wanted = parser.parse_args()
    try:
        modules = measured(wanted.data)
    except CoverageException as error:
        sys.stderr.write(f"{error}\n")
        return 2
    out = io.StringIO()
    out.write(as_table(package_rows(modules)))
    if wanted.untested:
        worst = sorted(modules, key=lambda row: row.run - row.statements)[: wanted.untested]
        out.write("\n| module | statements never run | of |\n|---|---:|---:|\n")
        out.writelines(f"| {row.name} | {row.statements - row.run} | {row.statements} |\n" for row in worst)
    sys.stdout.write(out.getvalue())
    return 0


if __name__ == "__main__":
    sys.exit(main())
