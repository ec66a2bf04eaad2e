"""Renders the film strips of the page on walking on two legs: a walk, a push that is caught, a walk aslant, a slope and
a bar."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import andante as an
from andante.control.loop import ControlLoop
from andante.description import Robot, World
from andante.description.link import Collision, Link, Material, Surface, Visual
from andante.description.shapes import Box
from andante.description.world import Placement
from andante.geometry import SE3, so3
from andante.locomotion import Command
from andante.locomotion.gaits import Request, prepare
from andante.physics.rendering import Camera
from andante.physics.rendering.renderer import Renderer

TILE = (320, 300)
START, PUSH = 0.5, 1.62  # of the walk and of the push [s]
STEPS = np.arange(1.9, 2.45, 0.07)  # instants of the first row [s]
WOOD = Material("wood", (0.72, 0.56, 0.38, 1.0))
SLOPE = 7.0  # of the ramp [deg]
SLOPE_SEEN = np.arange(2.4, 10.5, 1.0)[:8]
BAR_SEEN = np.arange(2.6, 5.0, 0.3)[:8]
VIEWS = {
    "right": np.array([0.35, -0.95, 0.12]),
    "front": np.array([1.0, -0.15, 0.12]),
    "low": np.array([0.1, -1.0, -0.06]),
}
CATCH = (1.62, 1.72, 1.8, 1.9, 2.0, 2.15, 2.4, 3.2)  # of the second


def blocks(*shapes: tuple[tuple[float, float, float], SE3]) -> World:
    """The empty world with boxes: sizes [m] and poses."""
    link = Link(
        "blocks",
        visuals=tuple(
            Visual(Box(size), pose, material=Material("wood", (0.72, 0.56, 0.38, 1.0))) for size, pose in shapes
        ),
        collisions=tuple(Collision(Box(size), pose, Surface(mu=0.9)) for size, pose in shapes),
    )
    empty = an.world("empty")
    return replace(empty, models=(*empty.models, Placement("blocks", Robot("blocks", (link,)), fixed=True)))


def slope() -> World:
    """A ramp of SLOPE degrees up that begins at x = 0.35 m."""
    turn = so3.from_rpy((0.0, -math.radians(SLOPE), 0.0))
    return blocks(((2.0, 1.0, 0.1), SE3.from_parts(turn, np.array([0.35, 0.0, 0.0]) + turn @ [1.0, 0.0, -0.05])))


def bar() -> World:
    """A bar of 10 mm, 30 mm wide, at x = 0.35 m."""
    return blocks(((0.03, 1.0, 0.02), SE3.from_xyz_rpy((0.365, 0.0, 0.0))))


def row(
    times: list[float], command: Command, impulse: float = 0.0, front: bool = False, world: World | None = None
) -> list[Image.Image]:
    """Pictures of a walk at some instants, from the right or the front; an impulse from the left at PUSH [N s]."""
    ready = prepare(an.robot("nao"), Request("walk"))
    sim = an.simulate(ready.robot, world or an.world("empty"), pose=ready.pose, sensors=True)
    loop = ControlLoop(sim, ready.walker, command=lambda state: command if state.time > START else Command())
    tiles: list[Image.Image] = []
    pushed = not impulse
    with Renderer(sim.engine.models, sim.engine.world, *TILE) as renderer:
        for time in times:
            if not pushed and time >= PUSH:
                loop.run(PUSH - sim.time)
                sim.push("torso", (0.0, -impulse, 0.0))
                pushed = True
            loop.run(max(0.0, time - sim.time))
            middle = np.array([sim.base_pose[0], sim.base_pose[1], sim.base_pose[2] - 0.08])
            view = VIEWS["front" if front else "right" if world is None else "low"]
            image = Image.fromarray(renderer.shoot(sim.engine, Camera(tuple(middle + view), tuple(middle))))
            label = f"{time - START:.2f} s" if not impulse else f"{time - PUSH:+.2f} s"
            ImageDraw.Draw(image).text((10, 8), label, fill=(25, 25, 30), font=ImageFont.load_default(size=20))
            tiles.append(image)
    if sim.fallen:
        raise SystemExit("the robot of a film strip has fallen")
    sim.close()
    return tiles


def strip(tiles: list[Image.Image]) -> Image.Image:
    """Rows of eight pictures."""
    (width, height), rows = TILE, len(tiles) // 8
    page = Image.new("RGB", (8 * (width + 4) - 4, rows * (height + 4) - 4), "white")
    for i, each in enumerate(tiles):
        page.paste(each, ((i % 8) * (width + 4), (i // 8) * (height + 4)))
    return page.resize((1296, 152 * rows), Image.Resampling.LANCZOS)


def main(out: Path) -> None:
    """Write walk_strip.webp: two steps at full speed, a push; aslant_strip.webp: W and A; ground_strip.webp."""
    steps = [float(t) for t in STEPS]
    tiles = row(steps, Command(vx=0.35)) + row(list(CATCH), Command(vx=0.15), 2.0, front=True)
    strip(tiles).save(out / "walk_strip.webp", quality=86)
    strip(row(steps, Command(vx=0.35, vy=0.21), front=True)).save(out / "aslant_strip.webp", quality=86)
    slow = Command(vx=0.14)
    tiles = row([float(t) for t in SLOPE_SEEN], slow, world=slope()) + row(
        [float(t) for t in BAR_SEEN], slow, world=bar()
    )
    strip(tiles).save(out / "ground_strip.webp", quality=86)
