"""Key-frames against a robot: unknown joints are refused, values beyond limits are clipped and told, haste is told."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from andante.description import Robot
from andante.description.source import Problem, Severity, Source
from andante.errors import UnknownName

from .keyframe_play import NEAR, Played
from .keyframes import Key, Keyframes
from .limits import MotionLimits
from .poses import within_limits

SAMPLE = 0.005  # [s]
MOST_SAMPLES = 20_000


@dataclass(frozen=True)
class Fitted:
    """A motion that a robot can play, and what had to be said about it."""

    motion: Keyframes
    problems: tuple[Problem, ...]


def fit(motion: Keyframes, robot: Robot) -> Fitted:
    """The motion with every key inside the robot's limits; joints that the robot lacks raise, mimics are left out."""
    told: list[Problem] = []
    keys: list[Key] = []
    if motion.robot and motion.robot != robot.name:
        message = f"written for robot {motion.robot!r}, played on {robot.name!r}"
        told.append(Problem(Severity.WARNING, message, motion.source))
    mimics = {j.name: j.mimic.joint for j in robot.movable if j.mimic is not None}
    for key in motion.keys:
        for name in key.positions:
            if name not in robot.joint_names:
                where = str(key.source) or f"motion {motion.name!r}"
                raise UnknownName.among("joint", name, robot.joint_names, f"robot {robot.name!r} ({where})")
        own = {name: value for name, value in key.positions.items() if name not in mimics}
        inside, problems = within_limits(robot, own, key.source)
        told += problems
        keys.append(replace(key, positions=inside))
    for name in motion.names:
        if name in mimics:
            message = f"joint {name!r} follows {mimics[name]!r} and cannot be moved by itself; its keys are left out"
            told.append(Problem(Severity.WARNING, message, motion.source))
    return Fitted(replace(motion, keys=tuple(keys)), tuple(told))


def haste_problems(motion: Played, robot: Robot, source: Source) -> tuple[Problem, ...]:
    """A warning per joint that jumps, overshoots its limits between keys or is asked for more than its top speed."""
    limits = MotionLimits.of(robot, motion.names)
    duration = min(motion.duration, motion.lead_duration + 2 * motion.round_duration)
    times = np.linspace(0.0, duration, min(MOST_SAMPLES, max(2, round(duration / SAMPLE) + 1)))
    positions, speed = motion.evaluate(times), np.abs(motion.evaluate(times, 1))
    told = []
    seam = motion.first.evaluate(motion.round_duration) - motion.later.evaluate(0.0)
    for k, name in enumerate(motion.names):
        if motion.loop > 1 and abs(seam[k]) > NEAR:
            told.append(f"joint {name!r} jumps by {abs(seam[k]):.3g} from round to round; end where the key at 0 s is")
        worst = int(np.argmax(speed[:, k]))
        if speed[worst, k] > limits.velocity[k] * 1.001:
            told.append(
                f"joint {name!r} is asked for {speed[worst, k]:.3g} per second at {times[worst]:.2f} s, its limit is "
                f"{limits.velocity[k]:.3g}; give it more time"
            )
        low, high = positions[:, k].min(), positions[:, k].max()
        if low < limits.lower[k] - 1e-6 or high > limits.upper[k] + 1e-6:
            told.append(
                f"joint {name!r} goes to {low:.4g} and {high:.4g} between keys, its limits are "
                f"{limits.lower[k]:.4g} to {limits.upper[k]:.4g}; choose smooth interpolation or a key in between"
            )
    return tuple(Problem(Severity.WARNING, message, source) for message in told)
