"""`andante bench physics`: stepping beside a bare loop of the same engine, in simulated seconds per second of one core.

Two scenes are made alike. One is driven as a user does (`target`, `run`), the other by the loop of `bench_bare`. Both
get the same joint command every 10 ms, a sine of 0.02 rad at 2 Hz about the pose, too slow for the servos' speed limit
to matter; no sensors, no observers. They take turns in slices of one period, so every slice is the same work, and the
fastest slice of each side counts. Time is the CPU time of the process, all threads together: on a shared machine it
leaves out the waiting, and it would show work that was moved to another thread.
"""

from __future__ import annotations

import gc
import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

import numpy as np

from andante.description import Robot, load_robot
from andante.errors import AndanteError
from andante.geometry import Array
from andante.physics.registry import ENGINES, installed

from .bench import Row
from .bench_bare import BARE
from .simulation import Simulation, simulate

DT = 0.002  # [s]
COMMAND_TIME = 0.01  # from one command to the next [s]
PERIOD = 0.5  # of the sine, and length of a slice [s]
AMPLITUDE = 0.02  # [rad]
SETTLING = 1.0  # before anything is measured [s]
SAME_HEIGHT = 0.005  # the roots of both sides end this near to each other [m]
UNIT = "x real time"


class Unequal(AndanteError):
    """The two sides of a benchmark did different things; the message names the case."""


@dataclass(frozen=True)
class Case:
    """One row: which robot, in which pose, on which engine."""

    name: str
    robot: str
    pose: str | None
    engine: str


CASES = (
    *(Case(f"nao standing ({engine})", "nao", None, engine) for engine in ENGINES),
    Case("shell standing (mujoco)", "shell", "stand", "mujoco"),
    Case("shell folded (mujoco)", "shell", "ball", "mujoco"),
)


def run(seconds: float, quiet: bool) -> tuple[Row, ...]:
    """A row per case; each side of a case simulates about `seconds` after settling."""
    rows = []
    for case in CASES:
        reason = _missing(case)
        if reason is None:
            rows.append(measure(case, seconds))
        elif not quiet:
            sys.stderr.write(f"left out: {case.name}: {reason}\n")
    return tuple(rows)


def _missing(case: Case) -> str | None:
    """Why a case cannot be run here, None: it can."""
    entry = ENGINES[case.engine]
    if not installed(entry):
        return f"the package {entry.distribution} is not installed"
    try:
        load_robot(case.robot)
    except AndanteError as error:
        return str(error)
    return None


def measure(case: Case, seconds: float) -> Row:
    """Both sides of one case, slice by slice in turns."""
    ours = simulate(case.robot, engine=case.engine, pose=case.pose, dt=DT)
    bare = simulate(case.robot, engine=case.engine, pose=case.pose, dt=DT)
    try:
        targets = command_table(ours.robot, ours.joints.position)
        play_bare = BARE[case.engine](bare.engine, bare.actor, round(COMMAND_TIME / DT))
        sides = (lambda: play(ours, targets), lambda: play_bare(targets))
        for side in sides:
            for _ in range(round(min(SETTLING, max(seconds, PERIOD)) / PERIOD)):
                side()
        times = take_turns(sides, max(2, round(seconds / PERIOD)))
        _compare(case, ours, bare)
    finally:
        ours.close()
        bare.close()
    return Row(case.name, PERIOD / median(times[0]), PERIOD / median(times[1]), UNIT)


def command_table(robot: Robot, rest: Array) -> Array:
    """Targets of one period, (commands, joints): knees and arms swing a little; where none are named so, all joints."""
    count = round(PERIOD / COMMAND_TIME)
    swing = AMPLITUDE * np.sin(2 * math.pi * np.arange(1, count + 1) / count)
    moved = np.array([any(part in name for part in ("Knee", "Shoulder", "Elbow")) for name in robot.joint_names])
    return rest + swing[:, None] * (moved if moved.any() else True)


def play(sim: Simulation, targets: Array) -> None:
    """Andante's side: a command, then 10 ms."""
    for target in targets:
        sim.target(target)
        sim.run(COMMAND_TIME)


def take_turns(sides: tuple[Callable[[], None], ...], rounds: int) -> list[list[float]]:
    """CPU times [s] of all slices of each side; the order within a round changes from round to round."""
    times: list[list[float]] = [[] for _ in sides]
    with _no_collector():
        for index in range(rounds):
            for which in range(len(sides)) if index % 2 == 0 else reversed(range(len(sides))):
                start = time.process_time()
                sides[which]()
                times[which].append(time.process_time() - start)
    return times


@contextmanager
def _no_collector() -> Iterator[None]:
    """No garbage collection inside, so that it does not fall to one side by chance."""
    was = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _compare(case: Case, ours: Simulation, bare: Simulation) -> None:
    """Both sides stand, at the same height: else they did not do the same work."""
    bare.engine.restore(bare.engine.snapshot())  # what the engine remembers of reading is stale
    heights = float(ours.base_pose[2]), float(bare.base_pose[2])
    if ours.fallen or bare.fallen or not abs(heights[0] - heights[1]) < SAME_HEIGHT:
        fell = [name for name, sim in (("Andante's", ours), ("the bare", bare)) if sim.fallen]
        raise Unequal(
            f"{case.name}: the two sides differ: root at {heights[0]:.4f} m under Andante and {heights[1]:.4f} m in the "
            f"bare loop" + (f"; {' and '.join(fell)} robot fell" if fell else "")
        )
