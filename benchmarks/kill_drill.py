"""kill -9 at random moments of search, experiment and recording; a checker proves that nothing finished is lost.

python benchmarks/kill_drill.py [--seed N] [--only search|experiment|recording] [--share X] [--json] [--report]

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
TOYS = Path(__file__).resolve().parent / "hardening" / "toys.py"
EXPERIMENT = """name = "stroll"
trial = "{toys}:stroll"
engines = ["none"]
trials = 25
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
trials = 6
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
    """Toy searches with three samplers, and one of the NAO's gait."""
    own = ["--objective", f"{TOYS}:Hill", "--budget", "64", "--workers", "2", "--batch", "8"]
    more = ["nao", "--budget", "8", "--workers", "1", "--seconds", "0.1", "--sampler", "random"]
    jobs = [
        (f"search {sampler}", ["nao", "--sampler", sampler, *own], kills)
        for sampler, kills in (("random", 6), ("cmaes", 5), ("elites", 4))
    ]
    jobs.append(("search of the NAO's gait", more, 3))
    return [_search(name, words, _part(kills, share), 2 if "NAO" in name else 5) for name, words, kills in jobs]


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


def rows(only: str, seed: int, share: float, folder: Path) -> Iterator[dict[str, Any]]:
    """A row per kill and per end."""
    stores = [
        *(searches(share) if only in ("", "search") else []),
        *(experiments(folder, share) if only in ("", "experiment") else []),
    ]
    for number, job in enumerate(stores):
        place = folder / f"store{number}"
        place.mkdir()
        yield from drill_study.drill(job, place, random.Random(f"{seed}:{job.name}"))
    if only in ("", "recording"):
        place = folder / "recordings"
        place.mkdir()
        kinds = [".mcap"] * _part(6, share) + [".bag"] * _part(6, share) + [""] * _part(2, share)
        yield from drill_recording.beside(place, kinds, random.Random(f"{seed}:beside"))
        own = ["mcap"] * _part(3, share) + ["bag"] * _part(3, share)
        yield from drill_recording.itself(place, own, random.Random(f"{seed}:itself"))


def _part(count: int, share: float) -> int:
    return max(1, round(count * share))


def main() -> None:
    """Do the drill and tell."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--only", choices=("search", "experiment", "recording"), default="")
    parser.add_argument("--share", type=float, default=1.0, help="of the kills")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--report", action="store_true", help="write benchmarks/reports/kills.md")
    told = parser.parse_args()
    done, begun = [], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kill-drill-") as folder:
        for row in rows(told.only, told.seed, told.share, Path(folder)):
            done.append(row)
            mark = "; ".join(row["faults"]) or "sound"
            print(
                f"{row['job']:26} {row['when']:24} announced {row['announced']:4} kept {row['kept']:4}  {mark}",
                file=sys.stderr,
            )
    table = summary(done, time.monotonic() - begun)
    if told.report:
        write_report(ROOT, done, told.seed, table)
    print(
        json.dumps(table)
        if told.json
        else f"{table['kills']} kills, {table['faults']} faults, {table['seconds']:.0f} s"
    )
    sys.exit(1 if table["faults"] else 0)


if __name__ == "__main__":
    main()
