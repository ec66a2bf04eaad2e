"""Several robots in one session: `python benchmarks/fleet_study.py door [--robots N] [--runs N]` or `ten`.

door: waffles on both sides of a door of 0.8 m, each with a goal on the other side; all must arrive and touch nothing.
ten: ten waffles with lidar in the lab's hall of walls, four of them navigating; simulated by processor time.
Runs through the door are kept in `--keep FILE` and not run again with the same code, so that a study goes on.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from journal import Job, Journal, Row

from andante.description import Placement, World, load_world
from andante.description.io.moving_world import solid_body
from andante.description.shapes import Box
from andante.geometry import SE3
from andante.mobile.truth import DrivenTruth
from andante.session import LiveSession
from andante.session.choice import RobotChoice
from andante.session.live_robot import LiveRobot
from andante.session.nodes.navigation import NavigationNode

GRAY = (0.7, 0.7, 0.7, 1.0)
DOOR = 0.8  # [m]
TIMEOUT = 180.0  # [s]


def room(length: float, width: float, door: float = 0.0, wall: float = 0.2) -> World:
    """A room; with a door a wall across its middle that has one."""
    parts = [(0.0, width / 2, length, wall), (0.0, -width / 2, length, wall)]
    parts += [(length / 2, 0.0, wall, width), (-length / 2, 0.0, wall, width)]
    if door:
        side = (width - door) / 2
        parts += [(0.0, (door + side) / 2, wall, side), (0.0, -(door + side) / 2, wall, side)]
    base = load_world("empty")
    models = list(base.models)
    for k, (x, y, sx, sy) in enumerate(parts):
        body = solid_body(f"wall_{k}", Box((sx, sy, 0.6)), SE3.from_parts(np.eye(3), (0.0, 0.0, 0.3)), GRAY)
        models.append(Placement(f"wall_{k}", body, SE3.from_parts(np.eye(3), (x, y, 0.0)), fixed=True))
    return World("room", tuple(models), base.gravity, base.lights)


def navigation(robot: LiveRobot) -> NavigationNode:
    """The navigation of a robot."""
    return next(node for node in robot.nodes if isinstance(node, NavigationNode))


def through_the_door(seed: int, count: int) -> dict[str, object]:
    """One run."""
    rng, begun = np.random.default_rng([seed, count]), time.process_time()
    starts = _spread(rng, count, 0.7, 0.8)
    goals = [(-x, y) for x, y in _spread(rng, count, 0.8, 0.9)]
    choices = [RobotChoice("waffle", "", (x, y, float(rng.uniform(-math.pi, math.pi)))) for x, y in starts]
    with (
        tempfile.TemporaryDirectory() as folder,
        LiveSession(
            "waffle", room(6.0, 4.0, DOOR), seed=seed, start=choices[0].start, folder=folder, robots=choices[1:]
        ) as session,
    ):
        robots = list(session.robots.values())
        nodes, truths = [navigation(robot) for robot in robots], []
        for robot, node, goal in zip(robots, nodes, goals, strict=True):
            node.ensure().set_goal(*goal, math.nan)
            truths.append(DrivenTruth(robot.stage.sim))
            robot.stage.sim.observers.append(truths[-1])
        while session.time < TIMEOUT and any(n.live is not None and n.live.goal is not None for n in nodes):
            session.step()
        there = [
            bool(np.hypot(*(robot.stage.sim.base_pose[:2] - goal)) < 0.35)
            for robot, goal in zip(robots, goals, strict=True)
        ]
        return {
            "seed": seed, "robots": count, "arrived": sum(there), "seconds": round(session.time, 1),
            "collisions": [str(truth.collision) for truth in truths if truth.collided],
            "cpu": round(time.process_time() - begun, 1),
        }  # fmt: skip


def passed(job: Job) -> Row:
    """One run of the study."""
    return through_the_door(job["seed"], job["robots"])


def _spread(rng: np.random.Generator, count: int, least: float, apart: float) -> list[tuple[float, float]]:
    """Places by turns on the left and the right of the door, apart from each other."""
    out: list[tuple[float, float]] = []
    while len(out) < count:
        side = -1.0 if len(out) % 2 == 0 else 1.0
        x, y = side * float(rng.uniform(least, 2.3)), float(rng.uniform(-1.2, 1.2))
        if all(math.hypot(x - a, y - b) > apart for a, b in out):
            out.append((x, y))
    return out


def ten(seconds: float) -> dict[str, float]:
    """Ten waffles in a room, four of them on their way: processor time of a simulated second."""
    places = [(-3.0 + 1.5 * (k % 5), -1.2 if k < 5 else 1.2, 0.0) for k in range(10)]
    with (
        tempfile.TemporaryDirectory() as folder,
        LiveSession(
            "waffle", room(10.0, 6.0), seed=1, start=places[0], folder=folder,
            robots=[RobotChoice("waffle", "", place) for place in places[1:]],
        ) as session,
    ):  # fmt: skip
        robots = list(session.robots.values())
        for k, robot in enumerate(robots):
            session.bus.subscribe(robot.bus.advertise("/scan", "sensor_msgs/msg/LaserScan").topic, None, lambda _: None)
            if k % 3 == 0:
                navigation(robot).ensure().set_goal(4.0, 2.0 - k * 0.4, math.nan)
        session.run(2.0)  # compiled, and under way
        begun, wall = time.process_time(), time.perf_counter()
        session.run(seconds)
        spent = time.process_time() - begun
        still = sum(robot.teleop.navigates for robot in robots)
        return {
            "robots": len(robots), "navigating": still, "seconds": seconds, "cpu": spent,
            "real_time_factor_cpu": seconds / spent, "real_time_factor_wall": seconds / (time.perf_counter() - wall),
        }  # fmt: skip


def main() -> None:
    """One study."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("door", "ten"))
    parser.add_argument("--robots", type=int, default=2)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--keep", type=Path, default=Path("out/fleet_study.jsonl"), help="where runs are kept")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    out = sys.stderr if given.json else sys.stdout
    if given.what == "ten":
        result: dict[str, float] = ten(given.seconds)
    else:
        jobs: list[Job] = [{"seed": given.first + k, "robots": given.robots} for k in range(given.runs)]

        def told(done: int, total: int, job: Job, row: Row) -> None:
            words = ", ".join(f"{key} {value}" for key, value in row.items())
            print(f"{done}/{total} {words}", file=out, flush=True)

        rows = [row for _, row in Journal(given.keep).carry_out(passed, jobs, 1, told)]
        good = sum(row["arrived"] == row["robots"] and not row["collisions"] for row in rows)
        result = {"runs": len(rows), "robots": given.robots, "through": good}
    print(result, file=out)
    if given.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
