"""`an.sim`: simulate a robot that holds its pose, and tell where it ends."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from andante import viz
from andante.control.drivers import start_of
from andante.description import Problem, Robot
from andante.description.solids import robot_bounds
from andante.description.solver import SolverLike
from andante.errors import BadInput
from andante.geometry import SE3, Array, so3
from andante.gravity import GRAVITY
from andante.progress import tracked
from andante.simulation.push import PushWords, parse_push
from andante.simulation.simulation import Simulation, simulate
from andante.simulation.truth import Depth

from .bodies import judge_falls, read_params
from .inputs import RobotLike, WorldLike, as_robot, as_world
from .outputs import RunFiles, kept
from .result import HIDDEN, Result

HIGHEST_DROP = 1e5  # [m]
ROSE = 0.35  # of the base, in sizes of the robot, that no stance explains
FASTER = 1.5  # than anything that falls from its height


@dataclass(frozen=True)
class SimResult(Result):
    """Where it ended. `real_time_factor` counts the loop only, not loading."""

    robot: str
    world: str
    engine: str
    seconds: float
    steps: int
    real_time_factor: float
    base: Array
    fallen: bool
    problems: tuple[Problem, ...]
    dt: float  # physics step that was used [s]
    start_pose: str  # where its first pose comes from, in words
    unstable: str  # how it gained energy from nothing; empty: it did not
    reason: str  # why it ended before its time, empty when it did not

    path: Array = field(metadata=HIDDEN, repr=False)  # (n, 8) time [s] and base

    def __str__(self) -> str:
        x, y, z = self.base[:3].tolist()
        return (
            f"{self.robot} in {self.world} on {self.engine}: {self.seconds:g} s in {self.steps} steps "
            f"of {1e3 * self.dt:g} ms, {self.real_time_factor:.1f} x real time\n"
            f"base at x {x:.4f}  y {y:.4f}  z {z:.4f} m from {self.start_pose}, "
            f"{f'unstable: {self.unstable}' if self.unstable else 'fallen' if self.fallen else 'up'}"
            + (f"\nended early: {self.reason}" if self.reason else "")
        )

    def plot(self) -> viz.Figure:
        """Where the root was over time."""
        return viz.plot_joints(
            self.path[:, 0], self.path[:, 1:4], ("x", "y", "z"), str(self), label="position of the root [m]"
        )


def sim(
    robot: RobotLike,
    *,
    world: WorldLike = "empty",
    engine: str = "mujoco",
    seconds: float = 5.0,
    dt: float | None = None,
    solver: SolverLike | None = None,
    pose: str | Mapping[str, float] | None = None,
    drop: float = 0.0,
    fixed: bool = False,
    push: PushWords | None = None,
    arguments: Mapping[str, str] | None = None,
    seed: int = 0,
    record: Path | str | None = None,
    video: Path | str | None = None,
    picture: Path | str | None = None,
    realtime: bool = False,
    params: Path | str | None = None,
    progress: bool = False,
) -> SimResult:
    """Simulate a robot that holds its pose, and tell where it ends. `an.simulate` gives the simulation itself.

    Without a pose it starts as it can stand: see `start_of`.

    Args:
        robot: a `Robot`, a name or a path.
        world: a `World`, a name or a path.
        engine: mujoco, bullet, dart, ode, or `file.py:Name`; `compare_engines` runs on all.
        seconds: simulated time [s].
        dt: physics step [s]; None: that of the world up to 0.002, else 0.002.
        solver: settings of the solver, such as {"iterations": 50}, before those of the world.
        pose: pose to hold, a name or joint positions [rad, m]; None: one in which it stands, else the file's zero.
        drop: height to fall from [m].
        fixed: fix the root link to the world.
        push: impulse [N s], direction (a word or degrees) in its first axes, time [s].
        arguments: `name:=value` arguments of the robot's file.
        seed: random seed of all noise.
        record, video, picture: files to write.
        realtime: run at most as fast as the wall clock.
        params: a TOML file with the tables [robot] (`RobotParameters`, as `experiment fit` writes it) and [falls].
        progress: print progress on stderr.

    Returns:
        Where it ended. Files are complete or absent, also when it is interrupted.
    """
    if not (np.isfinite(seconds) and 0 <= seconds <= 1e6):
        raise BadInput(f"seconds must lie between 0 and 1e6, got {seconds}")
    if not 0 <= drop <= HIGHEST_DROP:
        raise BadInput(f"drop must be a height between 0 and {HIGHEST_DROP:g} m, got {drop}")
    shove = parse_push(push) if push is not None else None
    files = RunFiles.of(record, video, picture)
    given = read_params(params)
    if given.rest:
        raise BadInput(f"{params}: sim takes the tables [falls] and [robot] only, got {', '.join(given.rest)}")
    loaded, place = as_robot(robot, arguments), as_world(world)
    begun = start_of(loaded, pose)
    made = given.robot.on(begun.robot)
    first = pose if pose is not None else dict(begun.positions)
    scene = simulate(
        made, place, engine, dt=dt, pose=first, drop=drop, fixed=fixed, seed=seed, sensors=record is not None,
        solver=solver,
    )  # fmt: skip
    with closing(scene):
        if begun.held:
            scene.target(begun.held)
        judge_falls(scene, given.falls)
        with kept(scene, files):
            wall, rows, reason = _run(scene, seconds, shove, realtime, progress)
        return SimResult(
            robot=made.name,
            world=place.name,
            engine=scene.engine.name,
            seconds=scene.time,
            steps=scene.engine.steps,
            real_time_factor=scene.time / wall if wall > 0 else float("nan"),
            base=scene.base_pose,
            fallen=scene.fallen,
            problems=scene.problems,
            dt=scene.engine.dt,
            start_pose=begun.words,
            unstable="" if push else _gained(rows, _size(scene.robot, begun.positions), drop),
            reason=reason,
            path=rows,
        )


def _size(robot: Robot, positions: Mapping[str, float]) -> float:
    """Largest extent of a robot [m]."""
    box = robot_bounds(robot, robot.complete(positions), SE3.identity())
    return 0.0 if box is None else float(np.max(box[1] - box[0]))


def _gained(rows: Array, size: float, drop: float) -> str:
    """How a robot that nobody pushes rose or sped up by more than gravity can give it, in words; empty: it did not.

    m g (z - z0) of the root may grow by `ROSE` of its size while it straightens up; a fall from its size and the drop
    ends with v² = 2 g (size + drop).
    """
    if not size > 0 or len(rows) < 2:
        return ""
    rise = float(rows[1:, 3].max() - rows[0, 3])
    if rise > ROSE * size:
        when = float(rows[1 + int(np.argmax(rows[1:, 3])), 0])
        return f"its base rose by {rise:.2g} m until {when:.1f} s although nothing lifts it"
    speeds = np.linalg.norm(np.diff(rows[:, 1:3], axis=0), axis=1) / np.maximum(np.diff(rows[:, 0]), 1e-9)
    most = FASTER * math.sqrt(2 * GRAVITY * (size + drop))
    if float(speeds.max()) > most:
        return f"its base went aside with {float(speeds.max()):.2g} m/s although nothing pushes it"
    return ""


def _run(
    scene: Simulation, seconds: float, push: tuple[Array, float] | None, realtime: bool, progress: bool
) -> tuple[float, Array, str]:
    """Advance to the end in slices; wall time [s], time and base (n, 8) after each, and why it ended early."""
    axes = so3.from_quaternion(scene.base_pose[3:])
    slices = max(1, min(200, round(seconds / 0.25)))
    started = time.perf_counter()
    pushed_at = push[1] if push is not None and push[1] < seconds else None
    marks = sorted({*np.linspace(0.0, seconds, slices + 1)[1:].tolist(), *([pushed_at] if pushed_at else [])})
    rows = [np.array([0.0, *scene.base_pose])]
    depth, word = Depth(scene), ""
    if push is not None and pushed_at == 0.0:
        scene.push(scene.robot.root, axes @ push[0])
    for mark in tracked(marks, f"{scene.robot.name} on {scene.engine.name}", progress):
        scene.run(mark - scene.time if mark > scene.time else 0.0, realtime)
        rows.append(np.array([scene.time, *scene.base_pose]))
        if push is not None and pushed_at is not None and mark == pushed_at:
            scene.push(scene.robot.root, axes @ push[0])
        if word := depth.word:
            break
    return time.perf_counter() - started, np.array(rows), word
