"""Whether any command lets the NAO fall, and how much of a command it carries out, by the simulator's truth.

python benchmarks/command_study.py [streams | keys | goals | set] ... [--engine E ...] [--count N] [--first-seed N]
[--workers N] [--out DIR] [--json]

streams  20 s of random commands from the whole range, changed 0.1 to 2 s apart, an eighth of them stops
keys     the 26 combinations of the keys W S A D Q E at 100 % for 10 s, then a stop
goals    places on the map of lab, arena and empty, given to a live session
set      how much of the range of 0.1.0 is left, how soon a steady command is reached, top speed, time of a control step

Every finished run is a line of DIR/PART.jsonl, so that a study that was stopped, also by kill -9, goes on; runs of
another state of `src` are made anew. `--json`: one object with a key per part on stdout, the lines on stderr.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from journal import Job, Journal, Row

from andante.control.body import BodyState
from andante.control.loop import ControlLoop
from andante.control.teleop_mux import TeleopMux
from andante.description import Robot, load_robot
from andante.geometry import Array, so3
from andante.gravity import GRAVITY
from andante.locomotion import Command
from andante.locomotion.biped.walk import BipedWalk
from andante.locomotion.gaits import Request, prepare
from andante.simulation.simulation import Simulation, simulate
from andante.simulation.truth import heading

ENGINES = ("mujoco", "dart", "bullet", "ode")
STREAMS = {"mujoco": 300, "dart": 60, "bullet": 60, "ode": 60}
SETTLE, STREAM, HELD, STOP = 0.5, 20.0, 10.0, 1.5  # a stand before, commands, held keys, a stop after them [s]
SOONEST, LATEST = 0.1, 2.0  # between two commands [s]
STOPS = 0.12  # of the commands
KEYS = ["".join(held) for held in product(("", "w", "s"), ("", "a", "d"), ("", "q", "e")) if any(held)]
GOALS = {"lab": 14, "arena": 13, "empty": 13}
NEAREST, FARTHEST, CLEAR = 0.5, 2.5, 0.4  # of goals from the start, and from walls [m]
PATIENCE = 90.0  # until a goal is given up [s]
AT_GOAL = 0.3  # true distance within which a goal counts as reached; by its odometry it is 0.12 m [m]
AXES = ("vx", "vy", "wz")
WAYS = [way for way in product((-1.0, 0.0, 1.0), repeat=3) if any(way)]
STEADY, REACHED = 5.0, 0.9  # time of a steady command [s], and the part of it that counts as reached
WALKS = 3  # of the top speed

Commander = Callable[[float], Command]  # of the time since the first command [s]


def say(words: str) -> None:
    """A line for people."""
    print(words, file=sys.stderr if "--json" in sys.argv else sys.stdout, flush=True)


# ---- one run ---------------------------------------------------------------------------------------
class Watch:
    """What the simulator knows of a walk, period by period: velocity, what was carried out, links that touch."""

    def __init__(self, sim: Simulation, walk: BipedWalk, period: float) -> None:
        self.sim, self.walk, self._period = sim, walk, period
        self.rows: list[list[float]] = []  # time, true vx, vy, wz, executed vx, vy, wz, standing foot
        self.arms, self.legs = 0, 0  # periods in which an arm touched the body, a leg the other one
        self.lean = 0.0  # largest, of the root [rad]
        self._up = up_of(sim)
        arm, leg = limbs(sim.robot, walk)
        self._arm, self._leg = arm, leg
        self._last = (*sim.base_pose[:2].tolist(), heading(sim))

    def look(self) -> None:
        """One control period is over."""
        sim, walk, period = self.sim, self.walk, self._period
        x, y = sim.base_pose[:2].tolist()
        x0, y0, yaw0 = self._last
        yaw = heading(sim)
        c, s = math.cos(yaw0), math.sin(yaw0)
        true = (c * (x - x0) + s * (y - y0), c * (y - y0) - s * (x - x0), math.remainder(yaw - yaw0, 2 * math.pi))
        self._last = (x, y, yaw)
        done = walk.executed
        self.rows.append([sim.time, *(v / period for v in true), done.vx, done.vy, done.wz, float(walk.stance)])
        self.lean = max(self.lean, math.acos(min(1.0, float(up_of(sim) @ self._up))))
        own = sim.engine.contacts_of(sim.model)
        both = own.model_b == sim.model
        a, b = own.link_a[both], own.link_b[both]
        self.arms += bool((self._arm[a] & ~self._arm[b]).any())
        self.legs += bool(((self._leg[a] > 0) & (self._leg[b] > 0) & (self._leg[a] != self._leg[b])).any())

    def told(self) -> Row:
        """Ways that were commanded and walked on each axis [m, m, rad], and how often limbs touched."""
        rows = np.array(self.rows).reshape(-1, 8)
        true, done = rows[:, 1:4], rows[:, 4:7]
        period = self._period
        return {
            "fallen": bool(self.sim.fallen), "seconds": float(self.sim.time),
            "commanded": (np.abs(done).sum(axis=0) * period).tolist(),
            "walked": ((np.sign(done) * true).sum(axis=0) * period).tolist(),
            "arms": self.arms, "legs": self.legs, "lean": self.lean,
        }  # fmt: skip


def up_of(sim: Simulation) -> Array:
    """The vertical in the axes of the root (3,)."""
    up: Array = so3.from_quaternion(sim.base_pose[3:])[2]
    return up


def limbs(robot: Robot, walk: BipedWalk) -> tuple[Array, Array]:
    """(links,) whether each belongs to an arm, and to which leg: 1, 2 or 0."""
    arm, leg = np.zeros(len(robot.links), dtype=bool), np.zeros(len(robot.links), dtype=int)
    arms = {robot.joint(walk.body.names[joint]).child for joint, _ in walk.body.arms}
    legs = [{robot.joint(each.joints[0]).child} for each in walk.body.rig.legs]
    for i, link in enumerate(robot.links):
        above = set(ancestors(robot, link.name))
        arm[i] = bool(above & arms)
        leg[i] = next((k + 1 for k, first in enumerate(legs) if above & first), 0)
    return arm, leg


def ancestors(robot: Robot, link: str) -> Iterable[str]:
    """A link and all between it and the root."""
    parents = {joint.child: joint.parent for joint in robot.joints}
    yield link
    while link in parents:
        link = parents[link]
        yield link


def run(engine: str, seed: int, seconds: float, command: Callable[[BipedWalk], Commander]) -> tuple[Watch, Row]:
    """A walk under commands for some seconds after a stand, until it has fallen."""
    used = time.process_time()
    ready = prepare(load_robot("nao"), Request("walk"))
    walk: BipedWalk = ready.walker  # type: ignore[assignment]
    asked = command(walk)

    def now(state: BodyState) -> Command:
        since = state.time - SETTLE
        return Command() if since < 0 or since > seconds else asked(since)

    sim = simulate(ready.robot, engine=engine, pose=ready.pose, sensors=True, seed=seed)
    try:
        loop = ControlLoop(sim, walk, command=now)
        watch = Watch(sim, walk, loop.period)
        while sim.time < SETTLE + seconds + STOP and not sim.fallen:
            loop.step()
            watch.look()
        return watch, watch.told() | {"processor": time.process_time() - used}
    finally:
        sim.close()


def tops(walk: BipedWalk) -> Array:
    """Largest vx, vy [m/s] and wz [rad/s] of a walk."""
    m = walk.measures
    return np.array([m.max_speed, m.max_side, m.max_turn])


# ---- streams and keys ------------------------------------------------------------------------------
def stream(seed: int, most: Array) -> Commander:
    """Random commands."""
    rng = np.random.default_rng([20, seed])
    times, asked, at = [0.0], [np.zeros(3)], 0.0
    while at < STREAM:
        times.append(at)
        asked.append(np.zeros(3) if rng.random() < STOPS else rng.uniform(-1.0, 1.0, 3) * most)
        at += rng.uniform(SOONEST, LATEST)

    def command(since: float) -> Command:
        return Command(*asked[int(np.searchsorted(times, since, side="right")) - 1].tolist())

    return command


def held(keys: str, walk: BipedWalk) -> Commander:
    """Keys held down, through the multiplexer of a live session."""
    mux = TeleopMux()
    mux.speed = 100.0

    def command(since: float) -> Command:
        mux.keys(since, list(keys))
        return mux.command(since, walk.max_speed, walk.max_turn, 0.01)

    return command


def commanded(job: Job) -> Row:
    """One stream, or one combination of keys."""
    if "keys" in job:
        return run(job["engine"], job["seed"], HELD, lambda walk: held(job["keys"], walk))[1]
    return run(job["engine"], job["seed"], STREAM, lambda walk: stream(job["seed"], tops(walk)))[1]


def streams(asked: argparse.Namespace, journal: Journal) -> list[Row]:
    """Random streams on each engine."""
    jobs = [
        Job(engine=engine, seed=asked.first_seed + n)
        for engine in asked.engine or ENGINES
        for n in range(asked.count or STREAMS[engine])
    ]
    return summed(journal.carry_out(commanded, jobs, asked.workers, told_run))


def keys(asked: argparse.Namespace, journal: Journal) -> list[Row]:
    """All combinations of keys on each engine."""
    jobs = [
        Job(engine=engine, seed=asked.first_seed, keys=each)
        for engine in asked.engine or ENGINES
        for each in KEYS[: asked.count or None]
    ]
    return summed(journal.carry_out(commanded, jobs, asked.workers, told_run))


def told_run(done: int, of: int, job: Job, row: Row) -> None:
    """A line about a run that fell or in which an arm touched; else now and then."""
    what = f"{job['engine']} " + (f"keys {job['keys'].upper()}" if "keys" in job else f"seed {job['seed']}")
    if row["fallen"] or row["arms"]:
        end = f"FELL after {row['seconds'] - SETTLE:.1f} s" if row["fallen"] else "up"
        say(f"{done:4d}/{of} {what}: {end}, arms touched in {row['arms']} periods, legs in {row['legs']}")
    elif done % 10 == 0 or done == of:
        say(f"{done:4d}/{of} {what}")


def summed(done: Sequence[tuple[Job, Row]]) -> list[Row]:
    """A row per engine: falls, and the part of the ways that were commanded which was walked, on each axis."""
    rows = []
    say("engine    runs  falls   walked of what was commanded: vx, vy, wz   arms touch   legs touch   lean")
    for engine in dict.fromkeys(job["engine"] for job, _ in done):
        some = [(job, row) for job, row in done if job["engine"] == engine]
        walked = np.sum([row["walked"] for _, row in some], axis=0)
        part = 100.0 * walked / np.maximum(np.sum([row["commanded"] for _, row in some], axis=0), 1e-9)
        fell = [job.get("keys", job["seed"]) for job, row in some if row["fallen"]]
        arms, legs = (sum(row[what] > 0 for _, row in some) for what in ("arms", "legs"))
        lean = math.degrees(float(np.mean([row["lean"] for _, row in some])))
        told = "".join(f"{each:10.1f} %" for each in part)
        say(f"{engine:8} {len(some):5d} {len(fell):6d} {told} {arms:20d} {legs:12d} {lean:10.1f} deg")
        if fell:
            say(f"         fell: {fell}")
        rows.append(
            {"engine": engine, "runs": len(some), "falls": len(fell), "fell": fell, "arms": arms, "legs": legs,
             "walked": dict(zip(AXES, part.tolist(), strict=True)), "lean": lean}
        )  # fmt: skip
    return rows


# ---- goals -----------------------------------------------------------------------------------------
def goals(asked: argparse.Namespace, journal: Journal) -> list[Row]:
    """Places on the map: how many were reached without a fall."""
    worlds = [world for world, count in GOALS.items() for _ in range(min(count, asked.count or count))]
    jobs = [
        Job(engine=engine, world=world, seed=asked.first_seed + n)
        for engine in asked.engine or ENGINES[:1]
        for n, world in enumerate(worlds)
    ]
    done = journal.carry_out(gone, jobs, asked.workers, told_goal)
    rows = []
    say("engine   world    goals  reached  falls   true error [m]: median, worst")
    for engine, world in dict.fromkeys((job["engine"], job["world"]) for job, _ in done):
        some = [row for job, row in done if (job["engine"], job["world"]) == (engine, world)]
        off = np.array([row["off"] for row in some])
        reached, falls = (sum(row[what] for row in some) for what in ("reached", "fallen"))
        say(f"{engine:8} {world:8} {len(some):5d} {reached:8d} {falls:6d} {np.median(off):12.3f} {off.max():8.3f}")
        rows.append({"engine": engine, "world": world, "goals": len(some), "reached": reached, "falls": falls,
                     "median": float(np.median(off)), "worst": float(off.max())})  # fmt: skip
    return rows


def gone(job: Job) -> Row:
    """One goal, given to a live session as the page gives it, in lock-step."""
    from andante.bags import messages
    from andante.session.nodes.navigation import NavigationNode
    from andante.session.session import LiveSession

    used = time.process_time()
    with LiveSession("nao", job["world"], job["engine"], seed=job["seed"]) as session:
        node = next(each for each in session.nodes if isinstance(each, NavigationNode))
        x, y, yaw = place_of(node.the_map(), np.asarray(session.choice.start), job["seed"])
        session.run(SETTLE)
        pose = {"position": {"x": x, "y": y}, "orientation": {"z": math.sin(0.5 * yaw), "w": math.cos(0.5 * yaw)}}
        goal = session.bus.advertise("/goal_pose", "geometry_msgs/msg/PoseStamped", node="study")
        goal.publish(messages.make("geometry_msgs/msg/PoseStamped", pose=pose))
        session.run(0.1)
        live, fallen = node.live, False
        assert live is not None
        while live.goal is not None and session.time < PATIENCE and not fallen:
            session.run(0.1)
            fallen = session.stage.sim.fallen or node.live is not live
        session.run(STOP)
        fallen = fallen or bool(session.stage.sim.fallen)
        state = str(live.output.state) if live.output is not None else "none"
        bx, by = session.stage.sim.base_pose[:2].tolist()
        off = math.hypot(bx - x, by - y)
        return {
            "goal": [x, y, yaw], "state": state, "reason": live.output.reason if live.output is not None else "",
            "fallen": fallen, "off": off, "reached": state == "arrived" and not fallen and off < AT_GOAL,
            "seconds": session.time, "processor": time.process_time() - used,
        }  # fmt: skip


def place_of(grid: Any, start: Array, seed: int) -> tuple[float, float, float]:
    """A random goal: free, off the walls, not far from the start, with a heading."""
    from scipy.ndimage import distance_transform_edt

    rng = np.random.default_rng([40, seed])
    while True:
        way, angle = rng.uniform(NEAREST, FARTHEST), rng.uniform(-math.pi, math.pi)
        x, y, yaw = start[0] + way * math.cos(angle), start[1] + way * math.sin(angle), rng.uniform(-math.pi, math.pi)
        if grid is None:
            return x, y, yaw
        room = distance_transform_edt(grid.free()) * grid.resolution
        cell = grid.cell_of((x, y))
        if grid.inside(cell) and room[tuple(cell)] > CLEAR:
            return x, y, yaw


def told_goal(done: int, of: int, job: Job, row: Row) -> None:
    """A line about a goal."""
    x, y, yaw = row["goal"]
    end = "FELL" if row["fallen"] else row["state"] + (f" ({row['reason']})" if row["reason"] else "")
    where = f"{job['engine']} {job['world']} seed {job['seed']}: [{x:.2f}, {y:.2f}, {math.degrees(yaw):.0f} deg]"
    say(f"{done:4d}/{of} {where} {end}, {row['off']:.3f} m off after {row['seconds']:.1f} s")


# ---- the set ---------------------------------------------------------------------------------------
def the_set(asked: argparse.Namespace, journal: Journal) -> Row:
    """What is left of the range of 0.1.0, how soon a steady command is reached, top speed, time of a control step."""
    from biped_study import step

    walk: BipedWalk = prepare(load_robot("nao"), Request("walk")).walker  # type: ignore[assignment]
    commands = walk.commands
    assert commands is not None
    h = walk.measures.center
    old = np.array([0.22 * math.sqrt(GRAVITY * h), 0.075 * math.sqrt(GRAVITY * h), 0.165 * math.sqrt(GRAVITY / h)])
    axes = {}
    for k, name in enumerate(AXES):
        ways = [commands.shaped(tuple(np.clip(sign * old * np.eye(3)[k], -tops(walk), tops(walk)))) for sign in (1, -1)]
        axes[name] = 100.0 * min(abs(way[k]) for way in ways) / old[k]
    grid = np.linspace(-1.0, 1.0, 101)
    boxes = {}
    for k, name in ((1, "vx-vy"), (2, "vx-wz")):
        points = np.zeros((len(grid) ** 2, 3))
        points[:, 0], points[:, k] = (each.ravel() for each in np.meshgrid(grid, grid))
        inside = [
            commands.use(tuple(each)) <= 1.0 and (np.abs(each) <= tops(walk) + 1e-9).all() for each in points * old
        ]
        boxes[name] = 100.0 * float(np.mean(inside))
    say("of the range of 0.1.0: " + ", ".join(f"{k} {v:.1f} %" for k, v in (axes | boxes).items()))
    jobs: list[Job] = [Job(way=list(way)) for way in WAYS] + [Job(walk=asked.first_seed + n) for n in range(WALKS)]
    done = journal.carry_out(measured, jobs, asked.workers, told_steady)
    steady = [row for job, row in done if "way" in job]
    paces = [row["pace"] for job, row in done if "walk" in job]
    most = max(row["steps"] for row in steady)
    say(f"{len(steady)} steady commands are reached after {most} steps at most; 3 m at {min(paces):.3f} m/s or more")
    return {
        "axes": axes, "boxes": boxes, "most_steps": most, "steady": [row["steps"] for row in steady],
        "least_reached": min(row["reached"] for row in steady), "paces": paces, "pace": min(paces),
        "falls": sum(row["fallen"] for _, row in done), "step": step(False, 1),
    }  # fmt: skip


def measured(job: Job) -> Row:
    """A steady command in one direction from a stand, or 3 m at full speed."""
    if "walk" in job:
        from andante.tasks.walk import walk

        told = walk("nao", distance=3.0, speed=100.0, seed=job["walk"])
        return {"pace": told.distance / told.time, "fallen": told.fallen, "distance": told.distance, "time": told.time}
    wanted: list[float] = []

    def steady(walk: BipedWalk) -> Commander:
        most = np.array(job["way"]) * tops(walk)
        assert walk.commands is not None
        wanted[:] = walk.commands.shaped(tuple(most))
        return lambda since: Command(*most.tolist())

    watch, row = run("mujoco", 0, STEADY, steady)
    return {"fallen": row["fallen"], **reached(np.array(watch.rows), np.array(wanted), tops(watch.walk))}


def reached(rows: Array, wanted: Array, most: Array) -> Row:
    """After how many steps from a stand the way of two steps is that of the command, and how much of it at the end.

    A velocity is compared along the command, every axis in its tops; two steps are a whole cycle aside and in turns.
    """
    rows = rows[(rows[:, 0] > SETTLE) & (rows[:, 0] <= SETTLE + STEADY)]
    along = (rows[:, 1:4] / most) @ (wanted / most) / float((wanted / most) @ (wanted / most))
    changes = np.flatnonzero(np.diff(rows[:, 7])) + 1  # a foot has come down
    cycles = [float(along[a:b].mean()) for a, b in zip(changes[:-2], changes[2:], strict=True)]
    steps = next((n + 1 for n, part in enumerate(cycles) if part >= REACHED), len(changes))
    return {"steps": steps, "reached": float(along[changes[6] :].mean()) if len(changes) > 6 else 0.0}


def told_steady(done: int, of: int, job: Job, row: Row) -> None:
    """A line about a steady command or a walk."""
    if "walk" in job:
        say(f"{done:4d}/{of} 3 m, seed {job['walk']}: {row['distance']:.3f} m in {row['time']:.2f} s")
        return
    end = "FELL" if row["fallen"] else f"reached after {row['steps']} steps, later {100 * row['reached']:.0f} %"
    say(f"{done:4d}/{of} {'  '.join(f'{v:+.0f}' for v in job['way'])}: {end}")


PARTS: dict[str, Callable[[argparse.Namespace, Journal], Any]] = {
    "streams": streams, "keys": keys, "goals": goals, "set": the_set,
}  # fmt: skip


def main() -> None:
    """Carry out the parts that are named, else all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", choices=[*PARTS, []], help=", ".join(PARTS))
    parser.add_argument("--engine", action="append", choices=ENGINES, help="may be given several times; else all")
    parser.add_argument("--count", type=int, default=0, help="streams of each engine, combinations of keys or goals")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("out/command_study"), help="where finished runs are kept")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    told = {}
    for part in asked.parts or PARTS:
        say(f"{part}:")
        told[part] = PARTS[part](asked, Journal(asked.out / f"{part}.jsonl"))
    if asked.json:
        print(json.dumps(told, default=lambda value: value.item()))


if __name__ == "__main__":
    main()
