"""A simulation from start to end as one value in, one value out: what `andante sim` does."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from andante.description import Problem, Robot, load_robot, load_world
from andante.description.io.sidecar import sidecar_path
from andante.errors import BadInput
from andante.geometry import Array, so3

from .outputs import PICTURES, RECORDINGS, VIDEOS, check_outputs, kept
from .simulation import Simulation, simulate

DIRECTIONS = {
    "forward": (1.0, 0.0, 0.0),
    "back": (-1.0, 0.0, 0.0),
    "left": (0.0, 1.0, 0.0),
    "right": (0.0, -1.0, 0.0),
    "up": (0.0, 0.0, 1.0),
    "down": (0.0, 0.0, -1.0),
}
LARGEST_PUSH = 1e9  # [N s]
HIGHEST_DROP = 1e5  # [m]


@dataclass(frozen=True)
class SimJob:
    """What to simulate, and what to keep of it."""

    robot: str
    world: str = "empty"
    engine: str = "mujoco"
    arguments: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 5.0
    dt: float = 0.002
    pose: str | None = None
    drop: float = 0.0
    fixed: bool = False
    push: str | None = None  # "N·s direction time": impulse [N s], direction word or degrees, when [s]
    seed: int = 0
    record: Path | None = None
    video: Path | None = None
    picture: Path | None = None
    realtime: bool = False


@dataclass(frozen=True)
class SimOutcome:
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

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract."""
        return {
            "robot": self.robot,
            "world": self.world,
            "engine": self.engine,
            "seconds": self.seconds,
            "steps": self.steps,
            "real_time_factor": self.real_time_factor,
            "base": self.base,
            "fallen": self.fallen,
            "problems": [problem.as_dict() for problem in self.problems],
        }


def parse_push(text: str) -> tuple[Array, float]:
    """Impulse in the robot's first axes [N s] and time [s] of "2.0 forward 1.0" or "2.0 45 1.0" (degrees, left +)."""
    words = text.split()
    try:
        impulse, when = float(words[0]), float(words[2])
        if words[1] in DIRECTIONS:
            direction = np.array(DIRECTIONS[words[1]])
        else:
            angle = np.radians(float(words[1]))
            direction = np.array([np.cos(angle), np.sin(angle), 0.0])
        sound = abs(impulse) <= LARGEST_PUSH and 0 <= when < np.inf and bool(np.isfinite(direction).all())
        if len(words) != 3 or not sound:
            raise ValueError
    except (ValueError, IndexError):
        raise BadInput(
            f"push {text!r} should be 'N·s direction time', like '2.0 forward 1.0', up to {LARGEST_PUSH:g} N s; "
            f"directions: {', '.join(DIRECTIONS)} or degrees"
        ) from None
    return impulse * direction, when


def rigged(robot: Robot) -> Robot:
    """The robot with the stance, gains and sensors of the rig NAME.rig.toml beside its file; unchanged without one."""
    if not robot.source.file or not Path(robot.source.file).parent.joinpath(_rig_name(robot.source.file)).is_file():
        return robot
    from andante.locomotion.io.rig_file import rig_for
    from andante.locomotion.rigs.rig import with_rig

    return with_rig(robot, rig_for(robot))


def _rig_name(file: str) -> str:
    return f"{sidecar_path(Path(file)).stem}.rig.toml"


def run_sim(job: SimJob, progress: bool = False) -> SimOutcome:
    """Carry a job out. Files are complete or absent, also when it is interrupted."""
    if not (np.isfinite(job.seconds) and 0 <= job.seconds <= 1e6):
        raise BadInput(f"seconds must lie between 0 and 1e6, got {job.seconds}")
    if not 0 <= job.drop <= HIGHEST_DROP:
        raise BadInput(f"drop must be a height between 0 and {HIGHEST_DROP:g} m, got {job.drop}")
    push = parse_push(job.push) if job.push else None
    check_outputs(
        {
            "recordings": (job.record, RECORDINGS),
            "videos": (job.video, VIDEOS),
            "pictures": (job.picture, PICTURES),
        }
    )
    robot = rigged(load_robot(job.robot, job.arguments))
    world = load_world(job.world)
    sim = simulate(
        robot,
        world,
        job.engine,
        dt=job.dt,
        pose=job.pose,
        drop=job.drop,
        fixed=job.fixed,
        seed=job.seed,
        sensors=job.record is not None,
    )
    try:
        with kept(sim, job.record, job.video):
            wall = _run(sim, job, push, progress)
            if job.picture is not None:
                from .film import save_picture

                save_picture(sim, job.picture)
        return SimOutcome(
            robot=robot.name,
            world=world.name,
            engine=sim.engine.name,
            seconds=sim.time,
            steps=sim.engine.steps,
            real_time_factor=sim.time / wall if wall > 0 else float("nan"),
            base=sim.base_pose,
            fallen=sim.fallen,
            problems=sim.problems,
        )
    finally:
        sim.close()


def _run(sim: Simulation, job: SimJob, push: tuple[Array, float] | None, progress: bool) -> float:
    """Advance to the end in slices; wall time that it took [s]."""
    start_axes = so3.from_quaternion(sim.base_pose[3:])
    slices = max(1, min(200, round(job.seconds / 0.25)))
    started = time.perf_counter()
    pushed_at = push[1] if push is not None and push[1] < job.seconds else None
    marks = sorted({*np.linspace(0.0, job.seconds, slices + 1)[1:].tolist(), *([pushed_at] if pushed_at else [])})
    from .progress import tracked

    if push is not None and pushed_at == 0.0:
        sim.push(sim.robot.root, start_axes @ push[0])
    for mark in tracked(marks, f"{sim.robot.name} on {sim.engine.name}", progress):
        sim.run(mark - sim.time if mark > sim.time else 0.0, job.realtime)
        if push is not None and pushed_at is not None and mark == pushed_at:
            sim.push(sim.robot.root, start_axes @ push[0])
    return time.perf_counter() - started
