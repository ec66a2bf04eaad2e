"""Pictures of the pages on footsteps, 3D maps, behaviours and several robots."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from matplotlib.patches import FancyBboxPatch, Polygon
from picture_tools import BLUE, GRAY, RED, figure, save, shoot, strip

import andante as an
from andante.description import Box, Collision, Link, Placement, Robot, Visual
from andante.geometry import SE3
from andante.locomotion.biped.footsteps import placed
from andante.locomotion.gaits import Request, prepare
from andante.navigation import footsteps as fs
from andante.physics.rendering.renderer import Renderer

TILE = (1100, 700)
START, GOAL = (-3.6, -2.6, 0.0), (3.5, 2.5, 0.0)
COLORS = {"left": RED, "right": BLUE}


def octree() -> None:
    """Occupied voxels of the lab, colored by their height."""
    tree = an.mapping.octree_of_world(an.world("lab"), resolution=0.05, top=1.3)
    voxels = tree.voxels()
    voxels = voxels[voxels[:, 2] > 0.0]
    drawn = figure(9.0, 5.2)
    axes = drawn.add_subplot(projection="3d", computed_zorder=False)
    axes.view_init(elev=42, azim=-118)
    away = voxels @ np.array([-np.cos(np.radians(-118)), -np.sin(np.radians(-118)), -0.9])
    far_first = voxels[np.argsort(-away)]
    axes.scatter(*far_first.T, c=far_first[:, 2], s=5.0, marker="s", cmap="viridis", linewidths=0.0, alpha=1.0)
    axes.set_box_aspect((8.2, 6.2, 1.6))
    axes.set(xlabel="x [m]", ylabel="y [m]", zticks=(0, 1))
    save(drawn, "octree_lab")


def machine() -> None:
    """The states of the machine `greet`, nested, with their transitions."""
    boxes = {  # x, y of the lower left corner, width, height
        "life": (0.2, 0.3, 8.6, 4.9), "body": (0.5, 0.6, 5.6, 4.1), "face": (6.4, 0.6, 2.1, 4.1),
        "wait": (0.8, 2.9, 1.5, 0.8), "wave": (4.2, 2.9, 1.5, 0.8), "invite": (0.8, 0.9, 1.5, 0.8),
        "thank": (4.2, 0.9, 1.5, 0.8), "glow": (6.7, 2.9, 1.5, 0.8), "shine": (6.7, 0.9, 1.5, 0.8),
        "fallen": (10.2, 3.6, 1.6, 0.8), "gave_up": (12.8, 3.6, 1.6, 0.8), "goodbye": (10.2, 1.2, 1.6, 0.8),
        "end": (12.8, 1.2, 1.6, 0.8),
    }  # fmt: skip
    arrows = (
        ("wait", "wave", "touch.Head", 0.15), ("wait", "invite", "after 20 s", 0.25), ("invite", "wait", "", 0.25),
        ("wave", "thank", "done", 0.0), ("thank", "wait", "", 0.0), ("wave", "wait", "failed", 0.15),
        ("glow", "shine", "waves", 0.25), ("shine", "glow", "rests", 0.25),
        ("life", "fallen", "fall", 0.0), ("fallen", "gave_up", "failed", 0.0), ("life", "goodbye", "waves >= 3", 0.0),
        ("goodbye", "end", "done", 0.0),
    )  # fmt: skip
    drawn = figure(9.6, 4.0)
    axes = drawn.subplots()
    for name, (x, y, wide, high) in boxes.items():
        outer = name in ("life", "body", "face")
        color = {"life": "#eef2f7", "body": "#dfe8f3", "face": "#dfe8f3", "wait": "#ffd58a"}.get(name, "white")
        shape = FancyBboxPatch((x, y), wide, high, "round,pad=0,rounding_size=0.15", facecolor=color, edgecolor=GRAY)
        axes.add_patch(shape)
        at = (x + 0.15, y + high - 0.12) if outer else (x + wide / 2, y + high / 2)
        axes.text(*at, name, ha="left" if outer else "center", va="top" if outer else "center", fontsize=9)
    for begin, end, label, bend in arrows:
        a, b = _border(boxes[begin], boxes[end]), _border(boxes[end], boxes[begin])
        style = {"arrowstyle": "-|>", "color": "#40444c", "connectionstyle": f"arc3,rad={bend}", "lw": 1.0}
        axes.annotate("", b, a, arrowprops=style)
        along = np.array(b) - a
        aside = np.array([along[1], -along[0]])  # where matplotlib's arc3 bends to
        outward = (1.0 if bend or aside[1] > -0.2 else -1.0) * aside / np.hypot(*along)
        at = 0.5 * (np.array(a) + b) + 0.5 * bend * aside + 0.14 * outward  # beside the middle of the arc
        sides = "center" if abs(outward[0]) < 0.5 else "left" if outward[0] > 0.0 else "right"
        axes.text(*at, label, ha=sides, va="center", fontsize=7.5, color=BLUE)
    axes.set(xlim=(0, 14.6), ylim=(0.1, 5.4))
    axes.axis("off")
    save(drawn, "behaviors")


def _border(box: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> tuple[float, float]:
    """Where the line between the middles of two boxes leaves the first one."""
    x, y, wide, high = box
    middle = np.array([x + wide / 2, y + high / 2])
    there = np.array([other[0] + other[2] / 2, other[1] + other[3] / 2])
    if wide > 5.0:  # the outermost box is left beside what is reached
        return x + wide, float(there[1])
    way = there - middle
    with np.errstate(divide="ignore"):
        part = float(np.min(np.array([wide / 2, high / 2]) / np.abs(way)))
    return float(middle[0] + part * way[0]), float(middle[1] + part * way[1])


def together() -> None:
    """Three robots of one session, the second on its way to a goal."""
    more = ["waffle@1.2,0.6,180:courier", "nao@-0.6,-1.0,60"]
    with an.session.LiveSession("waffle", "lab", robots=more) as session:
        session.run(0.6)
        sim = session.stage.sim
        with Renderer(sim.engine.models, sim.engine.world, *TILE) as renderer:
            tile = shoot(renderer, sim, (-2.4, -2.6, 1.9), (0.3, -0.1, 0.2), "waffle, courier and nao in the lab")
    strip([tile], 1, "together", width=TILE[0])


def feet() -> None:
    """A walk of the NAO through the lab around two things that are not on the map."""
    lab = an.world("lab")
    things = []
    for number, (x, y) in enumerate(((0.7, -0.45), (1.9, 0.1))):
        shape = Box((0.2, 0.2, 0.4))
        link = Link("thing", visuals=(Visual(shape),), collisions=(Collision(shape),))
        placed_at = SE3.from_xyz_rpy((x, y, 0.2))
        things.append(Placement(f"thing{number}", Robot("thing", (link,)), placed_at, fixed=True))
    run = an.navigate(
        "nao", arguments={"head_lidar": "true"}, world=replace(lab, models=(*lab.models, *things)),
        map=an.mapping.octree_of_world(lab, 0.04, top=1.4), goal=(2.6, -0.4, 0.0), tolerance=0.08, seed=2,
    )  # fmt: skip
    save(run.plot(), "feet_lab")


def main() -> None:
    """All of them."""
    footsteps()
    feet()
    octree()
    machine()
    together()


def footsteps() -> None:
    """A plan of the NAO through the lab, from corner to corner."""
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
