"""`identify`: from recordings of joints to servo gains, friction, delay, play and masses, and how sure they are.

Limbs of a held robot do not feel each other, so each is fitted on its own; parameters that joints of several limbs
share are fitted together. At the end the recording is replayed on a physics engine, with the robot's file as it is
and with what was found.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from andante.description import Robot
from andante.errors import BadInput, UnknownName
from andante.files import write_whole
from andante.progress import bar

from .approach import approached
from .checks import check_recording
from .estimate import EFFORT, POSITION, FitSettings, Fitted, Problem
from .meter import Meter
from .model import HeldLimb, Replay, ReplaySettings, held_limbs
from .parameters import POSITION_SERVO, SCALES, VELOCITY_SERVO, Parameter, chosen_kinds, make_parameter, shared
from .proof import replayed
from .recording import STILL, JointRecording, read_joint_recording
from .result import Curves, Estimate, Identification, robot_parameters, write_parameters
from .rigid import simplified
from .verdict import judged

EARLY = 0.005  # delay at which a fit begins [s]
POOR = 0.3  # of the deviation of a joint's way: residual from which on the model does not explain it
UNLIKE = (
    "{}: the simulation stays {:.2g} (rms) off what was measured: do targets, zero and units fit, "
    "did it touch something, and does the base hang as `tilt` says?"
)
STOPPED = "stopped by the user while {} were fitted; their intervals allow for what was left to go"


@dataclass(frozen=True)
class IdentifyJob:
    """What to identify from which recordings."""

    recordings: tuple[Path | JointRecording, ...]
    robot: Robot
    joints: tuple[str, ...] = ()  # names or patterns; none: all that were told targets and moved
    parameters: tuple[str, ...] = ()  # kinds; none: the usual ones of every joint
    share: tuple[str, ...] = ()  # patterns of joints that share their parameters
    mass_range: float = 0.3  # fraction by which masses may differ from the file
    tilt: tuple[float, float, float] = (0.0, 0.0, 0.0)  # roll, pitch, yaw of the held base [rad]
    targets: str = ""  # topic of the targets
    engine: str = "mujoco"  # for the proof; empty: none
    replay: ReplaySettings = field(default_factory=ReplaySettings)
    fit: FitSettings = field(default_factory=FitSettings)


def identify(job: IdentifyJob, progress: bool = False) -> Identification:
    """Identify parameters of a robot from recordings of its joints."""
    if not job.recordings:
        raise BadInput("a fit needs a recording")
    if not 0 < job.mass_range < 1:
        raise BadInput(f"mass_range is a fraction above 0 and below 1, got {job.mass_range}")
    robot = job.robot
    told = [
        each if isinstance(each, JointRecording) else read_joint_recording(each, job.targets) for each in job.recordings
    ]
    joints = _joints(robot, told, job.joints)
    for recording in told:
        check_recording(recording, robot, joints)
    _same_modes(told, joints)
    limbs, replays, rough, notes = list[list[HeldLimb]](), list[Replay](), list[Replay](), list[str]()
    for recording in told:
        parts, more = held_limbs(robot, recording, joints, job.tilt, job.replay.rotors)
        if "mass" not in job.parameters:
            parts = [simplified(limb, recording, joints, job.replay.roughly) for limb in parts]
        limbs.append(parts)
        notes += [*more, *recording.notes]
        replays += [Replay(limb, recording, job.replay) for limb in parts]
        rough += [Replay(limb, recording, job.replay.roughly) for limb in parts]
    kinds = chosen_kinds(job.parameters)
    efforts = [n for n in joints if all(each.has("efforts", n) for each in told)]
    currents = [n for n in joints if n not in efforts and all(each.has("currents", n) for each in told)]
    parameters, fixed = _parameters(job, joints, kinds, limbs[0], told[0], efforts, currents)
    if not parameters:
        raise BadInput(f"none of {', '.join(kinds)} applies to {', '.join(joints)}; nothing to identify")
    with bar("identifying", progress, unit="million steps") as report:
        meter = Meter(lambda done, total: report(1e-6 * done, 1e-6 * total, ""))
        problems = [
            _Pair(*(Problem([each[r] for r in some], mine, fixed, efforts, currents, job.fit, meter)
                    for each in (rough, replays)))
            for some, mine in _clusters(replays, parameters)
        ]  # fmt: skip
        done = _fitted(problems, meter, told, bool(efforts))
    curves = sorted((each for each in done.curves if each.joint in joints), key=lambda each: joints.index(each.joint))
    changes = robot_parameters(robot, done.estimates)
    proof = (math.nan, math.nan)
    if job.engine and not done.stopped:
        proof = (
            replayed(robot, told[0], joints, job.engine, job.tilt),
            replayed(changes.on(robot), told[0], joints, job.engine, job.tilt),
        )
    return Identification(
        robot=robot.name,
        recordings=tuple(each.source for each in told),
        joints=tuple(joints),
        seconds=sum(each.seconds for each in told),
        torques=tuple(efforts or currents),
        estimates=tuple(done.estimates),
        warnings=tuple(dict.fromkeys(done.warnings)),
        notes=tuple(dict.fromkeys(notes)),
        engine="" if done.stopped else job.engine,
        error_before=proof[0],
        error_after=proof[1],
        parameters=changes,
        curves=tuple(curves),
    )


class _Pair(NamedTuple):
    """A problem with replays that are rough, and with sharp ones."""

    far: Problem
    near: Problem


@dataclass
class _Done:
    """What came of the problems of a fit."""

    estimates: list[Estimate] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    curves: list[Curves] = field(default_factory=list)
    stopped: bool = False  # by the user


def _fitted(problems: Sequence[_Pair], meter: Meter, told: Sequence[JointRecording], torques: bool) -> _Done:
    """Each problem solved, far and near; after Ctrl-C what was found until then."""
    done = _Done()
    for far, near in problems:
        for steps in _expected(far, near):
            meter.expect(steps)
    for number, (far, near) in enumerate(problems):
        found, done.stopped = _found(far, near, meter)
        if found is not None:
            verdict = judged(near, found, told, torques)
            done.estimates += verdict.estimates
            done.warnings += [STOPPED.format(_owners(near))] if done.stopped else []
            done.warnings += verdict.warnings
            done.curves += (curves := _curves(near, found))
            done.warnings += [UNLIKE.format(curve.joint, curve.error_after) for curve in curves if _unlike(curve)]
        late = [_owners(each) for _, each in problems[number + (found is not None) :]]
        if done.stopped and late:
            done.warnings.append(f"stopped by the user before {', '.join(late)} were fitted")
        if done.stopped:
            break
    if not done.estimates:
        raise KeyboardInterrupt
    return done


def _unlike(curve: Curves) -> bool:
    """Whether the simulation stays far from what a joint did."""
    return not curve.velocity and curve.error_after > POOR * float(np.std(curve.measured))


def _expected(far: Problem, near: Problem) -> tuple[float, float]:
    """Steps of both stages of a fit, as it usually goes."""
    count, kinds = len(near.parameters), len({each.kind for each in near.parameters})
    return far.cost(len(far.settings.delays) + 8 * (kinds + 2) + 3 * (count + 3)), near.cost(40 + 4 * (2 * count + 5))


def _found(far: Problem, near: Problem, meter: Meter) -> tuple[Fitted | None, bool]:
    """A fit from afar to the end, and whether the user stopped it: what was best then, None where nothing was."""
    low, high = near.bounds
    first = np.clip(np.array([_first(parameter) for parameter in near.parameters]), low, high)
    try:
        meter.begin()
        start = far.near(approached(far, first))
        near.evaluations = far.evaluations
        meter.begin()
        return near.solve(start), False
    except KeyboardInterrupt:
        best = far.best if near.best is None else near.best
        near.fine = True
        return (None if best is None else near.told(best, stopped=True)), True


def _owners(problem: Problem) -> str:
    """Joints and links of a problem."""
    return ", ".join(dict.fromkeys(each.of[0] for each in problem.parameters))


def fit_recordings(job: IdentifyJob, out: Path, progress: bool = False) -> Identification:
    """Identify, and write robot.toml, fit.json and fit.png into a folder."""
    if out.exists() and not out.is_dir():
        raise BadInput(f"{out}: not a folder; choose another name")
    found = replace(identify(job, progress), out=out)
    out.mkdir(parents=True, exist_ok=True)
    write_parameters(out / "robot.toml", found)
    write_whole(out / "fit.json", json.dumps(plain_numbers(found.as_dict()), indent=1) + "\n")
    found.plot().savefig(out / "fit.png", dpi=110)
    return found


def plain_numbers(value: Any) -> Any:
    """A value with None for numbers that are not finite, as JSON has it."""
    if isinstance(value, dict):
        return {key: plain_numbers(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain_numbers(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _joints(robot: Robot, told: Sequence[JointRecording], patterns: Sequence[str]) -> list[str]:
    """Joints to fit, in the order of the robot."""
    own = [joint.name for joint in robot.independent]
    if not patterns:
        found = [name for name in own if all(_tells(r, name) for r in told)]
        if not found:
            known = ", ".join(name for name in told[0].names if name in own) or "none"
            raise BadInput(
                f"{told[0].source}: no joint of {robot.name!r} is told to move and moves; its joints in there: {known}"
            )
        return found
    chosen = []
    for pattern in patterns:
        fits = [name for name in own if fnmatchcase(name, pattern)]
        if not fits:
            raise UnknownName.among("joint", pattern, own, f"robot {robot.name!r}")
        moving = [n for n in fits if all(_tells(r, n) for r in told)]
        chosen += fits if pattern in own or not moving else moving  # a pattern means those of them that were moved
    return [name for name in own if name in chosen]


def _tells(recording: JointRecording, name: str) -> bool:
    """Whether a joint was told targets that change, and moved."""
    return bool(recording.told(name)) and recording.urged(name) and recording.moved(name) > STILL


def _same_modes(told: Sequence[JointRecording], joints: Sequence[str]) -> None:
    for name in joints:
        if len({each.told(name) for each in told}) > 1:
            raise BadInput(
                f"joint {name!r} is told positions in one recording and velocities in another; fit them apart"
            )


def _parameters(
    job: IdentifyJob, joints: Sequence[str], kinds: Sequence[str], limbs: Sequence[HeldLimb], told: JointRecording,
    efforts: Sequence[str], currents: Sequence[str],
) -> tuple[list[Parameter], dict[tuple[str, str], float]]:  # fmt: skip
    """What is identified, and torque constants that nobody asked for."""
    at = {name: (limb, k) for limb in limbs for k, name in enumerate(limb.joints)}
    out: list[Parameter] = []
    for group in shared(joints, job.share):
        modes = {told.told(name) for name in group}
        if len(modes) > 1:
            raise BadInput(f"share: {', '.join(group)} are told positions and velocities; share among equals")
        usual = VELOCITY_SERVO if modes == {"velocity"} else POSITION_SERVO
        mine = [kind for kind in kinds if kind != "mass"] or list(usual)
        if not kinds and group[0] in efforts:
            mine.append("viscous")
        if any(name in currents for name in group) and "torque_constant" not in mine:
            mine.append("torque_constant")
        limb, k = at[group[0]]
        for kind in mine:
            if kind in ("stiffness", "damping", "backlash") and modes == {"velocity"}:
                continue
            if kind == "velocity_gain" and modes == {"position"}:
                continue
            if kind == "torque_constant" and group[0] not in currents:
                continue
            out.append(_parameter(kind, group, limb, k, told))
    if "mass" in kinds:
        factors = (1.0 - job.mass_range, 1.0 + job.mass_range)
        for limb in limbs:
            fitted = [i for i in range(len(limb.links)) if _moved_by(limb, i, joints)]
            out += [make_parameter("mass", (limb.links[i],), float(limb.limb.mass[i]), 1.0, factors) for i in fitted]
    return out, {}


def _moved_by(limb: HeldLimb, body: int, joints: Sequence[str]) -> bool:
    """Whether a joint to fit carries a body."""
    while body >= 0:
        lead = int(limb.limb.lead[body])
        if lead >= 0 and limb.joints[lead] in joints:
            return True
        body = int(limb.limb.parent[body])
    return False


def _parameter(kind: str, group: Sequence[str], limb: HeldLimb, k: int, told: JointRecording) -> Parameter:
    servos = limb.servos
    effort = float(servos.effort[k]) if math.isfinite(servos.effort[k]) else float(servos.kp[k]) * 0.1
    damping = max(float(servos.kd[k]), 0.005 * float(servos.kp[k]), 1e-6)
    start = {
        "stiffness": max(float(servos.kp[k]), 1e-6), "damping": damping, "velocity_gain": damping,
        "friction": float(servos.dry[k]), "viscous": float(servos.viscous[k]), "delay": 0.0, "backlash": 0.0,
        "armature": max(float(servos.armature[k]), 1e-5), "torque_constant": _constant(told, group[0], effort),
    }[kind]  # fmt: skip
    scale = {"friction": max(0.02 * effort, start, 1e-4), "viscous": max(0.1 * damping, start, 1e-5), **SCALES}
    return make_parameter(kind, group, start, scale.get(kind, 1.0))


def _constant(told: JointRecording, name: str, effort: float) -> float:
    """A torque constant to begin with: the largest current is a tenth of the largest effort."""
    if not told.has("currents", name):
        return 1.0
    return 0.1 * effort / float(np.abs(told.currents[:, told.names.index(name)]).max())


def _first(parameter: Parameter) -> float:
    """z at which a fit begins."""
    if parameter.kind == "delay":
        return EARLY / parameter.scale
    if parameter.kind == "backlash":
        return 0.1
    return parameter.usual


def _clusters(
    replays: Sequence[Replay], parameters: Sequence[Parameter]
) -> Iterator[tuple[list[int], list[Parameter]]]:
    """Indices of replays, and parameters, that have to do with each other."""
    left = list(range(len(parameters)))
    owners = [{*replay.limb.joints, *replay.limb.links} for replay in replays]
    while left:
        mine, names = {left[0]}, set(parameters[left[0]].of)
        grown = True
        while grown:
            some = [r for r, each in enumerate(owners) if each & names]
            names |= set().union(*(owners[r] for r in some))
            more = {p for p in left if names & set(parameters[p].of)}
            grown, mine = more != mine, more
        yield some, [parameters[p] for p in sorted(mine)]
        left = [p for p in left if p not in mine]


def _curves(problem: Problem, found: Fitted) -> list[Curves]:
    """What was measured and simulated of the joints of a problem, in the first recording that has them."""
    runs, out = problem.simulated(found.z), dict[str, Curves]()
    before = problem.gaps(problem.prior[0])
    for channel, gap in zip(problem.channels, before, strict=True):
        replay, j = problem.replays[channel.replay], channel.joint
        name = replay.limb.joints[j]
        if channel.what != POSITION or name in out:
            continue
        q = runs[channel.replay][0][:, j]
        left = problem.gap(channel, runs[channel.replay], found.z)
        torque = found.spread.get((name, EFFORT), math.nan)
        at = np.minimum((replay.times / replay.settings.step).astype(int), replay.steps - 1)
        out[name] = Curves(
            name, replay.times, replay.targets[at, j], replay.measured[:, j], q, float(np.sqrt(np.mean(gap**2))),
            float(np.sqrt(np.mean(left**2))), torque, bool(replay.limb.servos.speed[j]),
        )  # fmt: skip
    return list(out.values())
