"""An octree of a world: what stands in it is occupied, what a robot could reach is free."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.description.shapes import Plane
from andante.description.world import World
from andante.errors import BadInput
from andante.geometry import Array
from andante.mapping.worlds import corners_of, cut_triangles, draw_cut

from .kernels import DEPTH, MIDDLE
from .octree import OcTree

MOST_VOXELS = 300_000_000
INSIDE = 1e-4  # surfaces are looked at a hair inside the solid [m]
SHRUNK = 1e-3  # and faces a little smaller, so that an edge on the border of two voxels belongs to the solid's own
FULL = 1


def octree_of_world(
    world: World,
    resolution: float = 0.05,
    *,
    top: float = 2.0,
    margin: float = 0.5,
    fixed_only: bool = False,
) -> OcTree:
    """Occupied: every voxel that a collision shape meets, solids filled; free: all else between the ground and `top`.

    What closed walls shut off from the world's origin stays unknown, as on plans (`map_of_world`).

    Args:
        world: the world.
        resolution: edge of a voxel [m].
        top: height above the origin up to which it is mapped [m].
        margin: free border around the outermost shape [m].
        fixed_only: leave out what a robot could push away.
    """
    tree = OcTree(resolution)
    if not (math.isfinite(top) and top > resolution):
        raise BadInput(f"the top of a map must be higher than a voxel of {resolution} m, got {top}")
    shapes, ground = _shapes(world, fixed_only)
    if not shapes and ground is None:
        raise BadInput(f"world {world.name!r}: nothing in it has a collision shape")
    points = np.concatenate([corners.reshape(-1, 3) for corners in shapes]) if shapes else np.zeros((1, 3))
    low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
    low[2], high[2] = min(points[:, 2].min(), 0.0) - resolution, top
    first = np.floor(low / resolution).astype(np.int64)
    shape = np.ceil(high / resolution).astype(np.int64) - first
    if float(np.prod(shape.astype(float))) > MOST_VOXELS or np.abs(first).max() + shape.max() > 1 << (DEPTH - 1):
        nx, ny, nz = shape.tolist()
        raise BadInput(f"world {world.name!r}: {nx} x {ny} x {nz} voxels are too many; use a coarser resolution")
    cells = np.zeros((shape[2], shape[1], shape[0]), dtype=np.int8)  # z, y, x: a layer is a plan
    for corners in shapes:
        _fill(cells, corners, first, resolution)
        _surface(cells, corners, first, resolution)
    below = 0
    if ground is not None:
        below = min(max(math.ceil(ground / resolution - 1e-6) - int(first[2]), 0), len(cells))
        cells[:below] = FULL
    _put(tree, cells, _reached(cells, first, below), first)
    return tree


def _shapes(world: World, fixed_only: bool) -> tuple[list[Array], float | None]:
    """Triangles (n, 3, 3) of every shape in the world [m], and the height of its ground where that is a plane."""
    shapes: list[Array] = []
    ground: float | None = None
    for model in world.models:
        if fixed_only and not model.fixed:
            continue
        poses = model.robot.link_poses()
        for link in model.robot.links:
            for shape in link.collisions:
                pose = model.pose @ poses[link.name] @ shape.pose
                if isinstance(shape.geometry, Plane):
                    ground = max(ground if ground is not None else -math.inf, float(pose.translation[2]))
                    continue
                shapes.append(corners_of(shape.geometry, pose))
    return shapes, ground


def _fill(cells: NDArray[np.int8], corners: Array, first: NDArray[np.int64], resolution: float) -> None:
    """Fill solids: each layer of voxels is cut at its middle."""
    segments = np.empty((len(corners), 4))
    low, high = corners[:, :, 2].min(), corners[:, :, 2].max()
    begin = max(math.floor(low / resolution) - int(first[2]), 0)
    for layer in range(begin, min(math.ceil(high / resolution) - int(first[2]), len(cells))):
        height = (layer + int(first[2]) + 0.5) * resolution
        count = cut_triangles(corners, height + 1e-7, segments)
        if count:
            draw_cut(cells[layer], segments[:count] / resolution - np.tile(first[:2], 2), FULL)


def _surface(cells: NDArray[np.int8], corners: Array, first: NDArray[np.int64], resolution: float) -> None:
    """Fill the voxels of surfaces, so that boards thinner than a voxel are there: points half a voxel apart."""
    a, u, v = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(u, v)
    size = np.linalg.norm(normal, axis=1, keepdims=True)
    inward = np.divide(normal, size, out=np.zeros_like(normal), where=size > 0.0) * -INSIDE
    longest = np.maximum(np.linalg.norm(u, axis=1), np.linalg.norm(v, axis=1))
    steps = np.maximum(np.ceil(2.0 * longest / resolution), 1).astype(int)
    for count in np.unique(steps).tolist():
        chosen = steps == count
        if count > 4096:
            raise BadInput(f"a shape has faces of {longest.max():.0f} m; use a coarser resolution")
        s, t = np.meshgrid(np.arange(count + 1) / count, np.arange(count + 1) / count, indexing="ij")
        keep = s + t <= 1.0 + 1e-9
        for at, along, across, off in zip(a[chosen], u[chosen], v[chosen], inward[chosen], strict=True):
            points = s[keep][:, None] * along + t[keep][:, None] * across
            points = at + off + points + SHRUNK * ((along + across) / 3.0 - points)
            keys = np.floor(points / resolution).astype(np.int64) - first
            inside = ((keys >= 0) & (keys < cells.shape[::-1])).all(axis=1)
            x, y, z = keys[inside].T
            cells[z, y, x] = FULL


def _reached(cells: NDArray[np.int8], first: NDArray[np.int64], below: int) -> NDArray[np.bool_]:
    """Free voxels (z, y, x): those above the ground that are not shut off from the world's origin."""
    from scipy.ndimage import label

    free: NDArray[np.bool_] = cells == 0
    plan, _ = label(free[below : below + max(1, (len(cells) - below) // 2)].any(axis=0))
    row, col = int(-first[1]), int(-first[0])
    home = plan[row, col] if 0 <= row < plan.shape[0] and 0 <= col < plan.shape[1] else 0
    border = np.unique(np.concatenate([plan[0], plan[-1], plan[:, 0], plan[:, -1]]))
    free[:below] = False
    if home and home not in border:
        free &= ~np.isin(plan, border[border > 0])
    return free


def _put(tree: OcTree, cells: NDArray[np.int8], free: NDArray[np.bool_], first: NDArray[np.int64]) -> None:
    """Set the tree, block by block."""
    _, _, low, high = tree.model.log_odds
    values = np.where(cells == FULL, np.float32(high), np.where(free, np.float32(low), np.float32(np.nan)))
    tree.fill_box(np.ascontiguousarray(values.transpose(2, 1, 0)), first + MIDDLE)
