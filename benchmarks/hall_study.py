"""Crossings of a hall full of people: `python benchmarks/hall_study.py [--runs N] [--first N] [--people N] [--json]`.

A hall of 12 x 8 m, six people who walk from side to side and back at 0.5 to 1.4 m/s and ignore the robot.
The courier (examples/courier.urdf) crosses it from one end to the other; it knows the walls by a map and the people by
its lidar alone. A contact counts unless the robot had stood for 0.5 s before. Each seed draws other people and ends.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from side_by_side import side_by_side

from andante.description import Placement, World, load_world
from andante.description.io.moving_world import person, placed, solid_body
from andante.description.shapes import Box
from andante.description.trajectory import along
from andante.geometry import SE3
from andante.mapping.worlds import map_of_world
from andante.mobile import OnMap, drive_to_goal, mobile_robot
from andante.navigation import GoalChecker, Navigator, NavigatorSettings, State, vehicle_of
from andante.simulation import Simulation

ROOT = Path(__file__).parents[1]
LENGTH, WIDTH, WALL = 12.0, 8.0, 0.2  # of the hall [m]
SLOWEST, FASTEST = 0.5, 1.4  # people [m/s]
STOOD = 0.5  # a robot that has stood for so long is not to blame [s]
STILL = 0.03  # slower than this it stands [m/s]
APART = 0.5  # touches of one person that are nearer in time are one contact [s]
TIMEOUT = 90.0  # [s]
SPEED = 1.0  # of the robot at most [m/s]


def hall(seed: int, people: int = 6) -> World:
    """Walls, and people on their ways; nobody begins near the ends of the hall."""
    rng = np.random.default_rng([seed, 1])
    base = load_world("empty")
    gray = (0.7, 0.7, 0.7, 1.0)
    walls = []
    for k, (x, y, sx, sy) in enumerate(
        [
            (0, WIDTH / 2, LENGTH, WALL), (0, -WIDTH / 2, LENGTH, WALL), (LENGTH / 2, 0, WALL, WIDTH),
            (-LENGTH / 2, 0, WALL, WIDTH), (-3.5, 3.7, 1.4, 0.5), (2.0, -3.7, 0.8, 0.5), (4.8, 3.6, 0.6, 0.6),
        ]
    ):  # fmt: skip
        body = solid_body(f"wall_{k}", Box((sx, sy, 1.0)), SE3.from_parts(np.eye(3), (0.0, 0.0, 0.5)), gray)
        walls.append(Placement(f"wall_{k}", body, SE3.from_parts(np.eye(3), (x, y, 0.0)), fixed=True))
    walkers: list[Placement] = []
    while len(walkers) < people:
        ends = np.array([edge(rng), edge(rng)])
        if np.linalg.norm(ends[1] - ends[0]) < 4.0:
            continue
        name = f"person_{len(walkers) + 1}"
        way = along(ends.tolist(), float(rng.uniform(SLOWEST, FASTEST)), phase=float(rng.uniform(0.0, 20.0)))
        walkers.append(placed(name, person(name), way))
    return World("hall", (*base.models, *walls, *walkers), base.gravity, base.lights)


def edge(rng: np.random.Generator) -> tuple[float, float]:
    """Somewhere along the sides of the hall, where people come from and turn around; not where the robot begins."""
    if rng.random() < 0.7:
        return float(rng.uniform(-4.0, 4.0)), float(rng.choice([-3.1, 3.1]))
    return float(rng.choice([-4.2, 4.2])), float(rng.uniform(-3.1, 3.1))


@dataclass
class Touches:
    """An observer that counts contacts with people by the simulator's truth."""

    people: frozenset[int]
    next_time: float = 0.0
    counted: list[str] = field(default_factory=list)
    excused: list[str] = field(default_factory=list)
    walls: int = 0
    _moved: float = 0.0  # when the robot last moved [s]
    _last: dict[int, float] = field(default_factory=dict)

    def update(self, sim: Simulation) -> None:
        """Look a hundred times a second."""
        self.next_time = (round(sim.time * 100) + 1) / 100
        found = sim.engine.contacts_of(sim.model)
        touched = {int(m) for m, n in zip(found.model_b, found.normal[:, 2], strict=True) if n < 0.7 and m != sim.model}
        for model in touched & self.people:
            if sim.time - self._last.get(model, -math.inf) > APART:
                name, stood = sim.engine.models[model].name, sim.time - self._moved
                (self.excused if stood >= STOOD else self.counted).append(
                    f"{name} at {sim.time:.1f} s, stood {stood:.1f} s"
                )
            self._last[model] = sim.time
        self.walls += bool(touched - self.people)
        pushed = any(sim.time - when < APART for when in self._last.values())
        speed = sim.base_velocity
        if not pushed and (math.hypot(speed[0], speed[1]) > STILL or abs(speed[5]) > 3 * STILL):
            self._moved = sim.time


def cross(job: dict[str, int]) -> dict[str, object]:
    """One crossing."""
    seed, begun = job["seed"], time.process_time()
    rng = np.random.default_rng([seed, 2])
    world = hall(seed, job["people"])
    side = 1.0 if rng.random() < 0.5 else -1.0
    start = np.array([-5.2 * side, rng.uniform(-2.5, 2.5), 0.0 if side > 0 else math.pi])
    goal = np.array([5.2 * side, rng.uniform(-2.5, 2.5), math.nan])
    robot_file = ROOT / "examples" / "courier.urdf"
    grid = map_of_world(world, height=0.2)
    from andante.description import load_robot

    vehicle = vehicle_of(load_robot(robot_file), max_speed=SPEED)
    robot = mobile_robot(robot_file, world, start, localizer=OnMap(grid, start, seed=seed), vehicle=vehicle, seed=seed)
    try:
        touches = Touches(frozenset(m.index for m in robot.sim.engine.models if m.placement.motion is not None))
        robot.sim.observers.append(touches)
        settings = NavigatorSettings(arrival=GoalChecker(0.25, math.pi), movers=True)
        navigator = Navigator(vehicle, grid, settings=settings, speed=SPEED, seed=seed)
        navigator.set_goal(goal)
        drive = drive_to_goal(robot, navigator, robot.step(), TIMEOUT)
        error = float(np.hypot(*(robot.measure.pose - goal)[:2]))
        seconds = drive.ended - drive.begun
    finally:
        robot.close()
    return {
        "seed": seed, "arrived": drive.state is State.ARRIVED and error < 0.5, "seconds": round(seconds, 1),
        "contacts": touches.counted, "excused": touches.excused, "walls": touches.walls, "error": round(error, 2),
        "reason": drive.reason, "cpu": round(time.process_time() - begun, 1),
    }  # fmt: skip


def main() -> None:
    """All crossings, one line each, then the sum."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--people", type=int, default=6)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    out = sys.stderr if given.json else sys.stdout
    jobs = [{"seed": given.first + k, "people": given.people} for k in range(given.runs)]
    rows = []
    for row in side_by_side(cross, jobs, given.workers):
        rows.append(row)
        print(*(f"{key} {value}" for key, value in row.items()), sep=", ", file=out, flush=True)
    result = {
        "runs": len(rows),
        "arrived": sum(bool(row["arrived"]) for row in rows),
        "contacts": sum(len(row["contacts"]) for row in rows),
        "excused": sum(len(row["excused"]) for row in rows),
        "walls": sum(bool(row["walls"]) for row in rows),
        "seconds": float(np.mean([row["seconds"] for row in rows])),
    }
    print(result, file=out)
    if given.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
