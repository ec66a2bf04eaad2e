"""A robot whose base is held, cut into limbs that do not feel each other, and its recordings replayed on them.

Targets hold until the next one comes and are slewed at the joint's velocity limit as by the servos of Andante; a delay
moves them between two steps in proportion, so that what is simulated depends smoothly on it. Positions that an encoder
rounds are compared with what it would read on average, not with the angle itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from andante.compiling import njit
from andante.description import Robot
from andante.description.joint import ONE_DOF, JointType
from andante.errors import BadInput, UnknownName, Unsupported
from andante.geometry import Array, so3
from andante.gravity import GRAVITY
from andante.physics import Settings
from andante.physics.commands import default_gains
from andante.physics.registry import ENGINES
from andante.physics.tree import BodyTree, body_tree

from .bodies import PRISMATIC, REVOLUTE
from .dynamics import Limb, Servos, follow
from .recording import JointRecording

Values = Mapping[tuple[str, str], float]  # (kind, joint or link) -> value
AVERAGED = 5  # first samples whose median is where a joint starts


ROTORS = ("joint", "link")


@dataclass(frozen=True)
class ReplaySettings:
    """How recordings are replayed."""

    step: float = 0.00025  # [s]
    rough: float = 0.001  # until a fit is near [s]
    turning: float = 0.001  # for which mass matrix and weight hold, where steps are shorter [s]
    rotors: str = "joint"  # where rotor inertia is felt: at its own "joint", or it turns with the "link" (see docs)
    damped: bool = False  # by the implicit Euler rule, as servos of MuJoCo are, instead of the midpoint rule
    speed_window: float = 0.5  # over which the way of joints under velocity servos is compared [s]
    settling: float = 0.4  # for which a joint is compared after its target came to rest [s]
    blur: float = 0.25  # deviation of what encoders round, in their counts

    def __post_init__(self) -> None:
        UnknownName.check("place of rotors", self.rotors, ROTORS)

    @property
    def roughly(self) -> ReplaySettings:
        """For a fit that is far yet; servos of an engine keep its step."""
        return self if self.damped else replace(self, step=max(self.step, self.rough))

    @staticmethod
    def recorded_on(engine: str, dt: float | None = None) -> ReplaySettings:
        """For recordings of a simulation on an engine, with its own servos at its step; empty: of a real robot.

        MuJoCo's servos are those of the implicit Euler rule; the other engines let rotors turn with the links.
        """
        if dt is not None and not (math.isfinite(dt) and 1e-5 <= dt <= 0.02):
            raise BadInput(f"recorded_dt is the step of an engine, 1e-5 to 0.02 s, got {dt}")
        if not engine:
            if dt is not None:
                raise BadInput("recorded_dt goes with recorded_on: name the engine, too")
            return ReplaySettings()
        UnknownName.check("engine", engine, ENGINES)
        if engine != "mujoco":
            return ReplaySettings(rotors="link")
        return ReplaySettings(step=Settings().dt if dt is None else dt, damped=True)


@dataclass(frozen=True)
class HeldLimb:
    """Joints of one limb: those that are simulated, and what is needed of the others."""

    joints: tuple[str, ...]  # independent and simulated, in the order of `Limb`
    links: tuple[str, ...]  # leading link of each body
    limb: Limb
    servos: Servos  # as the file has them
    followers: tuple[tuple[tuple[int, float], ...], ...]  # of each joint: movable index and ratio of all that it moves
    velocity: Array  # slew limits [rad/s or m/s]

    def changed(self, values: Values) -> tuple[Limb, Servos]:
        """Bodies and servos with some values of parameters."""
        arrays = {name: getattr(self.servos, name).copy() for name in _FIELDS.values()}
        for k, joint in enumerate(self.joints):
            for kind, name in _FIELDS.items():
                if (kind, joint) in values:
                    arrays[name][k] = values[kind, joint]
            if ("velocity_gain", joint) in values:
                arrays["kd"][k] = values["velocity_gain", joint]
            if ("backlash", joint) in values:
                arrays["play"][k] = 0.5 * values["backlash", joint]
        factors = np.array([
            values[("mass", link)] / self.limb.mass[i] if ("mass", link) in values else 1.0
            for i, link in enumerate(self.links)
        ])  # fmt: skip
        limb = self.limb
        if (factors != 1.0).any():
            limb = replace(limb, mass=limb.mass * factors, inertia=limb.inertia * factors[:, None, None])
        return limb, replace(self.servos, **arrays)


_FIELDS = {"stiffness": "kp", "damping": "kd", "friction": "dry", "viscous": "viscous", "armature": "armature",
           "_play": "play"}  # fmt: skip


def held_limbs(
    robot: Robot,
    recording: JointRecording,
    fitted: Sequence[str],
    tilt: Sequence[float] = (0.0, 0.0, 0.0),
    rotors: str = "joint",
) -> tuple[list[HeldLimb], tuple[str, ...]]:
    """The limbs of a held robot that have joints to fit, and notes on joints that had to be taken as locked.

    Args:
        robot: the robot; it hangs, or what is fitted touches nothing.
        recording: tells which joints got targets and where the others were.
        fitted: joints to fit.
        tilt: roll, pitch, yaw of the base [rad].
        rotors: "joint" or "link", as `ReplaySettings` has it.
    """
    tree = body_tree(robot, fixed=True)
    parts = components(tree)
    index = {joint.name: i for i, joint in enumerate(robot.movable)}
    wanted = {parts[tree.joint_bodies[index[name]]] for name in fitted}
    down = so3.from_rpy(tilt).T @ np.array([0.0, 0.0, -GRAVITY])
    looped = {parts[body] for loop in tree.loops for body in (loop.parent, loop.child) if body > 0}
    limbs, notes = [], list[str]()
    for part in sorted(wanted):
        if part in looped:
            raise Unsupported(
                f"robot {robot.name!r} closes a loop in a limb to fit; only open chains can be identified"
            )
        limb, more = _limb(tree, [b for b in range(1, len(parts)) if parts[b] == part], recording, fitted, down)
        limbs.append(_with_rotors(limb) if rotors == "link" else limb)
        notes += more
    return limbs, tuple(notes)


def components(tree: BodyTree) -> list[int]:
    """Which limb each body belongs to: the body next to the base, one number for all that mimic joints couple."""
    part = [0] * len(tree.bodies)
    for i, body in enumerate(tree.bodies[1:], start=1):
        part[i] = i if body.parent == 0 else part[body.parent]
    for joint, source in enumerate(tree.mimics.source):
        if source >= 0:
            a, b = part[tree.joint_bodies[joint]], part[tree.joint_bodies[source]]
            part = [min(a, b) if each in (a, b) else each for each in part]
    return part


def _limb(
    tree: BodyTree, bodies: Sequence[int], recording: JointRecording, fitted: Sequence[str], down: Array
) -> tuple[HeldLimb, list[str]]:
    robot, mimics, gains = tree.robot, tree.mimics, default_gains(tree.robot)
    carried = {int(body): k for k, body in enumerate(tree.joint_bodies)}  # body -> movable
    notes, joints = list[str](), list[int]()
    for body in bodies:
        joint = tree.bodies[body].joint
        assert joint is not None
        if joint.type not in ONE_DOF:
            raise Unsupported(f"joint {joint.name!r} is {joint.type}; limbs to fit have hinges and slides only")
        k = carried[body]
        if mimics.led[k]:
            continue
        powerless = gains.effort[k] == 0 or gains.kp[k] == gains.kv[k] == 0
        if recording.told(joint.name) or (powerless and joint.name not in fitted):
            joints.append(k)
            continue
        notes.append(f"joint {joint.name} has no targets; it is taken as standing still")
        if joint.name in recording.names and recording.moved(joint.name) > STANDS:
            raise BadInput(
                f"{recording.source}: joint {joint.name!r} moves by {recording.moved(joint.name):.3g} without targets; "
                "record them too, it shakes the joints to fit"
            )
    where = {k: i for i, k in enumerate(joints)}
    rank = {body: i for i, body in enumerate(bodies)}
    first = robot.complete({joint.name: joint.initial for joint in robot.movable})
    lead, ratio, offset = [], [], []
    for body in bodies:
        k = carried[body]
        source = int(mimics.source[k]) if mimics.led[k] else k
        lead.append(where.get(source, -1))
        ratio.append(float(mimics.ratio[k]) if mimics.led[k] else 1.0)
        if lead[-1] >= 0:
            offset.append(float(mimics.offset[k]) if mimics.led[k] else 0.0)
        else:
            name = robot.joint_names[k]
            known = name in recording.names and np.isfinite(recording.positions[:, recording.names.index(name)]).any()
            offset.append(
                float(np.nanmedian(recording.positions[:, recording.names.index(name)])) if known else first[name]
            )
    parts = [tree.bodies[b] for b in bodies]
    carriers = [part.joint for part in parts]
    limb = Limb(
        parent=np.array([rank.get(part.parent, -1) for part in parts], dtype=np.int64),
        rotation=np.array([part.pose.rotation for part in parts]),
        place=np.array([part.pose.translation for part in parts]),
        axis=np.array([j.axis for j in carriers if j is not None]),
        kind=np.array([PRISMATIC if j is not None and j.type is JointType.PRISMATIC else REVOLUTE for j in carriers]),
        mass=np.array([part.inertia.mass for part in parts]),
        com=np.array([part.inertia.com for part in parts], dtype=float),
        inertia=np.array([part.inertia.matrix for part in parts]),
        heavy=np.array([float(part.gravity) for part in parts]),
        lead=np.array(lead, dtype=np.int64), ratio=np.array(ratio), offset=np.array(offset), gravity=down,
    )  # fmt: skip
    moves = tuple(
        tuple((carried[b], r) for b, r, at in zip(bodies, ratio, lead, strict=True) if at == i)
        for i in range(len(joints))
    )

    def passive(name: str, power: int) -> Array:
        """Losses of a joint with those of the joints that follow it."""
        return np.array([
            sum(abs(r) ** power * getattr(robot.movable[k].dynamics, name) for k, r in group) for group in moves
        ])  # fmt: skip

    speed = np.array([recording.told(robot.joint_names[k]) == "velocity" for k in joints])
    told = np.array([bool(recording.told(robot.joint_names[k])) for k in joints])
    servos = Servos(
        kp=np.where(told, gains.kp[joints], 0.0),
        kd=np.where(told, np.where(speed, gains.kv[joints], gains.kd[joints]), 0.0),
        speed=speed, effort=gains.effort[joints].copy(), viscous=passive("damping", 2), dry=passive("friction", 1),
        armature=passive("armature", 2), play=np.zeros(len(joints)),
    )  # fmt: skip
    names = tuple(robot.joint_names[k] for k in joints)
    links = tuple(part.name for part in parts)
    return HeldLimb(names, links, limb, servos, moves, gains.velocity[joints].copy()), notes


def _with_rotors(held: HeldLimb) -> HeldLimb:
    """The limb with the rotor inertia of every hinge in its link, about the joint axis, instead of at its joint."""
    limb, armature = held.limb, held.servos.armature.copy()
    inertia = limb.inertia.copy()
    for i, k in enumerate(limb.lead):
        if k >= 0 and limb.kind[i] == REVOLUTE and len(held.followers[k]) == 1:
            inertia[i] += armature[k] * np.outer(limb.axis[i], limb.axis[i])
            armature[k] = 0.0
    return replace(held, limb=replace(limb, inertia=inertia), servos=replace(held.servos, armature=armature))


MOVES = 1e-7  # change of a target from sample to sample that is none [rad or m, or a second of it]
FEWEST_ACTIVE = 20  # samples of a joint; with fewer all are compared
LEAST_COUNT = 1e-6  # of an encoder [rad or m]
MOST_READINGS = 0.7  # different readings per sample of an encoder that rounds, at most
STANDS = 0.02  # joints without targets that move less stand still [rad or m]


@njit(nogil=True)
def _slew(rows: Array, stride: Array, start: Array, speed: np.ndarray, ends: bool) -> None:
    """Let position references follow their targets at no more than a stride per step, in place.

    What they become are their means over the steps, or, as in engines, where each step ends. A reference that is d away
    is there after d / stride of the step, so that its mean is target - d |d| / (2 stride).
    """
    for j in range(rows.shape[1]):
        if speed[j]:
            continue
        at, most = start[j], stride[j]
        for k in range(rows.shape[0]):
            way = rows[k, j] - at
            if abs(way) <= most:
                at = rows[k, j]
                mean = at - 0.5 * way * abs(way) / most if most > 0 else at
            else:
                way = most if way > 0 else -most
                mean = at + 0.5 * way
                at += way
            rows[k, j] = at if ends else mean


class Replay:
    """A recording on one limb: from values of parameters to what the joints would have done."""

    def __init__(self, limb: HeldLimb, recording: JointRecording, settings: ReplaySettings) -> None:
        self.limb, self.settings, self.recording = limb, settings, recording
        index = [recording.names.index(name) if name in recording.names else -1 for name in limb.joints]
        told = [k for k, name in zip(index, limb.joints, strict=True) if recording.told(name)]
        both = np.where(np.isfinite(recording.targets), recording.targets, recording.speeds)[:, told]
        known = np.isfinite(both).all(axis=1)
        if not known.any():
            raise BadInput(f"{recording.source}: the joints of a limb are never told all their targets together")
        first = max(float(recording.target_times[np.argmax(known)]), float(recording.times[0]))
        self.rows = np.flatnonzero(recording.times >= first - 1e-9)  # of the recording
        self.times = recording.times[self.rows] - recording.times[self.rows[0]]
        if len(self.times) < 2:
            raise BadInput(f"{recording.source}: no states after the first targets")
        self.measured = np.full((len(self.rows), len(index)), np.nan)
        for j, k in enumerate(index):
            if k >= 0:
                column = recording.positions[self.rows, k]
                self.measured[:, j] = np.unwrap(column) if limb.servos.speed[j] else column
        first = self.measured[:AVERAGED]
        told = ~np.isnan(first).all(axis=0)  # of the others nothing is known: they begin at 0
        self.start = np.zeros(len(index))
        self.start[told] = np.nanmedian(first[:, told], axis=0)
        h = settings.step
        self.steps = math.ceil(float(self.times[-1]) / h - 1e-6)
        self.targets = np.zeros((self.steps, len(index)))
        grid = recording.times[self.rows[0]] + h * np.arange(self.steps + 1)
        for j, (k, name) in enumerate(zip(index, limb.joints, strict=True)):
            way = recording.told(name)
            if way:
                values = recording.targets[:, k] if way == "position" else recording.speeds[:, k]
                self.targets[:, j] = _means(recording.target_times, values, grid)
        stride = np.minimum(limb.velocity, 1e6) * h
        _slew(self.targets, stride, self.targets[0].copy(), limb.servos.speed, settings.damped)
        self.active = [self._active(j) for j in range(len(index))]
        self.counts = [
            (0.0, 0.0) if limb.servos.speed[j] else encoder_count(self.measured[:, j]) for j in range(len(index))
        ]
        self.window = max(1, round(settings.speed_window / float(np.median(np.diff(self.times)))))

    @cached_property
    def _samples(self) -> tuple[np.ndarray, Array]:
        at = np.minimum(self.times / self.settings.step, self.steps)
        whole = np.minimum(at.astype(int), self.steps - 1)
        return whole, at - whole

    def simulate(self, values: Values) -> tuple[Array, Array]:
        """Positions and efforts (samples, joints) at the times of the recording."""
        positions, efforts = self._followed(values)
        whole, part = self._samples
        q = (1.0 - part)[:, None] * positions[whole] + part[:, None] * positions[whole + 1]
        return q, efforts[self._ended]

    def swing(self, values: Values, within: float) -> Array:
        """How much the effort of each joint changes `within` a time of each sample (samples, joints)."""
        _, efforts = self._followed(values)
        reach = max(1, round(within / self.settings.step))
        near = [efforts[np.clip(self._ended + k, 0, len(efforts) - 1)] for k in range(-reach, reach + 1)]
        return np.asarray(np.ptp(near, axis=0))

    @property
    def _ended(self) -> np.ndarray:
        """The step that ends at each sample."""
        whole, part = self._samples
        return np.asarray(np.maximum(whole + np.rint(part).astype(int) - 1, 0))

    def _followed(self, values: Values) -> tuple[Array, Array]:
        """Positions (steps + 1, joints) and efforts (steps, joints)."""
        limb, servos = self.limb.changed(values)
        delays = np.array([values.get(("delay", joint), 0.0) for joint in self.limb.joints])
        references = _later(self.targets, delays / self.settings.step, servos.speed)
        return follow(
            limb, servos, self.start, references, self.settings.step, 1.0 if self.settings.damped else 0.5,
            max(1, round(self.settings.turning / self.settings.step)),
        )  # fmt: skip

    def _active(self, joint: int) -> np.ndarray:
        """Samples that are compared of a joint: those at which its target moves or has just moved.

        A joint that friction holds rests where it came to rest, and real ones creep; that tells nothing of its servo.
        """
        at = np.minimum((self.times / self.settings.step).astype(int), self.steps - 1)
        target = self.targets[at, joint]
        moves = np.abs(np.diff(target, prepend=target[:1])) > MOVES
        if self.limb.servos.speed[joint]:
            moves |= target != 0
        last = np.maximum.accumulate(np.where(moves, self.times, -math.inf))
        rows = np.flatnonzero(self.times - last <= self.settings.settling)
        return rows if len(rows) >= FEWEST_ACTIVE else np.arange(len(self.times))

    def read(self, q: Array, joint: int) -> Array:
        """What the encoder of a joint reads on average where its joint is at q (samples,)."""
        count, offset = self.counts[joint]
        return rounded(q, count, offset, self.settings.blur) if count > 0 else q

    def compared(self, q: Array, joint: int) -> Array:
        """What is compared of a joint's positions (samples,): themselves, or ways over a window of velocity servos."""
        if not self.limb.servos.speed[joint]:
            return q
        way = np.zeros_like(q)
        way[self.window :] = q[self.window :] - q[: -self.window]
        return way


def encoder_count(positions: Array) -> tuple[float, float]:
    """Count and offset of an encoder whose readings are all of the form offset + n count; (0, 0) where they are not."""
    known = np.unique(positions[np.isfinite(positions)])
    gaps = np.diff(known)
    gaps = gaps[gaps > LEAST_COUNT]
    if len(gaps) < 3 or len(known) > MOST_READINGS * len(positions):
        return 0.0, 0.0
    least = float(gaps.min())
    fits = np.rint(gaps / least)
    count = float(np.sum(gaps) / np.sum(fits))
    if np.abs(gaps / count - fits).max() > 0.1:
        return 0.0, 0.0
    turns = np.exp(2j * math.pi * known / count)
    return count, float(np.angle(turns.mean()) * count / (2 * math.pi))


def rounded(q: Array, count: float, offset: float, blur: float) -> Array:
    """Mean of offset + count round((q + n - offset) / count) over noise n of deviation blur count.

    That is q + count / pi sum over k of (-1)^k / k exp(-2 (pi k blur)^2) sin(2 pi k (q - offset) / count); two terms do
    for the noise that encoders have (Widrow, Kollar: Quantization Noise, 2008, ch. 4).
    """
    turn = 2 * math.pi * (q - offset) / count
    out = q.copy()
    for k in (1, 2):
        size = count / (math.pi * k) * math.exp(-2 * (math.pi * k * blur) ** 2)
        out += (size if k % 2 == 0 else -size) * np.sin(k * turn)
    return out


def _means(times: Array, values: Array, grid: Array) -> Array:
    """Means of values that hold from their time to the next, over the steps of a grid; the ends hold outside."""
    known = np.isfinite(values)
    times, values = times[known], values[known]
    inner = np.concatenate([[min(grid[0], times[0]) - 1.0], times, [max(grid[-1], times[-1]) + 1.0]])
    held = np.concatenate([[values[0]], values])
    total = np.concatenate([[0.0], np.cumsum(held * np.diff(inner))])
    return np.asarray(np.diff(np.interp(grid, inner, total)) / np.diff(grid))


@njit(nogil=True)
def _later(targets: Array, steps: Array, from_rest: np.ndarray) -> Array:
    """Targets (n, joints) that come late by a number of steps each, between two in proportion; velocities are 0 before.

    Less than 0 steps: they come early, as they seem to where the samples are stamped late.
    """
    n, joints = targets.shape
    out = np.empty((n, joints))
    for j in range(joints):
        whole = int(np.floor(steps[j]))
        part = steps[j] - whole
        fill = 0.0 if from_rest[j] else targets[0, j]
        for i in range(n):
            at = i - whole
            here = fill if at < 0 else targets[min(at, n - 1), j]
            before = fill if at < 1 else targets[min(at - 1, n - 1), j]
            out[i, j] = (1.0 - part) * here + part * before
    return out
