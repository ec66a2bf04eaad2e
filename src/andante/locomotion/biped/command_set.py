"""Commands that the steps of a walk can carry out; every other one is shaped into them.

A velocity asks for steps, steps ask for joint angles, and what comes of these depends on how fast the joints are, how
far the legs reach and whether the feet meet. So velocities are rehearsed: the walk makes some steps of each in thought,
its servos following as fast as their file allows. In 26 directions the largest velocity is looked for whose soles lag
by little, are within reach and keep apart; the hull of these is the set.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from andante.geometry import Array
from andante.geometry.hull import convex_hull
from andante.locomotion.behaviour import Command, Readings

from .footsteps import turned

if TYPE_CHECKING:
    from .walk import BipedWalk

Velocity = tuple[float, float, float]  # vx, vy [m/s], wz [rad/s]

INSTANTS = 10  # of a step that are looked at
BEFORE, STEPS = 2, 2  # steps until a rehearsal is steady, and those that are looked at
LANDING = 0.2  # part of a step in which the foot comes down
HALVINGS = 6  # of the way between what can be walked and what cannot
MIRROR = np.array([1.0, -1.0, -1.0])  # to the other side


class Rehearsal(NamedTuple):
    """The worst of some steps in thought."""

    lag: float  # of the swinging sole behind its plan, since joints are only so fast [m]
    late: float  # ... of it while it comes down
    missed: float  # by the inverse kinematics [m]
    gap: float  # between the soles [m]


class CommandSet:
    """Velocities that can be walked: the hull of corners (n, 3) around 0, each vx, vy [m/s], wz [rad/s]."""

    def __init__(self, corners: Array) -> None:
        self.corners = corners
        size = np.abs(corners).max(axis=0)
        hull = convex_hull(corners / size)
        assert hull is not None, "the corners of a command set lie around 0"
        self._sides = hull.equations[:, :3] / (-hull.equations[:, 3:] * size)  # the set: sides . v <= 1

    def use(self, velocity: Velocity) -> float:
        """How much of the set a velocity takes: 1 on its edge, more outside."""
        return float((self._sides @ velocity).max())

    def shaped(self, velocity: Velocity) -> Velocity:
        """The velocity itself, or where the way to it from 0 leaves the set."""
        over = self.use(velocity)
        if over <= 1.0:
            return velocity
        return velocity[0] / over, velocity[1] / over, velocity[2] / over


def command_set(walk: BipedWalk) -> CommandSet:
    """The set of a walk, by rehearsal or as it was found for the same body and settings before."""
    key = _all_that_counts(walk)
    if key not in _FOUND:
        while len(_FOUND) >= KEPT:
            del _FOUND[next(iter(_FOUND))]
        _FOUND[key] = _rehearsed(walk)
    return _FOUND[key]


KEPT = 16
_FOUND: dict[bytes, CommandSet] = {}  # the newest, by all that a rehearsal depends on


def _all_that_counts(walk: BipedWalk) -> bytes:
    body = walk.body
    arrays = [*body.tree, *body.weighed, *body.legs, *(sole.outline for sole in body.soles)]
    arrays += [body.stance, body.upright, body.kp, body.speeds, body.servo_inertia]
    found = sha256(repr((walk.measures, walk.settings, body.arms, walk.sag)).encode())
    for each in arrays:
        found.update(np.ascontiguousarray(each).tobytes())
    return found.digest()


def _rehearsed(walk: BipedWalk) -> CommandSet:
    """One side is the mirror image of the other."""
    m, s = walk.measures, walk.settings
    tops = np.array([m.max_speed, m.max_side, m.max_turn])

    def possible(velocity: Array) -> bool:
        found = rehearse(walk, (float(velocity[0]), float(velocity[1]), float(velocity[2])))
        landing = max(found.late, found.missed) < s.lag_way * m.center
        straight = velocity[1] == velocity[2] == 0.0  # feet pass each other side by side, whenever they come
        return landing and found.lag < (s.lag_swing if straight else s.lag_way) * m.center and found.gap > 0.0

    corners = []
    for way in product((-1.0, 0.0, 1.0), repeat=3):
        first = way[1] or way[2]
        if not any(way) or first < 0.0:
            continue  # nothing, or a mirror image
        most = _largest(np.array(way) * tops, possible)
        corners += [most, most * MIRROR] if first else [most]
    return CommandSet(np.array(corners))


def _largest(top: Array, possible: Callable[[Array], bool]) -> Array:
    """The largest part of a velocity that is possible, by halving; never nothing."""
    if possible(top):
        return top
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if possible(middle * top) else (low, middle)
    most: Array = max(low, 1.0 / 2**HALVINGS) * top
    return most


def rehearse(walk: BipedWalk, velocity: Velocity) -> Rehearsal:
    """Some steady steps of a velocity in thought."""
    thought, body, m = walk.ahead(), walk.body, walk.measures
    thought.commands = None
    thought.begin(velocity)
    dt = m.step_time / INSTANTS
    stride = body.speeds * dt
    command, readings = Command(*velocity), Readings(0.0, walk.body.stance, np.zeros(len(body.names)))
    slewed, changes, lag, late, missed, gap = thought.body.stance.copy(), 0, 0.0, 0.0, 0.0, np.inf
    while changes < BEFORE + STEPS:
        stance = thought.stance
        targets = thought.update(readings, command, dt)
        slewed += np.clip(targets - slewed, -stride, stride)
        changes += thought.stance != stance
        if changes < BEFORE:
            continue
        k = thought.stance
        off = float(np.hypot(*(body.other_sole(slewed, k) - body.other_sole(targets, k))[:2]))
        lag, late = max(lag, off), max(late, off if thought.left < LANDING * m.step_time else 0.0)
        missed = max(missed, thought.missed)
        x, y, _, yaw, _, _ = thought.swing.pose
        other = body.soles[1 - k].outline @ turned(yaw)[:2, :2].T + [x, y]
        gap = min(gap, polygon_gap(body.soles[k].outline, other))
    return Rehearsal(lag, late, missed, gap)


def polygon_gap(one: Array, two: Array) -> float:
    """How far two convex polygons (n, 2) are apart along the best normal of an edge [m]; below 0: they overlap."""
    best = -np.inf
    for a, b in ((one, two), (two, one)):
        edge = np.roll(a, -1, axis=0) - a
        normal = np.column_stack([edge[:, 1], -edge[:, 0]])
        normal *= np.sign(np.sum(normal * (a - a.mean(axis=0)), axis=1))[:, None]  # outwards
        normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-12)[:, None]
        best = max(best, float(((b @ normal.T).min(axis=0) - np.sum(a * normal, axis=1)).max()))
    return best
