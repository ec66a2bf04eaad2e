"""How long a first start takes: commands of a new user with empty caches, beside the same commands right after.

    python benchmarks/cold_start.py [--only WORD...] [--json]

The package is copied as pip or `make setup` leave it, with the bytecode of its modules and the store of kernels and
nothing that numba has kept since, and each command runs in a home of its own, twice: cold, and warm. Processor time
is that of the command and all its children; both times end when the command ends, for the studio when a key that is
held has moved the robot by a centimeter. `compiled` counts kernels that the cold run had to compile.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DATASETS = Path(os.environ.get("ANDANTE_DATASETS", ROOT.parent / "shared" / "datasets"))
ADDRESS = re.compile(r"http://[\w.:]+")
MOVED = 0.01  # that counts as moved by the key [m]
LIMIT = 900.0  # longest start [s]
CASES = {
    "walk nao": ("walk", "nao", "--distance", "0.3"),
    "walk shell": ("walk", "shell", "--distance", "0.3"),
    **{f"sim nao, {engine}": ("sim", "nao", "--engine", engine, "--seconds", "0.5")
       for engine in ("mujoco", "bullet", "dart", "ode")},
    "map": ("map", str(DATASETS / "slam/intel.clf.gz"), "-o", "map"),
    "navigate waffle": ("navigate", "waffle", "--world", "lab", "--goal", "1 0 0"),
    "studio": ("studio", "nao", "--port", "0", "--no-browser"),
}  # fmt: skip


@dataclass(frozen=True)
class Start:
    """One run."""

    wall: float  # [s]
    processor: float  # [s]
    compiled: int  # kernels


@dataclass(frozen=True)
class Row:
    """A command, cold and warm."""

    command: str
    cold: Start
    warm: Start

    @property
    def above(self) -> float:
        """Processor time of a cold start above a warm one [s]."""
        return self.cold.processor - self.warm.processor


@dataclass(frozen=True)
class Place:
    """Where the package is that is started, and by which Python; a copy has to be put on Python's path."""

    package: Path  # the folder that holds `andante`
    python: str = sys.executable
    installed: bool = False


def copied(folder: Path) -> Path:
    """The package as a new installation has it: sources, bytecode, page and the store, nothing that was kept since."""
    shutil.copytree(ROOT / "src/andante", folder / "andante", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(folder / "andante")], check=True)
    return folder


def run(words: tuple[str, ...], place: Place, home: Path, ends: Callable[[subprocess.Popen[str]], None]) -> Start:
    """Run a command in a home; `ends` waits for what is measured and sees to it that the command ends."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA", "XDG", "PYTHON"))}
    before = compiled(place.package, home)
    variables = {**kept, "HOME": str(home), **({} if place.installed else {"PYTHONPATH": str(place.package)})}
    spent, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with subprocess.Popen(
        [place.python, "-P", "-m", "andante", *words], cwd=home, env=variables, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        ends(process)
        wall = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - spent.ru_utime - spent.ru_stime
    return Start(wall, processor, compiled(place.package, home) - before)


def compiled(package: Path, home: Path) -> int:
    """How many kernels have been compiled and kept."""
    beside = (path for path in package.rglob("__pycache__/*.nbc"))
    return sum(1 for _ in beside) + sum(1 for _ in home.rglob("*.nbc"))


def to_the_end(process: subprocess.Popen[str]) -> None:
    """Wait for a command that ends by itself."""
    told, _ = process.communicate(timeout=LIMIT)
    if process.returncode:
        raise SystemExit(f"{process.args!r} ended with {process.returncode}: {told[-500:]}")


def until_a_key_moves(process: subprocess.Popen[str]) -> None:
    """Hold the key for ahead until the robot has moved, then end the studio."""
    with ended(process):
        assert process.stdout is not None
        address = next(found[0] for line in process.stdout if (found := ADDRESS.findall(line)))
        threading.Thread(target=process.stdout.read, daemon=True).start()
        hold_key(address.replace("http", "ws", 1) + "/rosbridge")


def hold_key(address: str) -> None:
    """As the page does: the key is told ten times a second; returns when the pose has changed."""
    from websockets.sync.client import connect

    with connect(address, max_size=None, open_timeout=LIMIT) as line:
        line.send(json.dumps({"op": "advertise", "topic": "/key", "type": "std_msgs/msg/String"}))
        line.send(json.dumps({"op": "subscribe", "topic": "/ground_truth/pose", "throttle_rate": 50}))
        first, end = None, time.monotonic() + LIMIT
        while time.monotonic() < end:
            line.send(json.dumps({"op": "publish", "topic": "/key", "msg": {"data": "w"}}))
            try:
                told = json.loads(line.recv(0.1))
            except TimeoutError:
                continue
            if told.get("topic") == "/ground_truth/pose":
                place = told["msg"]["pose"]["position"]
                first = first or place
                if abs(place["x"] - first["x"]) > MOVED:
                    return
    raise SystemExit("no key has moved the robot")


@contextmanager
def ended(process: subprocess.Popen[str]) -> Iterator[None]:
    """End a command that would go on."""
    try:
        yield
    finally:
        process.terminate()
        process.wait(60.0)


def measure(only: list[str], installed: Place | None = None) -> Iterator[Row]:
    """Every case whose name has one of the words, all without words; of a copy of this package or one installed."""
    for name, words in CASES.items():
        if only and not any(word in name for word in only):
            continue
        ends = until_a_key_moves if name == "studio" else to_the_end
        with tempfile.TemporaryDirectory(prefix="andante_cold_") as folder:
            place, home = installed or Place(copied(Path(folder) / "package")), Path(folder) / "home"
            home.mkdir()
            cold, warm = (run(words, place, home, ends) for _ in range(2))
        yield Row(name, cold, warm)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[], help="words of the commands to measure")
    parser.add_argument("--json", action="store_true", help="one object with all rows")
    asked = parser.parse_args()
    tell(list(told(measure(asked.only), asked.json)), asked.json)


def told(found: Iterator[Row], quiet: bool) -> Iterator[dict[str, Any]]:
    """Rows as they come, each in words: on stderr where stdout is for the object."""
    for row in found:
        text = (f"{each.processor:7.2f} s processor, {each.wall:7.2f} s wall" for each in (row.cold, row.warm))
        words = (
            f"{row.command:18} cold {next(text)}; warm {next(text)}; {row.above:+.2f} s, {row.cold.compiled} compiled"
        )
        print(words, file=sys.stderr if quiet else sys.stdout, flush=True)
        yield {**asdict(row), "above": row.above}


def tell(rows: list[dict[str, Any]], as_json: bool, **more: Any) -> None:
    """All rows as one object, where that is asked for."""
    if as_json:
        print(json.dumps({"rows": rows, "most_above": max(row["above"] for row in rows), **more}))


if __name__ == "__main__":
    main()
