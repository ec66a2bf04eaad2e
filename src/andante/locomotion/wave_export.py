"""A wave gait as a key-frame motion: played by `andante play`, edited by hand, sent to a robot."""

from __future__ import annotations

import math

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array
from andante.motion.keyframes import Key, Keyframes, Repeat

from .wave import JOINTS, SAMPLES, WaveModel, smoothstep
from .wave_playback import STOP_STRETCH, smooth_targets

KEYS_PER_CYCLE = 36
MOST_CYCLES = 1000
ENDING, END_TIME = 25, 0.5  # keys and time of the way back to the first pose after exact waves [s]
HELD_AT_ZERO = "LHipYawPitch"


def wave_keyframes(model: WaveModel, first: Array, cycles: int = 8, name: str = "wave") -> Keyframes:
    """The gait from a pose `first` (joints,) as key-frames: start, one cycle that is repeated, stop.

    cycles: how many full ones are walked between start and stop. Smooth gaits have 36 keys a cycle joined by a cubic,
    exact ones their 18 held samples.
    """
    if not 1 <= cycles <= MOST_CYCLES:
        raise BadInput(f"a gait is exported with 1 to {MOST_CYCLES} cycles, got {cycles}")
    if model.variant == "exact":
        return _held(model, first, cycles, name)
    period, ramp = model.parameters.period, model.parameters.ramp
    growing, dying = (max(1, math.ceil(time / period - 1e-9)) for time in (ramp, STOP_STRETCH * ramp))  # whole cycles
    count = growing + 1 + dying
    times = period / KEYS_PER_CYCLE * np.arange(count * KEYS_PER_CYCLE + 1, dtype=float)
    targets = smooth_targets(model, first, times, count * period)
    keys = _keys(model, times, targets)
    middle = Repeat(keys[growing * KEYS_PER_CYCLE].time, keys[(growing + 1) * KEYS_PER_CYCLE].time, cycles)
    return Keyframes(name, keys, "cubic", 1, middle, model.robot.name)


def _held(model: WaveModel, first: Array, cycles: int, name: str) -> Keyframes:
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
    """Keys inside the joints' limits, of the joints that have waves and the one that must stay at 0."""
    limits = {joint.name: joint.limits for joint in model.robot.movable}
    columns = {joint: model.robot.joint_names.index(joint) for joint in (*JOINTS, HELD_AT_ZERO)}
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
