"""`excite`: move a robot by an excitation, simulated or real, and record what its joints do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from andante import hardware, viz
from andante.control.body import Body
from andante.control.loop import ControlLoop
from andante.control.start import first_positions, require_rate
from andante.description import Robot
from andante.errors import BadInput, LostBody
from andante.geometry import Array
from andante.physics import Mode
from andante.progress import bar
from andante.simulation.simulation import simulate
from andante.tasks.bodies import BodyLike, Params, is_simulated, opened, report_log
from andante.tasks.result import HIDDEN, Result

from .excitation import ExcitationSettings, Exciting, excitation
from .proof import HEIGHT
from .recording import JointRecording, write_joint_recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST_RATE = 10.0  # at which a real robot must tell its joints [Hz]
SHOWN = 0.5  # between two words of progress [s]


@dataclass(frozen=True)
class Excited(Result):
    """The recording of an excitation."""

    robot: str
    engine: str  # or the address of a real robot
    seconds: float
    joints: tuple[str, ...]
    out: Path | None
    reason: str  # why it ended early
    recording: JointRecording = field(metadata=HIDDEN, repr=False)

    def __str__(self) -> str:
        ended = f"; {self.reason}" if self.reason else ""
        return f"{self.robot} on {self.engine}: {len(self.joints)} joints excited in {self.seconds:.1f} s{ended}"

    def plot(self) -> Figure:
        """Positions of the joints over time."""
        told = self.recording
        return viz.plot_joints(told.times, told.positions, told.names, str(self), label="position [rad or m]")


def excite_body(
    body: Body, joints: Sequence[str], seconds: float, rate: float, settings: ExcitationSettings | None = None,
    progress: bool = False,
) -> Excited:  # fmt: skip
    """Excite the joints of a body whose base is held; it moves at once, from where its joints are."""
    robot = body.robot
    here = np.asarray(body.read().position, dtype=float)
    unknown = [name for name, value in zip(body.joint_names, here, strict=True) if not math.isfinite(value)]
    if unknown:
        raise BadInput(f"{body.name} does not tell where {', '.join(unknown)} are; nothing was moved")
    motion = excitation(robot, here, joints, seconds, rate, settings)
    behaviour = Exciting(motion)
    loop = ControlLoop(body, behaviour, rate)
    times, states, efforts, targets = list[float](), list[Array](), list[Array](), list[Array]()
    reason, shown = "", 0.0
    with bar(f"{robot.name} on {body.address}", progress) as report:
        while not behaviour.over:
            try:
                state = loop.step()
            except LostBody as error:
                reason = str(error)
                break
            times.append(float(state.time))
            states.append(np.array(state.position, dtype=float))
            effort = np.asarray(state.effort, dtype=float)
            efforts.append(effort.copy() if len(effort) == len(here) else np.full(len(here), math.nan))
            targets.append(np.array(loop.targets, dtype=float))
            if (done := len(times) * loop.period) >= shown:
                shown = done + SHOWN
                report(done, motion.duration, "")
    if len(times) < 2:
        raise BadInput(f"nothing was recorded: {reason}")
    told, speed = np.array(targets), motion.modes == Mode.VELOCITY
    at = np.array(times) - times[0]
    recording = JointRecording(
        robot.joint_names, at, np.array(states), at, np.where(speed, math.nan, told), np.where(speed, told, math.nan),
        np.array(efforts), np.full_like(told, math.nan), f"{robot.name} on {body.address}",
    )  # fmt: skip
    return Excited(robot.name, body.address, float(at[-1]), motion.moved, None, reason, recording)


def excite_robot(
    robot: Robot, out: Path, body: BodyLike, given: Params, joints: Sequence[str], seconds: float, rate: float,
    engine: str, dt: float | None, pose: str | None, seed: int, progress: bool,
) -> Excited:  # fmt: skip
    """Excite a simulated robot that hangs, or a real one, and write the recording."""
    if out.exists():
        raise BadInput(f"{out}: exists already; choose another name")
    settings = given.settings("excite", ExcitationSettings())
    if given.rest:
        taken = "[body], [excite], [falls], [robot] and [start]"
        raise BadInput(f"{given.path}: excite takes the tables {taken} only, got {', '.join(given.rest)}")
    if not is_simulated(body):
        if pose is not None:
            raise BadInput("a real robot starts where it is; leave pose out")
        if dt is not None:
            raise BadInput("a real robot has no step of an engine; leave dt out")
        with opened(body, robot, given.body, report_log(progress)) as real:
            require_rate(real, LEAST_RATE, "an excitation", given.start)
            made = excite_body(real, joints, seconds, rate, settings, progress)
    else:
        sim = simulate(
            given.robot.on(robot), engine=engine, pose=first_positions(robot, pose), drop=HEIGHT, fixed=True, seed=seed,
            sensors=True, dt=dt,
        )  # fmt: skip
        try:
            made = excite_body(sim, joints, seconds, rate, settings, progress)
        finally:
            sim.close()
    write_joint_recording(out, made.recording)
    return Excited(**{**vars(made), "out": out})


def excite_dry(
    robot: Robot, body: str, given: Params, joints: Sequence[str], seconds: float, rate: float
) -> list[dict[str, Any]]:
    """What the first period would send to a real robot; see `hardware.open.dry_run`."""
    settings = given.settings("excite", ExcitationSettings())
    pose = robot.complete(first_positions(robot, None))
    start = np.array([pose[name] for name in robot.joint_names])
    behaviour = Exciting(excitation(robot, start, joints, seconds, rate, settings))
    return hardware.dry_run(body, robot, given.body, behaviour, pose, rate)
