"""A wave gait as joint targets over time, for trials, and as key-frames, for `andante play`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array
from andante.motion import smoothstep
from andante.motion.keyframes import Key, Keyframes, Repeat

from .model import CONTROL_TIME, SAMPLES, WaveModel

LONGEST = 3600.0  # [s]
STOP_STRETCH = 1.5  # the swings die this much slower than they grow, and the stride twice: it ends standing straight


@dataclass(frozen=True)
class Playback:
    """Targets (n, joints) [rad], each held from its time (n,) [s] until the next; cycles begin at `cycles` (m,) [s]."""

    times: Array
    targets: Array
    cycles: Array

    @property
    def rate(self) -> float:
        """Of the targets [Hz]."""
        return 1.0 / float(self.times[1] - self.times[0]) if len(self.times) > 1 else 1.0 / CONTROL_TIME


def playback(model: WaveModel, start: Array, seconds: float, stride: float = 1.0, stop: bool = False) -> Playback:
    """The open-loop gait from a pose `start` (joints,) for some seconds.

    exact: sample k of 18 is held T/18 (whole milliseconds), the cycle repeats; the first sample comes at once.
    smooth: a target every 10 ms. Over the ramp the pose goes from `start` to the waves while the swings grow; with
    `stop` they die again over the last one and a half ramps. `stride` scales what carries it forward.
    """
    if not (np.isfinite(seconds) and 0 < seconds <= LONGEST):
        raise BadInput(f"a wave gait is played for up to {LONGEST:g} s, got {seconds}")
    if model.variant == "exact":
        return _held(model, seconds)
    count = int(np.ceil(seconds / CONTROL_TIME - 1e-9))
    times = CONTROL_TIME * np.arange(count, dtype=float)
    parameters = model.parameters
    targets = smooth_targets(model, start, times + CONTROL_TIME, seconds if stop else np.inf, stride)
    return Playback(times, targets, np.arange(0.0, seconds, parameters.period))


def smooth_targets(model: WaveModel, start: Array, t: Array, end: float, stride: float = 1.0) -> Array:
    """Targets (n, joints) of the smooth gait at times (n,) after its start, coming to a stand at `end` [s]."""
    ramp = model.parameters.ramp
    arrived = envelope(t, ramp)
    dying = envelope(end - t, STOP_STRETCH * ramp) if np.isfinite(end) else np.ones(len(t))
    waves = model.angles(t, np.minimum(arrived, dying), stride * dying)
    return start + arrived[:, None] * (waves - start)


def _held(model: WaveModel, seconds: float) -> Playback:
    hold = model.parameters.hold
    count = int(np.ceil(seconds / hold - 1e-9))
    targets = model.cycle()[np.arange(count) % SAMPLES]
    return Playback(hold * np.arange(count, dtype=float), targets, np.arange(0.0, seconds, SAMPLES * hold))


def envelope(t: ArrayLike, ramp: float) -> Array:
    """How much of the swings is there at a time after the start, 0 to 1."""
    at = np.asarray(t, dtype=float)
    return smoothstep(at / ramp) if ramp > 0 else np.where(at > 0, 1.0, 0.0)


KEYS_PER_CYCLE = 36
MOST_CYCLES = 1000
ENDING, END_TIME = 25, 0.5  # keys and time of the way back to the first pose after exact waves [s]


def wave_keyframes(model: WaveModel, first: Array, cycles: int = 8, name: str = "wave") -> Keyframes:
    """The gait from a pose `first` (joints,) as key-frames: start, one cycle that is repeated, stop.

    cycles: how many full ones are walked between start and stop. Smooth gaits have 36 keys a cycle joined by a cubic,
    exact ones their 18 held samples.
    """
    if not 1 <= cycles <= MOST_CYCLES:
        raise BadInput(f"a gait is exported with 1 to {MOST_CYCLES} cycles, got {cycles}")
    if model.variant == "exact":
        return _held_keys(model, first, cycles, name)
    period, ramp = model.parameters.period, model.parameters.ramp
    growing, dying = (max(1, math.ceil(time / period - 1e-9)) for time in (ramp, STOP_STRETCH * ramp))  # whole cycles
    count = growing + 1 + dying
    times = period / KEYS_PER_CYCLE * np.arange(count * KEYS_PER_CYCLE + 1, dtype=float)
    targets = smooth_targets(model, first, times, count * period)
    keys = _keys(model, times, targets)
    middle = Repeat(keys[growing * KEYS_PER_CYCLE].time, keys[(growing + 1) * KEYS_PER_CYCLE].time, cycles)
    return Keyframes(name, keys, "cubic", 1, middle, model.robot.name)


def _held_keys(model: WaveModel, first: Array, cycles: int, name: str) -> Keyframes:
    """Held samples, one round repeated, then half a second back to the first pose."""
    hold, samples = model.parameters.hold, model.cycle()
    back = smoothstep(np.arange(1, ENDING + 1) / ENDING)[:, None]
    targets = np.concatenate([samples, samples[:1], samples[-1] + back * (first - samples[-1])])
    times = np.concatenate(
        [hold * np.arange(SAMPLES + 1), SAMPLES * hold + END_TIME * np.arange(1, ENDING + 1) / ENDING]
    )
    keys = _keys(model, times, targets)
    return Keyframes(name, keys, "hold", 1, Repeat(keys[0].time, keys[SAMPLES].time, cycles), model.robot.name)


def _keys(model: WaveModel, times: Array, targets: Array) -> tuple[Key, ...]:
    """Keys inside the joints' limits, of the joints that have waves and those that must stay at 0."""
    limits = {joint.name: joint.limits for joint in model.robot.movable}
    columns = {joint: model.robot.joint_names.index(joint) for joint in (*model.joints.joints, *model.joints.rest)}
    return tuple(
        Key(
            round(float(t), 6),
            {
                joint: round(float(np.clip(row[k], limits[joint].lower, limits[joint].upper)), 6)
                for joint, k in columns.items()
            },
        )
        for t, row in zip(times, targets, strict=True)
    )
