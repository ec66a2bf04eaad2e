"""Contact sheets of foreign robots and worlds: one picture of every file of a list, as it starts in `sim`.

    python tools/zoo_sheet.py LIST.tsv OUT.png [WORD ...]

The list has a file, a kind, a repository, xacro arguments and package roots in its first five columns; words choose the
files that contain one of them. Nothing of what is drawn belongs to the project: keep the sheets outside of it.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import andante as an
from andante.control.drivers import start_of
from andante.description.stand_ins import solid_or_same
from andante.description.world import Placement, World
from andante.errors import AndanteError
from andante.physics.rendering import Camera
from andante.physics.rendering.renderer import Renderer, rest_poses

TILE, COLUMNS = (300, 260), 8


def picture(file: Path, kind: str, arguments: dict[str, str]) -> Image.Image:
    """The robot alone, or the world with all its models, seen from the front left and above."""
    at: dict[str, float] = {}
    if kind == "world":
        world = an.world(str(file), arguments)
        models = list(world.models)
        direction = (-1.0, -0.75, -0.9)
    else:
        begun = start_of(solid_or_same(an.robot(str(file), arguments)))
        world, models = World("empty"), [Placement("robot", begun.robot)]
        at = begun.robot.complete(begun.positions)
        direction = (-1.0, -0.75, -0.45)
    with Renderer(models, world, *TILE) as renderer:
        poses = [rest_poses(model, at) for model in models]
        points = renderer.points(poses)
        points = points if len(points) else np.array([[-1.0, -1, 0], [1, 1, 1]])
        view = Camera.framing(points, direction=direction, aspect=TILE[0] / TILE[1])
        return Image.fromarray(renderer.render(poses, view))


def main(table: Path, out: Path, words: list[str]) -> None:
    """Write the sheet, and print a line for every file."""
    rows = [line.split("\t") for line in table.read_text().splitlines() if line and not line.startswith("#")]
    tiles: list[Image.Image] = []
    for name, kind, _, given, roots, *_ in rows:
        if words and not any(word in name for word in words):
            continue
        folders = os.pathsep.join(str((table.parent / root).resolve()) for root in roots.split(":") if root)
        os.environ["ROS_PACKAGE_PATH"] = os.environ["GAZEBO_MODEL_PATH"] = folders
        arguments = dict(pair.split(":=", 1) for pair in given.split())
        began, told = time.process_time(), "drawn"
        try:
            tile = picture(table.parent / name, kind, arguments)
        except AndanteError as error:
            tile, told = Image.new("RGB", TILE, (90, 60, 60)), f"not drawn: {error}"
        ImageDraw.Draw(tile).text((4, 4), Path(name).name[:44], fill=(20, 20, 30))
        print(f"{time.process_time() - began:6.1f} s  {name}: {told[:200]}", flush=True)
        tiles.append(tile)
    width, height = TILE
    columns = min(COLUMNS, len(tiles))
    sheet = Image.new("RGB", (columns * width, -(-len(tiles) // columns) * height), "white")
    for k, tile in enumerate(tiles):
        sheet.paste(tile, (k % columns * width, k // columns * height))
    sheet.save(out)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
