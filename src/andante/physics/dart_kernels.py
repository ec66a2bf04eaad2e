"""Compiled arithmetic of DART's servos: what is commanded, and what is lost on the way, once per step."""

from __future__ import annotations

import numpy as np
from numba import njit

from andante.geometry import Array

STICTION_SPEED = 1e-2  # speed at which dry friction of a servo joint is fully developed [rad/s or m/s]
LOAD_SHARE = 0.02  # weight of the newest step in the smoothed load that a follower puts on a driven leader
LOSS_STEP = 0.01  # a loss is told to DART when it has changed by this share of the effort limit,
AT_LIMIT = 0.95  # and the servo is at this share of it: after such news DART sorts all collision shapes anew


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
) -> bool:
    """Efforts lost to dry friction and to followers, into `out`; whether DART must know, being `told` others.

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
    changed = False
    for i in range(v.shape[0]):
        if np.isfinite(effort[i]) and abs(out[i] - told[i]) > LOSS_STEP * effort[i]:
            pull = impulses[i] / dt
            changed |= max(abs(pull + out[i]), abs(pull + told[i])) > AT_LIMIT * effort[i]
    return changed
