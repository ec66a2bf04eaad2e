"""Textures of MJCF: files, folders, repetitions, built-in chequers, what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from andante.description.io.open import read_robot, read_world
from andante.description.link import Visual
from andante.description.looks import pieces

TEXT = """<mujoco><compiler {compiler}/><asset>{asset}</asset><worldbody>
<geom type="plane" size="{size}" material="floor"/>
<body><freejoint/><geom type="box" size="0.1 0.1 0.1" material="skin" rgba="{rgba}"/></body></worldbody></mujoco>"""
SKIN = '<texture name="skin" type="2d" file="skin.png"/><material name="skin" texture="skin"/>'
FLOOR = """<texture name="floor" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="64" height="64"/>
<material name="floor" texture="floor" texrepeat="{}" texuniform="{}"/>"""


def write(tmp_path: Path, compiler: str = "", size: str = "4 4 1", floor: str = "", skin: str = SKIN) -> Path:
    path = tmp_path / "m.xml"
    asset = skin + (floor or FLOOR.format("2 2", "true"))
    path.write_text(TEXT.format(compiler=compiler, asset=asset, size=size, rgba="1 1 1 1"))
    return path


def box(path: Path) -> Visual:
    return next(v for link in read_robot(path).links for v in link.visuals)


@pytest.mark.parametrize(("folder", "compiler"), [("", ""), ("pics", 'texturedir="pics"'), ("pics", 'assetdir="pics"')])
def test_a_picture_by_file(tmp_path: Path, folder: str, compiler: str) -> None:
    (tmp_path / folder).mkdir(exist_ok=True)
    Image.new("RGB", (2, 2), (10, 20, 30)).save(tmp_path / folder / "skin.png")
    (piece,) = pieces(box(write(tmp_path, compiler)))
    assert piece.flat == pytest.approx((10 / 255, 20 / 255, 30 / 255, 1.0))


def test_a_missing_picture_is_told_and_costs_nothing_else(tmp_path: Path) -> None:
    robot = read_robot(write(tmp_path))
    assert any("skin.png" in problem.message for problem in robot.problems)
    (piece,) = pieces(box(write(tmp_path)))
    assert piece.rgba == (1, 1, 1, 1)


@pytest.mark.parametrize(
    ("size", "repeat", "uniform", "tile"),
    [
        ("4 4 1", "2 2", "true", (0.5, 0.5)),
        ("4 2 1", "2 1", "false", (4.0, 4.0)),
        ("0 0 1", "1 4", "true", (1.0, 0.25)),
    ],
)
def test_chequers_of_planes(tmp_path: Path, size: str, repeat: str, uniform: str, tile: tuple[float, float]) -> None:
    world = read_world(write(tmp_path, size=size, floor=FLOOR.format(repeat, uniform), skin='<material name="skin"/>'))
    visual = next(v for m in world.models for link in m.robot.links for v in link.visuals if v.material.name == "floor")
    assert visual.material.tile == pytest.approx(tile)
    (piece,) = pieces(visual)
    assert piece.texture is not None
    assert piece.texture.mean == pytest.approx((0.5, 0.0, 0.5, 1.0), abs=0.01)
