"""Maps from worlds (the ground truth that a lidar should find) and worlds from maps (walls extruded from the plan)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.compiling import njit
from andante.description.link import Collision, Link, Material, Visual
from andante.description.robot import Robot
from andante.description.shapes import Box, Geometry, Plane
from andante.description.solids import surface
from andante.description.world import Light, Placement, World
from andante.errors import BadInput
from andante.geometry import SE3, Array

from .grid import MOST_CELLS, UNKNOWN, OccupancyGrid

INWARD = 1e-4  # [m]
SHORT = 0.01  # outlines end so much earlier, so that a corner on the border of two cells fills one of them [cells]
SECTIONS = 64  # sides of round shapes
FULL = 100
MOST_BOXES = 20_000
LAYER, MOST_LAYERS = 0.04, 100  # distance of cuts between two heights [m], and how many there are at most
FARTHEST = 2000.0  # cuts beyond this are not drawn [m]
WALL = Material("wall", (0.85, 0.84, 0.8, 1.0))
GROUND = Material("ground", (0.7, 0.67, 0.62, 1.0))


def map_of_world(
    world: World,
    *,
    height: float = 0.2,
    resolution: float = 0.05,
    margin: float = 0.5,
    fixed_only: bool = False,
    top: float | None = None,
    around: ArrayLike = (),
) -> OccupancyGrid:
    """The plan of a world cut at the height of a lidar [m]: every collision shape that it meets is occupied.

    What can be reached from the world's origin is free. Where walls close it in, all that lies outside them is
    unknown; in an open world everything not occupied is free.

    Args:
        world: the world to cut.
        height: of the cut above the origin [m].
        resolution: edge of a cell [m].
        margin: free border around the outermost shape [m].
        fixed_only: leave out what a robot could push away.
        top: of a robot that must fit below everything: what stands between `height` and here is occupied [m]; None:
            only what is met at `height`.
        around: points (n, 2) in the world that lie on the map too, with the margin around them [m].
    """
    if not (math.isfinite(resolution) and resolution > 0 and math.isfinite(height)):
        raise BadInput(f"a map needs a resolution above 0 and a finite height, got {resolution} and {height}")
    if top is not None and not height <= top < math.inf:
        raise BadInput(f"the top of a map must be a height of at least {height:g} m, got {top}")
    count = 1 if top is None else min(math.ceil((top - height) / LAYER) + 1, MOST_LAYERS)
    levels = np.linspace(height, height if top is None else top, count)
    cuts = [cut for level in levels for cut in _cuts(world, float(level), fixed_only)]
    if not cuts:
        raise BadInput(f"world {world.name!r}: nothing stands {height:g} m above its origin; choose another height")
    ends = np.vstack([np.concatenate(cuts).reshape(-1, 2), np.asarray(around, dtype=float).reshape(-1, 2)])
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
    """A world with a ground and a box for every rectangle of occupied cells, extruded to a height [m].

    Args:
        grid: the map.
        name: of the world.
        height: of the walls [m].
        percent: least occupancy of a wall.
    """
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
        if model.motion is not None or (fixed_only and not model.fixed):
            continue
        poses = model.robot.link_poses()
        for link in model.robot.links:
            for shape in link.collisions:
                if isinstance(shape.geometry, Plane):
                    continue  # the ground
                corners = corners_of(shape.geometry, model.pose @ poses[link.name] @ shape.pose)
                segments = np.empty((len(corners), 4))
                # a hair off the asked height, so that it never runs along a face
                cut = segments[: cut_triangles(corners, height + 1e-7, segments)]
                cut = cut[(np.abs(cut) < FARTHEST).all(axis=1)]
                if len(cut):
                    cuts.append(cut)
    return cuts


def corners_of(geometry: Geometry, pose: SE3) -> Array:
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


@njit()
def cut_triangles(corners: Array, height: float, segments: Array) -> int:
    """Where triangles (n, 3, 3) meet the plane z = height: fills segments (n, 4) x1, y1, x2, y2; returns how many.

    Segments lie INWARD of the surface by a hair, against the normal of the triangle's winding, so that a face on the
    border of two cells belongs to the one that the solid fills.
    """
    count = 0
    for t in range(len(corners)):
        found = 0
        for a in range(3):
            b = (a + 1) % 3
            za, zb = corners[t, a, 2] - height, corners[t, b, 2] - height
            if (za < 0.0) != (zb < 0.0) and found < 2:
                fraction = za / (za - zb)
                for k in range(2):
                    segments[count, 2 * found + k] = corners[t, a, k] + fraction * (corners[t, b, k] - corners[t, a, k])
                found += 1
        if found == 2:
            ux, uy, uz = corners[t, 1] - corners[t, 0]
            vx, vy, vz = corners[t, 2] - corners[t, 0]
            nx, ny = uy * vz - uz * vy, uz * vx - ux * vz
            size = math.hypot(nx, ny)
            if size > 0.0:
                for k in range(2):
                    segments[count, 2 * k] -= INWARD * nx / size
                    segments[count, 2 * k + 1] -= INWARD * ny / size
            count += 1
    return count


@njit()
def draw_cut(cells: np.ndarray, segments: Array, full: int) -> None:
    """Set the cells that segments (n, 4), in cells, run through, and those inside by the even-odd rule per row."""
    rows, cols = cells.shape
    for k in range(len(segments)):
        x1, y1, x2, y2 = segments[k, 0], segments[k, 1], segments[k, 2], segments[k, 3]
        length = math.hypot(x2 - x1, y2 - y1)
        steps = max(1, math.ceil(4.0 * length))
        for i in range(steps + 1):
            fraction = i / steps if length <= 4.0 * SHORT else (SHORT + (length - 2.0 * SHORT) * i / steps) / length
            c, r = math.floor(x1 + (x2 - x1) * fraction), math.floor(y1 + (y2 - y1) * fraction)
            if 0 <= c < cols and 0 <= r < rows:
                cells[r, c] = full
    crossings = np.empty(len(segments))
    low, high = rows, 0
    for k in range(len(segments)):
        low = min(low, math.floor(min(segments[k, 1], segments[k, 3])))
        high = max(high, math.ceil(max(segments[k, 1], segments[k, 3])))
    for r in range(max(0, low), min(rows, high)):
        y = r + 0.5
        count = 0
        for k in range(len(segments)):
            y1, y2 = segments[k, 1], segments[k, 3]
            if (y1 < y) != (y2 < y):
                crossings[count] = segments[k, 0] + (y - y1) / (y2 - y1) * (segments[k, 2] - segments[k, 0])
                count += 1
        if count % 2:
            continue  # the surface does not close: its outline is all that is known
        order = np.sort(crossings[:count])
        for i in range(0, count, 2):
            first, last = max(0, math.ceil(order[i] - 0.5)), min(cols, math.floor(order[i + 1] - 0.5) + 1)
            for c in range(first, last):
                cells[r, c] = full


@njit()
def merge_cells(occupied: np.ndarray, rectangles: np.ndarray) -> int:
    """Cover the True cells by rectangles without overlap; each grows as far as it can along its row, then up.

    Fills rectangles (n, 4) first row, first column, rows, columns; returns how many, or -1 when they are too few.
    """
    left = occupied.copy()
    rows, cols = left.shape
    count = 0
    for r in range(rows):
        for c in range(cols):
            if not left[r, c]:
                continue
            if count == len(rectangles):
                return -1
            width = 1
            while c + width < cols and left[r, c + width]:
                width += 1
            height = 1
            grows = True
            while grows and r + height < rows:
                for k in range(c, c + width):
                    if not left[r + height, k]:
                        grows = False
                        break
                height += grows
            left[r : r + height, c : c + width] = False
            rectangles[count, 0], rectangles[count, 1], rectangles[count, 2], rectangles[count, 3] = r, c, height, width
            count += 1
    return count
