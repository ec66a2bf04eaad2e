"""Maps as pictures: with the way over them, and beside the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from andante.geometry import Array
from andante.mapping import MappingResult, OccupancyGrid


def draw_grid(axes: Any, grid: OccupancyGrid) -> None:
    """A map in grey: free floor white, walls black."""
    shade = np.where(grid.known, 100 - grid.cells.astype(float), 60.0)
    x, y, _ = grid.origin
    width, height = grid.size
    axes.imshow(shade, cmap="gray", origin="lower", vmin=0, vmax=100, extent=(x, x + width, y, y + height))
    axes.set_aspect("equal")
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")


def plot_map(grid: OccupancyGrid, path: Array | None = None, title: str = "") -> Figure:
    """A map with a way (n, 3) x, y, yaw over it."""
    figure = Figure(figsize=(8.0, 6.5), dpi=120, layout="constrained")
    axes = figure.add_subplot()
    draw_grid(axes, grid)
    if path is not None and len(path):
        axes.plot(path[:, 0], path[:, 1], color="tab:red", linewidth=1.0, label="way")
        axes.plot(path[0, 0], path[0, 1], "o", color="tab:green", markersize=5, label="start")
        axes.legend(loc="upper right", fontsize=8)
    axes.set_title(title, fontsize=10)
    return figure


def plot_way(path: Array, title: str = "") -> Figure:
    """A way (n, 3) x, y, yaw without a map."""
    figure = Figure(figsize=(8.0, 6.5), dpi=120, layout="constrained")
    axes = figure.add_subplot()
    axes.plot(path[:, 0], path[:, 1], color="tab:red", linewidth=1.0)
    axes.set_aspect("equal")
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    axes.set_title(title, fontsize=10)
    return figure


def plot_exploration(
    result: MappingResult, plan: OccupancyGrid | None, truth: Array, missed: Sequence[Any], title: str = ""
) -> Figure:
    """The map that was made, the true plan, the way as believed and as it was.

    Args:
        truth: times and poses (n, 4) of the root link.
        missed: places x, y that could not be reached.
    """
    figure = Figure(figsize=(9.0, 7.0), dpi=120, layout="constrained")
    axes = figure.add_subplot()
    draw_grid(axes, result.grid)
    if plan is not None:
        walls = plan.point_of(np.argwhere(plan.occupied()))
        axes.plot(walls[:, 0], walls[:, 1], ".", color="tab:blue", markersize=1.0, label="true walls")
    axes.plot(truth[:, 1], truth[:, 2], color="tab:green", linewidth=1.5, label="true way")
    axes.plot(result.poses[:, 0], result.poses[:, 1], "--", color="tab:red", linewidth=1.0, label="way on the map")
    for place in missed:
        axes.plot(*place, "x", color="tab:orange")
    axes.set_title(title, fontsize=10)
    axes.legend(loc="upper right", fontsize=8)
    return figure
