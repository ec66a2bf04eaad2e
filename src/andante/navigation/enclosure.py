"""Whether what is known shuts a goal off: no way leads there, whichever way a robot turns and wherever it looks."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import ndimage

from .costmap import Costmap
from .planning import nearest_open


def shut_off(start: ArrayLike, goal: ArrayLike, costmap: Costmap, reach: float) -> str:
    """Why no place within `reach` [m] of a goal is joined to the start, in words; empty: one is, or it cannot be told.

    A cell counts as open where a disc of the inscribed radius fits, unknown space by its policy: every planner drives
    on these cells alone, so a wall of others around the start or the goal is an end whatever the planner tries.
    """
    here, there = np.asarray(start, dtype=float), np.asarray(goal, dtype=float)
    cell = costmap.cell_of(there)
    if not costmap.inside(cell):
        return ""
    open_cells = ~costmap.blocked()
    first = nearest_open(open_cells, costmap.cell_of(here), 2 * costmap.roomy / costmap.resolution)
    if first is None or nearest_open(open_cells, cell, reach / costmap.resolution) is None:
        return ""  # the robot stands in something, or the goal does: that may pass
    parts, _ = ndimage.label(open_cells)  # side by side: planners cut no corners
    mine = parts == parts[first]
    if nearest_open(mine, cell, reach / costmap.resolution) is not None:
        return ""
    rows, cols = np.nonzero(mine)
    nearest = int(np.argmin(np.hypot(rows - cell[0], cols - cell[1])))
    x, y = costmap.point_of((rows[nearest], cols[nearest]))
    away = math.hypot(x - there[0], y - there[1])
    return (
        f"the goal ({there[0]:.2f}, {there[1]:.2f}) cannot be reached: obstacles that were seen close every way to it; "
        f"the nearest place that can be reached is ({x:.2f}, {y:.2f}), {away:.2f} m from it"
    )
