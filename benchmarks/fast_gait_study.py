"""Whether candidates of the gait search can be tried faster without changing which are good.

    python benchmarks/fast_gait_study.py [--count 500] [--only space | near] [--report] [--json]

A sample of candidates is tried as the search tries them and again under settings that cost less, on one core: the
gain in candidates a second, Spearman's rank correlation of the fitness, and how many of the ten best are the same. Two
samples: `space` is drawn evenly from the ranges of the search, where nearly all fall; `near` is scattered about the
gait that ships. `butterfly` changes no setting: one joint begins 1e-10 rad further. What it does to the ranks is what
every change does that does not keep each bit. `parts` is where the time of a step goes, as MuJoCo counts it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from andante.locomotion.wave.model import WaveParameters, default_gait
from andante.robots.nao.experiments.bench import references_of
from andante.robots.nao.experiments.objective import WaveObjective
from andante.robots.nao.experiments.trial import WaveTrial

REPORT = Path(__file__).resolve().parent / "reports" / "fast_gait.md"
SAMPLES = ("space", "near")
BEST = 10
SPREAD = 0.08  # of the sample near the shipped gait, of each range
BUTTERFLY = 1e-10  # [rad]
VARIANTS: dict[str, Mapping[str, Any]] = {
    "as usual": {},
    "the same again": {},
    "butterfly": {},
    "tolerance 1e-10": {"solver": {"tolerance": 1e-10}},
    "tolerance 1e-4": {"solver": {"tolerance": 1e-4}},
    "two iterations": {"solver": {"iterations": 2}},
    "pyramidal cones": {"solver": {"cone": "pyramidal"}},
    "step of 3 ms": {"dt": 0.003},
    "step of 4 ms, tolerance 1e-4": {"dt": 0.004, "solver": {"tolerance": 1e-4}},
}
PARTS = {"contacts": "POS_COLLISION", "constraint solver": "CONSTRAINT", "kinematics and inertia": "POS_KINEMATICS"}


def sample(kind: str, count: int) -> list[dict[str, float]]:
    """Candidates, the same ones every time."""
    space, rng = WaveObjective().space, np.random.default_rng(7)
    if kind == "space":
        return [space.decode(place) for place in rng.random((count, space.dimensions))]
    middle = space.encode(default_gait("smooth").parameters.symbols())
    scattered = middle + SPREAD * rng.standard_normal((count, space.dimensions))
    return [space.decode(place) for place in np.clip(scattered, 0.0, 1.0)]


def tried(candidates: list[dict[str, float]], variant: str) -> tuple[np.ndarray, np.ndarray, float]:
    """Fitness and whether it fell, of every candidate, and the processor time of all [s]."""
    objective = WaveObjective(**VARIANTS[variant])
    objective.evaluate(default_gait("smooth").parameters.symbols())
    if variant == "butterfly":
        trial = objective._trial(0)
        trial.rewind()
        trial.engine.data.qpos[7] += BUTTERFLY  # type: ignore[attr-defined]
        trial._begin = trial._sim.snapshot()
    began = time.process_time()
    found = [objective.evaluate(candidate) for candidate in candidates]
    spent = time.process_time() - began
    objective.close()
    return np.array([each["fitness"] for each in found]), np.array([each["fallen"] for each in found]), spent


def ranks(values: np.ndarray) -> np.ndarray:
    """Place of each value in their order."""
    return np.argsort(np.argsort(values, kind="stable"))


def study(count: int, kinds: Sequence[str] = SAMPLES) -> list[dict[str, Any]]:
    """A row per sample and variant."""
    rows = []
    for kind in kinds:
        candidates, usual, usually = sample(kind, count), np.zeros(0), 0.0
        for variant in VARIANTS:
            fitness, fallen, spent = tried(candidates, variant)
            if variant == "as usual":
                usual, usually = fitness, spent
            best = {*np.argsort(-usual)[:BEST].tolist()} & {*np.argsort(-fitness)[:BEST].tolist()}
            rows.append({
                "sample": kind, "variant": variant, "gain": usually / spent, "falls": int(fallen.sum()),
                "correlation": float(np.corrcoef(ranks(usual), ranks(fitness))[0, 1]), "best": len(best),
                "rate": len(candidates) / spent,
            })  # fmt: skip
            print(words(rows[-1]), file=sys.stderr, flush=True)
    return rows


def words(row: Mapping[str, Any]) -> str:
    """A row of the table."""
    return (
        f"| {row['sample']} | {row['variant']} | {row['rate']:.1f} | {row['gain']:.2f} | {row['correlation']:.4f} | "
        f"{row['best']} | {row['falls']} |"
    )


def parts() -> dict[str, float]:
    """Shares of the time of a step, of a trial of the shipped gait."""
    trial, parameters = WaveTrial(), WaveParameters.of(default_gait("smooth").parameters.symbols())
    rows, _ = references_of(trial, parameters, 6.0)
    trial.rewind()
    model, data = trial.engine.mj_model, trial.engine.data  # type: ignore[attr-defined]
    mujoco.set_mjcb_time(time.perf_counter)
    controls = trial.engine._controls[trial.model]  # type: ignore[attr-defined]
    for row in rows:
        controls[:] = row
        mujoco.mj_step(model, data)
    spent = {name: float(data.timer[int(getattr(mujoco.mjtTimer, f"mjTIMER_{code}"))].duration)
             for name, code in {**PARTS, "step": "STEP"}.items()}  # fmt: skip
    mujoco.set_mjcb_time(None)
    trial.close()
    return {name: spent[name] / spent["step"] for name in PARTS}


def report(rows: list[dict[str, Any]], shares: Mapping[str, float], count: int) -> str:
    """The page."""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(asked, capture_output=True, text=True, check=False, cwd=REPORT.parent).stdout.strip()
    told = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
    return "\n".join([
        "# A faster gait search?", "", "    python benchmarks/fast_gait_study.py --report", "",
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, commit {commit}, load {os.getloadavg()[0]:.1f}. {count} candidates "
        "of each sample on one core. "
        "Asked of a fast mode: a gain of 1.5, a rank correlation of 0.99, and the same ten best.", "",
        f"Where the time of a step goes, by MuJoCo's own count: {told}.", "",
        "| sample | tried with | candidates/s | gain | rank correlation | of the ten best | falls |",
        "|---|---|---|---|---|---|---|", *(words(row) for row in rows), "",
    ])  # fmt: skip


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=500, help="candidates of each sample")
    parser.add_argument("--only", choices=SAMPLES, help="one sample")
    parser.add_argument("--report", action="store_true", help="write benchmarks/reports/fast_gait.md")
    parser.add_argument("--json", action="store_true", help="one object with all rows")
    asked = parser.parse_args()
    shares, rows = parts(), study(asked.count, (asked.only,) if asked.only else SAMPLES)
    if asked.report:
        REPORT.write_text(report(rows, shares, asked.count), encoding="utf-8")
    if asked.json:
        print(json.dumps({"rows": rows, "parts": shares}))


if __name__ == "__main__":
    main()
