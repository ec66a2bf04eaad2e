"""How a biped walks where the ground is not flat: slopes, ramps, bars, edges, uneven, soft and slippery ground.

python benchmarks/ground_study.py [CASE ...] [--seeds N] [--first N] [--workers N] [--engine E] [--robot R] [--speed %]
[--list] [--json]

Worlds are made here from numbers; each seed starts at another distance and heading, so that feet meet a bar or an edge
at another phase, and draws other sensor noise. The robot is led by its own estimate, feet and IMU alone; every figure
is the simulator's truth. A trial counts when the robot has not fallen and came as far as the case asks along the
heading of its start (aside and in turns: still stands after 8 s of that velocity), or has stopped and told why.
`--json`: one object with a key per case on stdout, the lines on stderr.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import Any

import numpy as np

from andante.control.walking import WalkGoal
from andante.description import Robot, World, load_robot, load_world
from andante.description.link import Collision, Link, Surface
from andante.description.shapes import Box, Plane
from andante.description.world import Placement
from andante.geometry import SE3, so3
from andante.locomotion.gaits import Request, prepare
from andante.simulation.simulation import simulate
from andante.tasks.walk import WalkResult, lead

SEEDS = 20
SPEED = 40.0  # percent of the top speed
ROUGH = Surface(mu=0.9)
THICK = 0.5  # of blocks that are walked on [m]
WIDE = 6.0  # of everything, across the walk [m]
FIRST, SPREAD = 0.25, 0.15  # from the start to what is met, and how much it varies [m]
SECONDS = 8.0  # of a velocity aside or turning
ASIDE, CURVE, SPIN = (0.0, 1.0, 0.0), (1.0, 0.0, 1.0), (0.0, 0.0, 1.0)
ASKEW = 10.0  # heading at the start varies by this to either side [deg]


@dataclass(frozen=True)
class Site:
    """A world and how the robot starts in it: x, y [m] and heading [rad]; way that it shall go [m]."""

    world: World
    start: tuple[float, float, float]
    way: float = 1.2
    heading: tuple[float, float, float] | None = None  # vx, vy, wz in top speeds, instead of straight ahead


Case = Callable[[np.random.Generator], Site]


def block(
    x: float, top: float, length: float, turn: float = 0.0, pitch: float = 0.0, height: float = THICK,
    surface: Surface = ROUGH,
) -> Collision:  # fmt: skip
    """A block whose upper edge that is met first lies at x, `top` [m]; turned about z, sloping down by pitch [rad]."""
    axes = so3.from_rpy((0.0, pitch, turn))
    middle = axes @ np.array([0.5 * length, 0.0, -0.5 * height])
    return Collision(Box((length, WIDE, height)), SE3.from_parts(axes, np.array([x, 0.0, top]) + middle), surface)


def world_of(name: str, shapes: Iterable[Collision], floor: float = 0.0) -> World:
    """Blocks that stand fast on a plane at a height [m]."""
    ground = Collision(Plane(), SE3.from_xyz_rpy((0.0, 0.0, floor)), ROUGH)
    link = Link("ground", collisions=(ground, *shapes))
    return replace(load_world("empty"), name=name, models=(Placement("ground", Robot("ground", (link,)), fixed=True),))


def start(rng: np.random.Generator, askew: float = ASKEW) -> tuple[float, float, float]:
    """At the origin, some distance before what is met, and not straight at it."""
    ahead, turn = rng.uniform(0.0, SPREAD), math.radians(rng.uniform(-askew, askew))
    return -FIRST - ahead, 0.0, turn


def endless(degrees: float, way: float) -> Case:
    """A slope that goes on for ever and rises toward `way` [deg]: gravity is turned instead of the ground."""

    def made(rng: np.random.Generator) -> Site:
        a, d = math.radians(degrees), math.radians(way)
        down = (-math.sin(a) * math.cos(d), -math.sin(a) * math.sin(d), -math.cos(a))
        _, _, turn = start(rng)
        world = replace(load_world("empty"), gravity=tuple(9.81 * each for each in down))
        return Site(world, (0.0, 0.0, turn), 0.8)

    return made


def ramp(degrees: float, askew: float = ASKEW) -> Case:
    """From the flat onto a ramp; negative: down."""

    def made(rng: np.random.Generator) -> Site:
        a = math.radians(degrees)
        blocks = [block(-4.0, 0.0, 4.0), block(0.0, 0.0, 4.0, pitch=-a)]
        return Site(world_of("ramp", blocks, -THICK - 4.0 * math.sin(abs(a))), start(rng, askew))

    return made


def bars(height: float, places: tuple[float, ...] = (0.0,), low: float = 0.0, high: float = ASKEW) -> Case:
    """Bars of a height, three times as wide, at these places; met at an angle between low and high to either side."""

    def made(rng: np.random.Generator) -> Site:
        x, y, _ = start(rng)
        turn = math.radians(rng.choice((-1.0, 1.0)) * rng.uniform(low, high))
        each = [block(at, height, 3.0 * height, height=2.0 * height) for at in places]
        return Site(world_of("bars", each), (x, y, turn), 1.2 + max(places))

    return made


def edge(height: float) -> Case:
    """A step up; negative: down."""

    def made(rng: np.random.Generator) -> Site:
        blocks = [block(-4.0, 0.0, 4.0), block(0.0, height, 4.0)]
        return Site(world_of("edge", blocks, -THICK), start(rng))

    return made


def patch(length: float, **surface: float) -> Case:
    """A patch that is soft or slippery, level with the ground about it."""

    def made(rng: np.random.Generator) -> Site:
        blocks = [block(-4.0, 0.0, 4.0), block(0.0, 0.0, length, surface=Surface(**surface)), block(length, 0.0, 4.0)]
        return Site(world_of("patch", blocks, -THICK), start(rng), 1.2 + length)

    return made


def moving(case: Case, heading: tuple[float, float, float]) -> Case:
    """A case walked at a velocity in top speeds, to either side; aside the robot's side is turned to what is met."""

    def made(rng: np.random.Generator) -> Site:
        site = case(rng)
        side = float(rng.choice((-1.0, 1.0)))
        x, y, turn = site.start
        vx, vy, wz = heading
        if vy and not vx:
            x, turn = x + 0.1, turn - side * 0.5 * math.pi
        elif not vx:
            x = FIRST  # on the patch
        return replace(site, start=(x, y, turn), heading=(vx, side * vy, side * wz))

    return made


def floor(**surface: float) -> Case:
    """A floor that is soft or slippery everywhere."""

    def made(rng: np.random.Generator) -> Site:
        ground = Collision(Plane(), SE3.from_xyz_rpy((0.0, 0.0, 0.0)), Surface(**surface))
        robot = Robot("ground", (Link("ground", collisions=(ground,)),))
        world = replace(load_world("empty"), name="floor", models=(Placement("ground", robot, fixed=True),))
        return Site(world, (0.0, 0.0, start(rng)[2]))

    return made


def named(world: str, way: float) -> Case:
    """A world of the catalogue, from the start at x = 0 with some offset."""

    def made(rng: np.random.Generator) -> Site:
        x, _, turn = start(rng)
        return Site(load_world(world), (x + FIRST, rng.uniform(-0.12, 0.12), turn), way)

    return made


SOFT, SLIPPERY = patch(0.5, kp=3000.0, kd=60.0, mu=0.9), patch(0.5, mu=0.3)
CASES: dict[str, Case] = {
    **{f"slope {d:.0f} {name}": endless(d, way) for d in (5.0, 7.0)
       for name, way in (("up", 0.0), ("down", 180.0), ("across", 90.0), ("diagonal", 225.0))},
    **{f"ramp {abs(d):.0f} {'up' if d > 0 else 'down'}": ramp(d) for d in (5.0, -5.0, 7.0, -7.0)},
    "ramp 7 up askew": ramp(7.0, 40.0),
    "ramp 7 down askew": ramp(-7.0, 40.0),
    "bar 5": bars(0.005), "bar 8": bars(0.008), "bar 10": bars(0.010), "bar 10 askew": bars(0.010, (0.0,), 20.0, 40.0),
    "two bars 10": bars(0.010, (0.0, 0.2)), "bar 10 turning": moving(bars(0.010), CURVE),
    "edge 10 up": edge(0.010), "edge 10 down": edge(-0.010),
    "rough": named("rough", 2.0), "slope world": named("slope", 1.6),
    "soft": SOFT, "soft aside": moving(SOFT, ASIDE), "soft turning": moving(SOFT, CURVE),
    "slippery": SLIPPERY, "slippery aside": moving(SLIPPERY, ASIDE), "slippery turning": moving(SLIPPERY, CURVE),
    "slippery floor": floor(mu=0.3), "slippery floor aside": moving(floor(mu=0.3), ASIDE),
    "slippery floor turning": moving(floor(mu=0.3), CURVE), "slippery floor on the spot": moving(floor(mu=0.3), SPIN),
}  # fmt: skip


def say(words: str) -> None:
    """A line for people."""
    print(words, file=sys.stderr if "--json" in sys.argv else sys.stdout, flush=True)


Job = tuple[str, int, str, str, float]  # case, seed, robot, engine, speed


def trial(job: Job) -> tuple[Job, WalkResult, float]:
    """One walk; the outcome and how far it came along its heading, beside the way that was asked [m]."""
    name, seed, robot, engine, speed = job
    site = CASES[name](np.random.default_rng([seed, 16]))
    ready = prepare(load_robot(robot), Request("walk"))
    sim = simulate(
        ready.robot, site.world, engine, pose=ready.pose, start=site.start, seed=seed, sensors=True
    )  # fmt: skip
    goal = WalkGoal(distance=site.way, speed=speed)
    if site.heading is not None:
        m = ready.walker.measures  # type: ignore[attr-defined]
        vx, vy, wz = (
            0.01 * speed * part * top
            for part, top in zip(site.heading, (m.max_speed, m.max_side, m.max_turn), strict=True)
        )
        goal = WalkGoal(velocity=(vx, vy, wz), seconds=SECONDS)
    try:
        told = lead(sim, ready, goal)
    finally:
        sim.close()
    if site.heading is not None:
        return job, told, 1.0
    turn = site.start[2]
    ahead = math.cos(turn) * told.distance + math.sin(turn) * told.drift
    return job, told, ahead / site.way


def study(jobs: list[Job], workers: int) -> dict[str, dict[str, Any]]:
    """Every trial; falls and ways case by case."""
    told: dict[str, list[tuple[Job, WalkResult, float]]] = {}
    with get_context("spawn").Pool(workers) as pool:
        for each in pool.imap(trial, jobs, chunksize=1) if workers > 1 else map(trial, jobs):
            case = each[0][0]
            told.setdefault(case, []).append(each)
            if len(told[case]) == sum(job[0] == case for job in jobs):
                say(line(case, told[case]))
    return {case: summary(some) for case, some in told.items()}


def summary(some: list[tuple[Job, WalkResult, float]]) -> dict[str, Any]:
    """Falls, arrivals, ways and times of the trials of a case."""
    done = [(told, part) for _, told, part in some if not told.fallen]
    return {
        "trials": len(some),
        "falls": [job[1] for job, told, _ in some if told.fallen],
        "arrived": int(sum(told.stood and not stopped(told) and part > 0.8 for told, part in done)),
        "stopped": int(sum(stopped(told) for told, _ in done)),
        "way": [round(float(part), 3) for _, _, part in some],
        "pace": float(np.mean([told.distance / told.time for told, _ in done])) if done else 0.0,
    }


def stopped(told: WalkResult) -> bool:
    """Whether the robot has stopped by itself and says why."""
    return told.notice.startswith("stopped")


def line(case: str, some: list[tuple[Job, WalkResult, float]]) -> str:
    """A line of the table."""
    made = summary(some)
    part = f"{min(made['way']):.2f} .. {max(made['way']):.2f}"
    fell = f"  fell: {made['falls']}" if made["falls"] else ""
    up = f"up {made['trials'] - len(made['falls']):2}, there {made['arrived']:2} of {made['trials']:2}"
    return f"{case:18} {up}, stopped {made['stopped']:2}; way {part}{fell}"


def main() -> None:
    """Carry out the cases that are named, else all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", nargs="*", help="cases, or a word of their names; none: all")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--engine", default="mujoco")
    parser.add_argument("--robot", default="nao")
    parser.add_argument("--speed", type=float, default=SPEED)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    chosen = [name for word in asked.case for name in CASES if word == name or (word not in CASES and word in name)]
    names = list(dict.fromkeys(chosen if asked.case else CASES))
    if not names:
        parser.error(f"no such case; cases: {', '.join(CASES)}")
    if asked.list:
        raise SystemExit("\n".join(names))
    seeds = range(asked.first, asked.first + asked.seeds)
    told = study([(name, n, asked.robot, asked.engine, asked.speed) for name in names for n in seeds], asked.workers)
    if asked.json:
        print(json.dumps(told))


if __name__ == "__main__":
    main()
