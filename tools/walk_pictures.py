"""Renders the film strips of the page on walking on two legs: a walk, a push that is caught, a walk aslant."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import andante as an
from andante.control.loop import ControlLoop
from andante.locomotion import Command
from andante.locomotion.gaits import Request, prepare
from andante.physics.rendering import Camera
from andante.physics.rendering.renderer import Renderer

TILE = (320, 300)
START, PUSH = 0.5, 1.62  # of the walk and of the push [s]
STEPS = np.arange(1.9, 2.45, 0.07)  # instants of the first row [s]
CATCH = (1.62, 1.72, 1.8, 1.9, 2.0, 2.15, 2.4, 3.2)  # of the second


def row(times: list[float], command: Command, impulse: float = 0.0, front: bool = False) -> list[Image.Image]:
    """Pictures of a walk at some instants, from the right or the front; an impulse from the left at PUSH [N s]."""
    ready = prepare(an.robot("nao"), Request("walk"))
    sim = an.simulate(ready.robot, pose=ready.pose, sensors=True)
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
            middle = np.array([sim.base_pose[0], sim.base_pose[1], 0.24])
            view = np.array([0.35, -0.95, 0.12]) if not front else np.array([1.0, -0.15, 0.12])
            image = Image.fromarray(renderer.shoot(sim.engine, Camera(tuple(middle + view), tuple(middle))))
            label = f"{time - START:.2f} s" if not impulse else f"{time - PUSH:+.2f} s"
            ImageDraw.Draw(image).text((10, 8), label, fill=(25, 25, 30), font=ImageFont.load_default(size=20))
            tiles.append(image)
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
    """Write walk_strip.webp: two steps at full speed, a push that is caught; and aslant_strip.webp: W and A held."""
    steps = [float(t) for t in STEPS]
    tiles = row(steps, Command(vx=0.35)) + row(list(CATCH), Command(vx=0.15), 2.0, front=True)
    strip(tiles).save(out / "walk_strip.webp", quality=86)
    strip(row(steps, Command(vx=0.35, vy=0.21), front=True)).save(out / "aslant_strip.webp", quality=86)
