"""How far a trajectory is from ground-truth relations between its poses (Kümmerle et al., 2009)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array, se2

from .trajectory import Trajectory


@dataclass(frozen=True)
class Relations:
    """Pairs of times (n,) [s] and the pose (n, 3) of the second seen from the first [m, m, rad]."""

    first: Array
    second: Array
    poses: Array

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True)
class RelationError:
    """Mean and standard deviation of |translation error| [m] and |yaw error| [deg] over the relations used."""

    translation: float
    translation_std: float
    yaw: float
    yaw_std: float
    used: int  # relations whose two times the trajectory covers
    given: int


def relation_error(trajectory: Trajectory, relations: Relations, tolerance: float = 0.5) -> RelationError:
    """Compare the relative pose between the two times of every relation with the relation.

    Relations of which one time lies further than `tolerance` [s] outside the span of the trajectory are not used.
    """
    path = trajectory.sorted()
    if len(path) == 0 or len(relations) == 0:
        raise BadInput("a trajectory and relations are needed to compare them")
    low, high = path.times[0], path.times[-1]
    both = np.stack([relations.first, relations.second])
    good = ((both >= low - tolerance) & (both <= high + tolerance)).all(axis=0)
    if not good.any():
        raise BadInput(f"no relation lies within the trajectory's time from {low:.3f} to {high:.3f}")
    a, b = (path.at(np.clip(times[good], low, high)) for times in both)
    error = se2.between(relations.poses[good], se2.between(a, b))
    away, turned = np.hypot(error[:, 0], error[:, 1]), np.degrees(np.abs(error[:, 2]))
    return RelationError(
        float(away.mean()), float(away.std()), float(turned.mean()), float(turned.std()), int(good.sum()), len(good)
    )


def relations_from(rows: ArrayLike) -> Relations:
    """Relations from lines (n, 8) `ts1 ts2 x y z roll pitch yaw`."""
    table = np.asarray(rows, dtype=float)
    if table.ndim != 2 or table.shape[1] != 8 or not np.isfinite(table).all():
        raise BadInput(f"relations are rows of 8 finite numbers 'ts1 ts2 x y z roll pitch yaw', got {table.shape}")
    return Relations(table[:, 0], table[:, 1], table[:, [2, 3, 7]])
