"""Compiled arithmetic of DART's servos: what is commanded, and what is lost on the way, once per step."""

from __future__ import annotations

import numpy as np
from numba import njit

from andante.geometry import Array

STICTION_SPEED = 1e-2  # speed at which dry friction of a servo joint is fully developed [rad/s or m/s]
LOAD_SHARE = 0.02  # weight of the newest step in the smoothed load that a follower puts on a driven leader
AT_LIMIT = 0.95  # a servo that pulls with this share of its effort limit feels where the limit lies


@njit(cache=True)
def commands(
    q: Array,
    v: Array,
    reference: Array,
    rate: Array,
    top: Array,
    feed: Array,
    leader: np.ndarray,
    follower: np.ndarray,
    ratio: Array,
    offset: Array,
    driven: np.ndarray,
    dt: float,
    out: Array,
) -> None:
    """Commands of all degrees of freedom into `out`.

    feed + rate (reference - q), the second part cut at +-top; a follower of a driven leader gets
    m dq + (m q + c - q_follower) / dt, so its error after a step is what the leader's speed gained in it, times dt.
    """
    for i in range(q.shape[0]):
        out[i] = feed[i] + min(max(rate[i] * (reference[i] - q[i]), -top[i]), top[i])
    for k in range(leader.shape[0]):
        if driven[k]:
            a, b = leader[k], follower[k]
            out[b] = ratio[k] * v[a] + (ratio[k] * q[a] + offset[k] - q[b]) / dt


@njit(cache=True)
def losses(
    v: Array,
    impulses: Array,
    dry: Array,
    effort: Array,
    leader: np.ndarray,
    follower: np.ndarray,
    ratio: Array,
    driven: np.ndarray,
    dt: float,
    load: Array,
    told: Array,
    out: Array,
) -> float:
    """Efforts lost to dry friction and to followers, into `out`; how far those `told` to DART are off.

    That is the largest difference among servos at their limit, as a share of the limit; the others do not feel it.

    Friction dry sign(v) grows linearly up to the stiction speed. `load` is the smoothed effort of each follower and is
    carried on; its leader pays m load. Only joints with a finite effort limit have losses.
    """
    for i in range(v.shape[0]):
        out[i] = dry[i] * min(max(v[i] / STICTION_SPEED, -1.0), 1.0)
    for k in range(leader.shape[0]):
        if driven[k]:
            load[k] += LOAD_SHARE * (impulses[follower[k]] / dt - load[k])
            if np.isfinite(effort[leader[k]]):
                out[leader[k]] += ratio[k] * load[k]
    off = 0.0
    for i in range(v.shape[0]):
        if 0.0 < effort[i] < np.inf:
            pull, gap = impulses[i] / dt, abs(out[i] - told[i])
            if gap > off * effort[i] and max(abs(pull + out[i]), abs(pull + told[i])) > AT_LIMIT * effort[i]:
                off = gap / effort[i]
    return off
