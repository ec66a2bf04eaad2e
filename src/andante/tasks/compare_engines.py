"""`an.compare_engines`: the same robot, standing, on every engine that is installed; which of them differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from andante import viz
from andante.description import Problem
from andante.errors import AndanteError, BadInput
from andante.physics.registry import ENGINES, installed

from .inputs import RobotLike, WorldLike, as_robot, as_world
from .result import HIDDEN, Result
from .sim import SimResult, sim

ALL = "all"  # of the engines, as the command line names them
ALIKE = 0.02  # heights of the base on two engines that agree [m]


@dataclass(frozen=True)
class EnginesResult(Result):
    """Where it ended on every engine, and which engines differ from the others."""

    robot: str
    world: str
    start_pose: str
    heights: Mapping[str, float]  # of the base at the end [m]
    fallen: tuple[str, ...]  # engines on which it lies
    unstable: Mapping[str, str]  # engines on which it gained energy from nothing, and how
    failed: Mapping[str, str]  # engines that could not run it, and why
    differ: tuple[str, ...]  # engines whose height is further than `ALIKE` from the middle one of all

    runs: tuple[SimResult, ...] = field(metadata=HIDDEN, repr=False)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What the readers and the engines had to say."""
        return tuple(dict.fromkeys(problem for run in self.runs for problem in run.problems))

    def __str__(self) -> str:
        told = ", ".join(f"{name} {z:.4f} m" for name, z in self.heights.items())
        lines = [f"{self.robot} in {self.world}: from {self.start_pose}, base at z {told}"]
        lines += [f"fallen on {', '.join(self.fallen)}"] if self.fallen else []
        lines += [f"{name}: unstable: {words}" for name, words in self.unstable.items()]
        lines += [f"{name}: {words}" for name, words in self.failed.items()]
        agree = f"engines agree within {100 * ALIKE:g} cm"
        return "\n".join([*lines, f"differs: {', '.join(self.differ)}" if self.differ else agree])

    def plot(self) -> viz.Figure:
        """Heights of the root over time, a curve for each engine."""
        paths = [run.path for run in self.runs]
        count = min(len(path) for path in paths)
        heights = np.column_stack([path[:count, 3] for path in paths])
        names = tuple(self.heights)
        return viz.plot_joints(paths[0][:count, 0], heights, names, self.robot, label="height of the root [m]")


def compare_engines(
    robot: RobotLike,
    *,
    world: WorldLike = "empty",
    seconds: float = 5.0,
    dt: float | None = None,
    pose: str | Mapping[str, float] | None = None,
    drop: float = 0.0,
    fixed: bool = False,
    arguments: Mapping[str, str] | None = None,
    seed: int = 0,
    progress: bool = False,
) -> EnginesResult:
    """Simulate a robot that holds its pose on every installed engine, and tell which of them differ.

    Args:
        robot: a `Robot`, a name or a path.
        world: a `World`, a name or a path.
        seconds: simulated time [s].
        dt: physics step [s]; None: that of the world up to 0.002, else 0.002.
        pose: pose to hold, a name or joint positions [rad, m]; None: one in which it stands, else the file's zero.
        drop: height to fall from [m].
        fixed: fix the root link to the world.
        arguments: `name:=value` arguments of the robot's file.
        seed: random seed of all noise.
        progress: print progress on stderr.

    Returns:
        Heights of the base at the end by engine; an engine that is further than 2 cm from the middle one differs.
    """
    made, place = as_robot(robot, arguments), as_world(world)
    runs: dict[str, SimResult] = {}
    failed: dict[str, str] = {}
    for name, entry in ENGINES.usable():
        if not installed(entry):
            continue
        try:
            runs[name] = sim(
                made, world=place, engine=name, seconds=seconds, dt=dt, pose=pose, drop=drop, fixed=fixed, seed=seed,
                progress=progress,
            )  # fmt: skip
        except AndanteError as error:
            failed[name] = str(error)
    if not runs:
        raise BadInput(f"robot {made.name!r} runs on no engine: {'; '.join(f'{k}: {v}' for k, v in failed.items())}")
    heights = {name: float(run.base[2]) for name, run in runs.items()}
    middle = float(np.median(list(heights.values())))
    first = next(iter(runs.values()))
    return EnginesResult(
        robot=first.robot,
        world=first.world,
        start_pose=first.start_pose,
        heights=heights,
        fallen=tuple(name for name, run in runs.items() if run.fallen),
        unstable={name: run.unstable for name, run in runs.items() if run.unstable},
        failed=failed,
        differ=tuple(name for name, z in heights.items() if not abs(z - middle) <= ALIKE),
        runs=tuple(runs.values()),
    )
