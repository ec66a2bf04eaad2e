"""A drive of 20 km through a made-up town, mapped in one run: `python benchmarks/long_drive.py [--json]`.

Blocks of buildings of random size stand on a lattice of streets; the robot turns at random crossings, with wheels that
slip and turn too far. Prints the processor time per scan of tracking and per key scan of loop closure in each tenth of
the drive, the peak of memory, and the error of the poses. Everything follows from the seed.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import sys
import time

import numpy as np

from andante.bench.warm_up import warm_mapping
from andante.geometry import Array, se2
from andante.mapping import Log, Odometry, Scan, build_map
from andante.mapping.synthetic import cast, rooms, smooth_path

PITCH = 40.0  # between two streets [m]
STREET = 8.0  # width [m]
BLOCKS = 10  # along each side of the town
RANGE, BEAMS, STEP, PERIOD = 20.0, 180, 0.4, 0.2
AXES = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)])
SLIP = (1.01, 1.02, 0.002, 0.01, 0.004)  # scale of way and turn, drift [rad/m], deviations per step [m, rad]


def town(generator: np.random.Generator) -> list[tuple[Array, Array]]:
    """Middle (2,) and walls (n, 4) of every block: a building with niches, so that no two streets look alike."""
    blocks = []
    for i in range(BLOCKS):
        for j in range(BLOCKS):
            low = np.array([i, j]) * PITCH + STREET / 2
            side = PITCH - STREET
            corners = []
            for k in range(4):
                along, across = AXES[k], AXES[(k + 1) % 4]
                start = low + side * np.array(((0, 0), (1, 0), (1, 1), (0, 1))[k])
                at = np.sort(generator.uniform(2.0, side - 2.0, 6))
                for n, where in enumerate(at):
                    depth = generator.uniform(0.3, 2.0) if n % 2 == 0 else 0.0
                    before = generator.uniform(0.3, 2.0) if n % 2 else 0.0
                    corners += [start + where * along + d * across for d in (before, depth)]
            blocks.append((low + side / 2, rooms(corners)))
    return blocks


def way(meters: float, generator: np.random.Generator) -> Array:
    """Poses (n, 3) along streets, with a random turn at each crossing and no way back."""
    here, heading = np.array([BLOCKS // 2, BLOCKS // 2]), 0
    points = [here]
    while PITCH * len(points) < meters + 2 * PITCH:
        turns = [turn for turn in (0, 1, 3) if (here + AXES[(heading + turn) % 4] >= 0).all()
                 and (here + AXES[(heading + turn) % 4] <= BLOCKS).all()]  # fmt: skip
        heading = (heading + int(generator.choice(turns))) % 4
        here = here + AXES[heading]
        points.append(here)
    return smooth_path(np.array(points) * PITCH, STEP)[: round(meters / STEP)]


def log_of(meters: float, seed: int) -> tuple[Log, Array]:
    """The log and the true poses (n, 3) of its scans."""
    generator = np.random.default_rng(seed)
    blocks, poses = town(generator), way(meters, generator)
    middles = np.array([middle for middle, _ in blocks])
    angles = -math.pi / 2 + math.pi / BEAMS * np.arange(BEAMS)
    records, wheels = [], np.zeros(3)
    for k, pose in enumerate(poses):
        if k:
            step = se2.between(poses[k - 1], pose)
            told = step * [SLIP[0], SLIP[0], SLIP[1]] + [0.0, 0.0, SLIP[2] * step[0]]
            wheels = se2.compose(wheels, told + generator.normal(size=3) * [SLIP[3], SLIP[3], SLIP[4]])
        near = np.flatnonzero(np.abs(middles - pose[:2]).max(axis=1) < RANGE + PITCH / 2)
        walls = np.concatenate([blocks[b][1] for b in near])
        ranges = cast(walls, np.tile(pose[:2], (BEAMS, 1)), pose[2] + angles) + generator.normal(size=BEAMS) * 0.01
        records.append(Odometry(k * PERIOD, (float(wheels[0]), float(wheels[1]), float(wheels[2]))))
        records.append(
            Scan(k * PERIOD, np.where(ranges > RANGE, np.inf, ranges), float(angles[0]), math.pi / BEAMS, 0.05, RANGE)
        )
    return Log("town", tuple(records)), poses


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kilometers", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    warm_mapping()
    log, truth = log_of(1000 * asked.kilometers, asked.seed)
    marks: dict[str, list[tuple[int, float]]] = {}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    def progress(what: str, done: int, total: int) -> None:
        marks.setdefault(what, []).append((done, time.process_time()))

    began = time.process_time()
    result = build_map(log, progress=progress)
    spent = time.process_time() - began
    told = {}
    for what in ("tracking", "closing loops"):
        done, at = np.array(marks[what]).T
        edges = np.linspace(done[0], done[-1], 11)
        per = 1000 * np.diff(np.interp(edges, done, at)) / np.diff(edges)
        told[what] = per.round(3).tolist()
        print(f"{what}: " + " ".join(f"{each:.2f}" for each in per) + " ms", file=sys.stderr, flush=True)
    error = se2.between(truth[0], truth)
    off = np.linalg.norm(result.poses[:, :2] - error[:, :2], axis=1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    row = {
        "kilometers": asked.kilometers, "scans": result.scans, "keys": result.keys, "loops": result.loops,
        "seconds": spent, "memory_of_log": before, "peak_memory": peak, "mean_error": float(off.mean()),
        "greatest_error": float(off.max()), "size": result.grid.shape, "milliseconds": told,
    }  # fmt: skip
    print(json.dumps(row) if asked.json else "\n".join(f"{name}: {value}" for name, value in row.items()), flush=True)


if __name__ == "__main__":
    main()
