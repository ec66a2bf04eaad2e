"""The published waves in plain Python, one joint and one instant at a time, written from the formulas alone."""

from __future__ import annotations

import math
from collections.abc import Mapping

PI = math.pi
P0 = -1.5


def reference(p: Mapping[str, float], t: float) -> dict[str, float]:
    """Every joint with a wave [deg]."""
    w = 2 * PI * t / p["T"]

    def hip(extra: float) -> float:
        x = (w + P0 + extra) % (2 * PI)
        return p["A_h"] + p["s_h"] if 3 * PI / 4 < x < PI else 6 / 11 * p["A_h"] * math.sin(x) + p["s_h"]

    def knee(extra: float) -> float:
        x = (2 * w + P0 + 2.67 + p["f_k"] + extra) % (4 * PI)

        def ripple(y: float) -> float:
            return 0.22 * p["A_k"] * math.sin(y) + p["s_k"]

        top = p["A_k"] + p["s_k"]
        if 13 * PI / 4 < x <= 7 * PI / 2:
            fraction = (x - 13 * PI / 4) / (PI / 4)
            return (1 - fraction) * ripple(13 * PI / 4) + fraction * top
        if 7 * PI / 2 < x <= 15 * PI / 4:
            fraction = (x - 7 * PI / 2) / (PI / 4)
            return (1 - fraction) * top + fraction * ripple(15 * PI / 4)
        return ripple(x)

    def ankle(extra: float) -> float:
        x = (w + P0 + 3.455 + p["f_a"] + extra) % (2 * PI)
        if x <= 2 * PI / 5:
            return p["s_a"] - p["A_a"] + 2 * p["A_a"] * x / (2 * PI / 5)
        return p["s_a"] + p["A_a"] - 2 * p["A_a"] * (x - 2 * PI / 5) / (8 * PI / 5)

    def arm(gain: float, shift: float, phase: float, extra: float = 0.0) -> float:
        return gain * 50 * math.sin(w + P0 + phase + extra) + shift

    hip_roll = 0.2 * p["b"] * math.sin(w + P0 + PI / 3)
    ankle_roll = 0.23 * p["b"] * math.sin(w + P0 - 2 * PI / 3)
    right = {
        "RShoulderPitch": arm(0.37, 90.5, 3.14),
        "RShoulderRoll": arm(0.05, -12.5, 0),
        "RElbowYaw": arm(0.2, 75, 3.14),
        "RElbowRoll": arm(0.22, 31, 0),
    }
    return {
        "RHipPitch": hip(0),
        "LHipPitch": hip(PI),
        "RKneePitch": knee(0),
        "LKneePitch": knee(2 * PI),
        "RAnklePitch": ankle(0),
        "LAnklePitch": ankle(PI),
        "RHipRoll": hip_roll + 1,
        "LHipRoll": hip_roll,
        "RAnkleRoll": ankle_roll - 2.9,
        "LAnkleRoll": ankle_roll + 2.1,
        **right,
        "LShoulderPitch": arm(0.37, 90.5, 3.14, PI),
        "LShoulderRoll": -right["RShoulderRoll"],
        "LElbowYaw": -right["RElbowYaw"],
        "LElbowRoll": -right["RElbowRoll"],
    }


def near_an_edge(p: Mapping[str, float], t: float, margin: float = 1e-6) -> bool:
    """Whether an instant lies so near to a jump of a wave that rounding decides on the side."""
    w = 2 * PI * t / p["T"]
    return any(
        abs((w + P0 + extra - edge + PI) % (2 * PI) - PI) < margin for extra in (0, PI) for edge in (3 * PI / 4, PI)
    )
