"""`rig`, `walk` and `navigate` say what `check` says: what has wheels drives, what has legs walks; files are named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import andante as an
from andante.description import load_robot
from andante.errors import BadInput
from andante.locomotion.gaits import Request, prepare

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


def four_legs(folder: Path, effort: float, y_up: bool = False) -> Path:
    """A body of 8 kg on four legs of two joints."""

    def at(x: float, y: float, z: float) -> str:
        return f"{x} {z} {-y}" if y_up else f"{x} {y} {z}"

    lines = [f'<link name="base">{MASS.replace("1", "8", 1)}</link>']
    for k, (x, y) in enumerate(((0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1))):
        for part, parent, place, low, high in (("thigh", "base", at(x, y, 0), -1.0, 2.0),
                                               ("shank", f"thigh{k}", at(0, 0, -0.2), -2.5, -0.3)):  # fmt: skip
            mass = MASS.replace('value="1"', 'value="0.2"').replace('="1"', '="0.001"')
            lines.append(
                f'<link name="{part}{k}">{mass}<collision><origin xyz="{at(0, 0, -0.19)}"/><geometry><sphere '
                f'radius="0.02"/></geometry></collision></link><joint name="{part}{k}_joint" type="revolute"><parent '
                f'link="{parent}"/><child link="{part}{k}"/><origin xyz="{place}"/><axis xyz="{at(0, 1, 0)}"/>'
                f'<limit lower="{low}" upper="{high}" effort="{effort}" velocity="10"/></joint>'
            )
    path = folder / "dog.urdf"
    path.write_text(f'<robot name="dog">{"".join(lines)}</robot>')
    return path


def test_what_has_legs_walks(tmp_path: Path) -> None:
    path = four_legs(tmp_path, 30.0)
    with pytest.raises(BadInput, match=r"dog\.urdf:1: robot 'dog' walks on 4 legs and has no wheels.*andante walk"):
        an.navigate(str(path), goal=(1.0, 0.0))
    assert prepare(load_robot(path), Request("")).doubt == ""


def test_a_robot_that_sinks_is_told_why(tmp_path: Path) -> None:
    path = four_legs(tmp_path, 0.3)
    told = an.walk(str(path), distance=0.3)
    assert not told.arrived
    assert told.notice == an.rig(str(path)).warning
    assert "its effort limit is 0.3" in str(told)


def test_a_file_with_y_up_is_told_with_what_turns_it(tmp_path: Path) -> None:
    path = four_legs(tmp_path, 30.0, y_up=True)
    told = 'lies as its file draws it: its 4 legs point along -y of its root.*rpy="1.5708 0 0"'
    assert any(re.search(told, line) for line in an.check(path).recognised)
    for ask in (an.rig, lambda robot: an.walk(robot, distance=1.0)):
        with pytest.raises(BadInput, match=told):
            ask(str(path))
    turn = '<joint name="u" type="fixed"><parent link="up"/><child link="base"/><origin rpy="1.5708 0 0"/></joint>'
    path.write_text(path.read_text().replace('<link name="base">', f'<link name="up"/>{turn}<link name="base">'))
    assert len(an.rig(str(path)).rig.legs) == 4
