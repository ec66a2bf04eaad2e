"""Who may collide with whom in ODE, said in 32 category and collide bits.

ODE looks at a pair of geoms when (category_a & collide_b) | (category_b & collide_a) is not zero. A bit therefore
stands for "all of A against all of B"; a wish for pairs is met exactly when it is a union of such blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from andante.physics.engine import Actor

BITS = 32
ALL = 0xFFFFFFFF


@dataclass(frozen=True)
class Filter:
    """Bits per geom. Where `exact` is False the bits let more pairs through than wished."""

    category: tuple[int, ...]
    collide: tuple[int, ...]
    exact: bool


def wished_pairs(
    actors: Sequence[Actor], actor: np.ndarray, body: np.ndarray, mask: np.ndarray, free: np.ndarray
) -> np.ndarray:
    """Which geoms should collide, (n, n) symmetric.

    `actor`, `body` and the collide bitmask of each geom, and whether something moves it. Geoms of one body, two that
    nothing moves, masked bodies of one actor and bitmasks without a common bit never collide.
    """
    same_actor = actor[:, None] == actor[None, :]
    wish = (free[:, None] | free[None, :]) & ((mask[:, None] & mask[None, :]) != 0)
    wish &= ~(same_actor & (body[:, None] == body[None, :]))
    for index in np.unique(actor):
        mine = np.flatnonzero(actor == index)
        pairs = actors[index].tree.masked_pairs
        for i in mine:
            for k in mine:
                if (min(body[i], body[k]), max(body[i], body[k])) in pairs:
                    wish[i, k] = False
    return wish


def pair_bits(wish: np.ndarray, actor: np.ndarray, body: np.ndarray, free: np.ndarray) -> Filter:
    """Category and collide bits that give exactly the wished pairs where 32 bits are enough.

    Geoms of one free body never meet in ODE, whatever their bits say, so a lone body may share a class with others.
    """
    count = len(wish)
    same = (actor[:, None] == actor[None, :]) & (body[:, None] == body[None, :]) & free[:, None]
    lone = np.array([len(np.unique(body[actor == a])) == 1 for a in actor], dtype=bool) if count else np.zeros(0, bool)
    table = wish | (same & lone[:, None])
    classes, member = np.unique(table, axis=0, return_inverse=True)
    member = np.asarray(member).ravel()
    first = [int(np.flatnonzero(member == c)[0]) for c in range(len(classes))]
    graph = table[np.ix_(first, first)] if count else np.zeros((0, 0), dtype=bool)
    owner = actor[first] if count else np.zeros(0, dtype=int)
    blocks = _blocks(graph, owner)
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
        center = int(rest.sum(axis=1).argmax())
        points = np.flatnonzero(graph[center])
        alike = np.flatnonzero(graph[:, points].all(axis=1))
        take(alike, points)
    return out
