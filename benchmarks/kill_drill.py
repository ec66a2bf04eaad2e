"""kill -9 at random moments of search, experiment and recording; a checker proves that nothing finished is lost.

python benchmarks/kill_drill.py [--seed N] [--only TEXT] [--fraction X] [--json] [--report]

Each kill is a row; --fraction 0.2: a fifth of them, --only 'bag record' the jobs with this in their name, --list tells
the names. Rows are kept until their job is done anew; --report writes all of them to benchmarks/reports/kills.md.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from hardening import drill_recording, drill_study
from hardening.drill_study import StudyJob
from hardening.kill_report import summary, write_report

ROOT = Path(__file__).resolve().parent.parent
Rows = Iterator[dict[str, Any]]
Job = Callable[[Path, float, random.Random], Rows]
TOYS = Path(__file__).resolve().parent / "hardening" / "toys.py"
EXPERIMENT = """name = "stroll"
trial = "{toys}:stroll"
engines = ["none"]
trials = 64
seed = 3
[factors]
way = [1.0, 2.0]
pace = ["slow", "fast"]
[measures]
x = {{ unit = "m", commanded = "way" }}
fallen = {{}}
[vary]
yaw = 0.1
[arguments]
wait = 0.02
"""
SLIDE = """name = "slide"
trial = "parity"
engines = ["mujoco"]
trials = 30
seed = 1
[factors]
scene = ["sliding"]
dt = [0.001, 0.002]
[measures]
off = { unit = "m" }
value = { unit = "m" }
fallen = {}
[vary]
friction = [0.8, 1.0]
yaw = 0.1
"""


def searches() -> dict[str, Job]:
    """Toy searches with three samplers, and one of the NAO's gait on MuJoCo."""
    own = ["--objective", f"{TOYS}:Hill", "--budget", "240", "--workers", "2", "--batch", "8"]
    jobs = {
        f"search {sampler}": _search(["nao", "--sampler", sampler, *own], kills, 5)
        for sampler, kills in {"random": 6, "cmaes": 5, "elites": 4}.items()
    }
    words = ["nao", "--budget", "100", "--workers", "1", "--seconds", "0.1", "--sampler", "random"]
    return {**jobs, "search of the NAO's gait": _search(words, 3, 4)}


def _search(words: list[str], kills: int, most: int) -> Job:
    workers = words[words.index("--workers") + 1]
    return partial(
        _study,
        lambda store: ["gait", "search", *words, "--study", str(store)],
        lambda store: ["gait", "resume", str(store), "--workers", workers],
        kills,
        most,
    )


def experiments() -> dict[str, Job]:
    """A toy experiment, and one on MuJoCo."""
    jobs: dict[str, Job] = {}
    for name, text, kills, most in (("stroll", EXPERIMENT.format(toys=TOYS), 9, 5), ("slide", SLIDE, 3, 2)):

        def words(store: Path, name: str = name, text: str = text) -> list[str]:
            file = store.parent / f"{name}.toml"
            file.write_text(text)
            return ["experiment", "run", str(file), "--out", str(store), "--workers", "2"]

        jobs[f"experiment {name}"] = partial(_study, words, words, kills, most)
    return jobs


def _study(
    begin: drill_study.Words, resume: drill_study.Words, kills: int, most: int,
    folder: Path, fraction: float, dice: random.Random,
) -> Rows:  # fmt: skip
    yield from drill_study.drill(StudyJob(begin, resume, _part(kills, fraction), most), folder, dice)


def recordings() -> dict[str, Job]:
    """`bag record` beside a session, and sessions that record themselves."""
    jobs: dict[str, Job] = {}
    for name, drill, kind, kills in (
        ("bag record .mcap", drill_recording.beside, ".mcap", 6),
        ("bag record .bag", drill_recording.beside, ".bag", 6),
        ("bag record folder", drill_recording.beside, "", 2),
        ("session .mcap", drill_recording.itself, "mcap", 3),
        ("session .bag", drill_recording.itself, "bag", 3),
    ):

        def job(
            folder: Path, fraction: float, dice: random.Random, drill: Any = drill, kind: str = kind, kills: int = kills
        ) -> Rows:
            yield from drill(folder, kind, _part(kills, fraction), dice)

        jobs[name] = job
    return jobs


def _part(count: int, fraction: float) -> int:
    return max(1, round(count * fraction))


def main() -> None:
    """Do the drill and tell."""
    jobs = {**searches(), **experiments(), **recordings()}
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--only", default="", metavar="TEXT", help="jobs with this in their name")
    parser.add_argument("--list", action="store_true", help="tell the names of the jobs")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "kills", help="where the rows are kept")
    parser.add_argument("--fraction", type=float, default=1.0, help="of the kills")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--report", action="store_true", help="write benchmarks/reports/kills.md")
    told = parser.parse_args()
    files = {name: told.folder / f"{re.sub('[^a-z0-9]+', '_', name.lower())}.json" for name in jobs}
    asked = [name for name in jobs if told.only in name]
    if told.list or not asked:
        print("\n".join(jobs))
        sys.exit(0 if told.list else f"no job has {told.only!r} in its name")
    told.folder.mkdir(parents=True, exist_ok=True)
    for name in asked:
        _drill(name, jobs[name], told.seed, told.fraction, files[name])
    kept = [json.loads(file.read_text()) for file in files.values() if file.exists()]
    rows = [row for job in kept for row in job["rows"]]
    table = summary(rows, sum(job["seconds"] for job in kept))
    if told.report:
        write_report(ROOT, rows, told.seed, table)
    print(json.dumps(table) if told.json else f"{table['kills']} kills, {table['faults']} faults")
    sys.exit(1 if table["faults"] else 0)


def _drill(name: str, job: Job, seed: int, fraction: float, file: Path) -> None:
    """Do a job, and keep its rows as they come."""
    done: list[dict[str, Any]] = []
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kill-drill-") as folder:
        for row in job(Path(folder), fraction, random.Random(f"{seed}:{name}")):
            done.append({"job": name, **row})
            mark = "; ".join(row["faults"]) or "sound"
            told = f"{name:26} {row['when']:26} announced {row['announced']:4} kept {row['kept']:4}  {mark}"
            print(told, file=sys.stderr, flush=True)
            draft = file.with_suffix(".part")
            draft.write_text(json.dumps({"seconds": time.monotonic() - begun, "rows": done}))
            draft.replace(file)


if __name__ == "__main__":
    main()
