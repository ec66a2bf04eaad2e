"""A wave gait as a list of joint targets over time: what a trial plays, what key-frames are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array

from .wave import CONTROL_TIME, SAMPLES, WaveModel, smoothstep

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
    `stop` they die again over the last one and a half ramps. `stride` scales what carries it forwards.
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
