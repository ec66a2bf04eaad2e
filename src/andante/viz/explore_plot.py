"""A picture of an exploration: the map that was made, the true plan, the way as believed and as it was."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from andante.files import whole_file
from andante.geometry import Array
from andante.mapping import MappingResult, OccupancyGrid

if TYPE_CHECKING:
    from andante.tasks.explore import ExploreOutcome


def save_plot(
    path: Path, result: MappingResult, plan: OccupancyGrid | None, truth: Array, outcome: ExploreOutcome
) -> None:
    """Write the picture; truth: times and poses (n, 4) of the root link."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    grid = result.grid
    figure = Figure(figsize=(9.0, 7.0), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    shade = np.where(grid.known, 100 - grid.cells.astype(float), 60.0)
    x, y, _ = grid.origin
    width, height = grid.size
    axes.imshow(shade, cmap="gray", origin="lower", vmin=0, vmax=100, extent=(x, x + width, y, y + height))
    if plan is not None:
        walls = plan.point_of(np.argwhere(plan.occupied()))
        axes.plot(walls[:, 0], walls[:, 1], ".", color="tab:blue", markersize=1.0, label="true walls")
    axes.plot(truth[:, 1], truth[:, 2], color="tab:green", linewidth=1.5, label="true way")
    axes.plot(result.poses[:, 0], result.poses[:, 1], "--", color="tab:red", linewidth=1.0, label="way on the map")
    for missed in outcome.missed:
        axes.plot(*missed.place, "x", color="tab:orange")
    axes.set_aspect("equal")
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    axes.set_title(
        f"{outcome.scans} scans, {outcome.distance:.1f} m in {outcome.time:.0f} s, {100 * outcome.coverage:.0f} % "
        f"of the floor; path error {1000 * outcome.path_error:.0f} mm",
        fontsize=10,
    )
    axes.legend(loc="upper right", fontsize=8)
    with whole_file(path) as partial:
        figure.savefig(partial)
