"""BARN worlds under physics: `python benchmarks/barn_study.py [--bases NAME,...] [--worlds N,...] [--seeds N]`.

Each world is read from its SDF file; no map is given. Four bases of 0.42 x 0.33 m drive by lidar, wheels and, where
they have one, gyro: the courier (examples/courier.urdf), and examples/porter.urdf.xacro as a differential base without
IMU, a four-wheel skid-steer and a car. `--robot FILE` drives one of your own. Success: within 1 m of the goal without
touching anything, within 100 s. Metric = success · T / clip(t, 2 T, 8 T), T = path length / 2 m/s; 0.5 at most.
The organizers' DWA: 0.16. Worlds that a car cannot pass by the search of `barn_feasible.py` are listed and left out.
`--made N` drives N worlds of `made_worlds.py` instead, which nobody has seen. The data are looked for in
$ANDANTE_DATASETS. `--json`: one object on stdout, the lines on stderr. Runs are kept in `--keep FILE` and not run again
with the same code, so that a study that was stopped goes on.
"""

import argparse
import hashlib
import json
import math
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from journal import Job, Journal, Row
from made_worlds import made_world, write_world

from andante.description import load_robot
from andante.tasks.navigate import navigate

ROOT = Path(__file__).parents[1]
DATASETS = Path(os.environ.get("ANDANTE_DATASETS") or ROOT.parent / "shared" / "datasets") / "barn"
PORTER = "examples/porter.urdf.xacro"
BASES: dict[str, tuple[str, dict[str, str]]] = {
    "courier": ("examples/courier.urdf", {}),
    "differential": (PORTER, {"base": "differential"}),
    "skid": (PORTER, {"base": "skid"}),
    "car": (PORTER, {"base": "car"}),
}


def drive(job: Job) -> Row:
    """One run: what came of it, and its processor time [s]."""
    begun, data = time.process_time(), job["data"]
    plots = job["plots"]
    run = navigate(
        ROOT / job["robot"],
        arguments=job["arguments"],
        world=job.get("file") or str(DATASETS / f"world_{job['world']}.world.gz"),
        start=tuple(data["start"]),
        goal=(*data["goal"][:2], math.nan),
        tolerance=1.0,
        timeout=100.0,
        controller=job["controller"],
        engine=job["engine"],
        seed=job["seed"],
        max_speed=job["max_speed"],
        plot=Path(plots) / f"barn_{job['base']}_{job['world']}_{job['seed']}.png" if plots else None,
    )
    best = data["optimal_time"]
    return {
        "success": bool(run.success),
        "collided": bool(run.collided),
        "reason": run.reason,
        "time": run.time,
        "seconds": run.seconds,
        "metric": float(run.success * best / np.clip(run.time, 2 * best, 8 * best)),
        "way": run.path_length,
        "estimate": run.estimate_error["max"],
        "events": run.events[-6:],
        "processor": time.process_time() - begun,
    }


def told(done: int, total: int, job: Job, row: Row) -> None:
    """One line for a finished run."""
    print(
        f"{done}/{total} {job['base']} world {job['world']:3d} seed {job['seed']}: "
        f"{'arrived' if row['success'] else row['reason']}, {row['time']:.2f} s, metric {row['metric']:.3f}, "
        f"way {row['way']:.2f} m, estimate off {row['estimate']:.3f} m at most",
        file=sys.stderr,
        flush=True,
    )


def summary(rows: list[Row]) -> dict[str, Any]:
    """What is told of some runs."""
    return {
        "runs": len(rows),
        "arrived": sum(row["success"] for row in rows),
        "collided": sum(row["collided"] for row in rows),
        "metric": float(np.mean([row["metric"] for row in rows])) if rows else math.nan,
        "seconds": float(np.mean([row["time"] for row in rows])) if rows else math.nan,
    }


def main() -> None:
    """All runs, one line each, then the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--engine", default="mujoco")
    parser.add_argument("--controller", default="mppi")
    parser.add_argument("--bases", default=",".join(BASES))
    parser.add_argument("--robot", default="", help="a robot file to drive instead")
    parser.add_argument("--argument", action="append", default=[], metavar="NAME:=VALUE", help="of that file")
    parser.add_argument("--max-speed", type=float)
    parser.add_argument("--worlds", default="")
    parser.add_argument("--made", type=int, default=0, metavar="N", help="drive so many made worlds instead")
    parser.add_argument("--first-made", type=int, default=0, metavar="SEED", help="of the first of them")
    parser.add_argument("--scale", type=float, default=1.0, help="of all lengths of made worlds, for larger robots")
    parser.add_argument("--plots", type=Path)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path("out/barn_study.jsonl"), help="where runs are kept")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if not given.made and not (DATASETS / "worlds.json").is_file():
        parser.error(f"the BARN worlds are not in {DATASETS}; set ANDANTE_DATASETS")
    bases = {name: BASES[name] for name in given.bases.split(",") if name in BASES}
    if given.robot:
        bases = {Path(given.robot).name: (given.robot, dict(each.split(":=", 1) for each in given.argument))}
    wanted = {int(number) for number in given.worlds.split(",") if number}
    known = (
        [made_world(seed, given.scale) for seed in range(given.first_made, given.first_made + given.made)]
        if given.made
        else json.loads((DATASETS / "worlds.json").read_text())
    )
    worlds = [data for data in known if not wanted or data["world"] in wanted]
    folder = given.keep.parent.resolve() / "made_worlds"
    notes = given.keep.with_suffix(".ways.json")
    shut = {base: impassable(ROOT / file, arguments, worlds, notes) for base, (file, arguments) in bases.items()}
    jobs: list[Job] = [
        {
            "base": base,
            "robot": file,
            "arguments": arguments,
            "world": data["world"],
            "seed": seed,
            "engine": given.engine,
            "controller": given.controller,
            "max_speed": given.max_speed,
            "plots": str(given.plots) if given.plots else "",
            "data": {name: data[name] for name in ("start", "goal", "optimal_time")},
            **({"file": str(write_world(data, folder))} if given.made else {}),
        }
        for base, (file, arguments) in bases.items()
        for data in worlds
        if data["world"] not in shut[base]
        for seed in range(given.first_seed, given.first_seed + given.seeds)
    ]
    pairs = Journal(given.keep).carry_out(drive, jobs, given.workers, told)
    out = sys.stderr if given.json else sys.stdout
    each: dict[str, Any] = {}
    for base in bases:
        rows = [row for job, row in pairs if job["base"] == base]
        each[base] = summary(rows) | {"impassable": shut[base]}
        print(f"\n{base}\n{'world':>5} {'arrived':>8} {'mean time [s]':>14} {'metric':>7}", file=out)
        for data in worlds:
            here = summary([row for job, row in pairs if (job["base"], job["world"]) == (base, data["world"])])
            if here["runs"]:
                done = f"{here['arrived']:4d}/{here['runs']:<3d}"
                print(f"{data['world']:5d} {done} {here['seconds']:14.2f} {here['metric']:7.3f}", file=out)
        each[base]["worlds"] = {
            data["world"]: [
                [row["success"], row["time"], row["metric"]]
                for job, row in pairs
                if (job["base"], job["world"]) == (base, data["world"])
            ]
            for data in worlds
        }
    print(file=out)
    for base, told_of in each.items():
        print(
            f"{base}: {told_of['arrived']} of {told_of['runs']} arrived on {given.engine}, {told_of['collided']} "
            f"collided, mean metric {told_of['metric']:.3f}",
            file=out,
        )
    every = [row for _, row in pairs]
    spent, driven = sum(row["processor"] for row in every), sum(row["seconds"] for row in every)
    print(f"{driven / max(spent, 1e-9):.1f} times real time of processor time", file=out)
    if given.json:
        print(json.dumps({"engine": given.engine, **summary(every), "bases": each}))


def impassable(file: Path, arguments: dict[str, str], worlds: list[dict[str, Any]], notes: Path) -> list[int]:
    """Worlds that a base cannot pass however it drives; what the search found is kept in `notes`."""
    from barn_feasible import passable

    from andante.navigation import vehicle_of

    vehicle = vehicle_of(load_robot(file, arguments))
    if vehicle.drive != "ackermann":
        return []
    known: dict[str, bool] = json.loads(notes.read_text()) if notes.is_file() else {}
    shape = vehicle.footprint.round(6).tolist(), vehicle.turning_radius, vehicle.reference
    out = []
    for data in worlds:
        asked = json.dumps([shape, data["start"], data["goal"], data["cylinders"]])
        key = hashlib.sha256(asked.encode()).hexdigest()
        if key not in known:
            known[key] = passable(vehicle, data)
            notes.parent.mkdir(parents=True, exist_ok=True)
            notes.write_text(json.dumps(known))
        if not known[key]:
            out.append(data["world"])
    return out


if __name__ == "__main__":
    main()
