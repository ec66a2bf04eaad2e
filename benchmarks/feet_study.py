"""The NAO finds its way: `python benchmarks/feet_study.py goals|anywhere|speed [--count N] [--first-seed N] [--json]`.

goals: goals in `lab` and `arena` by turns, head lidar and Xtion by turns, start and goal at random places 1.5 to 5 m
apart; three things that are not on the map stand about, one of them on the straight line. Reached: it stands within
8 cm and 8 deg, touched nothing, did not fall.
anywhere: starts without a pose at random places of the lab; right: within 0.3 m and 15 deg after ten clouds.
"""

import argparse
import json
import math
import sys
import time
from dataclasses import replace
from typing import Any

import numpy as np

import andante as an
from andante.description import Box, Collision, Cylinder, Geometry, Inertia, Link, Placement, Robot, Visual, World
from andante.geometry import SE3
from andante.localization.space import SpaceField, SpaceLocalizer
from andante.locomotion.gaits import Request, prepare
from andante.mapping.octree import OcTree, octree_of_world
from andante.mobile.feet import Sight, root_odometry
from andante.mobile.feet.obstacles import HIGH, LOW
from andante.navigation.footsteps import FootstepPlanner, Terrain
from andante.tasks.feet import step_set
from andante.tasks.navigate import navigate

SENSORS = ({"head_lidar": "true"}, {"head_camera": "xtion"})
WORLDS = ("lab", "arena")
NEAR, NEAR_TURN = 0.08, math.radians(8.0)
Pose = tuple[float, float, float]


class Place:
    """A world with its map, and where one can stand in it."""

    def __init__(self, name: str) -> None:
        self.world = an.world(name)
        self.tree: OcTree = octree_of_world(self.world, 0.04, top=1.4)
        robot = an.robot("nao")
        ready = prepare(robot, Request("walk"))
        steps = step_set(robot, ready.walker, ready.pose, self.tree.resolution)
        self.planner = FootstepPlanner(Terrain.of_grid(self.tree.slice(LOW, HIGH)), steps)
        self._open = Terrain.of_grid(self.tree.slice(LOW, 1.4))  # a start is put on the highest thing below it
        terrain = self.planner.terrain
        self.size = np.array(terrain.heights.shape[::-1]) * terrain.resolution

    def stand(self, rng: np.random.Generator, room: float = 0.35, *, start: bool = False) -> Pose:
        """A pose at random with some room around it, which can be walked to from the origin; a start under the sky."""
        terrain = self.planner.terrain
        while True:
            x, y = rng.uniform(0.0, 1.0, 2) * self.size + np.array(terrain.origin)
            pose = (float(x), float(y), float(rng.uniform(-math.pi, math.pi)))
            row, col = terrain.cell(pose[0], pose[1])
            if start and self._open.clearance[row, col] < room:
                continue
            if math.hypot(x, y) < 3.2 and terrain.clearance[row, col] > room and not self.planner.refused(pose):
                return pose


def thing(name: str, shape: Geometry, x: float, y: float, height: float) -> Placement:
    """A thing that stands on the floor."""
    inertia = Inertia(20.0, (0, 0, 0), (1, 0, 0, 1, 0, 1))
    link = Link(name, inertia, visuals=(Visual(shape),), collisions=(Collision(shape),))
    return Placement(name, Robot(name, (link,)), SE3.from_xyz_rpy((x, y, 0.5 * height)), fixed=True)


def strewn(place: Place, start: Pose, goal: Pose, rng: np.random.Generator) -> World:
    """The world with three things that are not on the map."""
    things: list[Placement] = []
    for number in range(40):
        if len(things) == 3:
            break
        part, aside = rng.uniform(0.3, 0.7), rng.uniform(-0.1, 0.1) if not things else rng.uniform(-1.5, 1.5)
        way = np.array(goal[:2]) - start[:2]
        x, y = np.array(start[:2]) + part * way + aside * np.array([-way[1], way[0]]) / np.hypot(*way)
        row, col = place.planner.terrain.cell(float(x), float(y))
        rows, cols = place.planner.terrain.clearance.shape
        if not (0 <= row < rows and 0 <= col < cols) or place.planner.terrain.clearance[row, col] < 0.25:
            continue
        if min(math.dist((x, y), start[:2]), math.dist((x, y), goal[:2])) < 0.5:
            continue
        height = float(rng.uniform(0.2, 0.6))
        shape: Geometry = Box((0.2, 0.2, height)) if number % 2 else Cylinder(0.1, height)
        things.append(thing(f"thing{number}", shape, float(x), float(y), height))
    return replace(place.world, models=(*place.world.models, *things))


def goals(args: argparse.Namespace) -> dict[str, Any]:
    """Goals one after the other."""
    places = {name: Place(name) for name in args.worlds.split(",")}
    rows = []
    for number in range(args.count):
        seed = args.first_seed + number
        rng = np.random.default_rng(seed)
        name = list(places)[number % len(places)]
        place, worn = places[name], SENSORS[(number // len(places)) % 2]
        start = place.stand(rng, start=True)
        goal = place.stand(rng)
        while not 1.5 < math.dist(start[:2], goal[:2]) < 5.0:
            goal = place.stand(rng)
        begun = time.process_time()
        made = navigate(
            "nao", arguments=worn, world=strewn(place, start, goal, rng), map=place.tree, start=start, goal=goal,
            tolerance=NEAR, timeout=150.0, seed=seed, engine=args.engine,
            plot=f"{args.plots}/feet_{name}_{seed}.png" if args.plots else None,
        )  # fmt: skip
        good = made.arrived and made.final_error <= NEAR and made.final_yaw_error <= NEAR_TURN
        reached = bool(good and not made.fallen and not made.collided)
        row = {
            "seed": seed, "world": name, "sensor": next(iter(worn)), "reached": reached, "fallen": made.fallen,
            "collision": made.collision, "error": round(made.final_error, 3), "yaw": round(made.final_yaw_error, 3),
            "time": round(made.time, 1), "replans": made.replans, "reason": made.reason,
            "rms": round(made.estimate_error["rms"], 3), "cpu": round(time.process_time() - begun, 1),
        }  # fmt: skip
        print(json.dumps(row), file=sys.stderr, flush=True)
        rows.append(row)
    return {"runs": len(rows), "reached": sum(r["reached"] for r in rows), "falls": sum(r["fallen"] for r in rows),
            "collisions": sum(bool(r["collision"]) for r in rows), "rows": rows}  # fmt: skip


def anywhere(args: argparse.Namespace) -> dict[str, Any]:
    """Starts without a pose."""
    place = Place("lab")
    field = SpaceField(place.tree)
    rows = []
    for number in range(args.count):
        seed = args.first_seed + number
        rng = np.random.default_rng(seed)
        at, worn = place.stand(rng, start=True), SENSORS[number % 2]
        robot = an.robot("nao", arguments=worn)
        ready = prepare(robot, Request("walk"))
        sim = an.simulate(robot, place.world, pose=ready.pose, start=at, sensors=True, seed=seed)
        loop = an.ControlLoop(sim, ready.walker)
        sight, filter_ = Sight(sim), SpaceLocalizer(field, seed=seed)
        loop.run(1.0)
        made, seconds = None, 0.0
        command, looks = an.locomotion.Command(wz=0.4), 0
        loop.command = command if args.turn else an.locomotion.Command()
        while looks < args.looks:
            state = loop.step()
            cloud = sight.look(state)
            if cloud is None:
                continue
            own = root_odometry(ready.walker, state)
            if looks == 0:
                begun = time.perf_counter()
                filter_.start_anywhere(cloud, own)
                seconds = time.perf_counter() - begun
            made, looks = filter_.update(cloud, own), looks + 1
        truth = sim.base_pose
        yaw = 2.0 * math.atan2(truth[5], truth[6])
        off = math.dist(made.pose[:2], truth[:2])
        turn = abs(math.remainder(made.pose[5] - yaw, 2 * math.pi))
        row = {"seed": seed, "sensor": next(iter(worn)), "right": off < 0.3 and turn < math.radians(15.0),
               "error": round(off, 3), "yaw": round(turn, 3), "health": round(made.health, 2),
               "seconds": round(seconds, 2)}  # fmt: skip
        print(json.dumps(row), file=sys.stderr, flush=True)
        rows.append(row)
        sim.close()
    return {"runs": len(rows), "right": sum(r["right"] for r in rows), "rows": rows}


def speed(args: argparse.Namespace) -> dict[str, Any]:
    """Time of 500 particles x 200 points, and of a depth image."""
    field = SpaceField(octree_of_world(an.world("lab"), 0.04, top=1.4))
    rng = np.random.default_rng(args.first_seed)
    cloud = rng.uniform(-3.0, 3.0, (5000, 3))
    filter_ = SpaceLocalizer(field, seed=1)
    filter_.start_at(np.zeros(6))
    times = []
    for n in range(args.count):
        begun = time.perf_counter()
        filter_.update(cloud, np.array([0.05 * n, 0, 0.33, 0, 0, 0]))
        times.append(time.perf_counter() - begun)
    return {"median_ms": round(1e3 * float(np.median(times)), 2), "max_ms": round(1e3 * max(times[1:]), 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("goals", "anywhere", "speed"))
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--first-seed", type=int, default=100)
    parser.add_argument("--worlds", default=",".join(WORLDS))
    parser.add_argument("--engine", default="mujoco")
    parser.add_argument("--looks", type=int, default=10)
    parser.add_argument("--turn", action="store_true", help="turn on the spot while it looks")
    parser.add_argument("--plots", default="")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = {"goals": goals, "anywhere": anywhere, "speed": speed}[args.what](args)
    if args.json:
        print(json.dumps(found))
    else:
        print({name: value for name, value in found.items() if name != "rows"})


if __name__ == "__main__":
    main()
