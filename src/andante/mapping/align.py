"""Alignment of one key scan with another: point-to-line ICP (Censi, 2008) with information and overlap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from andante.compiling import njit
from andante.errors import BadInput
from andante.geometry import Array
from andante.mapping.planar import place, solve3

REACH = 3  # neighbors on each side that a line is fitted through
GAP = 0.08  # neighbors further apart than this plus GAP_PER_RANGE of the range are another surface [m]
GAP_PER_RANGE = 0.06
BEND = 0.03  # greatest rms distance of the neighbors from their line [m]
SPACING = 0.03  # of the points of a scan, so that lines through neighbors are longer than the noise is wide [m]
CELL = 0.5  # edge of the cells that partners are looked up in [m]


@dataclass(frozen=True)
class PointScan:
    """Points (n, 2) [m] of a scan in the robot's frame, in the order of their beams, and the normals of their lines."""

    points: Array
    normals: Array = field(init=False)
    sensor: tuple[float, float] = (0.0, 0.0)
    spacing: float = SPACING  # nearer neighbors are left out [m]

    @cached_property
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
            self.first, order = sort_into_cells(self.points, CELL, self.corner, self.shape)
            self.points, self.normals = self.points[order], self.normals[order]  # cell by cell


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
        pose, min(reach, CELL), final_reach, iterations, H,
    )  # fmt: skip
    return Alignment(pose, H / max(rms, noise) ** 2, partners, partners / max(inside, 1), rms)


def fewest_partners(scan: PointScan, usual: int) -> int:
    """Correspondences that an alignment needs: the usual number, or 40 % of the points of a sparse scan."""
    return max(15, min(usual, round(0.4 * scan.lines)))


@njit()
def thin(points: Array, spacing: float, kept: Array) -> int:
    """Points (n, 2) in the order of their beams, of which each is at least `spacing` [m] from the one kept before.

    Fills `kept` (n, 2) and returns how many.
    """
    count = 0
    for k in range(len(points)):
        x, y = points[k, 0], points[k, 1]
        if count == 0 or (x - kept[count - 1, 0]) ** 2 + (y - kept[count - 1, 1]) ** 2 >= spacing * spacing:
            kept[count, 0], kept[count, 1] = x, y
            count += 1
    return count


@njit()
def line_normals(points: Array, sensor: Array, normals: Array) -> None:
    """Unit normals (n, 2), toward the sensor, of the lines through the neighbors of each point; NaN: no line.

    `points` (n, 2) come in the order of their beams.
    """
    n = len(points)
    for k in range(n):
        normals[k, 0] = normals[k, 1] = math.nan
        limit = GAP + GAP_PER_RANGE * math.hypot(points[k, 0] - sensor[0], points[k, 1] - sensor[1])
        first, last = k, k
        while first > 0 and k - first < REACH and _apart(points, first, first - 1) < limit:
            first -= 1
        while last < n - 1 and last - k < REACH and _apart(points, last, last + 1) < limit:
            last += 1
        count = last - first + 1
        if count < 3:
            continue
        mx = my = 0.0
        for i in range(first, last + 1):
            mx += points[i, 0]
            my += points[i, 1]
        mx, my = mx / count, my / count
        a = b = d = 0.0
        for i in range(first, last + 1):
            x, y = points[i, 0] - mx, points[i, 1] - my
            a += x * x
            b += x * y
            d += y * y
        spread = math.hypot(a - d, 2.0 * b)
        small = 0.5 * (a + d - spread)
        if spread < 1e-12 or small > count * BEND * BEND:
            continue
        angle = 0.5 * math.atan2(2.0 * b, a - d) + 0.5 * math.pi
        nx, ny = math.cos(angle), math.sin(angle)
        if nx * (sensor[0] - points[k, 0]) + ny * (sensor[1] - points[k, 1]) < 0.0:
            nx, ny = -nx, -ny
        normals[k, 0], normals[k, 1] = nx, ny


@njit()
def _apart(points: Array, i: int, j: int) -> float:
    return math.hypot(points[i, 0] - points[j, 0], points[i, 1] - points[j, 1])


@njit()
def sort_into_cells(points: Array, size: float, corner: Array, shape: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 2) sorted into square cells: where each cell begins (rows · cols + 1,), and the order of points (n,).

    size: edge of a cell [m]. Sets the corner (2,) and the shape (2,), rows and cols, of the cells.
    """
    low_x = low_y = math.inf
    high_x = high_y = -math.inf
    for k in range(len(points)):
        low_x, high_x = min(low_x, points[k, 0]), max(high_x, points[k, 0])
        low_y, high_y = min(low_y, points[k, 1]), max(high_y, points[k, 1])
    corner[0], corner[1] = low_x, low_y
    cols, rows = math.floor((high_x - low_x) / size) + 1, math.floor((high_y - low_y) / size) + 1
    shape[0], shape[1] = rows, cols
    first = np.zeros(rows * cols + 1, dtype=np.int32)
    where = np.empty(len(points), dtype=np.int32)
    for k in range(len(points)):
        c, r = math.floor((points[k, 0] - low_x) / size), math.floor((points[k, 1] - low_y) / size)
        where[k] = r * cols + c
        first[where[k] + 1] += 1
    for i in range(rows * cols):
        first[i + 1] += first[i]
    order, filled = np.empty(len(points), dtype=np.int32), first[:-1].copy()
    for k in range(len(points)):
        order[filled[where[k]]] = k
        filled[where[k]] += 1
    return first, order


@njit()
def align_points(
    points: Array, normals: Array, target: Array, target_normals: Array, size: float, corner: Array, shape: np.ndarray,
    first: np.ndarray, pose: Array, reach: float, final_reach: float, iterations: int, H: Array,
) -> tuple[int, float, int]:  # fmt: skip
    """Move `pose` (3,) until points · pose lie on the lines of the target; Gauss-Newton with Tukey's weights.

    Residual of a point p: n · (pose p - q), q the nearest target point with a normal n within 45 degrees of its own.
    The target lies in the order of its cells, of which `first` (cells + 1,) are the beginnings; so those of neighboring
    columns follow one another, and only cells within the reach are looked into.
    The reach of partners shrinks from `reach` to `final_reach` [m], at most the cell size. Fills H (3, 3), the
    Hessian per unit variance. Returns how many points have a partner, their rms residual [m], and how many of the
    points with a normal fall inside the target's grid.
    """
    rows, cols = shape[0], shape[1]
    inliers, rms, inside = 0, 0.0, 0
    for iteration in range(iterations):
        fraction = iteration / max(iterations - 1, 1)
        limit = reach * (final_reach / reach) ** min(1.0, 1.5 * fraction)
        c, s = math.cos(pose[2]), math.sin(pose[2])
        h00 = h01 = h02 = h11 = h12 = h22 = 0.0
        b0 = b1 = b2 = 0.0
        inliers, inside, total = 0, 0, 0.0
        for k in range(len(points)):
            if math.isnan(normals[k, 0]):
                continue
            rx, ry = c * points[k, 0] - s * points[k, 1], s * points[k, 0] + c * points[k, 1]
            x, y = rx + pose[0], ry + pose[1]
            mx, my = c * normals[k, 0] - s * normals[k, 1], s * normals[k, 0] + c * normals[k, 1]
            col, row = math.floor((x - corner[0]) / size), math.floor((y - corner[1]) / size)
            if col < -1 or row < -1 or col > cols or row > rows:
                continue
            inside += 1
            near, partner = limit * limit, -1
            left = max(0, math.floor((x - limit - corner[0]) / size))
            right = min(cols - 1, math.floor((x + limit - corner[0]) / size))
            low = max(0, math.floor((y - limit - corner[1]) / size))
            high = min(rows - 1, math.floor((y + limit - corner[1]) / size))
            for i in range(low, high + 1 if left <= right else low):
                for q in range(first[i * cols + left], first[i * cols + right + 1]):
                    dx, dy = x - target[q, 0], y - target[q, 1]
                    away = dx * dx + dy * dy
                    if away < near and mx * target_normals[q, 0] + my * target_normals[q, 1] > 0.7:
                        near, partner = away, q
            if partner < 0:
                continue
            nx, ny = target_normals[partner, 0], target_normals[partner, 1]
            e = nx * (x - target[partner, 0]) + ny * (y - target[partner, 1])
            ratio = e / limit
            weight = (1.0 - ratio * ratio) ** 2
            gt = ny * rx - nx * ry
            inliers += 1
            total += e * e
            h00 += weight * nx * nx
            h01 += weight * nx * ny
            h02 += weight * nx * gt
            h11 += weight * ny * ny
            h12 += weight * ny * gt
            h22 += weight * gt * gt
            b0 -= weight * nx * e
            b1 -= weight * ny * e
            b2 -= weight * gt * e
        rms = math.sqrt(total / max(inliers, 1))
        H[0, 0], H[0, 1], H[0, 2] = h00, h01, h02
        H[1, 0], H[1, 1], H[1, 2] = h01, h11, h12
        H[2, 0], H[2, 1], H[2, 2] = h02, h12, h22
        if inliers < 8:
            break
        damp = 1e-3 * inliers
        h00, h11, h22 = h00 + damp, h11 + damp, h22 + damp
        good, dx, dy, dt = solve3(h00, h01, h02, h11, h12, h22, b0, b1, b2, 1e-12)
        if not good:
            break
        pose[0] += dx
        pose[1] += dy
        pose[2] += dt
        if fraction >= 0.7 and abs(dx) + abs(dy) < 1e-5 and abs(dt) < 1e-6:
            break
    return inliers, rms, inside
