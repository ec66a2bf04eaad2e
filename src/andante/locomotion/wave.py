"""The coupled-wave gait of the NAO: ten numbers make periodic waves for all joints (F. Perez 2015 after F. Rivas 2011).

Two variants by name: `exact` is the published model, `smooth` the same waves without jumps and kinks, with a soft start
and stop. Angles of the parameters are degrees, phases radians, times seconds, as published; what comes out is radians.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.description import Robot
from andante.errors import BadInput, UnknownName
from andante.geometry import Array

from .wave_kernels import exact_waves, smooth_waves

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
    "w_k": "flexion_share",
    "c_a": "levelling",
    "p_h": "pulse",
    "ramp": "ramp",
}
TEN = tuple(SYMBOLS)[:10]
EXTRA = tuple(SYMBOLS)[10:]  # of the smooth variant alone
JOINTS = tuple(
    side + part
    for part in (
        "HipPitch", "KneePitch", "AnklePitch", "HipRoll", "AnkleRoll",
        "ShoulderPitch", "ShoulderRoll", "ElbowYaw", "ElbowRoll",
    )
    for side in "RL"
)  # fmt: skip


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
    flexion_share: float = 0.4  # w_k: part of the cycle in which a knee bends
    levelling: float = 1.0  # c_a: how much of the swing of hip and knee an ankle takes back; 1 keeps the foot level
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
        for name in values:
            if name not in SYMBOLS:
                raise UnknownName.among("wave parameter", name, SYMBOLS)
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
class WaveModel:
    """The waves laid out for the joint vector of a robot; joints without a wave rest at 0."""

    robot: Robot
    parameters: WaveParameters
    variant: str = "smooth"

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise UnknownName.among("wave variant", self.variant, VARIANTS)
        lacking = [name for name in JOINTS if name not in self.robot.joint_names]
        if lacking:
            raise BadInput(f"robot {self.robot.name!r} has no joint {lacking[0]!r}; the wave gait is made for the NAO")

    @cached_property
    def columns(self) -> np.ndarray:
        """Where in the joint vector each wave stands, (18,)."""
        return np.array([self.robot.joint_names.index(name) for name in JOINTS])

    def angles(self, t: ArrayLike, share: ArrayLike = 1.0, stride: ArrayLike = 1.0) -> Array:
        """Joint angles (..., joints) at times (...) in the cycle [rad].

        share scales all swings of the smooth variant, stride those that carry it forwards (its ramps); the exact one
        has neither.
        """
        at = np.asarray(t, dtype=float)
        flat = np.ascontiguousarray(at.reshape(-1))
        if self.variant == "exact":
            waves = exact_waves(self.parameters.vector, flat)
        else:
            shares = np.ascontiguousarray(np.broadcast_to(np.asarray(share, dtype=float), at.shape).reshape(-1))
            strides = np.ascontiguousarray(np.broadcast_to(np.asarray(stride, dtype=float), at.shape).reshape(-1))
            waves = smooth_waves(self.parameters.vector, flat, shares, strides)
        out = np.zeros((len(flat), len(self.robot.joint_names)))
        out[:, self.columns] = waves
        return out.reshape(*at.shape, -1)

    def cycle(self) -> Array:
        """The 18 samples of one cycle at t = k T/18, k = 1 to 18, (18, joints) [rad]."""
        return self.angles(np.arange(1, SAMPLES + 1) * self.parameters.period / SAMPLES)


def smoothstep(x: ArrayLike) -> Array:
    """0 below 0, 1 above 1, between them 10 x^3 - 15 x^4 + 6 x^5, whose slope and curvature vanish at both ends."""
    u = np.clip(np.asarray(x, dtype=float), 0.0, 1.0)
    return u * u * u * (10.0 + u * (6.0 * u - 15.0))
