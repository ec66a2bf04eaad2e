"""Every figure that was asked of Andante, measured again: `python benchmarks/results.py`, or `make results`.

    python benchmarks/results.py                # all runs but the long ones, then benchmarks/RESULTS.md
    python benchmarks/results.py --long         # the long ones too
    python benchmarks/results.py --only NAME    # these alone, long or not (may be given several times)
    python benchmarks/results.py --stale        # those that are missing, failed, or older than the code
    python benchmarks/results.py --quick        # those that take less than a minute
    python benchmarks/results.py --render       # none: only write the page again from what is stored
    python benchmarks/results.py --list         # what there is, and how long it takes

Runs are made one after the other, so that each has the machine for itself. Each is stored in benchmarks/results as soon
as it ends: whoever stops this, by Ctrl-C or kill -9, loses the one under way, and `--stale` goes on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from figures.model import Run
from figures.render import render
from figures.runner import run_all
from figures.store import RESULTS, load, stale
from figures.table import RUNS

PAGE = Path(__file__).resolve().parent / "RESULTS.md"


def main(words: Sequence[str] | None = None) -> int:
    """Run what is asked for and write the page; 1 when a run gave nothing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", choices=[run.name for run in RUNS])
    parser.add_argument("--stale", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--render", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where runs are stored")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page to write")
    asked = parser.parse_args(words)
    runs = chosen(asked)
    if asked.list:
        for run in runs:
            print(f"{run.name:20} {run.minutes:5.1f} min  {'long  ' if run.long else '      '}{run.shown}")
        print(f"{sum(run.minutes for run in runs):.0f} minutes on two quiet cores, about")
        return 0
    failed = []
    try:
        failed = [] if asked.render else [each.run for each in run_all(runs, asked.folder) if each.failure]
    except KeyboardInterrupt:
        sys.stderr.write("stopped; what is finished is stored, and --stale goes on\n")
        return 130
    finally:
        write_page(asked.folder, asked.page)
    if failed:
        sys.stderr.write(f"gave nothing: {', '.join(failed)}\n")
    return 1 if failed else 0


def chosen(asked: argparse.Namespace) -> list[Run]:
    """The runs that are asked for."""
    runs = [run for run in RUNS if (run.name in asked.only if asked.only else asked.long or not run.long)]
    if asked.quick:
        runs = [run for run in runs if run.minutes < 1]
    return [run for run in runs if stale(load(run, asked.folder))] if asked.stale else runs


def write_page(folder: Path, page: Path) -> None:
    """The page from what is stored."""
    stored = {run.name: found for run in RUNS if (found := load(run, folder)) is not None}
    page.write_text(render(RUNS, stored), encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
