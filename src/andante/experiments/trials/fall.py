"""One fall from start to end: a robot stands or walks, is pushed, falls, and gets up; told by the simulator's truth."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from andante.control.loop import ControlLoop
from andante.description import Robot, load_robot
from andante.errors import BadInput
from andante.geometry import Array, so3
from andante.locomotion import Command
from andante.locomotion.behaviour import HoldPose
from andante.locomotion.falls.detector import FallRules
from andante.locomotion.falls.get_up import GetUpSettings
from andante.locomotion.falls.manager import FallEvent, FallManager, FallState
from andante.locomotion.gaits import Prepared, Request, prepare
from andante.locomotion.io.fall_library import fall_motions
from andante.simulation.simulation import Simulation, simulate

LOOK = 5  # control periods between two looks
STILL = 1.0  # it must stand for so long before it counts as up again [s]
UPRIGHT = math.cos(math.radians(15))
STANDER = FallRules(step_reach=0.0)  # who only stands cannot step


@dataclass(frozen=True)
class FallPush:
    """A push that should throw a robot over: impulse [N s] and direction [rad, 0 ahead, left +], when [s]."""

    impulse: float
    direction: float
    time: float = 1.0

    @staticmethod
    def random(seed: int, least: float = 5.0, most: float = 9.0) -> FallPush:
        """Any direction, a strength between two bounds [N s], at any time within a second."""
        draw = np.random.default_rng([seed, 4])
        return FallPush(
            float(draw.uniform(least, most)), float(draw.uniform(-math.pi, math.pi)), 0.6 + float(draw.uniform())
        )


@dataclass(frozen=True)
class FallOutcome:
    """What became of it. `fell` and `stands` are the simulator's truth, the events are what the robot felt."""

    robot: str
    engine: str
    seed: int
    push: FallPush
    fell: bool
    stands: bool
    seconds: float  # from the push until it stood again, NaN: it does not
    warning: float  # from the feeling of a fall until the body lay (60 degrees), NaN: not felt before
    failures: int  # tries that failed on the way up
    peak: float  # largest acceleration of the body while falling [m/s²]
    events: tuple[FallEvent, ...]

    def as_dict(self) -> dict[str, Any]:
        """As tables and JSON want it."""
        out = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in ("push", "events")}
        out |= {"impulse": self.push.impulse, "direction": math.degrees(self.push.direction)}
        return out | {"events": [str(event) for event in self.events]}


def standing_walker(robot: Robot, gait: str = "") -> Prepared:
    """A robot ready to walk by the gait of that name, else one that only stands where it gets up to."""
    if gait:
        return prepare(robot, Request(gait))
    stander = HoldPose(robot, fall_motions(robot).stand)
    return Prepared(robot, stander.pose, stander)


def run_fall(
    push: FallPush,
    robot: str | Robot,
    engine: str = "mujoco",
    seed: int = 0,
    gait: str = "",
    command: Command | None = None,
    rules: FallRules | None = None,
    settings: GetUpSettings | None = None,
    protect: bool = True,
    longest: float = 60.0,
    dt: float | None = None,
    watch: Callable[[Simulation], None] | None = None,
) -> FallOutcome:
    """Push a robot over and see whether it stands again, within `longest` seconds after the push.

    gait: "" stands still, otherwise a way to walk, led by `command`. protect: False leaves its servos stiff.
    watch is called with the simulation every 50 ms.
    """
    if not (math.isfinite(push.impulse) and math.isfinite(push.direction) and push.time >= 0):
        raise BadInput(f"a push needs a finite impulse and direction, and a time >= 0, got {push}")
    ready = standing_walker(load_robot(robot) if isinstance(robot, str) else robot, gait)
    body = ready.robot
    motions = fall_motions(body)
    if not protect:
        motions = replace(motions, stiffness={})
    manager = FallManager(
        ready.walker,
        body,
        motions,
        rules or (FallRules() if gait else STANDER),
        settings,
        restart=lambda: standing_walker(body, gait).walker,
    )
    sim = simulate(body, engine=engine, dt=dt, pose=ready.pose, seed=seed, sensors=True)
    try:
        loop = ControlLoop(sim, manager, command=command)
        loop.run(push.time)
        heading = so3.from_quaternion(sim.base_pose[3:])
        ahead = math.atan2(heading[1, 0], heading[0, 0]) + push.direction
        sim.push(body.root, push.impulse * np.array([math.cos(ahead), math.sin(ahead), 0.0]))
        return _follow(sim, loop, manager, push, seed, longest, watch)
    finally:
        sim.close()


def _follow(
    sim: Simulation,
    loop: ControlLoop,
    manager: FallManager,
    push: FallPush,
    seed: int,
    longest: float,
    watch: Callable[[Simulation], None] | None,
) -> FallOutcome:
    """From the push until it stands again, gives up, has never fallen, or the time is over."""
    began, lay, stood, peak = sim.time, math.nan, math.nan, 0.0
    since = math.inf
    while sim.time - began < longest:
        peak = max(peak, _fastest(loop, sim))
        if watch is not None:
            watch(sim)
        if math.isnan(lay) and sim.fallen:
            lay = sim.time
        up = manager.state is FallState.UPRIGHT and not sim.fallen and _upright(sim)
        since = min(since, sim.time) if up else math.inf
        if sim.time - since >= STILL and (not math.isnan(lay) or sim.time - began > 3.0):
            stood = since
            break
        if manager.state is FallState.FAILED:
            break
    felt = next((event.time for event in manager.events if event.what == "falling"), math.nan)
    return FallOutcome(
        robot=sim.robot.name,
        engine=sim.engine.name,
        seed=seed,
        push=push,
        fell=not math.isnan(lay),
        stands=not math.isnan(stood),
        seconds=stood - began,
        warning=lay - felt,
        failures=sum(event.what in ("retry", "failed") for event in manager.events),
        peak=peak,
        events=tuple(manager.events),
    )


def _fastest(loop: ControlLoop, sim: Simulation) -> float:
    """Advance by some periods; the largest change of the body's velocity per time in them [m/s²]."""
    most = 0.0
    before: Array = sim.base_velocity[:3].copy()
    for _ in range(LOOK):
        loop.step()
        now = sim.base_velocity[:3].copy()
        most = max(most, float(np.linalg.norm(now - before)) / loop.period)
        before = now
    return most


def _upright(sim: Simulation) -> bool:
    return float(so3.from_quaternion(sim.base_pose[3:])[2, 2]) > UPRIGHT
