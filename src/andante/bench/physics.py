"""`andante bench physics`: stepping beside a bare loop of the same engine, in simulated seconds per second of one core.

Two scenes are made alike. One is driven as a user does (`target`, `run`), the other by a bare loop. Both
get the same joint command every 10 ms, a sine of 0.02 rad at 2 Hz about the pose, too slow for the servos' speed limit
to matter; no sensors, no observers. They take turns in slices of 0.1 s. Time is the CPU time of the process, all
threads together: on a shared machine it leaves out the waiting, and it would show work moved to another thread. Still
a busy neighbor slows memory and caches, for both sides alike, so the ratio is the median over pairs of neighboring
slices; the speed of the bare loop is that of its fastest slices, one for each phase of the sine. Half of the pairs are
taken with scenes made in the other order, because it matters where in memory a scene happens to lie.

The bare loops of the four engines are as one writes them by hand: raw handles, the engine's own servos, nothing else.
Each takes a scene that `simulate` has made, so that shapes, masses, step size, solver and servo gains are those of the
other side, and gives a function that plays a table of joint targets (n, joints), one row per `steps` steps. The
functions keep no reference to Andante's stepping and do none of its work: no checks, no limits, no slewing, no memory
for snapshots, contacts or readings.
"""

from __future__ import annotations

import gc
import itertools
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import mujoco
import numpy as np

from andante.description import Robot, load_robot
from andante.errors import AndanteError
from andante.gc_paused import gc_paused
from andante.geometry import Array
from andante.physics.registry import ENGINES, installed
from andante.simulation.simulation import Simulation, simulate

from .rows import Row, leave_out

Play = Callable[[Array], None]
Part = TypeVar("Part")

DT = 0.002  # [s]
COMMAND_TIME = 0.01  # from one command to the next [s]
PERIOD = 0.5  # of the sine [s]
PHASES = 5  # slices of a period
AMPLITUDE = 0.02  # [rad]
SETTLING = 1.0  # before anything is measured [s]
SAME_HEIGHT = 0.005  # the roots of both sides end this near to each other [m]
UNIT = "x real time"


# ---- bare loops ----------------------------------------------------------------------------------
def bare_mujoco(engine: Any, model: int, steps: int) -> Play:
    """`ctrl` and `mj_step`."""
    mj_model, data, mj_step = engine.mj_model, engine.data, mujoco.mj_step
    first, last = engine._index[model].actuators.start, engine._index[model].actuators.stop

    def play(targets: Array) -> None:
        for target in targets:
            data.ctrl[first:last] = target
            mj_step(mj_model, data, steps)

    return play


def bare_bullet(engine: Any, model: int, steps: int) -> Play:
    """One `setJointMotorControlArray` per step, bounded by the pull of spring and damper, then `stepSimulation`.

    Servos whose dampers are strong beside a step give way by their smoothed load; see `Servos.pull`.
    """
    from andante.physics.bullet.api import pybullet
    from andante.physics.bullet.servos import LOAD_WEIGHT

    client, mode = engine._client.number, pybullet.POSITION_CONTROL
    (group,) = engine._servos[model]._groups
    body, links, chosen = group.uid, list(group.links), group.joints
    near, keen, gives = list(group.near), list(group.keen), group.gives.copy()
    kp, kd, least, limit = group.kp.copy(), group.kd.copy(), group.least.copy(), group.limit.copy()
    load = engine._servos[model]._load[chosen]

    def play(targets: Array) -> None:
        nonlocal load
        for target in targets[:, chosen]:
            for _ in range(steps):
                states = pybullet.getJointStates(body, links, physicsClientId=client)
                q, v, effort = np.array([(state[0], state[1], state[3]) for state in states]).T
                bound = np.minimum(np.maximum(np.abs(kp * (target - q) - kd * v), least), limit).tolist()
                load = load + LOAD_WEIGHT * (effort - load)
                pybullet.setJointMotorControlArray(
                    body, links, mode, targetPositions=(target - gives * load).tolist(), forces=bound,
                    positionGains=near, velocityGains=keen, physicsClientId=client,
                )  # fmt: skip
                pybullet.stepSimulation(physicsClientId=client)

    return play


def bare_dart(engine: Any, model: int, steps: int) -> Play:
    """A velocity command of spring and damper to the SERVO joints in every step; a mimic joint follows its leader."""
    world, servos = engine._world, engine._servos[model]
    skeleton, dofs, ties, dt = servos._skeleton, servos._dofs, servos.followers, engine.dt
    engine._soften()
    servos._measure()
    rate, top, share = servos._rate.copy(), servos._top.copy(), servos._share.copy()
    leader, follower = ties.leader.copy(), ties.follower.copy()
    ratio, offset = ties.ratio.copy(), ties.offset.copy()
    reference = np.zeros(skeleton.getNumDofs())

    def play(targets: Array) -> None:
        for target in targets:
            reference[dofs] = target
            for _ in range(steps):
                q = skeleton.getPositions()
                command, v = np.minimum(np.maximum(rate * (reference - q), -top), top), skeleton.getVelocities()
                command = np.where(share > 0.0, v + share * (command - v), command)
                if len(leader):
                    gap = ratio * q[leader] + offset - q[follower]
                    command[follower] = ratio * skeleton.getVelocities()[leader] + gap / dt
                skeleton.setCommands(command)
                world.step(False)

    return play


def bare_ode(engine: Any, model: int, steps: int) -> Play:
    """A speed for every motor, `autoCollide` and `quickStep`; a mimic joint's motor gets its leader's speed.

    All pairs of shapes are met by ODE itself; a hull is a triangle mesh there.
    """
    from andante.physics.ode.drive import MIMIC_ERP
    from andante.physics.ode.filter import pair_bits

    world, space, dt = engine._ode, engine._space, engine.dt
    drive, collider = engine._drives[model], engine._collider
    allowed = collider._allowed.copy()
    for a, b in collider.own.pairs:
        allowed[a, b] = allowed[b, a] = True
    free = np.array([owner is not None for owner in collider.owner], dtype=bool)
    pair_bits(allowed, collider.model, collider.body, free).set(collider.geoms)
    group, center = collider.group, drive.center.copy()
    held = [(i, read, motor.set_velocity, motor.key, drive.stiff[i]) for read, motor, i, _, _ in drive._held]
    led = [
        (drive.read[i], drive.read[source], drive.rate[source], drive.motors[i].set_velocity, m, offset)
        for i, source, m, offset in drive.mimics
    ]
    pull = MIMIC_ERP / dt

    def play(targets: Array) -> None:
        for target in (targets - center).tolist():
            for _ in range(steps):
                for i, read, write, key, stiff in held:
                    write(key, stiff * (target[i] - read()))
                for read, read_leader, leader_rate, write, m, offset in led:
                    write(0, m * leader_rate() + pull * (m * read_leader() + offset - read()))
                space.autoCollide()
                world.quickStep(dt)
                group.empty()

    return play


BARE: dict[str, Callable[[Any, int, int], Play]] = {
    "mujoco": bare_mujoco,
    "bullet": bare_bullet,
    "dart": bare_dart,
    "ode": bare_ode,
}


# ---- the benchmark -------------------------------------------------------------------------------
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
        else:
            leave_out(case.name, reason, quiet)
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
    """Both sides of one case; the speed of Andante is that of the bare loop times the median ratio."""
    rounds = max(1, round(seconds / PERIOD / 2))
    halves = [_measure_half(case, rounds, bare_first) for bare_first in (False, True)]
    ours, bare = (np.concatenate([half[side] for half in halves]) for side in (0, 1))
    baseline = PERIOD / float(bare.min(axis=0).sum())
    return Row(case.name, baseline * float(np.median(bare / ours)), baseline, UNIT)


def _measure_half(case: Case, rounds: int, bare_first: bool) -> tuple[Array, Array]:
    """CPU times [s] of Andante's and of the bare slices, each (rounds, PHASES)."""
    scenes = [simulate(case.robot, engine=case.engine, pose=case.pose, dt=DT) for _ in range(2)]
    bare, ours = scenes if bare_first else reversed(scenes)
    try:
        targets = command_table(ours.robot, ours.joints.position)
        play_bare = BARE[case.engine](bare.engine, bare.model, round(COMMAND_TIME / DT))
        for _ in range(min(rounds, round(SETTLING / PERIOD))):
            play(ours, targets)
            play_bare(targets)
        times = take_turns((lambda part: play(ours, part), play_bare), np.split(targets, PHASES), rounds)
        _compare(case, ours, bare)
    finally:
        for scene in scenes:
            scene.close()
    return times


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


def take_turns(
    sides: tuple[Callable[[Part], object], Callable[[Part], object]], parts: Sequence[Part], rounds: int
) -> tuple[Array, Array]:
    """CPU times [s] of both sides playing the parts, each (rounds, parts); who goes first changes from pair to pair."""
    times = np.zeros((2, rounds, len(parts)))
    gc.collect()
    with gc_paused():  # so that it does not fall to one side by chance
        for turn, (index, part) in itertools.product(range(rounds), enumerate(parts)):
            for side in (0, 1) if (turn + index) % 2 == 0 else (1, 0):
                start = time.process_time()
                sides[side](part)
                times[side, turn, index] = time.process_time() - start
    return times[0], times[1]


def read_anew(sim: Simulation) -> None:
    """Make an engine that was stepped behind its back forget what it has read before."""
    sim.engine.restore(sim.engine.snapshot())


def _compare(case: Case, ours: Simulation, bare: Simulation) -> None:
    """Both sides stand, at the same height: else they did not do the same work."""
    read_anew(bare)
    heights = float(ours.base_pose[2]), float(bare.base_pose[2])
    if ours.fallen or bare.fallen or not abs(heights[0] - heights[1]) < SAME_HEIGHT:
        fell = [name for name, sim in (("Andante's", ours), ("the bare", bare)) if sim.fallen]
        raise Unequal(
            f"{case.name}: the sides differ: root at {heights[0]:.4f} m under Andante, at {heights[1]:.4f} m in the "
            "bare loop" + (f"; {' and '.join(fell)} robot fell" if fell else "")
        )
