"""`andante bench walk`: the full control loop beside a bare MuJoCo loop, in simulated seconds per second of one core.

Andante's side is what `andante walk` does: sensors at their rates, a behaviour at 100 Hz (gait, inverse kinematics,
balance), servos, physics. A first run writes down the servo references of every step; the bare side is a loop that
plays them with `ctrl` and `mj_step` from the same state, so both sides move alike to the last bit. They take turns in
slices of 0.1 s, in CPU time of the process; of every slice the fastest of `PASSES` counts, since a shared machine only
ever makes things slower.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

import mujoco
import numpy as np

from andante.control.loop import ControlLoop
from andante.description import load_robot
from andante.geometry import Array
from andante.locomotion import Behaviour, Command, Readings
from andante.locomotion.gaits import Request, gait_names, prepare
from andante.simulation.simulation import Simulation, simulate

from .physics import Unequal, take_turns
from .rows import Row, leave_out

SETTLING = 1.0  # standing [s]
STARTING = 2.0  # from the first command until the measured time [s]
SLICE = 0.1  # [s]
PASSES = 3
SPEED = 0.6  # of the gait's top speed
SAME_PLACE = 1e-6  # the two sides end this near to each other [m, rad]
UNIT = "x real time"

Tape = list[tuple[int, Array]]  # steps, and the servo references held meanwhile


@dataclass(frozen=True)
class Case:
    """One row: a robot and its gait; an empty gait stands."""

    name: str
    robot: str
    gait: str


CASES = (
    Case("shell tripod walking", "shell", "tripod"),
    Case("shell rolling", "shell", "roll"),
    Case("nao standing, all sensors", "nao", ""),
    Case("nao walking, all sensors", "nao", "walk"),
)


class Hold(Behaviour):
    """A behaviour that holds the pose of its first reading."""

    def __init__(self) -> None:
        self._pose: Array | None = None

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """The same targets at every step."""
        if self._pose is None:
            self._pose = readings.position
        return self._pose


def run(seconds: float, quiet: bool) -> tuple[Row, ...]:
    """A row per case whose gait the robot has; `seconds` of simulated time are measured."""
    rows = []
    for case in CASES:
        if not case.gait or case.gait in gait_names(load_robot(case.robot)):
            rows.append(measure(case, seconds))
        else:
            leave_out(case.name, f"robot {case.robot!r} has no gait {case.gait!r}", quiet)
    return tuple(rows)


def measure(case: Case, seconds: float) -> Row:
    """Both sides of one case."""
    count = max(1, round(seconds / SLICE))
    loop = begin(case)
    with closing(simulation(loop)) as bare:
        start = bare.engine.snapshot()
        tapes = [record(loop) for _ in range(count)]
        times = np.array([_take_turns(case, bare, start, tapes) for _ in range(PASSES)])
    ours, theirs = count * SLICE / times.min(axis=0).sum(axis=1)
    return Row(case.name, float(ours), float(theirs), UNIT)


def begin(case: Case) -> ControlLoop:
    """The robot of a case under way, `SETTLING` + `STARTING` seconds after its start."""
    robot = load_robot(case.robot)
    behaviour: Behaviour
    if case.gait:
        ready = prepare(robot, Request(case.gait))
        sim = simulate(ready.robot, pose=ready.pose, sensors=True)
        behaviour, command = ready.walker, Command(vx=SPEED * ready.walker.max_speed)
    else:
        sim, behaviour, command = simulate(robot, sensors=True), Hold(), Command()
    loop = ControlLoop(sim, behaviour)
    loop.run(SETTLING)
    loop.command = command
    loop.run(STARTING)
    return loop


def simulation(loop: ControlLoop) -> Simulation:
    """The simulation that a loop runs on."""
    assert isinstance(loop.body, Simulation)
    return loop.body


def record(loop: ControlLoop) -> Tape:
    """Run one slice and write down what the servos were told."""
    tape, step = Tape(), mujoco.mj_step

    def written(mj_model: mujoco.MjModel, data: mujoco.MjData, steps: int = 1) -> None:
        tape.append((steps, data.ctrl.copy()))
        step(mj_model, data, steps)

    mujoco.mj_step = written
    try:
        loop.run(SLICE)
    finally:
        mujoco.mj_step = step
    return tape


def play(sim: Simulation, tape: Tape) -> None:
    """The bare side: `ctrl` and `mj_step`."""
    mj_model, data = sim.engine.mj_model, sim.engine.data  # type: ignore[attr-defined]
    for steps, references in tape:
        data.ctrl[:] = references
        mujoco.mj_step(mj_model, data, steps)


def _take_turns(case: Case, bare: Simulation, start: object, tapes: list[Tape]) -> Array:
    """CPU times [s] of one pass, (2, slices): Andante's, the bare loop's."""
    ours = begin(case)
    bare.engine.restore(start)  # type: ignore[arg-type]
    with closing(ours.body):
        times = take_turns((lambda _: ours.run(SLICE), lambda tape: play(bare, tape)), tapes, 1)
        _compare(case, simulation(ours), bare)
    return np.concatenate(times)


def _compare(case: Case, ours: Simulation, bare: Simulation) -> None:
    """Both sides are in the same state: else they did not do the same work."""
    states = [sim.engine.data.qpos for sim in (ours, bare)]  # type: ignore[attr-defined]
    apart = float(np.abs(states[0] - states[1]).max())
    if not apart < SAME_PLACE or (ours.fallen and case.gait != "roll"):
        raise Unequal(f"{case.name}: the sides ended {apart:.3g} m or rad apart" + ", fallen" * ours.fallen)
