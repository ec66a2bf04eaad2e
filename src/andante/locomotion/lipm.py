"""The linear inverted pendulum by its divergent component of motion, in closed form.

A centre of mass c at constant height h over a pressure point p moves as c'' = w² (c - p), w = sqrt(g / h). With
x = c + c'/w the motion falls apart into x' = w (x - p), which runs away, and c' = w (x - c), which follows. Whoever
steers x with feet and pressure steers the walk. Functions work on one axis; walks call them twice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from andante.gravity import GRAVITY


def pendulum_rate(height: float) -> float:
    """w = sqrt(g / h) [1/s] of a centre of mass at a height [m]."""
    return math.sqrt(GRAVITY / height)


def ahead(x: float, p: float, growth: float) -> float:
    """x after a time with a constant pressure point p [m]; growth is e^(w t)."""
    return p + (x - p) * growth


def shift_share(rate: float, time: float) -> float:
    """k = 1 - (1 - e^(-w t)) / (w t) of a pressure point that moves evenly for a time t from p0 to p1.

    From a start x the pendulum then ends as if p1 had acted all along from x - k (p0 - p1).
    """
    a = rate * time
    return 0.5 * a - a * a / 6.0 if a < 1e-4 else 1.0 - (1.0 - math.exp(-a)) / a


def advance(c: float, v: float, p: float, rate: float, dt: float) -> tuple[float, float]:
    """Place [m] and speed [m/s] of the centre of mass after dt with a constant pressure point p."""
    ch, sh = math.cosh(rate * dt), math.sinh(rate * dt)
    return p + (c - p) * ch + v / rate * sh, (c - p) * rate * sh + v * ch


Step = tuple[float, float, float]  # x, y [m] and yaw [rad] of the next foot, seen from the one that stands


def first_offset(
    steps: Sequence[Step], before: tuple[float, float], end: tuple[float, float], growth: float, share: float
) -> tuple[float, float]:
    """Where x has to be when a step begins, seen from the new foot (x, y) [m], for the coming steps to be walked.

    Backwards from `end`, the offset after the last of `steps`: b_n = k d_n + (u_n + R_n b_(n+1)) / e^(w T), where u_n
    is the next foot and d_n the foot before, both seen from foot n. `before` is d of the first step.
    """
    bx, by = end
    for n in range(len(steps) - 1, -1, -1):
        ux, uy, turn = steps[n]
        c, s = math.cos(turn), math.sin(turn)
        if n:
            px, py, back = steps[n - 1]
            cb, sb = math.cos(back), math.sin(back)
            dx, dy = -(cb * px + sb * py), -(cb * py - sb * px)
        else:
            dx, dy = before
        bx, by = share * dx + (ux + c * bx - s * by) / growth, share * dy + (uy + s * bx + c * by) / growth
    return bx, by
