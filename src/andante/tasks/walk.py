"""`an.walk`: let a robot walk somewhere, and tell how far it came."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from andante import viz
from andante.control.body import Body, BodyState, LinkState
from andante.control.loop import ControlLoop
from andante.control.start import require_pose, require_rate
from andante.control.view import RobotView
from andante.control.walking import Estimated, LyingSense, Measure, Push, WalkGoal, WalkGuide, WalkSettings, walk_to
from andante.description.solver import SolverLike
from andante.description.stand_ins import made_solid
from andante.errors import BadInput, LostBody
from andante.geometry import Array, so3
from andante.hardware.address import SIMULATED
from andante.locomotion import Command, FallRules
from andante.locomotion.gaits import Prepared, Request, prepare
from andante.locomotion.io.gait_parameters import checked_parameters
from andante.progress import bar
from andante.simulation.push import PushWords, parse_push
from andante.simulation.simulation import Simulation, simulate
from andante.simulation.truth import TrueWalk

from .bodies import BodyLike, is_simulated, judge_falls, line_words, opened, read_params, report_log
from .inputs import RobotLike, WorldLike, as_robot, as_world, told_of_legs
from .outputs import RunFiles, kept
from .result import HIDDEN, REAL, Result


@dataclass(frozen=True)
class WalkResult(Result):
    """What came of a walk, by the simulator's truth but for `estimated`; of a real robot by its own estimate."""

    robot: str
    world: str
    engine: str  # or the address of a real robot
    gait: str
    distance: float  # along x [m]
    drift: float  # along y [m]
    turned: float  # unwrapped [deg]
    time: float  # from the first command until it stands again [s]
    fallen: bool
    arrived: bool  # it stood again before the time was over, and stands at the goal
    estimated: Array  # x, y [m] and heading [deg] that the robot believes
    real_time_factor: float
    path: Array = field(metadata=HIDDEN, repr=False)  # (n, 4) t [s], x, y [m], yaw [rad], from the first command on
    reason: str | None = field(default=None, metadata=REAL)  # why the walk ended early
    link: LinkState | None = field(default=None, metadata=REAL)  # how well the robot was heard
    dt: float | None = None  # physics step that was used [s]; None: a real robot
    stood: bool = True  # it stood again before the time was over, wherever that is
    start_pose: str = ""  # where the pose that it began from comes from, in words
    notice: str = ""  # what the walker has to say at the end, or why its body may not have done it

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract; `reckoned` is what 0.1.0 called `estimated`."""
        return {**super().as_dict(), "reckoned": self.estimated}

    def __str__(self) -> str:
        start = f" from {self.start_pose}" if self.start_pose else ""
        stands = "standing" if self.arrived else "standing beside the goal"
        ended = "fallen" if self.fallen else stands if self.stood else "timed out before standing still"
        if self.notice and not self.arrived:
            ended = f"fallen: {self.notice}" if self.fallen else self.notice
        if self.link is not None:
            ended = f"{self.reason or ended}; {self.link}"
        return (
            f"{self.robot} on {self.engine}, gait {self.gait}: {self.distance:.3f} m ahead, {self.drift:+.3f} m aside, "
            f"turned {self.turned:+.1f} deg in {self.time:.1f} s{start}, {ended}"
        )

    def plot(self) -> viz.Figure:
        """The way on the floor from above, and the heading over time."""
        return viz.plot_walk(self.path, self.estimated, str(self))


def walk(
    robot: RobotLike,
    *,
    distance: float | None = None,
    turn: float | None = None,
    velocity: tuple[float, float, float] | None = None,
    seconds: float | None = None,
    speed: float = 60.0,
    world: WorldLike = "empty",
    engine: str = "mujoco",
    gait: str = "",
    push: PushWords | None = None,
    params: Path | str | None = None,
    rig: Path | str | None = None,
    arguments: Mapping[str, str] | None = None,
    dt: float | None = None,
    solver: SolverLike | None = None,
    seed: int = 0,
    record: Path | str | None = None,
    video: Path | str | None = None,
    body: BodyLike = SIMULATED,
    progress: bool = False,
) -> WalkResult:
    """Let a robot walk a distance, turn on the spot, or follow a velocity.

    Args:
        robot: a `Robot`, a name or a path.
        distance: straight ahead [m], negative: backwards. One of distance, turn and seconds is given.
        turn: on the spot [deg], left positive.
        velocity: vx, vy [m/s] and wz [rad/s] in the body frame, for `seconds`; with distance or turn it is kept,
            nothing steering back, until the robot has counted so much.
        seconds: how long the velocity is followed [s].
        speed: percent of the maximum speed of the gait.
        world: a `World`, a name or a path.
        engine: mujoco, bullet, dart, ode, or `file.py:Name`.
        gait: empty for the robot's usual one; or `file.py:Name`.
        push: impulse [N s], direction (a word or degrees, left positive) and time after the first command [s].
        params: a TOML file with the gait's parameters, tables [walk] (`WalkSettings`), [falls] (`FallRules`) and
            [robot] (`RobotParameters`, of a simulated robot), and [body] and [start] for a real robot.
        rig: a rig file; else NAME.rig.toml beside the robot, else inferred.
        arguments: `name:=value` arguments of the robot's file.
        dt: physics step [s]; None: that of the world up to 0.002, else 0.002.
        solver: settings of the solver, such as {"iterations": 50}, before those of the world.
        seed: random seed of all noise.
        record: recording to write (.mcap, .csv).
        video: film to write (.mp4, .gif, .webp).
        body: sim, or a real robot: a `Body`, ws://HOST:9090, http://HOST:11311, naoqi://HOST:9559, or
            `file.py:Name`. It moves at once.
        progress: print progress on stderr.

    Returns:
        Outcome, in simulation by the ground truth. Files are complete or absent, also when it is interrupted.
    """
    goal = WalkGoal(distance, turn, velocity, seconds, speed)
    shove = parse_push(push) if push is not None else None
    files = RunFiles.of(record, video)
    simulated, made, place = is_simulated(body), as_robot(robot, arguments), as_world(world)
    made = made_solid(made) if simulated else made
    given = read_params(params)
    settings = given.settings("walk", WalkSettings())
    request = Request(gait, Path(rig) if rig else None, checked_parameters(given.rest, given.path) or None)
    with told_of_legs(made, not (gait or rig or params)):
        ready = prepare(given.robot.on(made), request)
    if not simulated:
        if shove is not None:
            raise BadInput("only a simulated robot can be pushed; leave push out")
        with opened(body, ready.robot, given.body, report_log(progress)) as real:
            own = real.own_walk()
            if own is not None:
                if gait or rig:
                    raise BadInput(f"{real.name} at {real.address} walks by itself; leave gait and rig out")
                ready = replace(ready, walker=own, gait="own", pose={})
            require_rate(real, ready.walker.least_rate, f"gait {ready.gait!r}", given.start)
            require_pose(real, ready.pose, f"gait {ready.gait!r}", given.start)
            view = RobotView(real, ready.walker, pose=ready.pose, forward=ready.forward)
            with kept(real, files, view):
                return lead(real, ready, goal, None, progress, view, settings, given.falls.lying)
    sim = simulate(
        given.robot.on(ready.robot), place, engine, dt=dt, pose=ready.pose, start=(0.0, 0.0, -ready.forward), seed=seed,
        sensors=True, solver=solver,
    )  # fmt: skip
    try:
        judge_falls(sim, given.falls)
        view = RobotView(sim, ready.walker, pose=ready.pose, forward=ready.forward)
        with kept(sim, files, view):
            told = lead(sim, ready, goal, shove, progress, view, settings)
            return replace(told, world=place.name, dt=sim.engine.dt)
    finally:
        sim.close()


def lead(
    body: Body,
    ready: Prepared,
    goal: WalkGoal,
    push: tuple[Array, float] | None = None,
    progress: bool = False,
    view: RobotView | None = None,
    settings: WalkSettings | None = None,
    lying: float = FallRules.lying,
) -> WalkResult:
    """Let a robot that stands walk to a goal.

    Args:
        body: a simulation with sensors, or a real robot.
        ready: the robot's walker.
        goal: where to.
        push: impulse in the robot's first axes [N s], and when after the first command [s]; of a simulated robot.
        view: told the loop, for those who record.
        settings: how it is led and when it is given up.
        lying: tilt from which a real robot has fallen [rad].
    """
    guide = WalkGuide(ready.walker, goal, settings)
    measure: Measure
    if isinstance(body, Simulation):
        measure = TrueWalk(body)
        loop = ControlLoop(body, ready.walker, command=guide)
    else:
        sense = LyingSense(body.robot, lying)
        measure = Estimated(guide, sense)

        def command(state: BodyState) -> Command:
            sense.feel(state)
            return guide(state)

        loop = ControlLoop(body, ready.walker, command=command)
    if view is not None:
        view.run_by(loop)
    wall, stood, reason = time.perf_counter(), False, ""
    with bar(f"{body.robot.name} on {body.address}", progress) as report:
        try:
            loop.run(guide.settings.settle)
            shove = _push(body, ready, push) if push is not None and isinstance(body, Simulation) else None
            wall = time.perf_counter()
            stood = walk_to(loop, guide, measure, shove, lambda done, total: report(done, total, line_words(body)))
        except LostBody as error:
            reason = str(error)
    spent = time.perf_counter() - wall
    x, y, turned = measure.moved
    ahead, aside, heading = guide.traveled
    lasted, arrived = max(0.0, body.time - guide.begin), stood and goal.reached(measure.moved)
    return WalkResult(
        robot=body.robot.name,
        world=body.engine.world.name if isinstance(body, Simulation) else "",
        engine=body.address,
        gait=ready.gait,
        distance=x,
        drift=y,
        turned=math.degrees(turned),
        time=lasted,
        fallen=not stood and measure.fallen and not ready.walker.tumbles,
        stood=stood,
        arrived=arrived,
        start_pose=ready.start,
        estimated=np.array([ahead, aside, math.degrees(heading)]),
        real_time_factor=lasted / spent if spent > 0 else math.nan,
        path=measure.path,
        reason=None if body.simulated else reason,
        link=None if body.simulated else body.link,
        notice=ready.walker.notice or ("" if arrived else ready.doubt),
    )


def _push(sim: Simulation, ready: Prepared, push: tuple[Array, float]) -> Push:
    """The push of a robot in the axes that it has now."""
    axes = so3.from_quaternion(sim.base_pose[3:]) @ so3.from_rpy((0.0, 0.0, ready.forward))
    impulse = push[0][0] * axes[:, 0] + push[0][1] * np.array([-axes[1, 0], axes[0, 0], 0.0])
    impulse[2] += push[0][2]
    return Push(push[1], lambda: sim.push(sim.robot.root, impulse))
