"""Renders the film strip of two bipeds of other makers: one walks ahead, one turns on the spot.

The files are looked for where `benchmarks/biped_zoo_study.py` does.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import andante as an
from andante.control.loop import ControlLoop
from andante.locomotion import Command
from andante.physics.rendering import Camera
from andante.physics.rendering.renderer import Renderer

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))
from biped_zoo_study import BIPEDS, ZOO, prepared

TILE, SHOWN = (320, 360), (162, 182)
START = 0.5  # of the walk [s]
ROWS = (
    ("talos", Command(vx=0.3), np.linspace(2.0, 3.4, 8)),
    ("jvrc1", Command(wz=0.33), np.linspace(0.9, 5.1, 8)),
)


def row(name: str, command: Command, times: list[float]) -> list[Image.Image]:
    """Pictures of a walk at some instants, seen from the front right."""
    file, stance = BIPEDS[name]
    ready = prepared(an.robot(str(ZOO / file)), stance)
    sim = an.simulate(ready.robot, pose=ready.pose, start=(0.0, 0.0, -ready.forward), sensors=True)
    loop = ControlLoop(sim, ready.walker, command=lambda state: command if state.time > START else Command())
    tall = ready.walker.measures.center  # type: ignore[attr-defined]
    tiles: list[Image.Image] = []
    with Renderer(sim.engine.models, sim.engine.world, *TILE) as renderer:
        for time in times:
            loop.run(max(0.0, time - sim.time))
            middle = np.array([sim.base_pose[0], sim.base_pose[1], 1.02 * tall])
            view = 3.5 * tall * np.array([0.55, -0.8, 0.12])
            image = Image.fromarray(renderer.shoot(sim.engine, Camera(tuple(middle + view), tuple(middle))))
            words = ImageDraw.Draw(image)
            words.text((10, 8), f"{time - START:.2f} s", fill=(25, 25, 30), font=ImageFont.load_default(size=20))
            tiles.append(image)
    sim.close()
    return tiles


def main(out: Path) -> None:
    """Write bipeds_strip.webp, a row per robot."""
    tiles = [tile for name, command, times in ROWS for tile in row(name, command, [float(t) for t in times])]
    width, height = SHOWN
    page = Image.new("RGB", (8 * (width + 2) - 2, len(ROWS) * (height + 2) - 2), "white")
    for i, each in enumerate(tiles):
        shown = each.resize(SHOWN, Image.Resampling.LANCZOS)
        page.paste(shown, ((i % 8) * (width + 2), (i // 8) * (height + 2)))
    page.save(out / "bipeds_strip.webp", quality=86)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures"))
