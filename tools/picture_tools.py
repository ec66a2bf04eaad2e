"""What the makers of the pages' pictures share: a plain style, saving as webp, and pictures of a running simulation."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from PIL import Image, ImageDraw, ImageFont

import andante as an
from andante.mapping import OccupancyGrid
from andante.physics.rendering import Camera
from andante.physics.rendering.renderer import Renderer

OUT = Path(__file__).resolve().parents[1] / "docs" / "pictures"
BLUE, ORANGE, GREEN, RED, GRAY = "#2f6db5", "#e08a1e", "#2e8b57", "#c8403a", "#8a8f98"
COLORS = (BLUE, ORANGE, GREEN, RED)
mpl.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 9.5})


def figure(width: float = 9.0, height: float = 3.4) -> Figure:
    """An empty figure [inches] of which no window knows."""
    return Figure(figsize=(width, height), layout="constrained")


def save(drawn: Figure, name: str, out: Path = OUT) -> None:
    """Write NAME.webp, 1260 pixels wide or so."""
    buffer = io.BytesIO()
    drawn.savefig(buffer, format="png", dpi=140, facecolor="white")
    Image.open(buffer).convert("RGB").save(out / f"{name}.webp", quality=84, method=6)


def strip(tiles: list[Image.Image], columns: int, name: str, width: int = 1296, out: Path = OUT) -> None:
    """Tiles in rows with a thin white gap, as NAME.webp."""
    wide, high = tiles[0].size
    rows = -(-len(tiles) // columns)
    page = Image.new("RGB", (columns * (wide + 4) - 4, rows * (high + 4) - 4), "white")
    for i, each in enumerate(tiles):
        page.paste(each, ((i % columns) * (wide + 4), (i // columns) * (high + 4)))
    height = round(page.height * width / page.width)
    page.resize((width, height), Image.Resampling.LANCZOS).save(out / f"{name}.webp", quality=84, method=6)


def shoot(renderer: Renderer, sim: an.Simulation, view: Any, middle: Any, label: str) -> Image.Image:
    """The robot seen from `middle + view`, with a label in the corner."""
    middle = np.asarray(middle, dtype=float)
    image = Image.fromarray(renderer.shoot(sim.engine, Camera(tuple(middle + np.asarray(view)), tuple(middle))))
    ImageDraw.Draw(image).text((10, 8), label, fill=(25, 25, 30), font=ImageFont.load_default(size=20))
    return image


def draw_walls(axes: Any, grid: OccupancyGrid, color: str = "#40444c") -> None:
    """Occupied cells of a map, in its frame."""
    y, x = np.nonzero(grid.occupied())
    middle = grid.resolution * 0.5
    axes.plot(
        grid.origin[0] + x * grid.resolution + middle, grid.origin[1] + y * grid.resolution + middle, "s",
        markersize=1.6, color=color, zorder=1,
    )  # fmt: skip
    axes.set_aspect("equal")
    axes.set(xlabel="x [m]", ylabel="y [m]")
