"""Reeds-Shepp paths: the shortest ways of a car that turns no tighter than a circle and may reverse."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import se2

from ._reeds_shepp_kernels import along_arc, shortest_word
from .path import Path

_LETTERS = {1: "L", 0: "S", -1: "R"}


@dataclass(frozen=True)
class Word:
    """A sequence of arcs and straight lines."""

    turns: tuple[int, ...]  # 1 left, 0 straight, -1 right
    lengths: tuple[float, ...]  # [m], below 0 backwards
    radius: float  # of the arcs [m]

    @property
    def length(self) -> float:
        """[m]."""
        return float(sum(map(abs, self.lengths)))

    def __str__(self) -> str:
        parts = zip(self.turns, self.lengths, strict=True)
        return " ".join(f"{_LETTERS[turn]}{length:+.3g}" for turn, length in parts)

    def path(self, start: ArrayLike, step: float) -> Path:
        """The word driven from a pose, with a pose every `step` metres at most."""
        poses, ways = [np.asarray(start, dtype=float)], [1 if not self.lengths or self.lengths[0] >= 0 else -1]
        for turn, length in zip(self.turns, self.lengths, strict=True):
            begin = poses[-1]
            count = max(1, math.ceil(abs(length) / step))
            for k in range(1, count + 1):
                poses.append(np.array(along_arc(begin[0], begin[1], begin[2], turn / self.radius, length * k / count)))
                ways.append(1 if length >= 0 else -1)
        table = np.array(poses)
        table[:, 2] = se2.wrap(table[:, 2])
        return Path(table, np.array(ways, dtype=np.int8))


def reeds_shepp(start: ArrayLike, goal: ArrayLike, radius: float) -> Word:
    """The shortest word between two poses x, y, yaw for a turning radius [m]."""
    a, b = np.asarray(start, dtype=float), np.asarray(goal, dtype=float)
    if a.shape != (3,) or b.shape != (3,) or not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise BadInput("a Reeds-Shepp path needs two finite poses x, y, yaw")
    if not 0 < radius < math.inf:
        raise BadInput(f"a Reeds-Shepp path needs a turning radius > 0, got {radius}")
    x, y, phi = se2.between(a, b)
    turns, lengths = np.zeros(5, dtype=np.int64), np.zeros(5)
    shortest_word(float(x) / radius, float(y) / radius, float(phi), turns, lengths)
    keep = np.abs(lengths) > 1e-12
    return Word(tuple(int(t) for t in turns[keep]), tuple(float(v) * radius for v in lengths[keep]), radius)
