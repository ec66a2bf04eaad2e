"""A walk by footsteps from above: the map, the soles of all plans, the way as believed and as it was."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from andante.navigation.footsteps import FootstepPlan

from .drives import draw_grid
from .preview_plots import from_above
from .shown import FootShown

LEFT, RIGHT = "tab:blue", "tab:red"


def draw_soles(axes: Any, plan: FootstepPlan, sole: tuple[float, float, float, float], strength: float) -> None:
    """The soles of a plan."""
    heel, toe, right, left = sole
    for step in plan.steps:
        sides = (right, left) if step.foot == "left" else (-left, -right)
        corners = np.array([(heel, sides[0]), (toe, sides[0]), (toe, sides[1]), (heel, sides[1])])
        c, s = math.cos(step.yaw), math.sin(step.yaw)
        there = corners @ np.array([[c, s], [-s, c]]) + [step.x, step.y]
        color = LEFT if step.foot == "left" else RIGHT
        axes.add_patch(Polygon(there, closed=True, fill=False, edgecolor=color, linewidth=0.8, alpha=strength))


def plot_feet(shown: FootShown, title: str = "") -> Figure:
    """The walk from above, and the error of the believed place over time."""
    figure = Figure(figsize=(9.0, 7.5), dpi=120, layout="constrained")
    axes, below = figure.subplots(2, 1, height_ratios=(5, 1))
    axes.set_title(title, fontsize=10)
    draw_grid(axes, shown.grid)
    if len(shown.seen):
        axes.plot(shown.seen[:, 0], shown.seen[:, 1], "s", color="tab:orange", markersize=2, label="seen on the way")
    for number, plan in enumerate(shown.plans):
        draw_soles(axes, plan, shown.sole, 1.0 if number == 0 else 0.4)
    axes.plot(shown.truth[:, 1], shown.truth[:, 2], color="tab:green", linewidth=1.5, label="true way of the torso")
    axes.plot(shown.believed[:, 1], shown.believed[:, 2], color="black", linewidth=0.8, label="believed")
    axes.plot(*shown.goal[:2], "x", color="black", markersize=8, label="goal")
    axes.legend(loc="upper right", fontsize=8)
    from_above(axes)
    below.plot(shown.truth[:, 0], 100.0 * shown.truth[:, 3], color="tab:green", linewidth=0.8)
    below.set_xlabel("time [s]", fontsize=8)
    below.set_ylabel("error [cm]", fontsize=8)
    return figure
