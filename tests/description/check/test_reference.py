"""`check` finds in URDF and MJCF what check_urdf and MuJoCo refuse; such files are read all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from andante.description import load_robot
from andante.description.check import check_file
from andante.description.source import Severity

TENSOR = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
LINK = f'<link name="{{}}"><inertial><mass value="1"/>{TENSOR}</inertial></link>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
URDF = (
    f'<robot name="r">{LINK.format("a")}{LINK.format("b")}<joint name="j" type="revolute">'
    f'<parent link="a"/><child link="b"/>{LIMIT}</joint></robot>'
)
MJCF = '<mujoco><worldbody><body name="b"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>'


def mjcf(more: str = "", body: str = '<freejoint/><geom size="0.1"/>') -> str:
    return f'<mujoco><worldbody><body name="b">{body}</body></worldbody>{more}</mujoco>'


BAD = {
    "no effort": ("urdf", URDF.replace(' effort="1"', ""), "has no effort"),
    "no velocity": ("urdf", URDF.replace(' velocity="1"', ""), "has no velocity"),
    "empty dynamics": ("urdf", URDF.replace(LIMIT, LIMIT + "<dynamics/>"), "neither damping nor friction"),
    "no name": ("urdf", URDF.replace(' name="r"', ""), "<robot> has no name"),
    "an attribute twice": ("urdf", URDF.replace('link="a"', 'link="a" link="a"'), "stands twice"),
    "a joint to a world that is not told": (
        "urdf",
        URDF.replace(
            "</robot>", '<joint name="w" type="fixed"><parent link="world"/><child link="a"/></joint></robot>'
        ),
        "parent link 'world' does not exist",
    ),
    "a motor on nothing": ("xml", mjcf('<actuator><motor joint="z"/></actuator>'), "unknown transmission target 'z'"),
    "a loop to nothing": (
        "xml",
        mjcf('<equality><connect body1="z" anchor="0 0 0"/></equality>'),
        "unknown element 'z'",
    ),
    "no such material": ("xml", mjcf(body='<freejoint/><geom size="0.1" material="z"/>'), "material 'z' not found"),
    "no mass": ("xml", mjcf(body='<joint/><geom size="0.1" mass="0"/>'), "mass and inertia of moving bodies"),
    "no body has it": (
        "xml",
        mjcf(body='<joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 5"/><geom size="0.1"/>'),
        "inertia must satisfy",
    ),
    "declaration after a comment": ("xml", f'<!-- c --><?xml version="1.0"?>{MJCF}', "does not stand at the start"),
    "text after the end": ("xml", MJCF + "end", "more follows the end"),
}
FINE = {
    "urdf": ("urdf", URDF),
    "declaration after a comment in a URDF": ("urdf", f'<!-- c --><?xml version="1.0"?>{URDF}'),
    "a stray end after the end": ("urdf", URDF + "</foo>"),
    "mjcf": ("xml", MJCF),
    "a stray end after the end of MJCF": ("xml", MJCF + "</foo>"),
    "a range the wrong way round that limits nothing": ("xml", mjcf(body='<joint range="1 -1"/><geom size="0.1"/>')),
    "an inertia that MuJoCo is asked to mend": (
        "xml",
        mjcf(
            '<compiler balanceinertia="true"/>',
            '<joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 5"/><geom size="0.1"/>',
        ),
    ),
}


def errors(suffix: str, text: str, folder: Path) -> str:
    path = folder / f"some.{suffix}"
    path.write_text(text)
    load_robot(str(path))  # is read
    return " | ".join(each.message for each in check_file(str(path)).problems if each.severity is Severity.ERROR)


@pytest.mark.parametrize("case", BAD)
def test_told_as_an_error_and_read(case: str, tmp_path: Path) -> None:
    suffix, text, fragment = BAD[case]
    assert fragment in errors(suffix, text, tmp_path)


@pytest.mark.parametrize("case", FINE)
def test_no_false_error(case: str, tmp_path: Path) -> None:
    assert errors(*FINE[case], tmp_path) == ""


def test_a_missing_mesh_is_no_fault_of_the_schema(tmp_path: Path) -> None:
    assets = '<asset><mesh name="m" file="nowhere.stl"/><texture name="t" type="2d" file="no.png"/></asset>'
    told = errors("xml", mjcf(assets, '<freejoint/><geom type="mesh" mesh="m"/><geom size="0.1"/>'), tmp_path)
    assert "MuJoCo refuses" not in told
    assert "was not found" in told
