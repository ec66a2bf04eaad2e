"""Maps and drives from above: a map with the way over it, beside the truth; world, plans, believed and true path."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from andante.errors import BadInput
from andante.files import whole_file
from andante.geometry import Array, se2
from andante.mapping import MappingResult, OccupancyGrid
from andante.mapping.worlds import map_of_world

from .preview import COLORS, GRAY, INK
from .preview_plots import from_above, plain
from .shown import Shown

OUTLINES = 12  # footprints drawn along the path
WIDE = 6.6  # of the view from above [inch]


def draw_grid(axes: Any, grid: OccupancyGrid) -> None:
    """A map in gray: free floor white, walls black."""
    shade = np.where(grid.known, 100 - grid.cells.astype(float), 60.0)
    x, y, _ = grid.origin
    width, height = grid.size
    axes.imshow(shade, cmap="gray", origin="lower", vmin=0, vmax=100, extent=(x, x + width, y, y + height))


def _map_figure(wide: float, tall: float, title: str, grid: OccupancyGrid | None) -> tuple[Figure, Any]:
    """A figure of that size [inch] with axes of the floor, a map on it where there is one, and the axes."""
    figure = Figure(figsize=(wide, tall), dpi=120, layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, fontsize=10)
    if grid is not None:
        draw_grid(axes, grid)
    from_above(axes)
    return figure, axes


def plot_map(grid: OccupancyGrid, path: Array | None = None, title: str = "") -> Figure:
    """A map with a way (n, 3) x, y, yaw over it."""
    figure, axes = _map_figure(8.0, 6.5, title, grid)
    if path is not None and len(path):
        axes.plot(path[:, 0], path[:, 1], color="tab:red", linewidth=1.0, label="way")
        axes.plot(path[0, 0], path[0, 1], "o", color="tab:green", markersize=5, label="start")
        axes.legend(loc="upper right", fontsize=8)
    return figure


def plot_way(path: Array, title: str = "") -> Figure:
    """A way (n, 3) x, y, yaw without a map."""
    figure, axes = _map_figure(8.0, 6.5, title, None)
    axes.plot(path[:, 0], path[:, 1], color="tab:red", linewidth=1.0)
    return figure


def plot_exploration(
    result: MappingResult, plan: OccupancyGrid | None, truth: Array, missed: Sequence[Any], title: str = ""
) -> Figure:
    """The map that was made, the true plan, the way as believed and as it was.

    Args:
        truth: times and poses (n, 4) of the root link.
        missed: places x, y that could not be reached.
    """
    figure, axes = _map_figure(9.0, 7.0, title, result.grid)
    if plan is not None:
        walls = plan.point_of(np.argwhere(plan.occupied()))
        axes.plot(walls[:, 0], walls[:, 1], ".", color="tab:blue", markersize=1.0, label="true walls")
    axes.plot(truth[:, 1], truth[:, 2], color="tab:green", linewidth=1.5, label="true way")
    axes.plot(result.poses[:, 0], result.poses[:, 1], "--", color="tab:red", linewidth=1.0, label="way on the map")
    for place in missed:
        axes.plot(*place, "x", color="tab:orange")
    axes.legend(loc="upper right", fontsize=8)
    return figure


def plot_drive(shown: Shown, title: str = "") -> Figure:
    """Seen from above, and the error of the believed place over time. All in the world's frame."""
    true, believed, map_pose = shown.true, shown.believed, shown.map_pose
    places = believed[:, 1:]
    low, high = _frame(true, places)
    tall = float(np.clip(WIDE * (high[1] - low[1]) / (high[0] - low[0]), 2.5, 8.0))  # no bare paper around the drive
    figure = Figure(figsize=(WIDE + 0.6, tall + 2.2), layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=[tall, 1.4])
    _ground(above, shown)
    for k, path in enumerate(shown.planned[-30:]):
        told = se2.compose(np.array(map_pose), path)
        label = "plans" if k == 0 else None
        above.plot(told[:, 0], told[:, 1], color=COLORS[2], linewidth=0.8, alpha=0.5, label=label, zorder=2)
    above.plot(places[:, 0], places[:, 1], "--", color=COLORS[1], linewidth=1.2, label="believed", zorder=4)
    above.plot(true[:, 1], true[:, 2], color=COLORS[0], linewidth=1.6, label="true", zorder=3)
    for row in true[np.linspace(0, len(true) - 1, min(OUTLINES, len(true))).astype(int)] if len(true) else ():
        outline = shown.vehicle.outline_at(se2.compose(row[1:], shown.vehicle.reference))
        above.add_patch(Polygon(outline, fill=False, edgecolor=COLORS[0], linewidth=0.6, alpha=0.7, zorder=3))
    goal = shown.planned[-1][-1] if shown.planned else None
    if goal is not None:
        x, y, _ = se2.compose(np.array(map_pose), goal)
        above.plot([x], [y], marker="*", markersize=13, color=COLORS[3], linestyle="none", label="end of the plan")
    if shown.collision is not None:
        x, y, _ = shown.collision
        above.plot([x], [y], marker="x", markersize=11, color="#c8403a", linestyle="none", label="collision")
    from_above(above, fontsize=8)
    above.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    above.set_title(title, fontsize=9, color=INK)
    above.legend(fontsize=8, loc="best", framealpha=0.85)
    plain(above)
    _errors(below, true, believed, places, shown.begun)
    return figure


def _ground(axes: Any, shown: Shown) -> None:
    """What stands in the world at the height of the lidar, gray; the given map's walls, black."""
    grid, map_pose = shown.grid, shown.map_pose
    try:
        cut = map_of_world(shown.world, height=shown.height, resolution=0.03)
        y, x = np.nonzero(cut.occupied())
        axes.plot(
            cut.origin[0] + (x + 0.5) * cut.resolution, cut.origin[1] + (y + 0.5) * cut.resolution, "s",
            markersize=1.4, color=GRAY, zorder=1,
        )  # fmt: skip
    except BadInput:
        pass  # nothing stands there
    if grid is not None:
        cells = np.argwhere(grid.occupied())[:, ::-1]
        points = se2.transform(se2.compose(map_pose, grid.origin), (cells + 0.5) * grid.resolution)
        axes.plot(points[:, 0], points[:, 1], "s", markersize=0.8, color=INK, zorder=1, label="map")


def _frame(true: Array, places: Array) -> tuple[Array, Array]:
    """Lower and upper corner (2,) of what is shown: the drive with room around it [m]."""
    points = np.concatenate([true[:, 1:3], places[:, :2]]) if len(true) or len(places) else np.zeros((1, 2))
    return points.min(axis=0) - 1.2, points.max(axis=0) + 1.2


def _errors(axes: Any, true: Array, believed: Array, places: Array, begun: float) -> None:
    if len(true) > 1 and len(believed):
        x, y = (np.interp(believed[:, 0], true[:, 0], true[:, k]) for k in (1, 2))
        off = np.hypot(places[:, 0] - x, places[:, 1] - y)
        axes.plot(believed[:, 0] - begun, 100 * off, color=COLORS[1], linewidth=1.0)
    axes.set_xlabel("time [s]", fontsize=8)
    axes.set_ylabel("error of the\nbelieved place [cm]", fontsize=8)
    axes.set_ylim(bottom=0)
    plain(axes)


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure, complete or not at all."""
    with whole_file(path) as partial:
        figure.savefig(partial, dpi=130)
