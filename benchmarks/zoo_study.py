"""Robots and worlds of other makers through every command: the figures of `andante zoo`, misses named.

    python benchmarks/zoo_study.py files|robots|made [--out DIR] [--workers K] [--json]

`files`: check, sim on every engine, convert. `robots`: the static torque test, walks of 1 m, drives to a goal in the
lab. The list is LIST.tsv in the folder that ANDANTE_ZOO names. `made`: what `robots` does, of generated robots
(`made_robots`). A run that was ended goes on where it ended, as long as the sources are the same; `--out`: keep its
results there instead of in a temporary folder.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from made_robots import write_all

from andante.tasks.zoo import ZooResult, zoo

LIST = Path(os.environ.get("ANDANTE_ZOO", "zoo")) / "LIST.tsv"
STEPS = {"files": ("check", "sim", "convert"), "robots": ("carry", "walk", "navigate")}
STEPS["made"] = STEPS["robots"]
KEYS = {
    "opens": r"opens", "agrees": r"check agrees", "engines": r"runs on every", "heights": r"heights agree",
    "mjcf": r"written as mjcf", "urdf": r"written as urdf", "sdf": r"written as sdf", "carry": r"can carry",
    "walk": r"walks", "navigate": r"reaches the goal",
}  # fmt: skip


def told(found: ZooResult) -> dict[str, Any]:
    """The figures by short names, each with its misses; `ran`: processes of this call, the others were done before."""
    out: dict[str, Any] = {}
    for figure in found.figures:
        key = next(key for key, pattern in KEYS.items() if re.match(pattern, figure.name))
        percent = 100.0 * figure.good / figure.of if figure.of else 0.0
        out[key] = {"good": figure.good, "of": figure.of, "percent": percent, "not": list(figure.misses)}
    bipeds = [row for row in found.rows if row.what == "biped" and row.walk == ""]
    return {**out, "bipeds": len(bipeds), "check_seconds": found.check_median, "ran": found.ran}


def kept(part: str) -> Path:
    """A folder of results of these sources; a new one where they are not committed."""
    root, name = Path(__file__).resolve().parents[1], "andante-zoo-"
    changed = subprocess.run(["git", "status", "--porcelain", "src"], cwd=root, capture_output=True, text=True)
    sources = subprocess.run(["git", "rev-parse", "HEAD:src"], cwd=root, capture_output=True, text=True)
    if changed.returncode or sources.returncode or changed.stdout.strip():
        return Path(tempfile.mkdtemp(prefix=name))
    return Path(tempfile.gettempdir()) / f"{name}{part}-{sources.stdout.strip()[:12]}"


def main() -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("part", choices=STEPS)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    out = asked.out or kept(asked.part)
    listing = write_all(out / "files") if asked.part == "made" else LIST
    if not listing.is_file():
        parser.error(f"the files of other makers are not in {LIST.parent}; set ANDANTE_ZOO")
    found = zoo(listing, out=out, steps=STEPS[asked.part], workers=asked.workers)
    print(found, file=sys.stderr if asked.json else sys.stdout)
    if asked.json:
        print(json.dumps(told(found)))


if __name__ == "__main__":
    main()
