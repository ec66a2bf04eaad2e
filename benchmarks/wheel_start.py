"""The wheel in an empty environment: how much a lean install brings, what it says it lacks, and how it starts.

    make wheel && python benchmarks/wheel_start.py [--wheel FILE] [--json]

The newest wheel of dist/ (or FILE) is installed with its dependencies and nothing else: `megabytes` is what that adds
to an empty environment, as `du` counts it. Commands that need an extra are called; each has to end with 2 and one
line that names the extra. Then the engines come in, and the commands of `cold_start.py` run cold and warm on what was
installed; `compiled` counts the kernels that they had to compile.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cold_start import ROOT, Place, measure, tell, told

ENGINES = "bullet,dart,ode"
LACKING = {  # commands of what a lean install has not, and the extra of each
    "bullet": ("sim", "nao", "--engine", "bullet", "--seconds", "0.1"),
    "dart": ("sim", "nao", "--engine", "dart", "--seconds", "0.1"),
    "ode": ("sim", "nao", "--engine", "ode", "--seconds", "0.1"),
    "pictures": ("sim", "nao", "--seconds", "0.1", "--video", "film.mp4"),
    "search": ("gait", "search", "nao", "--study", "study", "--sampler", "tpe", "--budget", "4", "--workers", "0"),
    "ray": ("gait", "search", "nao", "--study", "other", "--executor", "ray", "--budget", "4"),
    "plot": ("experiment", "report", "lean"),
    "ros2": ("bridge", "ros2", "ws://127.0.0.1:9"),
    "foxglove": ("bridge", "foxglove", "ws://127.0.0.1:9"),
    "naoqi": ("bridge", "naoqi", "ws://127.0.0.1:9"),
}
EXPERIMENT = ("experiment", "run", "straight-walk", "--trials", "1", "--workers", "0", "--out", "lean",
              "--factor", "speed=[100]", "--factor", "distance=[0.2]")  # fmt: skip


def empty(folder: Path) -> str:
    """An empty environment; its Python."""
    venv.create(folder, with_pip=True)
    return str(folder / "bin" / "python")


def install(python: str, what: str) -> None:
    """Have pip install a wheel."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run([python, "-m", "pip", "install", "--quiet", what], check=True, env=kept)


def megabytes(folder: Path) -> float:
    """What a folder takes on the disk, as `du -sm` tells it but for the rounding [MB of 2^20 bytes]."""
    return int(subprocess.run(["du", "-sk", str(folder)], capture_output=True, check=True).stdout.split()[0]) / 1024


def said(python: str, home: Path, words: tuple[str, ...]) -> tuple[int, str]:
    """How a command ends, and what it says on stderr."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA", "XDG", "PYTHON"))}
    done = subprocess.run(
        [python, "-P", "-m", "andante", *words], cwd=home, env={**kept, "HOME": str(home)}, capture_output=True,
        text=True, timeout=300.0, check=False,
    )  # fmt: skip
    return done.returncode, done.stderr.strip()


def unnamed(python: str, home: Path) -> list[str]:
    """Extras whose command does not name them in one line with exit 2; with what it does say."""
    found = []
    said(python, home, EXPERIMENT)
    for extra, words in LACKING.items():
        code, line = said(python, home, words)
        lines = [each for each in line.splitlines() if f"andante[{extra}]" in each]
        if code != 2 or len(lines) != 1 or "Traceback" in line:
            found.append(f"{extra}: {' '.join(words)} ended with {code}: {line[-300:]}")
    return found


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", type=Path, help="the wheel; else the newest of dist/")
    parser.add_argument("--json", action="store_true", help="one object with all rows")
    asked = parser.parse_args()
    wheels = sorted((ROOT / "dist").glob("*.whl"), key=lambda path: path.stat().st_mtime)
    wheels = [path for path in wheels if "none-any" not in path.name]
    if asked.wheel is None and not wheels:
        raise SystemExit("dist/ has no wheel with kernels; run `make wheel` first")
    wheel = (asked.wheel or wheels[-1]).resolve()
    with tempfile.TemporaryDirectory(prefix="andante_wheel_") as folder:
        environment, home = Path(folder) / "environment", Path(folder) / "home"
        home.mkdir()
        python = empty(environment)
        bare = megabytes(environment)
        install(python, str(wheel))
        lean = megabytes(environment) - bare
        silent = unnamed(python, home)
        for line in silent:
            print(f"not named: {line}", file=sys.stderr, flush=True)
        print(f"lean install: {lean:.0f} MB; {len(silent)} extras not named", file=sys.stderr, flush=True)
        install(python, f"{wheel}[{ENGINES}]")
        place = Place(next(environment.glob("lib/python*/site-packages")), python, installed=True)
        rows = list(told(measure([], place), asked.json))
        tell(rows, asked.json, megabytes=lean, unnamed=silent, wheel=wheel.name)
        if not asked.json:
            print(json.dumps({"megabytes": lean, "unnamed": silent}))


if __name__ == "__main__":
    main()
