"""Compiled loops of the coupled-wave gait: joint angles over time, exact and smooth.

Columns of the angles, right before left: hip pitch, knee pitch, ankle pitch, hip roll, ankle roll, shoulder pitch,
shoulder roll, elbow yaw, elbow roll. Parameters are the vector of `WaveParameters.vector` (degrees, radians, seconds).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array

COLUMNS = 18
BASE_PHASE = -1.5  # p0 [rad]
KNEE_PHASE, ANKLE_PHASE = 2.67, 3.455  # [rad]
HIP_ROLL, ANKLE_ROLL = (
    (0.2, 1.0, math.pi / 3),
    (0.23, -2.9, 2 * math.pi / 3),
)  # gain, shift of the right leg [deg], phase [rad]
LEFT_HIP_ROLL_SHIFT, LEFT_ANKLE_ROLL_SHIFT = 0.0, 2.1  # [deg]
ARM_AMPLITUDE = 50.0
ARM_SPREAD = 7.5  # by which smooth arms stand further off, so that no hand meets a thigh [deg]
SHOULDER_PITCH, SHOULDER_ROLL = (0.37, 90.5, 3.14), (0.05, -12.5, 0.0)
ELBOW_YAW, ELBOW_ROLL = (0.2, 75.0, 3.14), (0.22, 31.0, 0.0)
SINE_SHARE, RIPPLE = 6.0 / 11.0, 0.22  # of the hip and knee amplitude, outside of pulse and flexion
PULSE_WIDTH = 0.5 * math.pi  # half of the smooth hip pulse [rad]

_DEGREE = math.pi / 180.0
_TURN = 2.0 * math.pi


@njit(cache=True)
def _hip(x: float, amplitude: float, shift: float) -> float:
    x = x % _TURN
    if 0.75 * math.pi < x < math.pi:
        return amplitude + shift
    return SINE_SHARE * amplitude * math.sin(x) + shift


@njit(cache=True)
def _knee(x: float, amplitude: float, shift: float) -> float:
    x = x % (2.0 * _TURN)
    low, top, high = 3.25 * math.pi, 3.5 * math.pi, 3.75 * math.pi
    if low < x <= top:
        foot = RIPPLE * amplitude * math.sin(low) + shift
        return foot + (amplitude + shift - foot) * (x - low) / (top - low)
    if top < x <= high:
        foot = RIPPLE * amplitude * math.sin(high) + shift
        return amplitude + shift + (foot - amplitude - shift) * (x - top) / (high - top)
    return RIPPLE * amplitude * math.sin(x) + shift


@njit(cache=True)
def _ankle(x: float, amplitude: float, shift: float) -> float:
    x = x % _TURN
    rise = 0.4 * math.pi
    if x <= rise:
        return shift - amplitude + 2.0 * amplitude * x / rise
    return shift + amplitude - 2.0 * amplitude * (x - rise) / (_TURN - rise)


@njit(cache=True)
def exact_waves(parameters: Array, t: Array) -> Array:
    """Angles (n, 18) [rad] of the model as published, at times t (n,) in the cycle [s]."""
    period, hip_a, hip_s, knee_a, knee_f, knee_s, ankle_a, ankle_f, ankle_s, balance = parameters[:10]
    out = np.empty((len(t), COLUMNS))
    for i in range(len(t)):
        x = _TURN * t[i] / period + BASE_PHASE
        knee = 2.0 * _TURN * t[i] / period + BASE_PHASE + KNEE_PHASE + knee_f
        ankle = x + ANKLE_PHASE + ankle_f
        row = out[i]
        row[0], row[1] = _hip(x, hip_a, hip_s), _hip(x + math.pi, hip_a, hip_s)
        row[2], row[3] = _knee(knee, knee_a, knee_s), _knee(knee + _TURN, knee_a, knee_s)
        row[4], row[5] = _ankle(ankle, ankle_a, ankle_s), _ankle(ankle + math.pi, ankle_a, ankle_s)
        roll = HIP_ROLL[0] * balance * math.sin(x + HIP_ROLL[2])
        row[6], row[7] = roll + HIP_ROLL[1], roll + LEFT_HIP_ROLL_SHIFT
        roll = ANKLE_ROLL[0] * balance * math.sin(x - ANKLE_ROLL[2])
        row[8], row[9] = roll + ANKLE_ROLL[1], roll + LEFT_ANKLE_ROLL_SHIFT
        _arms(x, ARM_AMPLITUDE, 0.0, row)
        for k in range(COLUMNS):
            row[k] *= _DEGREE
    return out


@njit(cache=True)
def _arms(x: float, amplitude: float, spread: float, row: Array) -> None:
    """The four waves of each arm [deg], into columns 10 to 17."""
    row[10] = SHOULDER_PITCH[0] * amplitude * math.sin(x + SHOULDER_PITCH[2]) + SHOULDER_PITCH[1]
    row[11] = SHOULDER_PITCH[0] * amplitude * math.sin(x + SHOULDER_PITCH[2] + math.pi) + SHOULDER_PITCH[1]
    row[12] = SHOULDER_ROLL[0] * amplitude * math.sin(x + SHOULDER_ROLL[2]) + SHOULDER_ROLL[1] - spread
    row[14] = ELBOW_YAW[0] * amplitude * math.sin(x + ELBOW_YAW[2]) + ELBOW_YAW[1]
    row[16] = ELBOW_ROLL[0] * amplitude * math.sin(x + ELBOW_ROLL[2]) + ELBOW_ROLL[1]
    row[13], row[15], row[17] = -row[12], -row[14], -row[16]


@njit(cache=True)
def _window(x: float, centre: float, half: float, cycle: float) -> float:
    """A bump of height 1 at `centre` that is 0 from `half` on, with slope and curvature continuous: cos^4."""
    gap = (x - centre + 0.5 * cycle) % cycle - 0.5 * cycle
    if abs(gap) >= half:
        return 0.0
    c = math.cos(0.5 * math.pi * gap / half)
    return c * c * c * c


@njit(cache=True)
def _smooth_hip(x: float, pulse: float) -> float:
    w = pulse * _window(x, 0.875 * math.pi, PULSE_WIDTH, _TURN)
    return (1.0 - w) * SINE_SHARE * math.sin(x) + w


@njit(cache=True)
def _smooth_knee(x: float, swing: float) -> float:
    w = _window(x, 3.5 * math.pi, swing * _TURN, 2.0 * _TURN)
    return (1.0 - w) * RIPPLE * math.sin(x) + w


@njit(cache=True)
def _smooth_ankle(x: float) -> float:
    x = x % _TURN
    rise = 0.4 * math.pi
    if x <= rise:
        return -math.cos(math.pi * x / rise)
    return math.cos(math.pi * (x - rise) / (_TURN - rise))


@njit(cache=True)
def smooth_waves(parameters: Array, t: Array, share: Array, stride: Array) -> Array:
    """Angles (n, 18) [rad] of the smooth variant; `share` (n,) scales every swing, `stride` (n,) those of the pitch.

    The shifts are held however small the shares are: a share of 0 is a stand.
    """
    period, hip_a, hip_s, knee_a, knee_f, knee_s, ankle_a, ankle_f, ankle_s, balance = parameters[:10]
    roll_f, swing, level, pulse = parameters[10:14]
    out = np.empty((len(t), COLUMNS))
    for i in range(len(t)):
        x = _TURN * t[i] / period + BASE_PHASE
        knee = 2.0 * _TURN * t[i] / period + BASE_PHASE + KNEE_PHASE + knee_f
        ankle = x + ANKLE_PHASE + ankle_f
        row = out[i]
        for side in range(2):
            half = side * math.pi
            hip = share[i] * stride[i] * hip_a * _smooth_hip(x + half, pulse)
            bend = share[i] * knee_a * _smooth_knee(knee + 2.0 * half, swing)
            push = share[i] * stride[i] * ankle_a * _smooth_ankle(ankle + half)
            row[side] = hip_s + hip
            row[2 + side] = knee_s + bend
            row[4 + side] = ankle_s + push - level * (hip + bend)
        roll = share[i] * balance * math.sin(x + HIP_ROLL[2] + roll_f)
        row[6] = row[7] = HIP_ROLL[0] * roll
        row[8] = row[9] = -ANKLE_ROLL[0] * roll
        _arms(x, share[i] * stride[i] * ARM_AMPLITUDE, ARM_SPREAD, row)
        for k in range(COLUMNS):
            row[k] *= _DEGREE
    return out
