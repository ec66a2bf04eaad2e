"""What a newcomer gets: `make run`, the README's Python and `make test` in a fresh clone.

    python benchmarks/fresh_clone.py [--no-tests] [--json]

The last commit is cloned into an empty folder; everything is set up there from nothing, caches included, so a network
is needed.
`page`: `make run` has answered with the page of the studio (1) or not (0); `readme`: the Python blocks of the README
run in an empty folder; then `make test`, of which passed, failed and skipped tests and the minutes of the tests alone
are told. The lines of make go to stderr.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
ADDRESS = re.compile(r"http://[\w.:]+[^\s]*")
SET_UP = 1200.0  # longest set-up and start [s]


def environment(clone: Path) -> dict[str, str]:
    """Without the environment and the caches of this user, and without a browser."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("VIRTUAL_ENV", "PYTHON"))}
    own = str(Path(sys.executable).parent)
    path = os.pathsep.join(part for part in kept.get("PATH", "").split(os.pathsep) if part != own)
    return {**kept, "PATH": path, "BROWSER": "true", "XDG_CACHE_HOME": str(clone.with_name("cache"))}


def page_of(clone: Path) -> int:
    """Whether `make run` answers with a page."""
    process = subprocess.Popen(
        ["make", "run"], cwd=clone, env=environment(clone), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
    )  # fmt: skip
    found: list[str] = []

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            sys.stderr.write(line)
            found.extend(ADDRESS.findall(line))

    threading.Thread(target=read, daemon=True).start()
    end = time.monotonic() + SET_UP
    try:
        while time.monotonic() < end and process.poll() is None:
            time.sleep(1.0)
            for address in found:
                with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5) as answer:
                    if b"<html" in answer.read().lower():
                        return 1
        return 0
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(15)
                break


def readme_runs(clone: Path, folder: Path) -> int:
    """Whether the Python blocks of the README run, each in a process of its own."""
    folder.mkdir()
    for code in BLOCK.findall((clone / "README.md").read_text(encoding="utf-8")):
        done = subprocess.run(
            [str(clone / ".venv/bin/python"), "-c", code],
            cwd=folder,
            env=environment(clone),
            stdout=sys.stderr,
            check=False,
        )
        if done.returncode != 0:
            return 0
    return 1


def tests_of(clone: Path) -> dict[str, float]:
    """`make test`: how many passed, failed, were skipped, and how long the tests alone took."""
    done = subprocess.run(
        ["make", "test"],
        cwd=clone,
        env=environment(clone),
        stdout=subprocess.PIPE,
        stderr=sys.stderr,
        text=True,
        check=False,
    )
    sys.stderr.write(done.stdout[-4000:])
    return summary(done.stdout, done.returncode)


def summary(text: str, code: int) -> dict[str, float]:
    """The figures of pytest's last line; a make that failed before it counts as one failure."""
    lines = [line for line in text.splitlines() if re.search(r"\d+ passed.* in [\d.]+s", line)]
    if not lines:
        return {"passed": 0, "failed": 1, "skipped": 0, "test_minutes": float("nan")}
    counts = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|skipped|errors?)", lines[-1])}
    seconds = re.search(r" in ([\d.]+)s", lines[-1])
    failed = counts.get("failed", 0) + counts.get("error", 0) + counts.get("errors", 0)
    return {
        "passed": counts.get("passed", 0),
        "failed": failed or int(code != 0),
        "skipped": counts.get("skipped", 0),
        "test_minutes": float(seconds.group(1)) / 60 if seconds else float("nan"),
    }


def main() -> None:
    """Clone, run, test and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-tests", action="store_true")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        clone = Path(folder) / "andante"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True, stdout=sys.stderr)
        begin = time.monotonic()
        told: dict[str, float] = {"page": page_of(clone), "run_minutes": (time.monotonic() - begin) / 60}
        told["readme"] = readme_runs(clone, Path(folder) / "empty")
        if not asked.no_tests:
            told |= tests_of(clone)
    print(json.dumps(told) if asked.json else "\n".join(f"{name:14} {value:.4g}" for name, value in told.items()))


if __name__ == "__main__":
    main()
