"""Folding as a joint motion without sensors: straight moves from via-point to via-point of the folding route."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import Array
from andante.motion import JointMotion, transition

from .fold_route import CHAIN, POSES, FoldMap


@dataclass(frozen=True, eq=False)
class Chained:
    """Motions of the same joints one after the other."""

    parts: tuple[JointMotion, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise BadInput("a chain of motions needs at least one")

    @property
    def names(self) -> tuple[str, ...]:
        """The joints that it moves."""
        return self.parts[0].names

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return float(self._ends[-1])

    @cached_property
    def _ends(self) -> Array:
        return np.cumsum([part.duration for part in self.parts])

    def evaluate(self, t: ArrayLike, order: int = 0) -> Array:
        """Positions (order 0), velocities (1) or accelerations (2) at times: (...) -> (..., joints)."""
        times = np.asarray(t, dtype=float)
        flat = times.ravel()
        out = np.empty((flat.size, len(self.names)))
        which = np.minimum(np.searchsorted(self._ends, flat, side="left"), len(self.parts) - 1)
        for k, part in enumerate(self.parts):
            mine = which == k
            begin = self._ends[k] - part.duration
            out[mine] = part.evaluate(flat[mine] - begin, order)
        return out.reshape(*times.shape, len(self.names))


def folds(robot: Robot, pose: str) -> bool:
    """Whether a robot has the poses between hexapod and ball, and a pose is one of them."""
    known = {name.casefold() for name in robot.poses}
    return pose.casefold() in CHAIN and all(name in known for name in POSES)


def fold_motion(robot: Robot, start: Array, pose: str, speed: float) -> Chained:
    """The way from joint positions (joints,) to a pose between hexapod and ball, at a share of the joints' speed.

    Nothing runs into anything on it when the start is one of these poses; see `FoldMap`.
    """
    names, here = robot.joint_names, np.asarray(start, dtype=float)
    parts = []
    for via in FoldMap(robot).route(here, pose.casefold()):
        there = dict(zip(names, via.position.tolist(), strict=True))
        parts.append(transition(robot, here, there, speed))
        here = via.position
    return Chained(tuple(parts))
