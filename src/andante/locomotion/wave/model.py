"""The coupled-wave gait: ten numbers make periodic waves for all joints (F. Perez 2015 after F. Rivas 2011).

Two variants by name: `exact` is the published model, `smooth` the same waves without jumps and kinks, with a soft start
and stop. Angles of the parameters are degrees, phases radians, times seconds, as published; what comes out is radians.
Columns of the angles, right before left: hip pitch, knee pitch, ankle pitch, hip roll, ankle roll, shoulder pitch,
shoulder roll, elbow yaw, elbow roll.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante._moved import renamed
from andante.compiling import njit
from andante.description import ROBOTS, Robot
from andante.errors import BadInput, UnknownName
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
SINE_FRACTION, RIPPLE = 6.0 / 11.0, 0.22  # of the hip and knee amplitude, outside of pulse and flexion
PULSE_WIDTH = 0.5 * math.pi  # half of the smooth hip pulse [rad]

_DEGREE = math.pi / 180.0
_TURN = 2.0 * math.pi


@njit()
def _hip(x: float, amplitude: float, shift: float) -> float:
    x = x % _TURN
    if 0.75 * math.pi < x < math.pi:
        return amplitude + shift
    return SINE_FRACTION * amplitude * math.sin(x) + shift


@njit()
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


@njit()
def _ankle(x: float, amplitude: float, shift: float) -> float:
    x = x % _TURN
    rise = 0.4 * math.pi
    if x <= rise:
        return shift - amplitude + 2.0 * amplitude * x / rise
    return shift + amplitude - 2.0 * amplitude * (x - rise) / (_TURN - rise)


@njit()
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


@njit()
def _arms(x: float, amplitude: float, spread: float, row: Array) -> None:
    """The four waves of each arm [deg], into columns 10 to 17."""
    row[10] = SHOULDER_PITCH[0] * amplitude * math.sin(x + SHOULDER_PITCH[2]) + SHOULDER_PITCH[1]
    row[11] = SHOULDER_PITCH[0] * amplitude * math.sin(x + SHOULDER_PITCH[2] + math.pi) + SHOULDER_PITCH[1]
    row[12] = SHOULDER_ROLL[0] * amplitude * math.sin(x + SHOULDER_ROLL[2]) + SHOULDER_ROLL[1] - spread
    row[14] = ELBOW_YAW[0] * amplitude * math.sin(x + ELBOW_YAW[2]) + ELBOW_YAW[1]
    row[16] = ELBOW_ROLL[0] * amplitude * math.sin(x + ELBOW_ROLL[2]) + ELBOW_ROLL[1]
    row[13], row[15], row[17] = -row[12], -row[14], -row[16]


@njit()
def _window(x: float, center: float, half: float, cycle: float) -> float:
    """A bump of height 1 at `center` that is 0 from `half` on, with slope and curvature continuous: cos^4."""
    gap = (x - center + 0.5 * cycle) % cycle - 0.5 * cycle
    if abs(gap) >= half:
        return 0.0
    c = math.cos(0.5 * math.pi * gap / half)
    return c * c * c * c


@njit()
def _smooth_hip(x: float, pulse: float) -> float:
    w = pulse * _window(x, 0.875 * math.pi, PULSE_WIDTH, _TURN)
    return (1.0 - w) * SINE_FRACTION * math.sin(x) + w


@njit()
def _smooth_knee(x: float, swing: float) -> float:
    w = _window(x, 3.5 * math.pi, swing * _TURN, 2.0 * _TURN)
    return (1.0 - w) * RIPPLE * math.sin(x) + w


@njit()
def _smooth_ankle(x: float) -> float:
    x = x % _TURN
    rise = 0.4 * math.pi
    if x <= rise:
        return -math.cos(math.pi * x / rise)
    return math.cos(math.pi * (x - rise) / (_TURN - rise))


@njit()
def smooth_waves(parameters: Array, t: Array, fraction: Array, stride: Array) -> Array:
    """Angles (n, 18) [rad] of the smooth variant; `fraction` (n,) scales every swing, `stride` (n,) those of the pitch.

    The shifts are held however small the fractions are: a fraction of 0 is a stand.
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
            hip = fraction[i] * stride[i] * hip_a * _smooth_hip(x + half, pulse)
            bend = fraction[i] * knee_a * _smooth_knee(knee + 2.0 * half, swing)
            push = fraction[i] * stride[i] * ankle_a * _smooth_ankle(ankle + half)
            row[side] = hip_s + hip
            row[2 + side] = knee_s + bend
            row[4 + side] = ankle_s + push - level * (hip + bend)
        roll = fraction[i] * balance * math.sin(x + HIP_ROLL[2] + roll_f)
        row[6] = row[7] = HIP_ROLL[0] * roll
        row[8] = row[9] = -ANKLE_ROLL[0] * roll
        _arms(x, fraction[i] * stride[i] * ARM_AMPLITUDE, ARM_SPREAD, row)
        for k in range(COLUMNS):
            row[k] *= _DEGREE
    return out


VARIANTS = ("exact", "smooth")
SAMPLES = 18  # per cycle, each held
CONTROL_TIME = 0.01  # between two targets of the smooth variant [s]
SYMBOLS = {  # published symbol -> field
    "T": "period",
    "A_h": "hip_amplitude",
    "s_h": "hip_shift",
    "A_k": "knee_amplitude",
    "f_k": "knee_phase",
    "s_k": "knee_shift",
    "A_a": "ankle_amplitude",
    "f_a": "ankle_phase",
    "s_a": "ankle_shift",
    "b": "balance",
    "f_r": "roll_phase",
    "w_k": "flexion_fraction",
    "c_a": "leveling",
    "p_h": "pulse",
    "ramp": "ramp",
}
TEN = tuple(SYMBOLS)[:10]
EXTRA = tuple(SYMBOLS)[10:]  # of the smooth variant alone


@renamed()
@dataclass(frozen=True)
class WaveParameters:
    """The numbers of a wave gait; the ten of the published model, then what the smooth variant has besides."""

    period: float  # T: of one full cycle; the source calls it frequency [s]
    hip_amplitude: float  # A_h [deg]
    hip_shift: float  # s_h [deg]
    knee_amplitude: float  # A_k [deg]
    knee_phase: float  # f_k [rad]
    knee_shift: float  # s_k [deg]
    ankle_amplitude: float  # A_a [deg]
    ankle_phase: float  # f_a [rad]
    ankle_shift: float  # s_a [deg]
    balance: float  # b: scales hip roll and ankle roll
    roll_phase: float = 0.0  # f_r: of the rolls, added to the published pi/3 [rad]
    flexion_fraction: float = field(default=0.4, metadata={"was": "flexion_share"})  # w_k: of the cycle: a knee bends
    # c_a: how much of the swing of hip and knee an ankle takes back; 1 keeps the foot level
    leveling: float = field(default=1.0, metadata={"was": "levelling"})
    pulse: float = 0.0  # p_h: height of the hip pulse, 1 as published
    ramp: float = 1.0  # time in which the swings grow at the start and die at the stop [s]

    def __post_init__(self) -> None:
        for symbol, name in SYMBOLS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not isfinite(value):
                raise BadInput(f"wave parameter {symbol} must be a finite number, got {value!r}")
        for symbol, low, high in (("T", 0.05, 60.0), ("w_k", 0.02, 1.0), ("ramp", 0.0, 60.0)):
            if not low <= getattr(self, SYMBOLS[symbol]) <= high:
                raise BadInput(
                    f"wave parameter {symbol} must lie from {low:g} to {high:g}, got {getattr(self, SYMBOLS[symbol])}"
                )

    @classmethod
    def of(cls, values: Mapping[str, Any], base: WaveParameters | None = None) -> WaveParameters:
        """Parameters by symbol (T, A_h, ...); those not named come from `base`, else the ten must all be there."""
        UnknownName.check("wave parameter", values, SYMBOLS)
        known = base.symbols() if base is not None else {}
        missing = [name for name in TEN if name not in values and name not in known]
        if missing:
            raise BadInput(f"wave parameter {missing[0]} is missing; a wave gait needs {', '.join(TEN)}")
        for name, value in values.items():
            if isinstance(value, bool) or not isinstance(value, int | float | np.number):
                raise BadInput(f"wave parameter {name} must be a number, got {value!r}")
        return cls(**{SYMBOLS[name]: float(value) for name, value in {**known, **values}.items()})

    def symbols(self) -> dict[str, float]:
        """All values by their symbols."""
        return {symbol: float(getattr(self, name)) for symbol, name in SYMBOLS.items()}

    @cached_property
    def vector(self) -> Array:
        """All values in order of the fields, for the kernels, (15,)."""
        out = np.array([float(getattr(self, each.name)) for each in fields(self)])
        out.setflags(write=False)
        return out

    @property
    def hold(self) -> float:
        """How long the exact playback holds each of its 18 samples: T/18 cut to whole milliseconds [s]."""
        return max(1, int(1000.0 * self.period / SAMPLES + 1e-9)) / 1000.0


@dataclass(frozen=True)
class WaveJoints:
    """Which joints of a robot the waves move: gaits/wave.toml of its package."""

    package: str  # registered name of the robot
    joints: tuple[str, ...]  # in the order of the columns
    first_pose: str  # from which it walks
    rest: tuple[str, ...]  # joints without a wave that must stay at 0
    leg: float  # about the length of a bent leg [m]


@cache
def known_joints() -> tuple[WaveJoints, ...]:
    """Those of all registered robots that walk by waves."""
    found = []
    for name, package in ROBOTS.usable():
        file = package.gaits / "wave.toml" if package.gaits else None
        if file is not None and file.is_file():
            table = tomllib.loads(file.read_text(encoding="utf-8"))
            joints, rest = tuple(table["joints"]), tuple(table["rest"])
            found.append(WaveJoints(name, joints, table["first_pose"], rest, float(table["leg"])))
    return tuple(found)


def wave_joints(robot: Robot) -> WaveJoints:
    """The joints that the waves move; BadInput where a robot has others."""
    lacking = ""
    for each in known_joints():
        missing = [name for name in each.joints if name not in robot.joint_names]
        if not missing:
            return each
        lacking = lacking or missing[0]
    made_for = ", ".join(each.package for each in known_joints())
    raise BadInput(f"robot {robot.name!r} has no joint {lacking!r}; the wave gait is made for {made_for or 'no robot'}")


def waves(robot: Robot) -> bool:
    """Whether a robot has the joints and the first pose of one that walks by waves."""
    try:
        return wave_joints(robot).first_pose.casefold() in {name.casefold() for name in robot.poses}
    except BadInput:
        return False


@dataclass(frozen=True)
class ShippedGait:
    """Parameters of a gait, the speed it reaches on MuJoCo [m/s], and the command that found it."""

    parameters: WaveParameters
    speed: float
    found_by: str


@cache
def default_gait(variant: str, robot: str = "") -> ShippedGait:
    """The gait that a variant walks when nothing is asked for: gaits/wave_VARIANT.toml of a robot's package.

    Args:
        variant: exact or smooth.
        robot: registered name; empty: the first robot that walks by waves.
    """
    UnknownName.check("wave variant", variant, VARIANTS)
    name = robot or next((each.package for each in known_joints()), "")
    folder = ROBOTS[name].gaits if name in ROBOTS else None
    if folder is None:
        raise BadInput(f"the package of robot {name!r} holds no gaits")
    table = tomllib.loads((folder / f"wave_{variant}.toml").read_text(encoding="utf-8"))
    return ShippedGait(WaveParameters.of(table["parameters"]), float(table["speed"]), table["found_by"])


@dataclass(frozen=True)
class WaveModel:
    """The waves laid out for the joint vector of a robot; joints without a wave rest at 0."""

    robot: Robot
    parameters: WaveParameters
    variant: str = "smooth"
    joints: WaveJoints = field(init=False)

    def __post_init__(self) -> None:
        UnknownName.check("wave variant", self.variant, VARIANTS)
        object.__setattr__(self, "joints", wave_joints(self.robot))

    @cached_property
    def columns(self) -> np.ndarray:
        """Where in the joint vector each wave stands, (18,)."""
        return np.array([self.robot.joint_names.index(name) for name in self.joints.joints])

    def angles(self, t: ArrayLike, fraction: ArrayLike = 1.0, stride: ArrayLike = 1.0) -> Array:
        """Joint angles (..., joints) at times (...) in the cycle [rad].

        fraction scales all swings of the smooth variant, stride those that carry it forward (its ramps); the exact one
        has neither.
        """
        at = np.asarray(t, dtype=float)
        flat = np.ascontiguousarray(at.reshape(-1))
        if self.variant == "exact":
            waves = exact_waves(self.parameters.vector, flat)
        else:
            fractions = np.ascontiguousarray(np.broadcast_to(np.asarray(fraction, dtype=float), at.shape).reshape(-1))
            strides = np.ascontiguousarray(np.broadcast_to(np.asarray(stride, dtype=float), at.shape).reshape(-1))
            waves = smooth_waves(self.parameters.vector, flat, fractions, strides)
        out = np.zeros((len(flat), len(self.robot.joint_names)))
        out[:, self.columns] = waves
        return out.reshape(*at.shape, -1)

    def cycle(self) -> Array:
        """The 18 samples of one cycle at t = k T/18, k = 1 to 18, (18, joints) [rad]."""
        return self.angles(np.arange(1, SAMPLES + 1) * self.parameters.period / SAMPLES)
