"""The side file with poses, servo gains and masks."""

from __future__ import annotations

from pathlib import Path

import pytest
from urdf_samples import ARM

from andante.description.io.open import read_robot, sidecar_path
from andante.description.robot import Robot
from andante.errors import AndanteError


def read(folder: Path, text: str) -> Robot:
    (folder / "arm.urdf").write_text(ARM)
    (folder / "arm.toml").write_text(text)
    return read_robot(folder / "arm.urdf")


@pytest.mark.parametrize(
    "name", ["nao.urdf.xacro", "nao.urdf", "nao.sdf", "nao.world", "nao.xml", "nao.mjcf", "nao.xacro"]
)
def test_path(name: str) -> None:
    assert sidecar_path(Path("x") / name) == Path("x") / "nao.toml"


def test_everything(tmp_path: Path) -> None:
    robot = read(
        tmp_path,
        """[poses.Stand]
shoulder = 0.5
slide = 1
[servos."s*"]
kp = 60
kd = 1.5
[collisions]
self_collide = true
never = [["base", "lower"]]
""",
    )
    assert robot.pose("stand") == {"shoulder": 0.5, "slide": 1}
    assert robot.servos == {"s*": {"kp": 60, "kd": 1.5}}
    assert robot.self_collide
    assert robot.no_collision == {frozenset(("base", "lower"))}


def test_none(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(ARM)
    assert read_robot(tmp_path / "arm.urdf").poses == {}


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("[poses.A]\nknee = 1", "knee"),
        ("[poses.A]\nshoulder = 'x'", "number"),
        ("[poses.A]\nshoulder = true", "number"),
        ("[poses.A]\nshoulder = nan", "number"),
        ("[poses.A]\nshoulder = inf", "number"),
        ("[poses.A]\nshoulder = 1e308", "number"),
        ("[poses.A]\nshoulder = " + "9" * 400, "number"),
        ("[poses.A]\nshoulder = " + "9" * 5000, "arm.toml"),
        ("poses = 3", "[poses]"),
        ("[poses]\nA = 1", "[poses]"),
        ("[servos.x]\nki = 1", "ki"),
        ("[gaits]", "gaits"),
        ("[collisions]\nself_collide = 'false'", "self_collide"),
        ("[collisions]\nnever = 3", "never"),
        ("[collisions]\nnever = [['base']]", "pairs"),
        ("[collisions]\nnever = [['base', 'ghost']]", "ghost"),
        ("[collisions]\nalways = 1", "[collisions]"),
        ("collisions = 1", "[collisions]"),
        ("[poses", "TOML"),
        ("a = " + "[" * 3000, "TOML"),
        ("\x00", "TOML"),
    ],
)
def test_refusals(tmp_path: Path, text: str, fragment: str) -> None:
    with pytest.raises(AndanteError) as caught:
        read(tmp_path, text)
    assert str(tmp_path / "arm.toml") in str(caught.value)
    assert fragment in str(caught.value)
    assert "\n" not in str(caught.value)


def test_wrong_encoding_and_size(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(ARM)
    (tmp_path / "arm.toml").write_bytes("# é".encode("latin-1"))
    with pytest.raises(AndanteError, match="TOML"):
        read_robot(tmp_path / "arm.urdf")
    with (tmp_path / "arm.toml").open("wb") as stream:
        stream.truncate(50_000_000)
    with pytest.raises(AndanteError, match="refused"):
        read_robot(tmp_path / "arm.urdf")
