"""How well localisation does: `python benchmarks/localization_study.py [--seeds N] [--plot FILE] [--json]`.

Monte Carlo localisation on the Intel key scans (where $ANDANTE_DATASETS has them): tracking, global starts from scratch
and by scan search, and robots that are carried elsewhere. UWB and IMU on made-up drives with outliers and walls, beside
trilateration. `--plot` draws a made-up drive on its map and a UWB drive. `--json`: one object on stdout, the lines on
stderr.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from andante.geometry import Array, se2
from andante.localization import LikelihoodField, MonteCarloLocalizer, localize_log
from andante.localization.synthetic import WALLS, UwbDrive, map_of_walls, uwb_drive
from andante.localization.uwb import track_uwb, trilaterate_log
from andante.mapping.io.logs import read_log
from andante.mapping.io.map_files import load_map
from andante.mapping.io.trajectories import read_trajectory
from andante.mapping.records import Log, odometry_at_scans
from andante.mapping.synthetic import DriveNoise, drive, rooms, smooth_path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    told: dict[str, Any] = {"seeds": asked.seeds}
    folder = Path(os.environ.get("ANDANTE_DATASETS", "../shared/datasets")) / "slam"
    if (folder / "intel.ref.txt").is_file():
        told |= intel(folder, asked.seeds)
    else:
        say(f"left out: the Intel data are not in {folder}")
    told["uwb"] = uwb(asked.seeds)
    if asked.plot is not None:
        plot(asked.plot)
    if asked.json:
        print(json.dumps(told))


def say(words: str) -> None:
    """A line for people."""
    print(words, file=sys.stderr if "--json" in sys.argv else sys.stdout, flush=True)


def away(poses: Array, truth: Array) -> Array:
    """Distances (n,) in the plane [m]."""
    return np.linalg.norm(np.atleast_2d(poses)[:, :2] - np.atleast_2d(truth)[:, :2], axis=1)


def intel(folder: Path, seeds: int) -> dict[str, Any]:
    """Tracking, global starts and carried robots on the Intel log: how many seeds do well."""
    log, truth = read_log(folder / "intel.clf.gz"), read_trajectory(folder / "intel.ref.txt").poses
    field, wheels = LikelihoodField(load_map(folder / "intel-map.yaml")), odometry_at_scans(log)
    begin = time.process_time()
    gaps = [away(localize_log(log, field, truth[0], seed=seed).trajectory.poses, truth) for seed in range(seeds)]
    spent = (time.process_time() - begin) / seeds
    whole = sum(bool((gap < 0.5).all()) for gap in gaps)
    say(
        f"tracking: {whole} of {seeds} seeds within 0.5 m all the way, mean {np.mean(gaps):.3f} m, "
        f"max {np.max(gaps):.3f} m, {spent:.2f} s of CPU for 910 scans"
    )
    told: dict[str, Any] = {"tracked": whole, "mean": float(np.mean(gaps)), "max": float(np.max(gaps))}
    for searched, words in ((True, "by scan search"), (False, "from scratch")):
        good, after = 0, []
        for seed in range(seeds):
            first = int(np.random.default_rng(seed).integers(0, 800))
            localizer = MonteCarloLocalizer(field, seed=seed)
            localizer.start_anywhere(log.scans[first] if searched else None)
            made = [localizer.update(log.scans[k], wheels[k]) for k in range(first, first + 60)]
            gap = away(np.array([each.pose for each in made]), truth[first : first + 60])
            good += bool(made[-1].converged and gap[-1] < 0.5)
            after.append(int(np.flatnonzero(gap >= 0.5).max(initial=-1)) + 1)
        say(f"global start {words}: {good} of {seeds} converge; right for good after {sorted(after)} scans")
        told[f"global {words}"] = good
    return {**told, "carried": carried(log, field, truth, wheels, seeds)}


def carried(log: Log, field: LikelihoodField, truth: Array, wheels: Array, seeds: int) -> int:
    """Robots that are lifted and put down elsewhere without notice: how many find themselves again."""
    good, after = 0, []
    for seed in range(seeds):
        rng = np.random.default_rng(100 + seed)
        lifted, put = int(rng.integers(30, 300)), int(rng.integers(400, 800))
        localizer = MonteCarloLocalizer(field, seed=seed)
        localizer.start_at(truth[lifted - 20])
        for k in range(lifted - 20, lifted):
            localizer.update(log.scans[k], wheels[k])
        jump = se2.compose(wheels[lifted - 1], se2.inverse(wheels[put]))
        made = [localizer.update(log.scans[k], se2.compose(jump, wheels[k])) for k in range(put, put + 60)]
        gap = away(np.array([each.pose for each in made]), truth[put : put + 60])
        good += bool((gap[-20:] < 0.5).all())
        after.append(int(np.flatnonzero(gap >= 0.5).max(initial=-1)) + 1)
    say(f"carried elsewhere: {good} of {seeds} recover; right for good after {sorted(after)} scans")
    return good


def uwb(seeds: int) -> dict[str, Any]:
    """Mean distance to the truth over made-up drives of 60 s, and the least gain beside plain trilateration."""
    rows = []
    for seed in range(seeds):
        made = uwb_drive(seed, 60.0)
        rows.append(
            [_plain(made, robust=False), _plain(made, robust=True), _fused(made, one=False), _fused(made, one=True)]
        )
    table = np.array(rows)
    names = ("plain trilateration", "robust trilateration", "ranges and IMU, two tags", "ranges and IMU, one tag")
    told = {}
    for name, column in zip(names, table.T, strict=True):
        gain = 100 * (1 - column / table[:, 0])
        say(f"{name}: mean {column.mean():.3f} m; better than plain by {gain.min():.0f} to {gain.max():.0f} %")
        told[name] = {"mean": float(column.mean()), "least_gain": float(gain.min()), "gain": float(gain.mean())}
    return told


def _plain(made: UwbDrive, *, robust: bool) -> float:
    times, places = trilaterate_log(made.log, made.setup, robust=robust)
    return float(away(places, made.truth.at(times)).mean())


def _fused(made: UwbDrive, *, one: bool) -> float:
    log = made.log
    if one:
        keep = log.tags == 0
        log = replace(
            log, times=log.times[keep], tags=log.tags[keep], anchors=log.anchors[keep], ranges=log.ranges[keep]
        )
    result = track_uwb(log, made.setup)
    return float(away(result.positions, made.truth.at(result.trajectory.times)).mean())


def plot(path: Path) -> None:
    """A made-up drive on its map, with particles of a global start, and a UWB drive."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    boxes = [(3, 3, 6, 3), (0, 6.5, 1.5, 0.3), (5, 0, 0.4, 1.2), (10.6, 5, 1.4, 0.2), (8, 7.5, 0.5, 1.5)]
    walls = rooms([(0, 0), (12, 0), (12, 9), (0, 9)], *boxes)
    way = smooth_path([(1.5, 1.6), (10.3, 1.6), (10.5, 7), (1.8, 7.6), (1.6, 2.4)], 0.15)
    run = drive(walls, way, seed=3, noise=DriveNoise(way_scale=1.05, turn_scale=0.95, drift=0.03))
    truth, wheels = run.truth.poses, odometry_at_scans(run.log)
    localizer = MonteCarloLocalizer(map_of_walls(walls), seed=1)
    localizer.start_anywhere()
    first = localizer.particles[::10].copy()
    poses = np.array([localizer.update(scan, wheels[k]).pose for k, scan in enumerate(run.log.scans)])
    _, (left, right) = plt.subplots(1, 2, figsize=(12, 4.8), gridspec_kw={"width_ratios": [1.2, 1]})
    for x1, y1, x2, y2 in walls:
        left.plot([x1, x2], [y1, y2], "k", lw=1.5)
    left.plot(first[:, 0], first[:, 1], ".", color="0.8", ms=2, label="particles at the start")
    dead = se2.compose(truth[0], se2.between(wheels[0], wheels))
    left.plot(dead[:, 0], dead[:, 1], "C0", lw=1, label="odometry alone")
    left.plot(truth[:, 0], truth[:, 1], "C2", lw=4, alpha=0.5, label="truth")
    right_from = 12
    left.plot(poses[right_from:, 0], poses[right_from:, 1], "C3", lw=1.2, label="localized")
    left.set(
        title="On a map, without an initial pose", xlabel="x [m]", ylabel="y [m]", aspect="equal", ylim=(-0.5, 9.5)
    )
    left.legend(loc="center", fontsize=8)
    made = uwb_drive(1, 60.0)
    result = track_uwb(made.log, made.setup)
    _, places = trilaterate_log(made.log, made.setup)
    right.plot(places[:, 0], places[:, 1], ".", color="0.7", ms=3, label="plain trilateration")
    right.plot(made.truth.poses[:, 0], made.truth.poses[:, 1], "C2", lw=4, alpha=0.5, label="truth")
    right.plot(result.positions[:, 0], result.positions[:, 1], "C3", lw=1.2, label="ranges and IMU")
    for x, y, _ in made.setup.anchors.values():
        right.plot(x, y, "k^")
    for x1, y1, x2, y2 in WALLS:
        right.plot([x1, x2], [y1, y2], "k", lw=3)
    right.set(title="UWB with outliers and walls", xlabel="x [m]", aspect="equal", xlim=(-0.5, 8.5), ylim=(-0.5, 6.5))
    right.legend(loc="lower center", fontsize=8)
    plt.tight_layout()
    plt.savefig(path, dpi=80)
    say(f"wrote {path}")


if __name__ == "__main__":
    main()
