"""Commands that the steps of a walk can carry out; every other one is shaped into them.

A velocity asks for steps, steps ask for joint angles, and what comes of these depends on how fast the joints are, how
far the legs reach and whether the feet meet. So velocities are rehearsed: the walk makes some steps of each in thought,
its servos following as fast as their file allows. In 26 directions the largest velocity is looked for whose soles lag
by little, are within reach and keep apart, and that press the sole well inside its edges; the hull of these is the set.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from andante.compiling import njit, place
from andante.compiling.store import versions
from andante.geometry import Array
from andante.geometry.hull import convex_hull
from andante.locomotion.behaviour import Command, Readings

from .footsteps import turned
from .kernels import whole_push

if TYPE_CHECKING:
    from .walk import BipedWalk

Velocity = tuple[float, float, float]  # vx, vy [m/s], wz [rad/s]

INSTANTS = 10  # of a step that are looked at
BEFORE, STEPS = 2, 2  # steps until a rehearsal is steady, and those that are looked at
PRESSED_INSTANTS, PRESSED_BEFORE = 20, 4  # the same where forces are looked at
LANDING = 0.2  # part of a step in which the foot comes down
HALVINGS = 6  # of the way between what can be walked and what cannot
PRESSED = 0.68  # of a sole, from its middle, in which it may be pressed; where one axis alone asks for more, so much
MIRROR = np.array([1.0, -1.0, -1.0])  # to the other side


class Rehearsal(NamedTuple):
    """The worst of some steps in thought."""

    lag: float  # of the swinging sole behind its plan, since joints are only so fast [m]
    late: float  # ... of it while it comes down
    missed: float  # by the inverse kinematics [m]
    gap: float  # between the soles [m]
    pressed: float  # how far from its middle the sole that stands alone is pressed, 1: at its edge


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
        return float(used(self._sides, float(velocity[0]), float(velocity[1]), float(velocity[2])))

    def shaped(self, velocity: Velocity) -> Velocity:
        """The velocity itself, or where the way to it from 0 leaves the set."""
        over = self.use(velocity)
        if over <= 1.0:
            return velocity
        return velocity[0] / over, velocity[1] / over, velocity[2] / over


@njit(nogil=True)
def used(sides: Array, vx: float, vy: float, wz: float) -> float:
    """The largest product of sides (n, 3) and a velocity."""
    most = -np.inf
    for k in range(sides.shape[0]):
        most = max(most, sides[k, 0] * vx + sides[k, 1] * vy + sides[k, 2] * wz)
    return most


def command_set(walk: BipedWalk) -> CommandSet:
    """The set of a walk, as it was found for the same body and settings before, or by rehearsal now.

    Rehearsals take as long as the rest of the start of a session, so what they find is kept beside compiled kernels.
    """
    key = _all_that_counts(walk)
    if key not in _FOUND:
        while len(_FOUND) >= KEPT:
            del _FOUND[next(iter(_FOUND))]
        file = place.folder() / f"andante-commands-{key[:40]}.npy"
        corners = _kept(file)
        if corners is None:
            corners = _rehearsed(walk)
            _keep(file, corners)
        _FOUND[key] = CommandSet(corners)
    return _FOUND[key]


KEPT = 16
_FOUND: dict[str, CommandSet] = {}  # the newest, by all that a rehearsal depends on


def _kept(file: Path) -> Array | None:
    """Corners (n, 3) that a file holds; None where there is none, or another thing."""
    with suppress(OSError, ValueError, EOFError):
        corners: Array = np.load(file, allow_pickle=False)
        if corners.ndim == 2 and corners.shape[1] == 3 and len(corners) > 3 and np.isfinite(corners).all():
            return corners
    return None


def _keep(file: Path, corners: Array) -> None:
    """Write corners so that another process sees all of them or none; where nothing can be written, nothing is."""
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(f"{file.name}.{os.getpid()}")
        try:
            with part.open("wb") as out:
                np.save(out, corners)
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)


def _all_that_counts(walk: BipedWalk) -> str:
    body = walk.body
    arrays = [*body.tree, *body.weighed, *body.legs, *(sole.outline for sole in body.soles)]
    arrays += [body.stance, body.upright, body.kp, body.speeds, body.servo_inertia]
    found = sha256(repr((_program(), walk.measures, walk.settings, body.arms, walk.sag)).encode())
    for each in arrays:
        found.update(np.ascontiguousarray(each).tobytes())
    return found.hexdigest()


@cache
def _program() -> str:
    """A hash of all that rehearses: the rooms that a walk is made of, and what compiled them."""
    package = Path(__file__).parents[2]
    found = sha256(versions().encode())
    for room in ("geometry", "kinematics", "locomotion"):
        for file in sorted((package / room).rglob("*.py")):
            found.update(file.read_bytes())
    return found.hexdigest()


def _rehearsed(walk: BipedWalk) -> Array:
    """Corners of the set (n, 3); one side is the mirror image of the other."""
    m, s = walk.measures, walk.settings
    tops = np.array([m.max_speed, m.max_side, m.max_turn])

    def possible(velocity: Array) -> bool:
        found = rehearse(walk, (float(velocity[0]), float(velocity[1]), float(velocity[2])))
        landing = max(found.late, found.missed) < s.lag_way * m.center
        straight = velocity[1] == velocity[2] == 0.0  # feet pass each other side by side, whenever they come
        return landing and found.lag < (s.lag_swing if straight else s.lag_way) * m.center and found.gap > 0.0

    def pressed(velocity: Array) -> float:
        return pressing(walk, (float(velocity[0]), float(velocity[1]), float(velocity[2])))

    ways = [np.array(way) for way in product((-1.0, 0.0, 1.0), repeat=3) if any(way) and (way[1] or way[2]) >= 0.0]
    found = [_largest(way * tops, possible) for way in ways]  # the others are mirror images
    alone = [np.count_nonzero(way) == 1 for way in ways]
    most = max(PRESSED, *(pressed(each) for each, one in zip(found, alone, strict=True) if one))
    corners = []
    for way, corner, one in zip(ways, found, alone, strict=True):
        kept = corner if one else _largest(corner, lambda velocity: pressed(velocity) <= most)
        corners += [kept, kept * MIRROR] if way[1] or way[2] else [kept]
    return np.array(corners)


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


def pressing(walk: BipedWalk, velocity: Velocity) -> float:
    """How far from its middle the sole that stands alone is pressed in steady steps, 1: at its edge."""
    return rehearse(walk, velocity, PRESSED_INSTANTS, PRESSED_BEFORE).pressed


def rehearse(walk: BipedWalk, velocity: Velocity, instants: int = INSTANTS, before: int = BEFORE) -> Rehearsal:
    """Some steady steps of a velocity in thought; so many instants of each are looked at, after some steps before."""
    thought, body, m = walk.ahead(), walk.body, walk.measures
    thought.commands = None
    thought.begin(velocity)
    dt = m.step_time / instants
    stride = body.speeds * dt
    command, readings = Command(*velocity), Readings(0.0, walk.body.stance, np.zeros(len(body.names)))
    slewed, changes, lag, late, missed, gap = thought.body.stance.copy(), 0, 0.0, 0.0, 0.0, np.inf
    out = 0.0
    while changes < before + STEPS:
        stance = thought.stance
        targets = thought.update(readings, command, dt)
        slewed += np.clip(targets - slewed, -stride, stride)
        changes += thought.stance != stance
        if changes < before:
            continue
        k = thought.stance
        off = float(np.hypot(*(body.other_sole(slewed, k) - body.other_sole(targets, k))[:2]))
        lag, late = max(lag, off), max(late, off if thought.left < LANDING * m.step_time else 0.0)
        missed = max(missed, thought.missed)
        x, y, _, yaw, _, _ = thought.swing.pose
        other = body.soles[1 - k].outline @ turned(yaw)[:2, :2].T + [x, y]
        gap = min(gap, polygon_gap(body.soles[k].outline, other))
        if thought.time > m.double:
            out = max(out, _pressed(thought, dt))
    return Rehearsal(lag, late, missed, gap, out)


def _pressed(walk: BipedWalk, dt: float) -> float:
    """How far from the middle of the standing sole the ground presses under the masses of a walk, 1: at its edge.

    Accelerations are second differences of the places that the plan gave the masses, dt [s] apart.
    """
    before, last, now = walk.masses
    px, py, _ = whole_push(walk.body.tree.mass, now, (now - 2.0 * last + before) / (dt * dt), np.empty(3))
    heel, toe, right, left = walk.body.soles[walk.stance].box
    return max(abs(2.0 * px - heel - toe) / (toe - heel), abs(2.0 * py - right - left) / (left - right))


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
