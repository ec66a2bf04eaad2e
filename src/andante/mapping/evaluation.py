"""How well a map agrees with the true plan of a place."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import binary_dilation, distance_transform_edt

from andante.errors import BadInput
from andante.geometry import Array, se2

from .grid import OccupancyGrid
from .records import Trajectory

_CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], dtype=bool)


@dataclass(frozen=True)
class Agreement:
    """A map against the true plan, both in one frame. Fractions lie from 0 to 1, NaN where undefined."""

    true_walls: float  # fraction of the map's occupied cells that lie within `reach` of a true wall
    found_walls: float  # fraction of the true surfaces that lie within `reach` of an occupied cell of the map
    coverage: float  # fraction of the true free floor that the map shows as free
    false_free: float  # fraction of the map's free cells that lie inside of true walls, deeper than a cell
    offset: float  # mean distance of the map's occupied cells from the nearest true wall, those within `reach` [m]
    reach: float  # [m]


def compare_maps(grid: OccupancyGrid, truth: OccupancyGrid, reach: float = 0.1) -> Agreement:
    """Compare a map with the true plan, cell middles with cell middles.

    A surface of the plan is an occupied cell that shares an edge with a free one: what lies deeper in a wall no lidar
    can see.
    """
    if not (math.isfinite(reach) and reach > 0):
        raise BadInput(f"maps are compared within a distance above 0, got {reach}")
    occupied, free = truth.occupied(), truth.free()
    if not occupied.any():
        raise BadInput("the true plan has no walls to compare with")
    surface = occupied & binary_dilation(free, _CROSS)
    made = grid.point_of(np.argwhere(grid.occupied()))
    gaps = _distances(truth, occupied, made)
    near = gaps <= reach + 1e-9
    found = _distances(grid, grid.occupied(), truth.point_of(np.argwhere(surface))) <= reach + 1e-9
    floor = truth.point_of(np.argwhere(free))
    seen = grid.at(floor)
    cleared = grid.point_of(np.argwhere(grid.free()))
    inside = _distances(truth, ~occupied, cleared) > 1.5 * truth.resolution
    return Agreement(
        true_walls=_fraction(near),
        found_walls=_fraction(found),
        coverage=_fraction((seen >= 0) & (seen <= 25)),
        false_free=_fraction(inside),
        offset=float(gaps[near].mean()) if near.any() else math.nan,
        reach=reach,
    )


def _distances(grid: OccupancyGrid, marked: NDArray[np.bool_], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distance [m] of world points (n, 2) from the nearest marked cell; points outside of the map count as at its edge,
    further away by their distance from it."""
    if not marked.any():
        return np.full(len(points), np.inf)
    field = distance_transform_edt(~marked) * grid.resolution
    cells = grid.cell_of(points)
    kept = np.clip(cells, 0, np.array(grid.shape) - 1)
    beyond = np.linalg.norm(cells - kept, axis=-1) * grid.resolution
    return np.asarray(field[kept[:, 0], kept[:, 1]] + beyond)


def _fraction(these: NDArray[np.bool_]) -> float:
    return float(these.mean()) if len(these) else math.nan


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
