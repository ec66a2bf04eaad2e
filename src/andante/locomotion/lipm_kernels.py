"""Where and when to put the next foot, and how to press the standing one meanwhile: a search over the time left."""

from __future__ import annotations

import numpy as np
from numba import njit

from andante.geometry import Array


@njit(cache=True, nogil=True)
def choose_step(
    x: Array,
    p: Array,
    p_low: Array,
    p_high: Array,
    shift: Array,
    foot: Array,
    foot_low: Array,
    foot_high: Array,
    offset: Array,
    swing: Array,
    quick: float,
    rate: float,
    wanted: float,
    shortest: float,
    longest: float,
    tick: float,
    calm: float,
    weights: Array,
    out: Array,
) -> float:
    """Time until the next foot should stand [s]; out (6,) gets its place, the pressure point and what is left.

    All (2,) in the frame of the standing foot [m]. x: divergent component; p: usual pressure point, p_low, p_high: its
    bounds; shift: what the pressure's way from the foot before still adds to x; foot: where the plan wants the next
    foot, foot_low, foot_high: where it may stand; offset: where x should be then, from the next foot's pressure point;
    swing: where the foot is now, `quick` how fast it may go [m/s]. For every time t left the pressure point that brings
    the foot where it is wanted is cut at its bounds, then the foot at its own, and what is left is an error of x:
    e = p + (x - shift - p) e^(w t) - foot - offset. The least of weights . (|foot - wanted|², (t - wanted)², |e|²)
    wins. The pressure answers an error of x now by e^(w t) / (e^(w t) - 1) times it; t counts as at least `calm` there.
    """
    best, chosen = np.inf, wanted
    u, z, e = np.empty(2), np.empty(2), np.empty(2)
    count = int(np.floor((longest - shortest) / tick + 1.5))
    for n in range(count + 1):
        time = shortest + n * tick if n < count else min(max(wanted, shortest), longest)
        growth = np.exp(rate * time)
        slow = np.exp(rate * max(time, calm))
        gain = slow / (slow - 1.0)
        cost = weights[1] * (time - wanted) ** 2
        for i in range(2):
            here = x[i] - shift[i]
            z[i] = p[i] + gain * (here - p[i] - (foot[i] + offset[i]) / growth)
            z[i] = min(max(z[i], p_low[i]), p_high[i])
            end = z[i] + (here - z[i]) * growth
            u[i] = end - offset[i] - p[i]
            low = max(foot_low[i], swing[i] - quick * time)
            high = max(min(foot_high[i], swing[i] + quick * time), low)
            u[i] = min(max(u[i], low), high)
            e[i] = end - p[i] - u[i] - offset[i]
            cost += weights[0] * (u[i] - foot[i]) ** 2 + weights[2] * e[i] ** 2
        if cost < best - 1e-12:
            best, chosen = cost, time
            for i in range(2):
                out[i], out[2 + i], out[4 + i] = u[i], z[i], e[i]
    return chosen
