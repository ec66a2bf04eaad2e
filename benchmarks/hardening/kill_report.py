"""The rows of the kill drill as a summary, and as the page benchmarks/reports/kills.md."""

from __future__ import annotations

import platform
import time
from pathlib import Path
from typing import Any

from .fuzz_report import commit

Row = dict[str, Any]


def summary(rows: list[Row], seconds: float) -> dict[str, Any]:
    """Counts by job."""
    jobs: dict[str, dict[str, Any]] = {}
    for row in rows:
        entry = jobs.setdefault(
            row["job"], {"kills": 0, "announced": 0, "kept": 0, "torn": 0, "lost": 0.0, "faults": 0}
        )
        entry["faults"] += len(row["faults"])
        if row["kill"] is not None and not row.get("over"):
            entry["kills"] += 1
            entry["announced"] += row["announced"]
            entry["kept"] += row["kept"]
            entry["torn"] += bool(row.get("torn"))
            entry["lost"] = max(entry["lost"], row.get("lost", 0.0))
    return {
        "kills": sum(entry["kills"] for entry in jobs.values()),
        "faults": sum(entry["faults"] for entry in jobs.values()),
        "seconds": seconds,
        "jobs": jobs,
    }


def write_report(root: Path, rows: list[Row], seed: int, told: dict[str, Any]) -> None:
    """Write the page."""
    lines = [
        "# kill -9 at random moments",
        "",
        f"    python benchmarks/kill_drill.py --seed {seed} --report",
        "",
        f"{told['kills']} kills, seed {seed}, commit {commit(root)}, {time.strftime('%Y-%m-%d', time.gmtime())}, "
        f"Python {platform.python_version()} on {platform.system()}, {told['seconds'] / 60:.0f} minutes. "
        f"**{told['faults']} faults.**",
        "",
        "Stores (search, experiment): after each kill every result that the terminal had announced is in the file, "
        "what stood there before is untouched, the store opens, no worker is left. After the last kill the job goes on "
        "to its end and has the same results, bit by bit, as one that was never killed.",
        "",
        "Recordings: after each kill the bag opens, holds every message that a second listener had heard (or the "
        "session had counted on /status) more than a second before, and `bag convert` makes a whole bag of it. *Lost* "
        "is the longest end that was missing, with the time that the loaded machine let the recorder wait.",
        "",
        "| job | kills | announced | kept | torn lines cut | longest end lost [s] | faults |",
        "|---|---|---|---|---|---|---|",
    ]
    for job, row in told["jobs"].items():
        lost = f"{row['lost']:.2f}" if job.startswith(("bag", "session")) else "none"
        counts = " | ".join(str(row[key]) for key in ("kills", "announced", "kept", "torn"))
        lines.append(f"| {job} | {counts} | {lost} | {row['faults']} |")
    lines += ["", "| job | killed | announced | kept | verdict |", "|---|---|---|---|---|"]
    for row in rows:
        verdict = "; ".join(row["faults"]).replace(str(root), "") or "sound"
        lines.append(f"| {row['job']} | {row['when']} | {row['announced']} | {row['kept']} | {verdict} |")
    path = root / "benchmarks" / "reports" / "kills.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
