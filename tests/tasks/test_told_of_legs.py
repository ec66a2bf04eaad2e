"""`rig` and `walk` say of a robot on wheels what `check` says: it drives; other refusals name the file."""

from __future__ import annotations

from pathlib import Path

import pytest

import andante as an
from andante.errors import BadInput

MASS = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def cart(folder: Path) -> Path:
    tire = (
        '<collision><origin rpy="1.5708 0 0"/><geometry><cylinder radius="0.1" length="0.05"/></geometry></collision>'
    )
    wheels = "".join(
        f'<link name="{name}">{MASS}{tire}</link><joint name="{name}_joint" type="continuous"><parent link="base"/>'
        f'<child link="{name}"/><origin xyz="0 {y} 0"/><axis xyz="0 1 0"/></joint>'
        for name, y in (("left", 0.2), ("right", -0.2))
    )
    mast = (
        f'<link name="mast">{MASS}</link><joint name="pan" type="continuous"><parent link="base"/><child link="mast"/>'
        '<axis xyz="0 0 1"/></joint>'
    )
    path = folder / "cart.urdf"
    path.write_text(f'<robot name="cart"><link name="base">{MASS}</link>{wheels}{mast}</robot>')
    return path


def test_a_cart_drives(tmp_path: Path) -> None:
    path = cart(tmp_path)
    assert any("2 wheels (left_joint, right_joint)" in line for line in an.check(path).recognised)
    for ask in (an.rig, lambda robot: an.walk(robot, distance=1.0)):
        with pytest.raises(BadInput, match=r"cart.urdf:1: .*drives on 2 wheels \(left_joint, right_joint\)") as caught:
            ask(str(path))
        assert "<collision>" not in str(caught.value)


def test_what_has_neither_legs_nor_wheels_is_told_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "stone.urdf"
    path.write_text(f'<robot name="stone"><link name="base">{MASS}</link></robot>')
    with pytest.raises(BadInput, match=r"stone\.urdf:1: robot 'stone' has no legs"):
        an.rig(str(path))
