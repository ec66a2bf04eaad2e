"""kill -9 at random moments of search, experiment and recording; a checker proves that nothing finished is lost.

python benchmarks/kill_drill.py [--seed N] [--only search|gait|experiment|recording] [--share X] [--json] [--report]

Each kill is a row; --share 0.2 does a fifth of them. --report writes benchmarks/reports/kills.md.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hardening import drill_recording, drill_study
from hardening.drill_study import StudyJob
from hardening.kill_report import summary, write_report

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("search", "gait", "experiment", "recording")
TOYS = Path(__file__).resolve().parent / "hardening" / "toys.py"
EXPERIMENT = """name = "stroll"
trial = "{toys}:stroll"
engines = ["none"]
trials = 32
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
trials = 8
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


def searches(share: float) -> list[StudyJob]:
    """Toy searches with three samplers."""
    own = ["--objective", f"{TOYS}:Hill", "--budget", "120", "--workers", "2", "--batch", "8"]
    kills = {"random": 6, "cmaes": 5, "elites": 4}
    return [_search(f"search {s}", ["nao", "--sampler", s, *own], _part(n, share), 5) for s, n in kills.items()]


def gaits(share: float) -> list[StudyJob]:
    """A search of the NAO's gait on MuJoCo."""
    words = ["nao", "--budget", "40", "--workers", "1", "--seconds", "0.1", "--sampler", "random"]
    return [_search("search of the NAO's gait", words, _part(3, share), 4)]


def _search(name: str, words: list[str], kills: int, most: int) -> StudyJob:
    workers = words[words.index("--workers") + 1]
    return StudyJob(
        name,
        lambda store: ["gait", "search", *words, "--study", str(store)],
        lambda store: ["gait", "resume", str(store), "--workers", workers],
        kills,
        most,
    )


def experiments(folder: Path, share: float) -> list[StudyJob]:
    """A toy experiment, and one on MuJoCo."""
    jobs = []
    for name, text, kills, most in (("stroll", EXPERIMENT.format(toys=TOYS), 9, 5), ("slide", SLIDE, 3, 2)):
        file = folder / f"{name}.toml"
        file.write_text(text)

        def words(store: Path, file: Path = file) -> list[str]:
            return ["experiment", "run", str(file), "--out", str(store), "--workers", "2"]

        jobs.append(StudyJob(f"experiment {name}", words, words, _part(kills, share), most))
    return jobs


def rows(part: str, seed: int, share: float, folder: Path) -> Iterator[dict[str, Any]]:
    """A row per kill and per end of a part."""
    if part == "recording":
        kinds = [".mcap"] * _part(6, share) + [".bag"] * _part(6, share) + [""] * _part(2, share)
        yield from drill_recording.beside(folder, kinds, random.Random(f"{seed}:beside"))
        own = ["mcap"] * _part(3, share) + ["bag"] * _part(3, share)
        yield from drill_recording.itself(folder, own, random.Random(f"{seed}:itself"))
        return
    jobs = {"search": searches, "gait": gaits}.get(part, lambda share: experiments(folder, share))(share)
    for number, job in enumerate(jobs):
        place = folder / f"store{number}"
        place.mkdir()
        yield from drill_study.drill(job, place, random.Random(f"{seed}:{job.name}"))


def _part(count: int, share: float) -> int:
    return max(1, round(count * share))


def main() -> None:
    """Do the drill and tell."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--only", choices=PARTS, help="one part; the report has the latest rows of all")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "kills", help="where the rows are kept")
    parser.add_argument("--share", type=float, default=1.0, help="of the kills")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--report", action="store_true", help="write benchmarks/reports/kills.md")
    told = parser.parse_args()
    told.folder.mkdir(parents=True, exist_ok=True)
    for part in PARTS if not told.only else (told.only,):
        _drill(part, told.seed, told.share, told.folder / f"{part}.json")
    kept = [json.loads(file.read_text()) for part in PARTS if (file := told.folder / f"{part}.json").exists()]
    table = summary([row for part in kept for row in part["rows"]], sum(part["seconds"] for part in kept))
    if told.report:
        write_report(ROOT, [row for part in kept for row in part["rows"]], told.seed, table)
    print(json.dumps(table) if told.json else f"{table['kills']} kills, {table['faults']} faults")
    sys.exit(1 if table["faults"] else 0)


def _drill(part: str, seed: int, share: float, file: Path) -> None:
    """Do a part, and keep its rows as they come."""
    done: list[dict[str, Any]] = []
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kill-drill-") as folder:
        for row in rows(part, seed, share, Path(folder)):
            done.append(row)
            mark = "; ".join(row["faults"]) or "sound"
            told = f"{row['job']:26} {row['when']:24} announced {row['announced']:4} kept {row['kept']:4}  {mark}"
            print(told, file=sys.stderr, flush=True)
            draft = file.with_suffix(".part")
            draft.write_text(json.dumps({"seconds": time.monotonic() - begun, "rows": done}))
            draft.replace(file)


if __name__ == "__main__":
    main()
