"""Reeds-Shepp paths: the shortest ways of a car that turns no tighter than a circle and may reverse."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.compiling import njit
from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.navigation.path import Path

_ZERO = 1e-9
_HALF = math.pi / 2
_LETTERS = {1: "L", 0: "S", -1: "R"}
_COUNTS = np.array([3, 3, 3, 4, 4, 4, 4, 5])  # parts of the base words
_TURNS = np.array(
    [[{"L": 1, "S": 0, "R": -1}[letter] for letter in word] for word in
     ("LSLSS", "LSRSS", "LRLSS", "LRLRS", "LRLRS", "LRSLS", "LRSRS", "LRSLR")]
)  # fmt: skip


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
        """The word driven from a pose, with a pose every `step` meters at most."""
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


@njit()
def _mod(angle: float) -> float:
    """Angle in [-pi, pi)."""
    return (angle + math.pi) % (2 * math.pi) - math.pi


@njit()
def _tau_omega(u: float, v: float, xi: float, eta: float, phi: float) -> tuple[float, float]:
    delta = _mod(u - v)
    a, b = math.sin(u) - math.sin(delta), math.cos(u) - math.cos(delta) - 1.0
    t1 = math.atan2(eta * a - xi * b, xi * a + eta * b)
    t2 = 2.0 * (math.cos(delta) - math.cos(v) - math.cos(u)) + 3.0
    tau = _mod(t1 + math.pi) if t2 < 0 else _mod(t1)
    return tau, _mod(tau - u + v - phi)


@njit()
def _solve(kind: int, x: float, y: float, phi: float) -> tuple[bool, float, float, float]:
    """Whether a base word reaches (x, y, phi), and its free lengths t, u, v."""
    if kind in (0, 2, 5):
        xi, eta = x - math.sin(phi), y - 1.0 + math.cos(phi)
    else:
        xi, eta = x + math.sin(phi), y - 1.0 - math.cos(phi)
    rho, theta = math.sqrt(xi * xi + eta * eta), math.atan2(eta, xi)
    if kind == 0:  # 8.1 L+ S+ L+
        v = _mod(phi - theta)
        return theta >= -_ZERO and v >= -_ZERO, theta, rho, v
    if kind == 1:  # 8.2 L+ S+ R+
        if rho < 2.0:
            return False, 0.0, 0.0, 0.0
        u = math.sqrt(rho * rho - 4.0)
        t = _mod(theta + math.atan2(2.0, u))
        v = _mod(t - phi)
        return t >= -_ZERO and v >= -_ZERO, t, u, v
    if kind == 2:  # 8.3 and 8.4 L+ R- L
        if rho > 4.0:
            return False, 0.0, 0.0, 0.0
        u = -2.0 * math.asin(0.25 * rho)
        t = _mod(theta + 0.5 * u + math.pi)
        return t >= -_ZERO and u <= _ZERO, t, u, _mod(phi - t + u)
    if kind == 3:  # 8.7 L+ R+ L- R-
        cosine = 0.25 * (2.0 + rho)
        if cosine > 1.0:
            return False, 0.0, 0.0, 0.0
        u = math.acos(cosine)
        t, v = _tau_omega(u, -u, xi, eta, phi)
        return t >= -_ZERO and v <= _ZERO, t, u, v
    if kind == 4:  # 8.8 L+ R- L- R+
        cosine = (20.0 - rho * rho) / 16.0
        if cosine < 0.0 or cosine > 1.0:
            return False, 0.0, 0.0, 0.0
        u = -math.acos(cosine)
        t, v = _tau_omega(u, u, xi, eta, phi)
        return u >= -_HALF and t >= -_ZERO and v >= -_ZERO, t, u, v
    if rho < 2.0:
        return False, 0.0, 0.0, 0.0
    if kind == 5:  # 8.9 L+ R- S- L-
        r = math.sqrt(rho * rho - 4.0)
        u = 2.0 - r
        t = _mod(theta + math.atan2(r, -2.0))
        v = _mod(phi - _HALF - t)
        return t >= -_ZERO and u <= _ZERO and v <= _ZERO, t, u, v
    if kind == 6:  # 8.10 L+ R- S- R-
        t = math.atan2(xi, -eta)
        u = 2.0 - rho
        v = _mod(t + _HALF - phi)
        return t >= -_ZERO and u <= _ZERO and v <= _ZERO, t, u, v
    u = 4.0 - math.sqrt(rho * rho - 4.0)  # 8.11 L+ R- S- L- R+
    if u > _ZERO:
        return False, 0.0, 0.0, 0.0
    t = _mod(math.atan2((4.0 - u) * xi - 2.0 * eta, -2.0 * xi + (u - 4.0) * eta))
    v = _mod(t - phi)
    return t >= -_ZERO and v >= -_ZERO, t, u, v


@njit()
def _fill(
    kind: int, t: float, u: float, v: float, backwards: bool, flip: float, mirror: int, turns: np.ndarray,
    lengths: Array,
) -> float:  # fmt: skip
    """Write a word out, turns (5,) and signed lengths (5,); returns its length."""
    count = _COUNTS[kind]
    turns[:] = _TURNS[kind]
    lengths[:] = 0.0
    lengths[0], lengths[1], lengths[2] = t, u, v
    if kind in (3, 4):
        lengths[2], lengths[3] = (-u if kind == 3 else u), v
    elif kind > 4:
        lengths[1], lengths[2], lengths[3] = -_HALF, u, v
        if kind == 7:
            lengths[3], lengths[4] = -_HALF, v
    if backwards:
        for i in range(count // 2):
            j = count - 1 - i
            turns[i], turns[j] = turns[j], turns[i]
            lengths[i], lengths[j] = lengths[j], lengths[i]
    total = 0.0
    for i in range(5):
        turns[i] *= mirror
        lengths[i] *= flip
        total += abs(lengths[i])
    return total


@njit()
def shortest_word(x: float, y: float, phi: float, turns: np.ndarray, lengths: Array) -> float:
    """Length of the shortest word from (0, 0, 0) to (x, y, phi), in turning radii, written to the arrays (5,).

    turns: 1 left, 0 straight, -1 right; lengths are below 0 backwards.
    """
    best = math.inf
    best_kind, best_flip, best_mirror, best_back = -1, 1.0, 1, False
    bt = bu = bv = 0.0
    xb, yb = x * math.cos(phi) + y * math.sin(phi), x * math.sin(phi) - y * math.cos(phi)
    for kind in range(8):
        for back in range(2):
            if back == 1 and kind not in (2, 5, 6):
                continue
            px, py = (xb, yb) if back == 1 else (x, y)
            for flip in (1.0, -1.0):
                for mirror in (1, -1):
                    ok, t, u, v = _solve(kind, flip * px, mirror * py, flip * mirror * phi)
                    if not ok:
                        continue
                    total = abs(t) + abs(u) + abs(v)
                    if kind == 3 or kind == 4:
                        total += abs(u)
                    elif kind == 5 or kind == 6:
                        total += _HALF
                    elif kind == 7:
                        total += 2 * _HALF
                    if total < best:
                        best, bt, bu, bv = total, t, u, v
                        best_kind, best_flip, best_mirror, best_back = kind, flip, mirror, back == 1
    if best_kind < 0:
        return math.inf
    return _fill(best_kind, bt, bu, bv, best_back, best_flip, best_mirror, turns, lengths)


@njit()
def along_arc(x: float, y: float, yaw: float, turn: float, length: float) -> tuple[float, float, float]:
    """Pose after driving `length` (below 0: backwards) with curvature `turn`, exactly."""
    if turn == 0.0:
        return x + length * math.cos(yaw), y + length * math.sin(yaw), yaw
    end = yaw + turn * length
    return x + (math.sin(end) - math.sin(yaw)) / turn, y - (math.cos(end) - math.cos(yaw)) / turn, end
