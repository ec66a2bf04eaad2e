"""Mutated files through the command line's readers: no traceback, no hang, no write outside, one line for every error.

python benchmarks/fuzz.py [--count N] [--seed N] [--only KIND] [--number N] [--workers K] [--controls]
                          [--again] [--json] [--report]

Every case is made by its seed and number alone. Finished cases are kept in build/fuzz and not run again, whatever
ended the run; failures are kept there with their files and what was said. --number runs one case again and shows it,
--again those that failed. --report writes benchmarks/reports/fuzz.md.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
from pathlib import Path
from typing import Any

from hardening.fuzz_report import summary, write_report
from hardening.pool import Pool, case_of
from hardening.rows import Rows
from hardening.seeds import KINDS, all_seeds

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Run the cases that are not finished, and tell."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=10_000, help="cases, numbered from 0")
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--only", choices=KINDS, help="one kind of file")
    parser.add_argument("--number", type=int, help="one case, again, with what it said")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--controls", action="store_true", help="first every command on its sound files")
    parser.add_argument("--again", action="store_true", help="run those that failed once more")
    parser.add_argument("--json", action="store_true", help="the summary as one JSON object")
    parser.add_argument("--report", action="store_true", help="write benchmarks/reports/fuzz.md")
    told = parser.parse_args()
    told.folder.mkdir(parents=True, exist_ok=True)
    seeds = told.folder / "seeds.pickle"
    if not seeds.exists():
        seeds.write_bytes(pickle.dumps(all_seeds()))
    known = pickle.loads(seeds.read_bytes())
    with Rows(told.folder / f"rows-{told.seed}.jsonl") as rows:
        if told.number is not None:
            _again(told, seeds, rows)
            return
        sound = range(-sum(len(s.commands) + len(s.rare) for s in known), 0) if told.controls else ()
        wanted = [n for n in (*sound, *range(told.count)) if not rows.has(n, failed_too=not told.again)]
        if told.only:
            wanted = [n for n in wanted if case_of(known, told.seed, n).kind == told.only]
        _run(told, seeds, rows, wanted)
        table = summary(rows.all())
        if told.report:
            write_report(ROOT, rows.all(), told.seed)
    if told.json:
        print(json.dumps(table))
    else:
        _say(table)
    sys.exit(1 if table["failures"] else 0)


def _run(told: argparse.Namespace, seeds: Path, rows: Rows, wanted: list[int]) -> None:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    pool = Pool(told.folder, seeds, told.seed, told.workers)
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("mutated files", total=len(wanted))
        for row in pool.run(wanted):
            rows.add(row)
            bar.advance(task)
            if row["faults"]:
                console.print(
                    f"{row['number']} {row['kind']}: {'; '.join(row['faults'])} {row.get('where', '')}", markup=False
                )


def _again(told: argparse.Namespace, seeds: Path, rows: Rows) -> None:
    for row in Pool(told.folder, seeds, told.seed, 1).run([told.number]):
        rows.add(row)
        print(json.dumps(row, indent=1))
        kept = told.folder / "failures" / str(told.number) / "told.txt"
        if row["faults"] and kept.exists():
            print(kept.read_text(errors="replace"))


def _say(table: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    made = Table("kind", "cases", "accepted", "refused", "failures", box=None)
    for kind, row in table["kinds"].items():
        made.add_row(kind, *(str(row[key]) for key in ("cases", "accepted", "refused", "failures")))
    Console().print(made)
    for row in table["failed"][:40]:
        what = f"{row['number']} {row['kind']}/{row['seed']} {row['mutations']}"
        print(f"{what}: {'; '.join(row['faults'])} {row.get('where', '')}")
    print(f"{table['cases']} cases, {table['failures']} failures, {table['seconds']:.0f} s of processor time")


if __name__ == "__main__":
    main()
