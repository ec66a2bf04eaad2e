"""The trials of the source on the simulated rover: how near it comes and how well it knows where it is.

    python benchmarks/rover_study.py [--seeds 5] [--engines mujoco,bullet] [--part trials,push,noise,odometry,obstacle]
                                     [--pictures DIR] [--workers N] [--json]

One line per trial with its worst and mean figures over the seeds, all by the simulator's truth. `push`: shoved sideways
on the way, led by the firmware's waypoint law and by the navigator. `obstacle`: a box that no map shows stands on the
way. `odometry`: AMCL led by the tags as in the source, instead of wheels and gyro. `--json`: one object on stdout, the
lines on stderr.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from side_by_side import side_by_side

from andante.description import Link, Placement, Robot
from andante.description.link import Collision, Visual
from andante.description.shapes import Box
from andante.geometry import SE3
from andante.robots.rover.plots import plot_rover_study, plot_rover_trial
from andante.robots.rover.trials import COURSES, RoverTrial, rover_trial

PARTS = ("trials", "push", "noise", "odometry", "obstacle")
BOX = Box((0.25, 0.25, 0.4))
OBSTACLE = Placement(
    "parcel",
    Robot("parcel", (Link("parcel", visuals=(Visual(BOX),), collisions=(Collision(BOX),)),), ()),
    SE3.from_xyz_rpy([0.65, 0.05, 0.2]),
    fixed=True,
)


def told(words: str, trials: Sequence[RoverTrial]) -> dict[str, Any]:
    """One line for trials of the same kind, and its figures."""
    ends = np.array([trial.final_error for trial in trials])
    rms = {source: np.array([trial.rms[source] for trial in trials]) for source in trials[0].rms}
    states = sum(trial.arrived and not trial.collided for trial in trials)
    parts = [
        f"{words:44} {states}/{len(trials)} there",
        f"end {ends.mean():.3f} (most {ends.max():.3f}) m",
        f"amcl {rms['amcl'].mean():.3f} ({rms['amcl'].max():.3f}) m",
        f"wheels {rms['odometry'].mean():.3f} m, uwb {rms['uwb'].mean():.3f} m rms",
        f"{np.mean([trial.seconds for trial in trials]):.1f} s",
        f"off the line {max(trial.off_line for trial in trials):.2f} m",
    ]
    print(", ".join(parts), file=sys.stderr if "--json" in sys.argv else sys.stdout, flush=True)
    return {
        "case": words.strip(), "trials": len(trials), "there": states, "worst_end": float(ends.max()),
        "worst_estimate": float(rms["amcl"].max()), "off_line": max(float(trial.off_line) for trial in trials),
    }  # fmt: skip


def trial(job: tuple[str, int, Mapping[str, Any]]) -> RoverTrial:
    """One trial: its name, seed and options."""
    name, seed, options = job
    return rover_trial(name, seed=seed, **options)


def trials(asked: argparse.Namespace, name: str, **options: Any) -> list[RoverTrial]:
    """The trial under every seed."""
    return list(side_by_side(trial, [(name, seed, options) for seed in range(asked.seeds)], asked.workers))


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--engines", default="mujoco,bullet")
    parser.add_argument("--part", default="trials,push")
    parser.add_argument("--pictures", type=Path, help="folder for pictures of the first engine's trials")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    rows: list[dict[str, Any]] = []
    parts, engines = asked.part.split(","), asked.engines.split(",")
    unknown = sorted(set(parts) - set(PARTS))
    if unknown:
        parser.error(f"no part {unknown[0]!r}; choices: {', '.join(PARTS)}")
    if "trials" in parts:
        for engine in engines:
            found: list[RoverTrial] = []
            for name, course in COURSES.items():
                found += (these := trials(asked, name, engine=engine))
                rows.append(told(f"{engine:7} {course.words}", these))
            rows.append(told(f"{engine:7} all", found))
            if asked.pictures and engine == engines[0]:
                plot_rover_study(found, asked.pictures / "rover_trials.png")
                plot_rover_trial(found[-asked.seeds], asked.pictures / "rover_left.png")
    more: list[tuple[str, str, Mapping[str, Any]]] = []
    if "push" in parts:
        for push in ("8 left 1.5", "12 right 1.5"):
            more += [(f"pushed {push}, {guide}", "along_y", {"push": push, "guide": guide}) for guide in
                     ("waypoint", "navigator")]  # fmt: skip
    if "noise" in parts:
        more += [(f"noise x {noise:g}", "diagonal", {"noise": noise}) for noise in (0.0, 2.0, 4.0)]
        more += [(f"friction x {friction:g}", "left", {"friction": friction}) for friction in (0.25, 0.5)]
    if "odometry" in parts:
        more += [(f"AMCL led by the tags, {name}", name, {"odometry": "uwb"}) for name in COURSES]
    if "obstacle" in parts:
        more += [("a parcel on the way, navigator", "along_y", {"others": (OBSTACLE,), "guide": "navigator"})]
    for words, name, options in more:
        for engine in engines[:1]:
            these = trials(asked, name, engine=engine, **options)
            rows.append(told(f"{engine:7} {words}", these))
            if asked.pictures:
                plot_rover_trial(these[0], asked.pictures / f"rover_{words.replace(' ', '_').replace(',', '')}.png")
    if asked.json:
        print(json.dumps({"rows": rows}))


if __name__ == "__main__":
    main()
