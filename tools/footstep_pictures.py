"""The picture of the page on footsteps: a plan through the lab, from corner to corner."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.patches import Polygon
from picture_tools import BLUE, RED, figure, save

import andante as an
from andante.locomotion.biped.footsteps import placed
from andante.locomotion.gaits import Request, prepare
from andante.navigation import footsteps as fs

START, GOAL = (-3.6, -2.6, 0.0), (3.5, 2.5, 0.0)
COLORS = {"left": RED, "right": BLUE}


def main() -> None:
    """Write docs/pictures/footsteps_lab.webp."""
    steps = fs.StepSet.of_walk(prepare(an.robot("nao"), Request("walk")).walker)  # type: ignore[arg-type]
    ground = fs.ground_of_world(an.world("lab"))
    left, right = (placed(START, (0.0, side * 0.5 * steps.width, 0.0)) for side in (1.0, -1.0))
    plan = fs.FootstepPlanner(ground, steps).plan(left, right, GOAL, seconds=5.0)
    drawn = figure(9.0, 7.0)
    axes = drawn.subplots()
    rows, cols = ground.heights.shape
    x, y = ground.origin
    extent = (x, x + cols * ground.resolution, y, y + rows * ground.resolution)
    high = 4.0 * np.nan_to_num(ground.heights, nan=0.15)  # unknown ground is gray
    axes.imshow(np.where(ground.clearance == 0.0, 1.0, high), origin="lower", extent=extent, cmap="Greys", vmax=1.3)
    heel, toe, inner, outer = steps.sole
    for step in plan.steps:
        side = 1.0 if step.foot == "left" else -1.0
        c, s = math.cos(step.yaw), math.sin(step.yaw)
        corners = [(heel, inner), (toe, inner), (toe, outer), (heel, outer)]
        points = [(step.x + c * a - s * side * b, step.y + s * a + c * side * b) for a, b in corners]
        axes.add_patch(Polygon(points, facecolor=COLORS[step.foot], edgecolor="white", linewidth=0.4))
    axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    axes.set_title(f"{len(plan.steps)} steps of the NAO, at most {plan.bound:.2f} times the price of the best ones")
    save(drawn, "footsteps_lab")


if __name__ == "__main__":
    main()
