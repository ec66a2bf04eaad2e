"""The rows of the fuzzing as a summary, and as the page benchmarks/reports/fuzz.md."""

from __future__ import annotations

import platform
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def summary(rows: list[Row]) -> dict[str, Any]:
    """Counts by kind, failures, times."""
    cases = [row for row in rows if row["number"] >= 0]
    kinds: dict[str, dict[str, int]] = {}
    for row in cases:
        entry = kinds.setdefault(row["kind"], {"cases": 0, "accepted": 0, "refused": 0, "failures": 0})
        entry["cases"] += 1
        entry["accepted"] += row["code"] in (0, 1)
        entry["refused"] += row["code"] == 2
        entry["failures"] += bool(row["faults"])
    failed = [row for row in rows if row["faults"]]
    return {
        "cases": len(cases),
        "controls": len(rows) - len(cases),
        "failures": len(failed),
        "kinds": dict(sorted(kinds.items())),
        "mutations": dict(Counter(name for row in cases for name in row["mutations"][1:]).most_common()),
        "seconds": sum(row["seconds"] for row in rows),
        "slowest": max((row["seconds"] for row in cases), default=0.0),
        "median": sorted(row["seconds"] for row in cases)[len(cases) // 2] if cases else 0.0,
        "peak": max((row["peak"] for row in cases), default=0.0),
        "failed": failed,
    }


def write_report(root: Path, rows: list[Row], seed: int) -> None:
    """Write the page."""
    told = summary(rows)
    lines = [
        "# Mutated files through the command line",
        "",
        f"    python benchmarks/fuzz.py --count {told['cases']} --seed {seed} --report",
        "",
        f"{told['cases']} mutated files and {told['controls']} sound ones, seed {seed}, commit {commit(root)}, "
        f"{time.strftime('%Y-%m-%d', time.gmtime())}, Python {platform.python_version()} on {platform.system()}.",
        f"**{told['failures']} failures.** {told['seconds'] / 60:.0f} minutes of processor time; a file takes "
        f"{told['median'] * 1e3:.0f} ms in the middle and {told['slowest']:.1f} s at most; "
        f"the largest process held {told['peak']:.0f} MB.",
        "",
        "A failure is any of: an exit code other than 0 and 2 (`check`: 0, 1 and 2), a traceback, more or less than "
        "one line on stderr with exit 2, words beside the JSON, a hang, a death, running out of memory, control "
        "characters on the terminal, a file written outside the named output or half-written in it, a process, a "
        "connection, code that was run, text of a file outside. Every sound file must be accepted.",
        "",
        "| kind | cases | accepted | refused in one line | failures |",
        "|---|---|---|---|---|",
    ]
    for kind, row in told["kinds"].items():
        lines.append(f"| {kind} | {row['cases']} | {row['accepted']} | {row['refused']} | {row['failures']} |")
    lines += ["", "| mutation | times |", "|---|---|"]
    lines += [f"| {name.replace('_', ' ')} | {count} |" for name, count in told["mutations"].items()]
    if told["failed"]:
        lines += ["", "## Failures", ""]
        lines += [
            f"- {row['number']} ({row['kind']}/{row['seed']}): {'; '.join(row['faults'])}" for row in told["failed"]
        ]
    path = root / "benchmarks" / "reports" / "fuzz.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def commit(root: Path) -> str:
    """The commit that is checked out, in short."""
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=root, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "unknown"
