"""`an.behave`: run a state machine on a robot, simulated or real, until it ends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from andante.bus import Bus
from andante.control.machines import Machine, Skill, Taken
from andante.description import Problem
from andante.description.solver import SolverLike
from andante.errors import BadInput
from andante.session.choice import CONTROL_TIME
from andante.session.nodes import all_nodes
from andante.session.nodes.machines import MachineNode
from andante.session.real import real_body
from andante.session.session import LiveSession
from andante.settings import DEFAULT_ENGINE
from andante.tasks.bodies import BodyLike, read_params
from andante.tasks.inputs import RobotLike, WorldLike, as_robot, as_world
from andante.tasks.outputs import RunFiles, kept
from andante.tasks.result import HIDDEN, Result

from .host import MachineHost

LONGEST = 36_000.0  # [s]
LOGGED = 1000  # lines that are kept


@dataclass(frozen=True)
class BehaveResult(Result):
    """How a state machine went."""

    robot: str
    machine: str
    engine: str  # or the address of a real robot
    seconds: float  # simulated, or of the robot's clock
    finished: bool  # it came to a final state
    outcome: str  # which one; empty: the time was over
    active: tuple[str, ...]  # states at the end
    transitions: int  # that were taken
    fallen: bool  # at some time, as the robot feels
    variables: Mapping[str, Any]
    problems: tuple[Problem, ...]
    story: tuple[Taken, ...] = field(metadata=HIDDEN, repr=False)  # the newest 1000 transitions
    log: tuple[str, ...] = field(metadata=HIDDEN, repr=False)

    def __str__(self) -> str:
        end = f"ended in {self.outcome}" if self.finished else f"was in {', '.join(self.active) or 'no state'}"
        fall = ", fell" if self.fallen else ""
        return (
            f"{self.robot} ran {self.machine} on {self.engine}: {end} after {self.seconds:.2f} s, "
            f"{self.transitions} transitions{fall}"
        )


@dataclass(frozen=True)
class CheckedMachine(Result):
    """A machine with what its check says; nothing has moved."""

    robot: str
    machine: str
    ok: bool
    states: int
    problems: tuple[Problem, ...]

    def __str__(self) -> str:
        state = f"{self.machine} for {self.robot}: {self.states} states, {'ok' if self.ok else 'not ok'}"
        return "\n".join([*map(str, self.problems), state])


def check_behave(
    robot: RobotLike, machine: str, *, world: WorldLike = "empty", arguments: Mapping[str, str] | None = None
) -> CheckedMachine:
    """Find a state machine and say what is wrong with it; see `behave` for the arguments."""
    with TemporaryDirectory(prefix="andante_behave_") as folder:
        session = LiveSession(as_robot(robot, arguments), as_world(world), folder=folder)
        try:
            host = MachineHost(session)
            found, own = host.find(machine, files=True)
            problems = host.check(found, own)
        finally:
            session.close()
    ok = all(problem.severity != "error" for problem in problems)
    return CheckedMachine(session.choice.robot_name, found.name, ok, len(found.states), problems)


def behave(
    robot: RobotLike,
    machine: str,
    *,
    seconds: float = 120.0,
    world: WorldLike = "empty",
    engine: str = DEFAULT_ENGINE,
    start: Sequence[float] = (0.0, 0.0, 0.0),
    solver: SolverLike | None = None,
    arguments: Mapping[str, str] | None = None,
    seed: int = 0,
    record: Path | str | None = None,
    video: Path | str | None = None,
    picture: Path | str | None = None,
    body: BodyLike = "sim",
    params: Path | str | None = None,
) -> BehaveResult:
    """Run a state machine on a robot until it ends in a final state, or the time is over.

    Args:
        robot: a `Robot`, a name or a path.
        machine: a machine of the robot's library, a .toml, .scxml or .json file, or `file.py:Class`.
        seconds: longest time [s].
        world: a `World`, a name or a path.
        engine: mujoco, bullet, dart, ode, or `file.py:Name`.
        start: x, y [m], yaw [rad] in the world.
        solver: settings of the solver, such as {"iterations": 50}, before those of the world.
        arguments: `name:=value` arguments of the robot's file.
        seed: random seed of all noise.
        record: recording to write (.mcap, .csv).
        video: film to write (.mp4, .gif, .webp).
        picture: picture of the end to write (.png, .jpg, .webp).
        body: sim, or a real robot: a `Body`, ws://HOST:9090, http://HOST:11311, naoqi://HOST:9559, serial:PORT, or
            `file.py:Name`. It moves at once.
        params: a TOML file with the tables [falls] (`FallRules`), and [body] and [start] for a real robot.

    Returns:
        How it went. Files are complete or absent, also when it is interrupted.
    """
    if not (math.isfinite(seconds) and 0 < seconds <= LONGEST):
        raise BadInput(f"seconds must lie above 0 and up to {LONGEST:g}, got {seconds}")
    files = RunFiles.of(record, video, picture)
    given = read_params(params)
    if given.rest or given.robot:
        others = [*given.rest, *(["robot"] if given.robot else [])]
        raise BadInput(f"{params}: behave takes the tables [body], [falls] and [start] only, got {', '.join(others)}")
    bus, lines = Bus(), list[str]()
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="andante_behave_"))
        real = real_body(body, given.body, bus)
        session = LiveSession(
            as_robot(robot, arguments), as_world(world), engine, seed=seed, start=start, solver=solver, folder=folder,
            bus=bus, body=real, falls=given.falls, start_settings=given.start,
            nodes=[node for node in all_nodes(real is not None) if node is not MachineNode],
        )  # fmt: skip
        stack.callback(session.close)
        host = MachineHost(session)
        found, own = host.find(machine, files=True)
        problems = host.load(found, own)
        bus.subscribe(
            "/rosout", "rcl_interfaces/msg/Log", lambda m: lines.append(str(m.msg)) if len(lines) < LOGGED else None
        )
        stack.enter_context(kept(session.stage.sim, files, session.stage))
        fell = _run(session, host, seconds)
        return _result(session, host, found, own, fell, problems, tuple(lines))


def _run(session: LiveSession, host: MachineHost, seconds: float) -> bool:
    """Step until it ends; whether the robot fell."""
    host.start()
    end, fell = session.periods + round(seconds / CONTROL_TIME), False
    session.teleop.release()
    while host.running and session.periods < end and not session.stopped:
        session.step()
        host.update()
        fell = fell or bool(host.facts["falling"])
    session.bus.spin()
    return fell


def _result(
    session: LiveSession,
    host: MachineHost,
    machine: Machine,
    own: Mapping[str, Skill],
    fell: bool,
    problems: tuple[Problem, ...],
    log: tuple[str, ...],
) -> BehaveResult:
    runner = host.runner
    assert runner is not None
    made = BehaveResult(
        robot=session.stage.robot.name,
        machine=machine.name,
        engine=session.stage.sim.address,
        seconds=runner.now,
        finished=bool(runner.outcome),
        outcome=runner.outcome,
        active=runner.active,
        transitions=runner.count,
        fallen=fell,
        variables=dict(runner.variables),
        problems=problems,
        story=tuple(runner.taken),
        log=log,
    )
    host.stop()
    return made
