"""Renders the contact sheets of the docs: every robot in its poses, every world with a robot in it.

Run by `make docs-pictures`; writes docs/pictures/*.webp and *.png.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from itertools import product
from pathlib import Path

import numpy as np
from body_pictures import main as body_pictures
from PIL import Image, ImageDraw, ImageFont
from place_pictures import main as place_pictures
from session_pictures import main as session_pictures
from walk_pictures import main as walk_pictures
from wave_pictures import main as wave_pictures

import andante as an
from andante.description import robot_names, world_names
from andante.description.solids import robot_bounds
from andante.experiments.trials.fall import FallPush, run_fall
from andante.geometry import SE3, Array
from andante.physics.rendering import Camera
from andante.physics.rendering.renderer import Renderer

OUT = Path(__file__).resolve().parents[1] / "docs" / "pictures"
TILE = (640, 480)
SHOWN = {
    "nao": ("StandInit", "Stand", "Crouch"),
    "shell": ("stand", "low", "ball"),
    "rover": (None,),
    "waffle": (None,),
}
VIEWS = {  # camera position and what it looks at, per world
    "empty": ((1.2, -1.2, 0.7), (0.0, 0.0, 0.2)),
    "lab": ((-4.6, -4.4, 3.6), (0.2, 0.1, 0.1)),
    "arena": ((-3.9, -4.0, 3.6), (0.0, 0.0, 0.0)),
    "corridor": ((-2.6, 2.6, 4.6), (3.4, -1.4, 0.0)),
    "slope": ((-2.2, -5.2, 2.4), (3.2, 0.3, 0.1)),
    "rough": ((-1.2, -1.6, 1.0), (1.6, 0.2, 0.0)),
}


def tile(picture: Array, label: str) -> Image.Image:
    """A picture with its name in the corner."""
    image = Image.fromarray(picture)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=22)
    draw.text((14, 10), label, fill=(25, 25, 30), font=font)
    return image


def sheet(tiles: list[Image.Image], columns: int) -> Image.Image:
    """Tiles in rows with a thin white gap."""
    rows = -(-len(tiles) // columns)
    width, height = tiles[0].size
    page = Image.new("RGB", (columns * (width + 4) - 4, rows * (height + 4) - 4), "white")
    for i, each in enumerate(tiles):
        page.paste(each, ((i % columns) * (width + 4), (i // columns) * (height + 4)))
    return page


def portrait(name: str, pose: str | None) -> Image.Image:
    """A robot settled in a pose, seen from the front left."""
    sim = an.simulate(name, pose=pose)
    sim.run(0.6)
    q = dict(zip(sim.robot.joint_names, sim.joints.position, strict=True))
    box = robot_bounds(sim.robot, q, SE3.from_vector(sim.base_pose))
    corners = [np.where(pick, box[1], box[0]) for pick in product((False, True), repeat=3)]
    with Renderer(sim.engine.models, sim.engine.world, *TILE) as renderer:
        picture = renderer.shoot(sim.engine, Camera.framing(corners, margin=1.2))
    return tile(picture, name if pose is None else f"{name}: {pose}")


def landscape(name: str) -> Image.Image:
    """A world with the NAO at its start."""
    sim = an.simulate("nao", world=name)
    position, lookat = VIEWS[name]
    with Renderer(sim.engine.models, sim.engine.world, *TILE) as renderer:
        return tile(renderer.shoot(sim.engine, Camera(position, lookat)), name)


FALLS = {  # direction of a push [rad]: instants after it that are shown [s]
    0.0: (0.0, 0.15, 0.25, 1.2, 3.2, 5.2, 6.6, 8.2, 10.4, 11.6, 12.6, 14.6),
    np.pi: (0.0, 0.15, 0.25, 2.0, 3.2, 4.4, 5.4, 6.4, 7.2, 7.9, 8.6, 10.2),
}


def fall_strip() -> Image.Image:
    """The NAO pushed over to the front and to the back, and how it gets up; two rows each, left to right."""
    tiles = []
    for direction, times in FALLS.items():
        push, left = FallPush(6.5, direction, 0.7), list(times)
        with ExitStack() as stack:
            renderers: list[Renderer] = []

            def watch(sim: an.Simulation, push=push, left=left, renderers=renderers, stack=stack) -> None:
                if not left or sim.time - push.time < left[0]:
                    return
                if not renderers:
                    renderers.append(stack.enter_context(Renderer(sim.engine.models, sim.engine.world, 320, 300)))
                middle = np.array([*sim.base_pose[:2], 0.2])
                camera = Camera(tuple(middle + np.array([0.75, -0.95, 0.35])), tuple(middle))
                tiles.append(tile(renderers[0].shoot(sim.engine, camera), f"{left.pop(0):g} s"))

            run_fall(push, "nao", seed=3, watch=watch)
    return sheet(tiles, 6).resize((6 * 216, 4 * 203), Image.Resampling.LANCZOS)


def identification_picture() -> Image.Image:
    """What a fit of one shoulder draws."""
    with tempfile.TemporaryDirectory() as folder:
        log, found = Path(folder) / "shoulder.mcap", Path(folder) / "fit"
        an.experiment.excite(an.robot("nao"), log, joints=["LShoulderPitch"], seconds=8)
        parameters = ["stiffness", "damping", "delay"]
        an.experiment.fit(log, found, robot=an.robot("nao"), joints=["LShoulderPitch"], parameters=parameters)
        with Image.open(found / "fit.png") as picture:
            return picture.convert("RGB")


def main() -> None:
    """Write all sheets."""
    identification_picture().save(OUT / "identification.webp", quality=85)
    fall_strip().save(OUT / "falls.webp", quality=85)
    OUT.mkdir(parents=True, exist_ok=True)
    poses = [portrait(name, pose) for name in SHOWN if name in robot_names() for pose in SHOWN[name]]
    sheet(poses, 4).save(OUT / "robot_sheet.webp", quality=82)
    sheet([landscape(name) for name in VIEWS if name in world_names()], 3).save(OUT / "world_sheet.webp", quality=82)
    four = [portrait(name, SHOWN[name][0]) for name in SHOWN if name in robot_names()]
    sheet(four, 4).resize((1280, 240), Image.Resampling.LANCZOS).save(OUT / "robots.png", optimize=True)
    wave_pictures(OUT)
    walk_pictures(OUT)
    body_pictures()
    place_pictures()
    session_pictures()


if __name__ == "__main__":
    main()
