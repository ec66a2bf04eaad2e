"""A ball found and kicked into an empty goal from random starts: `python benchmarks/striker_study.py --runs 12`.

Robot and ball stand anywhere on the pitch. The robot sees by its cameras alone; whether the ball is in the goal is told
by the simulator's truth.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from dataclasses import replace
from tempfile import TemporaryDirectory

import numpy as np

import andante as an
from andante.description import World, load_world
from andante.geometry import SE3
from andante.session import LiveSession
from andante.session.behaviors.host import MachineHost
from andante.worlds import PITCH

GOAL_LINE, HALF_GOAL, RADIUS = 1.8, 0.45, 0.04  # of world pitch [m]
LONGEST, AFTERWARDS = 120.0, 5.0  # of a try; for a ball that still rolls when the robot is done [s]
BALL = "ball"


def start_of(seed: int) -> tuple[tuple[float, float, float], tuple[float, float]]:
    """Places of robot (x, y, yaw) and ball (x, y), at least 0.4 m apart."""
    random = np.random.default_rng(seed)
    while True:
        robot = (random.uniform(-1.4, 0.6), random.uniform(-0.9, 0.9), random.uniform(-math.pi, math.pi))
        ball = (random.uniform(-0.4, 1.1), random.uniform(-0.7, 0.7))
        if math.dist(robot[:2], ball) >= 0.4:
            return robot, ball


def with_ball(world: World, x: float, y: float) -> World:
    """The world with its ball elsewhere."""
    pose = SE3.from_parts(np.eye(3), (x, y, RADIUS))
    return replace(world, models=tuple(replace(m, pose=pose) if m.name == BALL else m for m in world.models))


def one(seed: int, engine: str = "mujoco", machine: str = "striker", talk: bool = False) -> dict[str, object]:
    """One try."""
    start, place = start_of(seed)
    began = time.perf_counter()
    with TemporaryDirectory() as folder:
        session = LiveSession(
            "nao", with_ball(load_world(PITCH), *place), engine, seed=seed, start=start, nodes=[], folder=folder
        )
        if talk:
            session.log = lambda line, level="info", node="": print(f"  {session.time:6.2f} {line}")  # type: ignore[method-assign]
        host = MachineHost(session)
        host.load(*host.find(machine, files=True))
        host.start()
        engine_index = next(k for k, m in enumerate(session.stage.sim.engine.models) if m.name == BALL)
        scored, fell, told = math.nan, False, 0
        ended = math.inf
        while session.time < min(LONGEST, ended + AFTERWARDS):
            session.step()
            host.update()
            ended = ended if host.running or ended < math.inf else session.time
            fell = fell or session.stage.sim.fallen
            x, y, _ = session.stage.sim.engine.base_pose(engine_index)[:3]
            if math.isnan(scored) and x > GOAL_LINE + RADIUS and abs(y) < HALF_GOAL:
                scored = session.time
            if talk and host.runner.count != told:
                told = host.runner.count
                b, g, p = host.facts["ball"], host.facts["goal"], session.stage.sim.base_pose
                h = math.atan2(2 * (p[6] * p[5] + p[3] * p[4]), 1 - 2 * (p[4] ** 2 + p[5] ** 2))
                tx, ty = x - p[0], y - p[1]
                print(f"  {session.time:6.2f} {host.runner.taken[-1].target:10s} ball {b['x']:.2f} {b['y']:.2f} "
                      f"true {math.cos(h) * tx + math.sin(h) * ty:.2f} {math.cos(h) * ty - math.sin(h) * tx:.2f} "
                      f"goal {g['x']:.2f} {g['y']:.2f} robot {p[0]:.2f} {p[1]:.2f} {h:.2f}", flush=True)  # fmt: skip
            if not math.isnan(scored) and session.time > scored + 1.0:
                break
        made = {
            "seed": seed, "engine": engine, "scored": not math.isnan(scored), "time": scored, "fell": fell,
            "kicks": host.runner.variables.get("kicks", 0), "believes": host.runner.outcome,
            "ball": [round(float(v), 3) for v in (x, y)], "wall": round(time.perf_counter() - began, 1),
        }  # fmt: skip
        host.stop()
        session.close()
    return made


def main() -> None:
    """Tries one after the other; a line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", default="mujoco")
    parser.add_argument("--machine", default="striker")
    parser.add_argument("--talk", action="store_true")
    parser.add_argument("--json", action="store_true", help="as always: one JSON object on stdout")
    given = parser.parse_args()
    rows = []
    for seed in range(given.seed, given.seed + given.runs):
        rows.append(one(seed, given.engine, given.machine, given.talk))
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    times = sorted(row["time"] for row in rows if row["scored"])
    told = {
        "andante": an.__version__, "engine": given.engine, "runs": len(rows), "scored": len(times),
        "fell": sum(bool(row["fell"]) for row in rows), "median_time": float(np.median(times)) if times else None,
        "rows": rows,
    }  # fmt: skip
    print(json.dumps(told))


if __name__ == "__main__":
    main()
