"""How well the NAO walks: distances and turns over seeds, pushes, engines, the time of a control step.

python benchmarks/biped_study.py [matrix | turns | pushes | engines | speed | step] ... [--quick] [--workers N]
[--pushes N] [--json]

Every figure is the simulator's truth; the robot is led by its own estimate. `--quick`: two seeds and fewer pushes.
`--json`: one object with a key per part on stdout, the lines on stderr.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from multiprocessing import Pool
from typing import Any

import numpy as np

from andante.tasks.walk import WalkResult, walk

SEEDS, QUICK_SEEDS = 7, 2
DISTANCES, SPEEDS = (0.5, 1.0, 3.0), (40.0, 80.0, 100.0)
TURNS = (90.0, 360.0, -180.0, -270.0)
PUSHES, QUICK_PUSHES = 200, 24
SMALLEST, LARGEST = 0.3, 3.0  # [N s]
EDGES = (0.3, 0.7, 1.0, 1.5, 2.0, 2.5, 3.0)
GAITS = (("walking", (0.15, 0.0, 0.0)), ("on the spot", (1e-9, 0.0, 0.0)), ("standing", (0.0, 0.0, 0.0)))
STEP = 0.28  # about the time of a step, over which pushes are spread twice [s]

Job = dict[str, Any]  # keyword arguments of `walk`


def say(words: str) -> None:
    """A line for people."""
    print(words, file=sys.stderr if "--json" in sys.argv else sys.stdout, flush=True)


def walked(job: Job) -> tuple[Job, WalkResult]:
    """One walk of the NAO."""
    return job, walk("nao", **job)


def carried_out(jobs: list[Job], workers: int) -> list[tuple[Job, WalkResult]]:
    """All walks, in order."""
    if workers < 2:
        return [walked(job) for job in jobs]
    with Pool(workers) as pool:
        return list(pool.imap(walked, jobs, chunksize=1))


def matrix(quick: bool, workers: int) -> list[dict[str, Any]]:
    """Distances at speeds over seeds: worst error and drift in percent of the distance."""
    seeds = range(QUICK_SEEDS if quick else SEEDS)
    jobs = [Job(distance=d, speed=v, seed=n) for d in DISTANCES for v in SPEEDS for n in seeds]
    done = carried_out(jobs, workers)
    rows = []
    say("distance  speed   falls   error % (mean, worst)   drift % (mean, worst)   m/s")
    for d in DISTANCES:
        for v in SPEEDS:
            some = [o for job, o in done if (job["distance"], job["speed"]) == (d, v)]
            error = np.array([100 * (o.distance - d) / d for o in some])
            drift = np.array([100 * abs(o.drift) / d for o in some])
            pace = np.mean([o.distance / o.time for o in some])
            falls = f"{sum(o.fallen for o in some)}/{len(some)}"
            told = f"{error.mean():+8.2f} {np.abs(error).max():8.2f}   {drift.mean():10.2f} {drift.max():8.2f}"
            say(f"{d:6.1f} m {v:5.0f} % {falls:>7} {told} {pace:12.3f}")
            rows.append(
                {"distance": d, "speed": v, "trials": len(some), "falls": sum(o.fallen for o in some),
                 "worst_error": np.abs(error).max(), "worst_drift": drift.max(), "pace": pace}
            )  # fmt: skip
    return rows


def turns(quick: bool, workers: int) -> list[dict[str, Any]]:
    """Turns over seeds at 80 %: error in percent, and how far it has wandered."""
    seeds = range(QUICK_SEEDS if quick else SEEDS)
    done = carried_out([Job(turn=t, speed=80.0, seed=n) for t in TURNS for n in seeds], workers)
    rows = []
    say("turn        falls   error % (mean, worst)   moved mm (worst)")
    for t in TURNS:
        some = [o for job, o in done if job["turn"] == t]
        error = np.array([100 * (o.turned - t) / t for o in some])
        moved = 1e3 * max(math.hypot(o.distance, o.drift) for o in some)
        falls = f"{sum(o.fallen for o in some)}/{len(some)}"
        say(f"{t:+7.0f} deg {falls:>6} {error.mean():+8.2f} {np.abs(error).max():8.2f} {moved:14.0f}")
        rows.append(
            {"turn": t, "trials": len(some), "falls": sum(o.fallen for o in some),
             "worst_error": np.abs(error).max(), "moved": 1e-3 * moved}
        )  # fmt: skip
    return rows


def pushes(quick: bool, workers: int) -> dict[str, Any]:
    """Random pushes of 0.1 s at the torso, any direction, any phase: who is still up when it has come to a stand."""
    words = sys.argv
    count = int(words[words.index("--pushes") + 1]) if "--pushes" in words else QUICK_PUSHES if quick else PUSHES
    told: dict[str, Any] = {}
    for name, velocity in GAITS[:1] if quick else GAITS:
        rng = np.random.default_rng(4)
        jobs = []
        for n in range(count if name == "walking" else count // 4):
            size, angle = rng.uniform(SMALLEST, LARGEST), rng.uniform(-180.0, 180.0)
            push = round(size, 3), round(angle, 1), round(1.5 + rng.uniform(0.0, 2 * STEP), 3)
            jobs.append(Job(velocity=velocity, seconds=5.0, push=push, seed=n))
        done = carried_out(jobs, workers)
        sizes = np.array([job["push"][0] for job, _ in done])
        up = np.array([not o.fallen for _, o in done])
        told[name] = {"pushes": len(up), "curve": [], "up_to": {}}
        say(f"pushed while {name}: up / pushed by impulse [N s]")
        for low, high in pairwise(EDGES):
            inside = (sizes >= low) & (sizes < high)
            if inside.any():
                told[name]["curve"].append([low, high, up[inside].sum(), inside.sum()])
                say(f"  {low:.1f} .. {high:.1f}: {up[inside].sum():3d} / {inside.sum():3d}")
        for most in (0.7, 1.0):
            inside = sizes <= most
            if inside.any():
                told[name]["up_to"][f"{most:.1f}"] = 100 * up[inside].mean()
                say(f"  up to {most:.1f} N s: {100 * up[inside].mean():.0f} %")
    return told


def engines(quick: bool, workers: int) -> dict[str, Any]:
    """A metre and a quarter turn at 60 % on every engine."""
    names = ("mujoco", "bullet") if quick else ("mujoco", "bullet", "dart", "ode")
    jobs = [Job(engine=e, **goal) for goal in ({"distance": 1.0}, {"turn": 90.0}) for e in names]
    told: dict[str, Any] = {}
    for job, o in carried_out(jobs, workers):
        what = "90 deg" if "turn" in job else "1 m"
        state = "fallen" if o.fallen else "arrived" if o.arrived else "late"
        say(f"{o.engine:7} {what:7} {o.distance:7.3f} m {o.drift:+7.3f} m {o.turned:+8.2f} deg  {state}")
        off = 100 * abs(o.turned - 90.0) / 90.0 if "turn" in job else 100 * abs(o.distance - 1.0)
        told.setdefault(o.engine, {})[what] = {
            "distance": o.distance, "drift": o.drift, "turned": o.turned, "state": state, "fallen": o.fallen,
            "error": off,
        }  # fmt: skip
    return told


def speed(quick: bool, workers: int) -> list[dict[str, Any]]:
    """How fast it can be told to go: ten seconds at rising speeds."""
    rows = []
    jobs = [Job(velocity=(v, 0.0, 0.0), seconds=8.0, seed=1) for v in (0.15, 0.25, 0.30, 0.354)]
    for job, o in carried_out(jobs, workers):
        state = "fallen" if o.fallen else "up"
        asked = job["velocity"][0]
        say(f"asked {asked:5.3f} m/s went {o.distance:.3f} m, {o.drift:+.3f} m aside in {o.time:.1f} s, {state}")
        rows.append(
            {"asked": asked, "distance": o.distance, "drift": o.drift,
             "time": o.time, "fallen": o.fallen, "pace": 0.0 if o.fallen else o.distance / o.time}
        )  # fmt: skip
    return rows


def step(quick: bool, workers: int) -> dict[str, Any]:
    """Process time of a control step [ms] in a walk, without physics and sensors."""
    from andante.control.loop import ControlLoop
    from andante.description import load_robot
    from andante.locomotion import Behaviour, Command
    from andante.locomotion.gaits import Request, prepare
    from andante.simulation.simulation import Simulation, simulate

    ready = prepare(load_robot("nao"), Request("walk"))
    spent: list[float] = []

    class Timed(Behaviour):
        def update(self, readings, command, dt):  # type: ignore[no-untyped-def]
            start = time.process_time()
            out = ready.walker.update(readings, command, dt)
            spent.append(time.process_time() - start)
            return out

    sim: Simulation = simulate(ready.robot, pose=ready.pose, sensors=True)
    loop = ControlLoop(sim, Timed(), command=lambda state: Command(vx=0.2, wz=0.1) if state.time > 0.5 else Command())
    loop.run(4.0 if quick else 10.0)
    each = 1e3 * np.array(spent[100:])
    say(f"control step [ms]: mean {each.mean():.3f}, median {np.median(each):.3f}, 99 %: {np.quantile(each, 0.99):.3f}")
    sim.close()
    return {"mean": each.mean(), "median": np.median(each), "slow": np.quantile(each, 0.99)}


PARTS: dict[str, Callable[[bool, int], Any]] = {
    "matrix": matrix, "turns": turns, "pushes": pushes, "engines": engines, "speed": speed, "step": step,
}  # fmt: skip


def main() -> None:
    """Carry out the parts that are named, else all."""
    words = sys.argv[1:]
    quick = "--quick" in words
    workers = int(words[words.index("--workers") + 1]) if "--workers" in words else 2
    parts = [word for word in words if word in PARTS] or list(PARTS)
    told = {name: PARTS[name](quick, workers) for name in parts}
    if "--json" in words:
        print(json.dumps(told, default=lambda value: value.item()))


if __name__ == "__main__":
    main()
