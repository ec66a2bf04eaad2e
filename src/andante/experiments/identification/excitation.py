"""Motions that make a robot tell of its servos: every joint is swept slowly, then faster and faster, then stepped.

The slow sweep shows friction, play and how far the load bends a servo. The quick one, a sine whose frequency grows to
beyond the servo's bandwidth and comes back at a fraction of its strength, shows stiffness and damping beside the
inertia, and delay; what rubs or has play does not shrink with the strength, so two of them tell it from what is linear.
Steps, too short to take the servo to its effort limit, show all at once. One joint of each limb moves at a time. The
robot hangs, or is held by its base.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import ArrayLike

from andante.control.start import holds_still
from andante.description import Robot
from andante.description.joint import JointType
from andante.description.source import Severity
from andante.errors import BadInput, UnknownName
from andante.geometry import Array
from andante.locomotion import Behaviour, Command, Readings
from andante.motion import check_motion
from andante.physics import Mode
from andante.physics.commands import ServoGains, default_gains, outboard_inertia
from andante.physics.tree import body_tree

from .model import components

HALVINGS = 4  # of the amplitude until nothing collides


@dataclass(frozen=True)
class ExcitationSettings:
    """How joints are moved."""

    amplitude: float = 0.35  # about the middle pose, at most [rad]
    slide: float = 0.03  # the same of joints that slide [m]
    range_fraction: float = 0.4  # of the way between the limits, at most
    speed_fraction: float = 0.4  # of the joint's velocity limit, at most
    effort_fraction: float = 0.4  # of the joint's effort limit that its own inertia or a step may take, at most
    free_speed: float = 4.0  # velocity limit of joints that have none [rad/s]
    slow: float = 0.45  # fraction of a joint's time in the slow sweep,
    quick: float = 0.35  # in the quick one; the rest is steps
    slow_rounds: float = 2.0
    first_frequency: float = 1.0  # of the quick sweep [Hz]
    last_frequency: float = 20.0  # at most, and not above a fifth of the samples' rate [Hz]
    bandwidths: float = 1.3  # of the servo, to which the quick sweep goes at most
    weaker: float = 0.35  # strength of the quick sweep on its way back
    step: float = 0.12  # at most [rad or m]
    steps: int = 4
    approach: float = 1.5  # time to the middle pose [s]
    rest: float = 0.2  # between two joints [s]


@dataclass(frozen=True, eq=False)
class Excitation:
    """Targets over time, held for a period each: a `JointMotion` of the joints told positions, and wheel speeds."""

    robot: Robot
    moved: tuple[str, ...]  # joints that are excited
    names: tuple[str, ...]  # joints told positions
    rows: Array  # (periods, joints of the robot) positions, or velocities of wheels
    modes: np.ndarray  # (joints of the robot) a `Mode` each
    period: float  # [s]

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return len(self.rows) * self.period

    def evaluate(self, t: ArrayLike, order: int = 0) -> Array:
        """Positions (..., names); derivatives are 0."""
        index = np.clip(np.floor(np.asarray(t, dtype=float) / self.period + 1e-6).astype(int), 0, len(self.rows) - 1)
        columns = [self.robot.joint_names.index(name) for name in self.names]
        values: Array = self.rows[index][..., columns]
        return values if order == 0 else np.zeros_like(values)


class Exciting(Behaviour):
    """Plays an excitation once and holds its last targets."""

    def __init__(self, excitation: Excitation) -> None:
        self.excitation, self._count = excitation, 0
        self.modes = None if (excitation.modes == Mode.POSITION).all() else excitation.modes

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Targets of this period."""
        row = self.excitation.rows[min(self._count, len(self.excitation.rows) - 1)]
        self._count += 1
        return np.asarray(row)

    @property
    def over(self) -> bool:
        """Whether it was played to its end."""
        return self._count >= len(self.excitation.rows)


def excitation(
    robot: Robot,
    start: Array,
    joints: Sequence[str] = (),
    seconds: float = 30.0,
    rate: float = 100.0,
    settings: ExcitationSettings | None = None,
) -> Excitation:
    """The excitation of some joints (names or patterns; none: all that have a servo) of a robot that hangs at `start`.

    Its amplitude is halved until the robot does not run into itself.
    """
    settings = settings or ExcitationSettings()
    if not (math.isfinite(seconds) and 2.0 <= seconds <= 3600.0):
        raise BadInput(f"an excitation lasts 2 to 3600 s, got {seconds}")
    if not 20.0 <= rate <= 1000.0:
        raise BadInput(f"rate must lie between 20 and 1000 Hz, got {rate}")
    chosen = _chosen(robot, joints)
    slots = _slots(robot, chosen)
    each = (seconds - settings.approach) / len(slots)
    if each < 1.0:
        raise BadInput(
            f"{len(chosen)} joints in {seconds:g} s leave {each:.2f} s for each; give "
            f"{math.ceil(len(slots) * 2 + 2)} s or more, or fewer joints"
        )
    made = _made(robot, start, chosen, slots, seconds, rate, settings)
    for _ in range(HALVINGS):
        here = dict(zip(robot.joint_names, np.asarray(start, dtype=float).tolist(), strict=True))
        hits = [p for p in check_motion(robot, made, here) if p.severity is Severity.ERROR] if made.names else []
        if not hits:
            return made
        settings = replace(settings, amplitude=0.5 * settings.amplitude)
        made = _made(robot, start, chosen, slots, seconds, rate, settings)
    raise BadInput(f"{hits[0].message}; choose joints that are free to move, or another pose")


def _chosen(robot: Robot, patterns: Sequence[str]) -> list[str]:
    own = [joint.name for joint in robot.independent]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in own):
            raise UnknownName.among("joint", pattern, own, f"robot {robot.name!r}")
    gains = default_gains(robot)
    weak = {
        name
        for name, effort, kp, kv in zip(robot.joint_names, gains.effort, gains.kp, gains.kv, strict=True)
        if effort == 0 or kp == kv == 0
    }
    found = [n for n in own if n not in weak and (not patterns or any(fnmatchcase(n, p) for p in patterns))]
    if not found:
        raise BadInput(f"robot {robot.name!r} has no joint with a servo{' that fits' if patterns else ''}")
    return found


def _slots(robot: Robot, chosen: Sequence[str]) -> list[list[str]]:
    """Joints that move at the same time: the first of each limb, then the second, ..."""
    tree = body_tree(robot, fixed=True)
    part = components(tree)
    limbs: dict[int, list[str]] = {}
    for name in chosen:
        limbs.setdefault(part[tree.joint_bodies[robot.joint_names.index(name)]], []).append(name)
    longest = max(len(limb) for limb in limbs.values())
    return [[limb[k] for limb in limbs.values() if k < len(limb)] for k in range(longest)]


def _made(
    robot: Robot, start: Array, chosen: Sequence[str], slots: Sequence[Sequence[str]], seconds: float, rate: float,
    settings: ExcitationSettings,
) -> Excitation:  # fmt: skip
    period, names = 1.0 / rate, robot.joint_names
    held = holds_still(robot)
    count = round(seconds * rate)
    middle = np.where(held, np.asarray(start, dtype=float), 0.0)
    rows = np.zeros((count, len(names)))
    reach = {}
    for name in chosen:
        k, limits = names.index(name), robot.joint(name).limits
        most = settings.slide if robot.joint(name).type is JointType.PRISMATIC else settings.amplitude
        width = limits.upper - limits.lower
        if held[k] and math.isfinite(width):
            most = min(most, settings.range_fraction * width)
            middle[k] = min(max(middle[k], limits.lower + 1.1 * most), limits.upper - 1.1 * most)
        reach[name] = most
    begin = round(settings.approach * rate)
    fade = 0.5 - 0.5 * np.cos(np.pi * np.minimum(1.0, np.arange(count) / max(1, begin - round(0.3 * rate))))
    rows[:] = np.where(held, np.asarray(start, dtype=float) * (1 - fade[:, None]) + middle * fade[:, None], 0.0)
    gains = default_gains(robot)
    carried = outboard_inertia(robot) + np.array([joint.dynamics.armature for joint in robot.movable])
    each = (seconds - settings.approach) / len(slots)
    for number, slot in enumerate(slots):
        first = begin + round(number * each * rate)
        span = min(round((each - settings.rest) * rate), count - first)
        for name in slot:
            k = names.index(name)
            top = robot.joint(name).limits.velocity
            top = settings.speed_fraction * (top if 0 < top < math.inf else settings.free_speed)
            t = np.asarray(np.arange(span) * period, dtype=np.float64)
            push = settings.effort_fraction * float(gains.effort[k])
            reaches = _Reach(
                reach[name], top, push / max(float(carried[k]), 1e-9), min(settings.step, 0.35 * reach[name])
            )
            last = min(settings.last_frequency, 0.2 * rate)
            if held[k]:
                last = min(last, settings.bandwidths * _bandwidth(gains, k, float(carried[k])))
                reaches = replace(reaches, step=min(reaches.step, push / max(float(gains.kp[k]), 1e-9)))
            rows[first : first + span, k] += _signal(t, span * period, reaches, last, bool(held[k]), settings)
    modes = np.where(held, int(Mode.POSITION), int(Mode.VELOCITY)).astype(np.int8)
    told = tuple(name for name in chosen if held[names.index(name)])
    return Excitation(robot, tuple(chosen), told, rows, modes, period)


@dataclass(frozen=True)
class _Reach:
    """How far a joint may be moved."""

    way: float  # about its middle [rad or m]
    speed: float  # [rad/s or m/s]
    acceleration: float  # [rad/s^2 or m/s^2]
    step: float  # [rad or m]


def _bandwidth(gains: ServoGains, k: int, inertia: float) -> float:
    """Frequency sqrt(kp / I) about which the inertia moves a position servo as much as its spring [Hz]."""
    return math.sqrt(float(gains.kp[k]) / max(inertia, 1e-9)) / (2 * math.pi)


def _signal(t: Array, length: float, reach: _Reach, last: float, position: bool, settings: ExcitationSettings) -> Array:
    """The way of one joint about its middle, or the speed of a wheel, over its time; last: frequency [Hz]."""
    slow, quick = settings.slow * length, settings.quick * length
    rounds = max(1.0, settings.slow_rounds)
    pace = rounds / slow
    amplitude = min(reach.way, reach.speed / (2 * math.pi * pace)) if position else reach.speed
    out = np.where(t < slow, amplitude * np.sin(2 * math.pi * pace * t), 0.0)
    u = np.clip(t - slow, 0.0, quick)
    first = min(settings.first_frequency, 0.5 * last)
    rate = math.log(last / first) / (0.5 * quick)
    up = 0.5 * quick - np.abs(u - 0.5 * quick)  # the time at which the way up has the same frequency
    omega = 2 * math.pi * first * np.exp(rate * up)
    gone = 2 * math.pi * first * (np.exp(rate * up) - 1.0) / rate
    top = 2 * math.pi * (last - first) / rate
    back = u >= 0.5 * quick
    if position:
        strength = np.minimum(np.minimum(0.5 * reach.way, reach.speed / omega), reach.acceleration / omega**2)
    else:
        strength = np.minimum(0.5 * reach.speed, reach.acceleration / omega)
    edges = np.minimum(np.minimum(u, quick - u), np.abs(u - 0.5 * quick)) / (0.04 * quick)
    strength = strength * np.minimum(1.0, edges) * np.where(back, settings.weaker, 1.0)
    phase = np.where(back, 2 * top - gone, gone)
    out += np.where((t >= slow) & (t < slow + quick), strength * np.sin(phase), 0.0)
    left = length - slow - quick
    number = np.floor((t - slow - quick) / (left / (settings.steps + 1))).astype(int)
    step = reach.step if position else 0.7 * reach.speed
    signs = np.array([1.0, -1.0, 1.0, 0.5, -1.0, 0.3, 1.0, -0.5])
    stepped = (t >= slow + quick) & (number < settings.steps)
    out += np.where(stepped, step * signs[np.clip(number, 0, None) % len(signs)], 0.0)
    return out
