"""BARN worlds under physics: `python benchmarks/barn_study.py [--worlds N,...] [--seeds N] [--engine E] [--workers N]`.

Each world is read from its SDF file; no map is given. The courier (examples/courier.urdf, 0.42 x 0.33 m, up to 2 m/s)
drives by its lidar, wheels and gyro. Success: within 1 m of the goal without touching anything, within 100 s.
Metric = success · T / clip(t, 2 T, 8 T), T = reference path length / 2 m/s; 0.5 at most. The organisers' DWA: 0.16.
The data are looked for in $ANDANTE_DATASETS. `--json`: one object on stdout, the lines on stderr.
"""

import argparse
import json
import math
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from side_by_side import side_by_side

from andante.tasks.navigate import NavigateResult, navigate

ROOT = Path(__file__).parents[1]
DATASETS = Path(os.environ.get("ANDANTE_DATASETS") or ROOT.parent / "shared" / "datasets") / "barn"


def drive(options: dict[str, Any]) -> tuple[NavigateResult, float]:
    """One run and its processor time [s]."""
    begun = time.process_time()
    return navigate(**options), time.process_time() - begun


def main() -> None:
    """All runs, one line each, then the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--engine", default="mujoco")
    parser.add_argument("--controller", default="mppi")
    parser.add_argument("--robot", default=str(ROOT / "examples" / "courier.urdf"))
    parser.add_argument("--worlds", default="")
    parser.add_argument("--plots", type=Path)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    out = sys.stderr if given.json else sys.stdout
    if not (DATASETS / "worlds.json").is_file():
        parser.error(f"the BARN worlds are not in {DATASETS}; set ANDANTE_DATASETS")
    wanted = {int(number) for number in given.worlds.split(",") if number}
    rows: dict[int, list[tuple[bool, float, float]]] = {}
    spent = driven = 0.0
    worlds = [
        data for data in json.loads((DATASETS / "worlds.json").read_text()) if not wanted or data["world"] in wanted
    ]
    pairs = [(data, seed) for data in worlds for seed in range(given.seeds)]
    jobs = [
        {
            "robot": given.robot,
            "world": str(DATASETS / f"world_{data['world']}.world.gz"),
            "start": tuple(data["start"]),
            "goal": (*data["goal"][:2], math.nan),
            "tolerance": 1.0,
            "timeout": 100.0,
            "controller": given.controller,
            "engine": given.engine,
            "seed": seed,
            "plot": given.plots / f"barn_{data['world']}_{seed}.png" if given.plots else None,
        }
        for data, seed in pairs
    ]
    for (data, seed), (run, used) in zip(pairs, side_by_side(drive, jobs, given.workers), strict=True):
        number, best = int(data["world"]), data["optimal_time"]
        spent, driven = spent + used, driven + run.seconds
        metric = run.success * best / float(np.clip(run.time, 2 * best, 8 * best))
        rows.setdefault(number, []).append((run.success, run.time, metric))
        print(
            f"world {number:3d} seed {seed}: {'arrived' if run.success else run.reason}, {run.time:.2f} s, metric "
            f"{metric:.3f}, way {run.path_length:.2f} m, estimate off {run.estimate_error['max']:.3f} m at most",
            file=out,
            flush=True,
        )
    print(f"\n{'world':>5} {'arrived':>8} {'mean time [s]':>14} {'metric':>7}", file=out)
    for number, runs in rows.items():
        done, mean = sum(r[0] for r in runs), np.mean([r[2] for r in runs])
        print(f"{number:5d} {done:4d}/{len(runs):<3d} {np.mean([r[1] for r in runs]):14.2f} {mean:7.3f}", file=out)
    every = [run for runs in rows.values() for run in runs]
    print(
        f"{sum(r[0] for r in every)} of {len(every)} arrived without collision on {given.engine}, mean metric "
        f"{np.mean([r[2] for r in every]):.3f}, {driven / spent:.1f} times real time of processor time",
        file=out,
    )
    if given.json:
        each = {number: [[bool(r[0]), r[1], r[2]] for r in runs] for number, runs in rows.items()}
        means = {"arrived": sum(bool(r[0]) for r in every), "metric": float(np.mean([r[2] for r in every]))}
        print(json.dumps({"engine": given.engine, "runs": len(every), **means, "worlds": each}))


if __name__ == "__main__":
    main()
