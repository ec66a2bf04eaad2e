"""Laying one key scan on another: relative pose, how sure it is, and how much the two overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array

from ._icp_kernels import align_points, line_normals, sort_into_cells, thin
from .planar import place

SPACING = 0.03  # of the points of a scan, so that lines through neighbours are longer than the noise is wide [m]
CELL = 0.5  # edge of the cells that partners are looked up in [m]


@dataclass(frozen=True)
class PointScan:
    """Points (n, 2) [m] of a scan in the robot's frame, in the order of their beams, and the normals of their lines."""

    points: Array
    normals: Array = field(init=False)
    sensor: tuple[float, float] = (0.0, 0.0)
    spacing: float = SPACING  # nearer neighbours are left out [m]

    @property
    def lines(self) -> int:
        """How many points have a line through them."""
        return int((~np.isnan(self.normals[:, 0])).sum())

    def __post_init__(self) -> None:
        points = np.ascontiguousarray(self.points, dtype=float)
        if points.ndim != 2 or points.shape[1] != 2:
            raise BadInput(f"points of a scan need the shape (n, 2), got {points.shape}")
        kept = np.empty_like(points)
        points = kept[: thin(points, self.spacing, kept)].copy()
        normals = np.empty_like(points)
        line_normals(points, np.array(self.sensor, dtype=float), normals)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "normals", normals)


class Target:
    """Scans to lay others on, at poses (3,) each; points without a line are left out."""

    def __init__(self, scans: Sequence[PointScan], poses: Sequence[Array]) -> None:
        points, normals = [np.zeros((0, 2))], [np.zeros((0, 2))]
        for scan, pose in zip(scans, poses, strict=True):
            good = ~np.isnan(scan.normals[:, 0])
            points.append(place(pose, scan.points[good]))
            normals.append(place(np.array([0.0, 0.0, pose[2]]), scan.normals[good]))
        self.points, self.normals = np.concatenate(points), np.concatenate(normals)
        self.corner, self.shape = np.zeros(2), np.zeros(2, dtype=np.int64)
        if len(self.points):
            self.first, self.order = sort_into_cells(self.points, CELL, self.corner, self.shape)


@dataclass(frozen=True)
class Alignment:
    """Pose (3,) of a scan in the frame of the target, its information matrix (3, 3) [1/m², 1/rad²], and its worth."""

    pose: Array
    information: Array
    partners: int  # points with a partner
    overlap: float  # partners among the points with a line that fall into the target's box
    rms: float  # distance of partners from their lines [m]


def align(
    scan: PointScan,
    target: Target,
    guess: ArrayLike,
    *,
    reach: float = 0.4,  # [m]
    final_reach: float = 0.1,  # [m]
    iterations: int = 14,
    noise: float = 0.02,  # least standard deviation of a point from its line [m]
) -> Alignment:
    """Relative pose by point-to-line alignment from a guess; information H / max(rms, noise)²."""
    pose, H = np.array(guess, dtype=float), np.zeros((3, 3))
    if len(target.points) == 0:
        return Alignment(pose, H, 0, 0.0, 0.0)
    partners, rms, inside = align_points(
        scan.points, scan.normals, target.points, target.normals, CELL, target.corner, target.shape, target.first,
        target.order, pose, min(reach, CELL), final_reach, iterations, H,
    )  # fmt: skip
    return Alignment(pose, H / max(rms, noise) ** 2, partners, partners / max(inside, 1), rms)


def fewest_partners(scan: PointScan, usual: int) -> int:
    """Partners that an alignment needs to be believed: the usual number, or 40 % of the points of a sparse scan."""
    return max(15, min(usual, round(0.4 * scan.lines)))
