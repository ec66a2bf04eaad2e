"""A wave gait as a list of joint targets over time: what a trial plays, what key-frames are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array

from .wave import CONTROL_TIME, SAMPLES, WaveModel, smoothstep

LONGEST = 3600.0  # [s]


@dataclass(frozen=True)
class Playback:
    """Targets (n, joints) [rad], each held from its time (n,) [s] until the next; cycles begin at `cycles` (m,) [s]."""

    times: Array
    targets: Array
    cycles: Array


def playback(model: WaveModel, start: Array, seconds: float, stride: float = 1.0, stop: bool = False) -> Playback:
    """The open-loop gait from a pose `start` (joints,) for some seconds.

    exact: sample k of 18 is held T/18 (whole milliseconds), the cycle repeats; the first sample comes at once.
    smooth: a target every 10 ms. Over the ramp the pose goes from `start` to the waves while the swings grow; with
    `stop` they die again over the last ramp. `stride` scales what carries it forwards.
    """
    if not (np.isfinite(seconds) and 0 < seconds <= LONGEST):
        raise BadInput(f"a wave gait is played for up to {LONGEST:g} s, got {seconds}")
    if model.variant == "exact":
        return _held(model, seconds)
    count = int(np.ceil(seconds / CONTROL_TIME - 1e-9))
    times = CONTROL_TIME * np.arange(count, dtype=float)
    parameters = model.parameters
    arrived = envelope(times + CONTROL_TIME, parameters.ramp)
    share = np.minimum(arrived, envelope(seconds - times, parameters.ramp)) if stop else arrived
    waves = model.angles(times + CONTROL_TIME, share, stride)
    targets = start + arrived[:, None] * (waves - start)
    return Playback(times, targets, np.arange(0.0, seconds, parameters.period))


def _held(model: WaveModel, seconds: float) -> Playback:
    hold = model.parameters.hold
    count = int(np.ceil(seconds / hold - 1e-9))
    targets = model.cycle()[np.arange(count) % SAMPLES]
    return Playback(hold * np.arange(count, dtype=float), targets, np.arange(0.0, seconds, SAMPLES * hold))


def envelope(t: ArrayLike, ramp: float) -> Array:
    """How much of the swings is there at a time after the start, 0 to 1."""
    at = np.asarray(t, dtype=float)
    return smoothstep(at / ramp) if ramp > 0 else np.where(at > 0, 1.0, 0.0)
