"""Which geoms ODE looks at: pairs that may collide, and standing geoms that are near something that moves.

ODE looks at a pair of geoms when (category_a & collide_b) | (category_b & collide_a) is not zero. A bit therefore
stands for "all of A against all of B"; a set of pairs is met exactly when it is a union of such blocks.

ODE looks at every pair each step, standing or not, so standing geoms far from everything that moves are switched off.
Which ones are near is determined anew every `PERIOD` steps with a margin that a body could only cross in that time by
gaining `SURPRISE` of speed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from panda3d import core, ode

from andante.geometry import Array
from andante.physics.model import Model

PERIOD = 20  # steps
SURPRISE = 10.0  # [m/s]
LEAST = 8  # fewer standing geoms than this are left on


class Nearby:
    """The standing geoms of a scene and whether they are switched on."""

    def __init__(self, geoms: Sequence[ode.OdeGeom], owners: Sequence[ode.OdeBody | None], dt: float) -> None:
        self._margin, self._period = SURPRISE * dt * PERIOD, dt * PERIOD
        moving = [(geom, owner) for geom, owner in zip(geoms, owners, strict=True) if owner is not None]
        self._bodies = list({id(owner): owner for _, owner in moving}.values())
        place = {id(owner): i for i, owner in enumerate(self._bodies)}
        self._reach = np.zeros(len(self._bodies))
        for geom, owner in moving:
            low, high = _bounds(geom)
            center = np.array([*owner.getPosition()])
            far = np.maximum(np.abs(low - center), np.abs(high - center))
            index = place[id(owner)]
            self._reach[index] = max(self._reach[index], float(np.linalg.norm(far)))
        self._standing = [
            geom
            for geom, owner in zip(geoms, owners, strict=True)
            if owner is None and not isinstance(geom, ode.OdePlaneGeom)
        ]
        self._on = np.ones(len(self._standing), dtype=bool)
        self.measure()

    def ask(self) -> None:
        """A body was put elsewhere: ask again before the next step."""
        self._left = 0

    def measure(self) -> None:
        """Standing geoms were put elsewhere: measure them anew."""
        self._left = 0
        bounds = [_bounds(geom) for geom in self._standing]
        self._low = np.array([low for low, _ in bounds]).reshape(-1, 3)
        self._high = np.array([high for _, high in bounds]).reshape(-1, 3)

    def before_step(self) -> None:
        """Switch standing geoms on or off when it is time to."""
        self._left -= 1
        if self._left > 0 or len(self._standing) < LEAST:
            return
        self._left = PERIOD
        wanted = self._near()
        for index in np.flatnonzero(wanted != self._on):
            if wanted[index]:
                self._standing[index].enable()
            else:
                self._standing[index].disable()
        self._on = wanted

    def _near(self) -> np.ndarray:
        """Which standing boxes a moving body could reach before the next question."""
        state = np.array([(*b.getPosition(), *b.getLinearVel()) for b in self._bodies]).reshape(-1, 6)
        speed = np.linalg.norm(state[:, 3:], axis=1)
        reach: Array = (self._reach + self._margin + speed * self._period)[:, None]
        low, high = state[:, :3] - reach, state[:, :3] + reach
        apart = (low[:, None] > self._high[None]) | (high[:, None] < self._low[None])
        return np.asarray(~apart.any(axis=2).all(axis=0))


def _bounds(geom: ode.OdeGeom) -> tuple[Array, Array]:
    """Low and high corner of the box around a geom in the world."""
    low, high = geom.getAABounds()
    box = np.array([*low]), np.array([*high])
    if all(math.isfinite(v) for side in box for v in side):
        return box
    return np.full(3, -math.inf), np.full(3, math.inf)


BITS = 32
ALL = 0xFFFFFFFF


@dataclass(frozen=True)
class Filter:
    """Bits per geom. Where `exact` is False the bits let more pairs through than allowed."""

    category: tuple[int, ...]
    collide: tuple[int, ...]
    exact: bool

    def set(self, geoms: Sequence[ode.OdeGeom]) -> None:
        """Give geoms their bits."""
        for geom, category, collide in zip(geoms, self.category, self.collide, strict=True):
            geom.setCategoryBits(core.BitMask32(category))
            geom.setCollideBits(core.BitMask32(collide))


def allowed_pairs(
    models: Sequence[Model], model: np.ndarray, body: np.ndarray, mask: np.ndarray, free: np.ndarray
) -> np.ndarray:
    """Which geoms should collide, (n, n) symmetric.

    `model`, `body` and the collide bitmask of each geom, and whether something moves it. Geoms of one body, two that
    nothing moves, masked bodies of one model and bitmasks without a common bit never collide.
    """
    same_model = model[:, None] == model[None, :]
    allowed: NDArray[np.bool_] = (free[:, None] | free[None, :]) & ((mask[:, None] & mask[None, :]) != 0)
    allowed &= ~(same_model & (body[:, None] == body[None, :]))
    for index in np.unique(model):
        mine = np.flatnonzero(model == index)
        pairs = models[index].tree.masked_pairs
        for i in mine:
            for k in mine:
                if (min(body[i], body[k]), max(body[i], body[k])) in pairs:
                    allowed[i, k] = False
    return allowed


def pair_bits(allowed: np.ndarray, model: np.ndarray, body: np.ndarray, free: np.ndarray) -> Filter:
    """Category and collide bits that give exactly the allowed pairs where 32 bits are enough.

    Geoms of one free body never meet in ODE, whatever their bits say, so a lone body may share a class with others.
    """
    count = len(allowed)
    same = (model[:, None] == model[None, :]) & (body[:, None] == body[None, :]) & free[:, None]
    lone = np.array([len(np.unique(body[model == a])) == 1 for a in model], dtype=bool) if count else np.zeros(0, bool)
    table = allowed | (same & lone[:, None])
    classes, member = np.unique(table, axis=0, return_inverse=True)
    member = np.asarray(member).ravel()
    first = [int(np.flatnonzero(member == c)[0]) for c in range(len(classes))]
    graph = table[np.ix_(first, first)] if count else np.zeros((0, 0), dtype=bool)
    blocks = _blocks(graph, model[first] if count else np.zeros(0, dtype=int))
    if len(blocks) > BITS:
        moving = [2 if f else 1 for f in free]
        return Filter(tuple(moving), tuple(3 if f else 2 for f in free), False)
    category, collide = np.zeros(len(first), dtype=np.int64), np.zeros(len(first), dtype=np.int64)
    for bit, (a, b) in enumerate(blocks):
        category[a] |= 1 << bit
        collide[b] |= 1 << bit
    return Filter(tuple(int(c) for c in category[member]), tuple(int(c) for c in collide[member]), True)


def _blocks(graph: np.ndarray, owner: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Blocks A x B inside a symmetric relation that together cover it.

    First the classes are split by the binary digits of their owner, then the rest is covered by stars, the largest
    first, each widened to all classes that share its points.
    """
    rest = graph.copy()
    out: list[tuple[np.ndarray, np.ndarray]] = []

    def take(a: np.ndarray, b: np.ndarray) -> None:
        rest[np.ix_(a, b)] = False
        rest[np.ix_(b, a)] = False
        out.append((a, b))

    rank = np.searchsorted(np.unique(owner), owner)
    moving = graph.any(axis=1)
    for digit in range(int(rank.max(initial=0)).bit_length()):
        a, b = np.flatnonzero(moving & (rank >> digit & 1 == 1)), np.flatnonzero(moving & (rank >> digit & 1 == 0))
        if len(a) > 1 and len(b) > 1 and graph[np.ix_(a, b)].all():
            take(a, b)
    while rest.any():
        points = np.flatnonzero(graph[int(rest.sum(axis=1).argmax())])
        take(np.flatnonzero(graph[:, points].all(axis=1)), points)
    return out
