"""Maps of worlds (the ground truth that a lidar should find) and worlds of maps (walls pulled up from the plan)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.description.link import Collision, Link, Material, Visual
from andante.description.robot import Robot
from andante.description.shapes import Box, Geometry, Plane
from andante.description.solids import surface
from andante.description.world import Light, Placement, World
from andante.errors import BadInput
from andante.geometry import SE3, Array

from ._world_kernels import cut_triangles, draw_cut, merge_cells
from .grid import MOST_CELLS, UNKNOWN, OccupancyGrid

SECTIONS = 64  # sides of round shapes
FULL = 100
MOST_BOXES = 20_000
FARTHEST = 2000.0  # cuts beyond this are not drawn [m]
WALL = Material("wall", (0.85, 0.84, 0.8, 1.0))
GROUND = Material("ground", (0.7, 0.67, 0.62, 1.0))


def map_of_world(
    world: World, *, height: float = 0.2, resolution: float = 0.05, margin: float = 0.5, fixed_only: bool = False
) -> OccupancyGrid:
    """The plan of a world cut at the height of a lidar [m]: every collision shape that it meets is occupied.

    What can be reached from the world's origin is free. Where walls close it in, all that lies outside them is
    unknown; in an open world everything not occupied is free. margin: free border around the outermost shape [m].
    fixed_only leaves out what a robot could push away.
    """
    if not (math.isfinite(resolution) and resolution > 0 and math.isfinite(height)):
        raise BadInput(f"a map needs a resolution above 0 and a finite height, got {resolution} and {height}")
    cuts = _cuts(world, height, fixed_only)
    if not cuts:
        raise BadInput(f"world {world.name!r}: nothing stands {height:g} m above its origin; choose another height")
    ends = np.concatenate(cuts).reshape(-1, 2)
    low = np.floor((ends.min(axis=0) - margin) / resolution)
    cols, rows = (int(n) for n in np.ceil((ends.max(axis=0) + margin) / resolution) - low)
    if cols * rows > MOST_CELLS:
        raise BadInput(f"world {world.name!r}: a map of {cols} x {rows} cells is too large; use a coarser resolution")
    cells = np.zeros((rows, cols), dtype=np.int8)
    for cut in cuts:
        draw_cut(cells, cut / resolution - np.tile(low, 2), FULL)
    x, y = (round(float(n), 9) for n in low * resolution)
    return OccupancyGrid(resolution, (x, y, 0.0), _outside_unknown(cells, low))


def world_of_map(grid: OccupancyGrid, *, name: str = "map", height: float = 1.0, percent: float = 65) -> World:
    """A world with a ground and a box for every rectangle of occupied cells, pulled up to a height [m]."""
    if not (math.isfinite(height) and height > 0):
        raise BadInput(f"walls need a height above 0, got {height}")
    rectangles = np.zeros((MOST_BOXES, 4), dtype=np.int64)
    count = merge_cells(grid.occupied(percent), rectangles)
    if count < 0:
        raise BadInput(f"the map's walls make more than {MOST_BOXES} boxes; use a coarser or cleaner map")
    at = SE3.from_xyz_rpy([grid.origin[0], grid.origin[1], 0.0], [0.0, 0.0, grid.origin[2]])
    shapes = []
    for number, (row, col, rows, cols) in enumerate(rectangles[:count].tolist()):
        middle = np.array([col + cols / 2, row + rows / 2]) * grid.resolution
        box = Box((cols * grid.resolution, rows * grid.resolution, height))
        shapes.append((box, at @ SE3.from_xyz_rpy([*middle, height / 2]), f"wall_{number}"))
    walls = Link(
        "walls",
        visuals=tuple(Visual(box, pose, WALL, f"{label}_visual") for box, pose, label in shapes),
        collisions=tuple(Collision(box, pose, name=label) for box, pose, label in shapes),
    )
    middle = np.asarray(at @ np.array([grid.size[0] / 2, grid.size[1] / 2, 0.0]))
    plane = Plane(size=(max(grid.size) + 2.0, max(grid.size) + 2.0))
    ground = Link("ground", visuals=(Visual(plane, material=GROUND),), collisions=(Collision(plane, name="ground"),))
    models = [Placement("ground", Robot("ground", (ground,), ()), SE3.from_xyz_rpy(middle), fixed=True)]
    if count:
        models.append(Placement("walls", Robot("walls", (walls,), ()), fixed=True))
    return World(name, tuple(models), lights=(Light("sun", direction=(-0.4, 0.25, -0.9)),))


def _cuts(world: World, height: float, fixed_only: bool) -> list[Array]:
    """Segments (n, 4) x1, y1, x2, y2 [m] of every collision shape that the plane z = height meets."""
    cuts = []
    for model in world.models:
        if fixed_only and not model.fixed:
            continue
        poses = model.robot.link_poses()
        for link in model.robot.links:
            for shape in link.collisions:
                if isinstance(shape.geometry, Plane):
                    continue  # the ground
                corners = _corners(shape.geometry, model.pose @ poses[link.name] @ shape.pose)
                segments = np.empty((len(corners), 4))
                # a hair off the asked height, so that it never runs along a face
                cut = segments[: cut_triangles(corners, height + 1e-7, segments)]
                cut = cut[(np.abs(cut) < FARTHEST).all(axis=1)]
                if len(cut):
                    cuts.append(cut)
    return cuts


def _corners(geometry: Geometry, pose: SE3) -> Array:
    """Triangles (n, 3, 3) of a shape in the world."""
    vertices, faces = surface(geometry, SECTIONS)
    return np.ascontiguousarray(np.asarray(pose @ vertices)[faces])


def _outside_unknown(cells: NDArray[np.int8], low: Array) -> NDArray[np.int8]:
    """The plan with what lies outside of closed walls around the origin made unknown."""
    from scipy.ndimage import label

    regions, _ = label(cells == 0)
    row, col = int(-low[1]), int(-low[0])
    inside = 0 <= row < cells.shape[0] and 0 <= col < cells.shape[1]
    home = regions[row, col] if inside else 0
    border = np.unique(np.concatenate([regions[0], regions[-1], regions[:, 0], regions[:, -1]]))
    if home == 0 or home in border:
        return cells
    outside = np.isin(regions, border[border > 0])
    return np.where(outside, UNKNOWN, cells).astype(np.int8)
