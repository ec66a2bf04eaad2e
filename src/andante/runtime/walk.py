"""A walk from start to end as one value in, one value out: what `andante walk` does.

The walker is led by its own reckoning (feet and gyro); the simulator's truth only measures what came of it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from andante.description import load_robot, load_world
from andante.errors import BadInput
from andante.geometry import Array, so3
from andante.locomotion import Command
from andante.locomotion.gaits import Prepared, Request, Walker, prepare
from andante.locomotion.io.gait_parameters import read_parameters
from andante.physics.engine import check_bounds

from .behave import Behave
from .job import parse_push
from .outputs import RECORDINGS, VIDEOS, check_outputs, kept
from .progress import tracked
from .simulation import Simulation, simulate

SETTLE = 0.5  # standing still before the first command [s]
LONGEST = 3600.0  # [s]
SLICE = 0.1  # of simulated time between looks at the end [s]
SLOWEST = 0.12  # speed of the last steps to a goal, in top speeds
LAST_STEP = 0.2  # when to stop: so long before the goal at the present speed, in times of the approach
SIDE_GAIN = 0.5  # how a walk straight ahead comes back to its line [1/s]


@dataclass(frozen=True)
class WalkJob:
    """Who walks where, and what to keep of it. One of distance, turn and velocity with seconds."""

    robot: str
    world: str = "empty"
    engine: str = "mujoco"
    gait: str = ""  # empty: the robot's usual one
    arguments: Mapping[str, str] = field(default_factory=dict)
    distance: float | None = None  # straight ahead [m], negative: backwards
    turn: float | None = None  # on the spot [deg], left positive
    velocity: str | None = None  # "vx vy wz" [m/s, m/s, rad/s]
    seconds: float | None = None
    speed: float = 60.0  # percent of the gait's top speed
    push: str | None = None  # "N·s direction time", time counted from the first command
    params: Path | None = None
    rig: Path | None = None
    dt: float = 0.002
    seed: int = 0
    record: Path | None = None
    video: Path | None = None


@dataclass(frozen=True)
class WalkOutcome:
    """What came of it, by the simulator's truth but for `reckoned`."""

    robot: str
    world: str
    engine: str
    gait: str
    distance: float  # along x [m]
    drift: float  # along y [m]
    turned: float  # unwrapped [deg]
    time: float  # from the first command until it stands again [s]
    fallen: bool
    arrived: bool  # it stood again, by its own reckoning at the goal, before the time was over
    reckoned: Array  # x, y [m] and heading [deg] that the robot believes
    real_time_factor: float

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract, and more."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


class Guide:
    """The command at every instant, from the walker's own reckoning."""

    def __init__(self, walker: Walker, job: WalkJob) -> None:
        self.walker, self.job = walker, job
        self.begin = math.inf  # when the first command is given [s]
        self.braking = False
        self.share = job.speed / 100.0
        self.steady = parse_velocity(job.velocity) if job.velocity is not None else None
        self._start = np.zeros(3)

    def start(self, now: float) -> None:
        """Give the first command now."""
        self.begin, self._start = now, np.array(self.walker.position)

    def __call__(self, now: float) -> Command:
        """The command at a time [s]."""
        if now < self.begin or self.braking:
            return Command()
        if self.steady is not None:
            if now - self.begin >= (self.job.seconds or 0.0) - 1e-9:
                self.braking = True
                return Command()
            return self.steady
        x, y, heading = self.travelled
        if self.job.turn is not None:
            goal, done, top = math.radians(self.job.turn), heading, self.walker.top_turn
        else:
            goal, done, top = self.job.distance or 0.0, x, self.walker.top_speed
        sign = math.copysign(1.0, goal)
        speed = self.share * top
        left = sign * (goal - done)
        approach = getattr(self.walker, "approach", None)
        if approach is not None:  # a walker that wants its last steps short
            speed = min(speed, max(left / approach, SLOWEST * top))
            if left <= LAST_STEP * approach * speed:
                self.braking = True
                return Command()
        elif left <= 0.5 * speed * self.share * self.walker.stopping_time:  # v²/2a with a = top speed / stopping time
            self.braking = True
            return Command()
        if self.job.turn is not None:
            return Command(wz=sign * speed)
        aside = max(-0.3 * speed, min(0.3 * speed, -SIDE_GAIN * y))
        return Command(vx=sign * speed, vy=aside)

    @property
    def travelled(self) -> tuple[float, float, float]:
        """x, y [m] in the axes of the start and heading [rad] since the first command, as the walker believes."""
        here = np.asarray(self.walker.position) - self._start
        c, s = math.cos(self._start[2]), math.sin(self._start[2])
        return c * here[0] + s * here[1], c * here[1] - s * here[0], float(here[2])


class Truth:
    """An observer that unwraps the true heading."""

    def __init__(self, sim: Simulation, rate: float = 50.0) -> None:
        self._rate, self._count = rate, 0
        self.first = self.turned = _yaw(sim)

    @property
    def next_time(self) -> float:
        """When the next look is due [s]."""
        return self._count / self._rate

    def update(self, sim: Simulation) -> None:
        """Look."""
        change = (_yaw(sim) - self.turned + math.pi) % (2 * math.pi) - math.pi
        self.turned += change
        self._count = round(sim.time * self._rate) + 1


def _yaw(sim: Simulation) -> float:
    rotation = so3.from_quaternion(sim.base_pose[3:])
    return math.atan2(rotation[1, 0], rotation[0, 0])


def parse_velocity(text: str) -> Command:
    """A command from "vx vy wz"."""
    words = text.split()
    try:
        vx, vy, wz = (float(word) for word in words)
        if not all(math.isfinite(v) and abs(v) < 1e3 for v in (vx, vy, wz)):
            raise ValueError
    except ValueError:
        raise BadInput(f"velocity {text!r} should be 'vx vy wz' in m/s, m/s and rad/s, like '0.1 0 0.2'") from None
    return Command(vx, vy, wz)


def check_job(job: WalkJob) -> None:
    """Raise BadInput unless exactly one goal is asked for and all numbers make sense."""
    goals = [name for name in ("distance", "turn", "velocity") if getattr(job, name) is not None]
    if len(goals) != 1:
        told = " and ".join(f"--{name}" for name in goals) or "none"
        raise BadInput(f"a walk needs one of --distance, --turn or --velocity with --seconds, got {told}")
    if (job.velocity is None) != (job.seconds is None):
        raise BadInput("--velocity and --seconds go together")
    for name, most in (("distance", 1e4), ("turn", 1e5), ("seconds", LONGEST)):
        value = getattr(job, name)
        if value is not None and not (math.isfinite(value) and abs(value) <= most):
            raise BadInput(f"{name} must be a number up to {most:g}, got {value}")
    if job.seconds is not None and job.seconds < 0:
        raise BadInput(f"seconds must be >= 0, got {job.seconds}")
    if not 0 < job.speed <= 100:
        raise BadInput(f"speed is a percentage above 0 and up to 100, got {job.speed}")
    if job.velocity is not None:
        parse_velocity(job.velocity)


def run_walk(job: WalkJob, progress: bool = False) -> WalkOutcome:
    """Carry a walk out. Files are complete or absent, also when it is interrupted."""
    check_job(job)
    push = parse_push(job.push) if job.push else None
    check_outputs({"recordings": (job.record, RECORDINGS), "videos": (job.video, VIDEOS)})
    robot, world = load_robot(job.robot, job.arguments), load_world(job.world)
    ready = prepare(robot, Request(job.gait, job.rig, read_parameters(job.params) if job.params else None))
    place = (0.0, 0.0, -ready.forward)
    sim = simulate(ready.robot, world, job.engine, dt=job.dt, pose=ready.pose, place=place, seed=job.seed, sensors=True)
    try:
        with kept(sim, job.record, job.video):
            return lead(sim, ready, job, push, world.name, progress)
    finally:
        sim.close()


def lead(
    sim: Simulation,
    ready: Prepared,
    job: WalkJob,
    push: tuple[Array, float] | None = None,
    world: str = "",
    progress: bool = False,
) -> WalkOutcome:
    """Lead a robot that stands in a simulation as the job says; robot, world and files of the job are not looked at."""
    guide, truth = Guide(ready.walker, job), Truth(sim)
    sim.observers += [Behave(ready.walker, guide), truth]
    sim.run(SETTLE)
    start, axes, turned = sim.base_pose.copy(), so3.from_quaternion(sim.base_pose[3:]), truth.turned
    ahead = axes @ np.array([[math.cos(ready.forward)], [math.sin(ready.forward)], [0.0]])[:, 0]
    guide.start(sim.time)
    wall = time.perf_counter()
    end = sim.time + _patience(ready.walker, job)
    fallen, arrived, pushed = False, False, push is None
    slices = range(math.ceil((end - sim.time) / SLICE))
    bar = iter(tracked(slices, f"{sim.robot.name} on {sim.engine.name}", progress))
    for _ in bar:
        rest = SLICE
        if push is not None and not pushed and push[1] < sim.time + SLICE - guide.begin - 1e-9:
            first = max(0.0, guide.begin + push[1] - sim.time)
            rest = max(0.0, SLICE - first)
            sim.run(first)
            side = np.array([-ahead[1], ahead[0], 0.0])
            sim.push(sim.robot.root, push[0][0] * ahead + push[0][1] * side + push[0][2] * np.array([0.0, 0.0, 1.0]))
            pushed = True
        sim.run(rest)
        check_bounds(sim.engine)
        fallen = sim.fallen and not getattr(ready.walker, "tumbles", False)  # a ball leans as it likes
        arrived = guide.braking and ready.walker.standing
        if fallen or (arrived and pushed):
            break
    spent = time.perf_counter() - wall
    move = sim.base_pose[:3] - start[:3]
    x, y, heading = guide.travelled
    return WalkOutcome(
        robot=sim.robot.name,
        world=world,
        engine=sim.engine.name,
        gait=ready.gait,
        distance=float(move[0]),
        drift=float(move[1]),
        turned=math.degrees(truth.turned - turned),
        time=sim.time - guide.begin,
        fallen=fallen,
        arrived=arrived and not fallen,
        reckoned=np.array([x, y, math.degrees(heading)]),
        real_time_factor=(sim.time - guide.begin) / spent if spent > 0 else math.nan,
    )


def _patience(walker: Walker, job: WalkJob) -> float:
    """The longest time that a walk may take [s]: three times what it should, and some stops."""
    if job.seconds is not None:
        return job.seconds + 6 * walker.stopping_time + 5.0
    share = job.speed / 100.0
    way = abs(math.radians(job.turn)) / walker.top_turn if job.turn is not None else abs(job.distance or 0.0)
    if job.turn is None:
        way /= walker.top_speed
    return min(LONGEST, 3.0 * way / share + 6 * walker.stopping_time + 10.0)
