"""Motions that make a robot tell of its servos: every joint is swept slowly, then faster and faster, then stepped.

The slow sweep shows friction, play and how far the load bends a servo. The quick one, a sine whose frequency grows to
beyond the servo's bandwidth and comes back at a fraction of its strength, shows stiffness and damping beside the
inertia, and delay; what rubs or has play does not shrink with the strength, so two of them tell it from what is linear.
Steps, too short to take the servo to its effort limit, show all at once. All joints move all the time, neighbors of a
limb in another order of the three parts: moved one after the other, a leg of five leaves each a fifth of the samples,
and its light joints then cannot be known within 10 % by any fit (Cramer and Rao; docs/identification.md). The robot
hangs, or is held by its base.
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
LEAST = 2.0  # of an excitation after the way to the middle pose [s]
SAMPLED = 0.4  # of the rate of the targets, up to which they carry a sine


@dataclass(frozen=True)
class ExcitationSettings:
    """How joints are moved."""

    amplitude: float = 0.35  # about the middle pose, at most [rad]
    slide: float = 0.03  # the same of joints that slide [m]
    range_fraction: float = 0.4  # of the way between the limits, at most
    speed_fraction: float = 0.4  # of the joint's velocity limit, at most
    effort_fraction: float = 0.5  # of the joint's effort limit that its own inertia or a step may take, at most
    free_speed: float = 4.0  # velocity limit of joints that have none [rad/s]
    slow: float = 0.2  # fraction of the time in the slow sweep,
    quick: float = 0.68  # in the quick one; the rest is steps
    slow_rounds: float = 2.0
    first_frequency: float = 1.0  # of the quick sweep [Hz]
    last_frequency: float = 40.0  # at most, and not above 0.4 of the samples' rate [Hz]
    bandwidths: float = 2.5  # of the servo, to which the quick sweep goes at most
    weaker: float = 0.7  # strength of the quick sweep on its way back
    step: float = 0.12  # at most [rad or m]
    steps: int = 6
    approach: float = 1.5  # time to the middle pose [s]
    rest: float = 0.2  # between two parts [s]


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
    if seconds < settings.approach + LEAST:
        raise BadInput(
            f"{seconds:g} s leave {seconds - settings.approach:.2f} s after the way to the middle pose; "
            f"give {settings.approach + LEAST:g} s or more"
        )
    made = _made(robot, start, chosen, seconds, rate, settings)
    for _ in range(HALVINGS):
        here = dict(zip(robot.joint_names, np.asarray(start, dtype=float).tolist(), strict=True))
        hits = [p for p in check_motion(robot, made, here) if p.severity is Severity.ERROR] if made.names else []
        if not hits:
            return made
        settings = replace(settings, amplitude=0.5 * settings.amplitude)
        made = _made(robot, start, chosen, seconds, rate, settings)
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


def _places(robot: Robot, chosen: Sequence[str]) -> dict[str, int]:
    """Which of the chosen joints of its limb each is: 0, 1, ..."""
    tree = body_tree(robot, fixed=True)
    part, count = components(tree), dict[int, int]()
    places = {}
    for name in chosen:
        limb = part[tree.joint_bodies[robot.joint_names.index(name)]]
        places[name] = count.get(limb, 0)
        count[limb] = places[name] + 1
    return places


def _made(
    robot: Robot, start: Array, chosen: Sequence[str], seconds: float, rate: float, settings: ExcitationSettings
) -> Excitation:
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
    length = (count - begin) * period
    t = np.asarray(np.arange(count - begin) * period, dtype=np.float64)
    for name, place in _places(robot, chosen).items():
        k = names.index(name)
        top = robot.joint(name).limits.velocity
        top = settings.speed_fraction * (top if 0 < top < math.inf else settings.free_speed)
        push = settings.effort_fraction * float(gains.effort[k])
        bend = push / max(float(gains.kp[k]), 1e-9) if held[k] else 0.0
        step = min(settings.step, 0.35 * reach[name], bend) if held[k] else 0.7 * top
        last = min(settings.last_frequency, SAMPLED * rate)
        if held[k]:
            last = min(last, settings.bandwidths * _bandwidth(gains, k, float(carried[k])))
        reaches = _Reach(reach[name], top, push / max(float(carried[k]), 1e-9), bend, step, last, bool(held[k]))
        rows[begin:, k] += _signal(t, length, reaches, place, settings)
    modes = np.where(held, int(Mode.POSITION), int(Mode.VELOCITY)).astype(np.int8)
    told = tuple(name for name in chosen if held[names.index(name)])
    return Excitation(robot, tuple(chosen), told, rows, modes, period)


@dataclass(frozen=True)
class _Reach:
    """How far a joint may be moved."""

    way: float  # about its middle [rad or m]
    speed: float  # [rad/s or m/s]
    acceleration: float  # [rad/s^2 or m/s^2]
    bend: float  # of the servo under the torque that may be taken [rad or m]
    step: float  # [rad or m; of wheels rad/s]
    last: float  # frequency [Hz]
    position: bool  # told positions, not speeds


def _bandwidth(gains: ServoGains, k: int, inertia: float) -> float:
    """Frequency sqrt(kp / I) about which the inertia moves a position servo as much as its spring [Hz]."""
    return math.sqrt(float(gains.kp[k]) / max(inertia, 1e-9)) / (2 * math.pi)


def _signal(t: Array, length: float, reach: _Reach, place: int, settings: ExcitationSettings) -> Array:
    """The way of one joint about its middle, or the speed of a wheel, over its time.

    Three parts, each from 0 to 0; the joint at `place` of its limb begins with another than its neighbors.
    """
    parts = [(settings.slow, _slow), (settings.quick, _quick), (1.0 - settings.slow - settings.quick, _steps)]
    first = place % len(parts)
    out, begun = np.zeros_like(t), 0.0
    for share, part in parts[first:] + parts[:first]:
        span = share * length - settings.rest
        u = t - begun
        inside = (u >= 0) & (u < span)
        out[inside] = part(u[inside], span, reach, settings)
        begun += share * length
    return out if place % 2 == 0 else -out


def _slow(u: Array, span: float, reach: _Reach, settings: ExcitationSettings) -> Array:
    """Some rounds of a sine, as far as the joint may go."""
    pace = 2 * math.pi * max(1.0, settings.slow_rounds) / span  # [rad/s]
    amplitude = min(reach.way, reach.speed / pace) if reach.position else reach.speed
    return np.asarray(amplitude * np.sin(pace * u))


def _quick(u: Array, span: float, reach: _Reach, settings: ExcitationSettings) -> Array:
    """A sine whose frequency grows by the same factor every second, and back with less strength.

    Its strength keeps the speed, and the torque for the inertia: I w^2 A where the joint follows, and kp A at
    frequencies at which it no longer does.
    """
    first = min(settings.first_frequency, 0.5 * reach.last)
    rate = math.log(reach.last / first) / (0.5 * span)
    up = 0.5 * span - np.abs(u - 0.5 * span)  # the time at which the way up has the same frequency
    omega = 2 * math.pi * first * np.exp(rate * up)
    gone = 2 * math.pi * first * (np.exp(rate * up) - 1.0) / rate
    top = 2 * math.pi * (reach.last - first) / rate
    back = u >= 0.5 * span
    if reach.position:
        torque = np.maximum(reach.acceleration / omega**2, reach.bend)
        strength = np.minimum(np.minimum(0.5 * reach.way, reach.speed / omega), torque)
    else:
        strength = np.minimum(0.5 * reach.speed, reach.acceleration / omega)
    edges = np.minimum(np.minimum(u, span - u), np.abs(u - 0.5 * span)) / (0.04 * span)
    strength = strength * np.minimum(1.0, edges) * np.where(back, settings.weaker, 1.0)
    return np.asarray(strength * np.sin(np.where(back, 2 * top - gone, gone)))


def _steps(u: Array, span: float, reach: _Reach, settings: ExcitationSettings) -> Array:
    """Steps of several sizes to both sides, and rest at the end."""
    number = np.floor(u / (span / (settings.steps + 1))).astype(int)
    signs = np.array([1.0, -1.0, 1.0, 0.5, -1.0, 0.3, 1.0, -0.5])
    return np.asarray(np.where(number < settings.steps, reach.step * signs[number % len(signs)], 0.0))
