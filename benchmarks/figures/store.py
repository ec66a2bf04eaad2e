"""Finished runs on disk: one small JSON file each, written whole or not at all."""

from __future__ import annotations

import json
import math
import os
import subprocess
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .model import Run

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"
MEASURED = ("src", "web/src", "tests", "benchmarks", "examples", "pyproject.toml", "requirements.lock")
OUTCOME = (":!benchmarks/results", ":!benchmarks/RESULTS.md", ":!benchmarks/reports", ":!benchmarks/figures")


@dataclass(frozen=True)
class Stored:
    """What one run gave. `failure` tells why `output` is None."""

    run: str
    command: str
    commit: str  # with a + behind it when files had been changed since
    date: str  # UTC
    load: float  # average of the last minute before the run
    seconds: float  # by the wall clock
    processor_seconds: float | None  # of the command and all that it started; None: it went on with trials of before
    output: Any
    failure: str = ""
    machine: dict[str, str] = field(default_factory=dict)


def save(stored: Stored, folder: Path = RESULTS) -> Path:
    """Write one run; whoever is killed meanwhile leaves the file of before."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stored.run}.json"
    text = json.dumps(plain(asdict(stored)), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    half = path.with_suffix(".half")
    with half.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    half.replace(path)
    return path


def load(run: Run, folder: Path = RESULTS) -> Stored | None:
    """What is stored of a run, None where nothing is."""
    path = folder / f"{run.name}.json"
    return Stored(**json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else None


def plain(value: Any) -> Any:
    """The same with numbers that JSON can hold: six digits, NaN and infinities as null."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


def git(*words: str) -> str:
    """What git prints; empty where there is no repository."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def commit_now() -> str:
    """The commit that is measured, with a + when files that matter differ from it."""
    changed = git("status", "--porcelain", "--untracked-files=no", "--", *MEASURED, *OUTCOME)
    return git("rev-parse", "--short=9", "HEAD") + ("+" if changed else "")


def stale(stored: Stored | None) -> bool:
    """Whether a run is missing, has failed, or files that matter have changed since its commit."""
    if stored is None or stored.failure or stored.commit.endswith("+") or not stored.commit:
        return True
    since = ["git", "diff", "--quiet", stored.commit, "HEAD", "--", *MEASURED, *OUTCOME]
    return subprocess.run(since, cwd=ROOT, capture_output=True, check=False).returncode != 0
