"""Colors of pixels: pictures on shapes and meshes, several materials of one mesh, painted vertices, what is shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from andante.description import Box, Collision, Heightmap, Link, Material, Mesh, Placement, Plane, Robot, Visual, World
from andante.description.shapes import Geometry
from andante.geometry import SE3
from andante.physics.rendering import Camera, shown
from andante.physics.rendering.renderer import Renderer
from andante.physics.rendering.surfaces import FINEST, palette

NAMES = {"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1), "yellow": (1, 1, 0), "white": (1, 1, 1)}


def picture(visual: Visual) -> np.ndarray:
    """A visual of two by two meters from above."""
    robot = Robot("thing", (Link("part", visuals=(visual,)),))
    with Renderer([Placement("thing", robot)], World("empty"), 80, 80) as renderer:
        return renderer.render(None, Camera((0.0, 0.0, 3.0), (0.0, 0.0, 0.0)))


def colors(image: np.ndarray) -> list[str]:
    """Names of the colors upper left, upper right, lower left, lower right."""
    found = []
    for row, column in ((25, 25), (25, 55), (55, 25), (55, 55)):
        pixel = image[row, column].astype(float)
        bright = pixel / max(pixel.max(), 1.0)
        found.append(min(NAMES, key=lambda name: float(np.abs(bright - NAMES[name]).sum())))
    return found


@pytest.fixture
def quarters(tmp_path: Path) -> Path:
    pixels = np.zeros((16, 16, 3), dtype=np.uint8)
    pixels[:8, :8, 0] = pixels[:8, 8:, 1] = pixels[8:, :8, 2] = 255
    pixels[8:, 8:] = (255, 255, 0)
    Image.fromarray(pixels).save(tmp_path / "q.png")
    return tmp_path / "q.png"


@pytest.mark.parametrize(
    "shape", [Box((2.0, 2.0, 0.1)), Plane(size=(2.0, 2.0)), Heightmap(((0.0,) * 3,) * 3, (2.0, 2.0))]
)
def test_a_picture_on_a_shape(quarters: Path, shape: Geometry) -> None:
    image = picture(Visual(shape, material=Material("", None, "q.png", quarters)))
    assert colors(image) == ["red", "green", "blue", "yellow"]


@pytest.mark.parametrize("size", [20.0, 200.0])
def test_a_picture_repeats_on_a_wide_plane(quarters: Path, size: float) -> None:
    material = Material("", None, "q.png", quarters, (2.0, 2.0))
    found = colors(picture(Visual(Plane(size=(size, size)), material=material)))
    assert sorted(found) == ["blue", "green", "red", "yellow"]


def test_the_color_tints_the_picture(quarters: Path) -> None:
    material = Material("", (1.0, 0.0, 0.0, 1.0), "q.png", quarters)
    image = picture(Visual(Box((2.0, 2.0, 0.1)), material=material))
    assert image[25, 25, 0] > 100
    assert image[25, 55].max() < 60  # no green is left of the green field


def test_materials_and_pictures_of_one_mesh(quarters: Path) -> None:
    folder = quarters.parent
    (folder / "m.mtl").write_text("newmtl p\nKd 1 1 1\nmap_Kd q.png\nnewmtl g\nKd 0 1 0\nnewmtl r\nKd 1 0 0\n")
    (folder / "m.obj").write_text(
        "mtllib m.mtl\n"
        + "".join(f"v {x} {y} 0\n" for x in (-1, 0, 1) for y in (-1, 0, 1))
        + "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
        "usemtl p\nf 1/1 4/2 5/3\nf 1/1 5/3 2/4\nusemtl g\nf 4 7 8\nf 4 8 5\nusemtl r\nf 5 8 9\nf 5 9 6\n"
    )
    image = picture(Visual(Mesh("m.obj", folder / "m.obj")))
    assert colors(image)[1] == "red"
    assert colors(image)[3] == "green"
    at = [(46, 20), (46, 34), (60, 20), (60, 34)]  # the lower left quarter shows the whole picture
    assert [int(np.argmax(image[row, column])) for row, column in at[:3]] == [0, 1, 2]


def test_painted_faces(tmp_path: Path) -> None:
    corners = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    squares = {(0, 3, 4, 1): "0 0 255", (3, 6, 7, 4): "255 255 0", (1, 4, 5, 2): "255 0 0", (4, 7, 8, 5): "0 255 0"}
    faces = [f"3 {a} {b} {c} {k}" for (a, b, c, d), k in squares.items() for a, b, c in ((a, b, c), (a, c, d))]
    (tmp_path / "p.ply").write_text(
        f"ply\nformat ascii 1.0\nelement vertex 9\nproperty float x\nproperty float y\nproperty float z\n"
        f"element face {len(faces)}\nproperty list uchar int vertex_indices\nproperty uchar red\n"
        "property uchar green\nproperty uchar blue\nend_header\n"
        + "".join(f"{x} {y} 0\n" for x, y in corners)
        + "\n".join(faces)
        + "\n"
    )
    image = picture(Visual(Mesh("p.ply", tmp_path / "p.ply")))
    assert colors(image) == ["red", "green", "blue", "yellow"]


def test_a_palette_has_a_pixel_for_every_color_and_no_more_than_fit() -> None:
    rng = np.random.default_rng(0)
    few = np.repeat(rng.integers(0, 256, (30, 1, 4)), 3, axis=1).astype(np.uint8)
    texture, uv = palette(few)
    np.testing.assert_array_equal(texture.at(uv), few)
    many = np.repeat(rng.integers(0, 256, (20_000, 1, 4)), 3, axis=1).astype(np.uint8)
    texture, uv = palette(many)
    assert texture.pixels.shape[0] * texture.pixels.shape[1] <= FINEST
    assert np.abs(texture.at(uv).astype(int) - many).mean() < 40


def test_a_broken_mesh_does_not_cost_the_picture(tmp_path: Path) -> None:
    (tmp_path / "broken.stl").write_bytes(b"nothing")
    broken = Visual(Mesh("broken.stl", tmp_path / "broken.stl"))
    red = Visual(Box((2.0, 2.0, 0.1)), material=Material("", (1.0, 0.0, 0.0, 1.0)))
    robot = Robot("thing", (Link("part", visuals=(broken, red)),))
    with Renderer([Placement("thing", robot)], World("empty"), 80, 80) as renderer:
        image = renderer.render(None, Camera((0.0, 0.0, 3.0), (0.0, 0.0, 0.0)))
    assert colors(image) == ["red"] * 4


def test_collision_shapes_are_shown_only_where_nothing_else_is() -> None:
    solid = Collision(Box((1.0, 1.0, 1.0)), SE3.identity())
    seen, unseen = Link("seen", visuals=(Visual(Box((1.0, 1.0, 1.0))),)), Link("unseen", collisions=(solid,))
    lost = Link("lost", visuals=(Visual(Mesh("gone.stl")),), collisions=(solid,))
    assert shown(unseen, Robot("bare", (unseen,)))
    assert shown(lost, Robot("r", (lost,)))[0].geometry == solid.geometry
    robot = Robot("r", (seen,))
    assert shown(unseen, robot) == ()
    assert len(shown(seen, robot)) == 1
