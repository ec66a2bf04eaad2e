"""Geoms without masks that a file lists in <contact><pair>: they touch what comes, and parts of one robot do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from andante.description import Robot, load_robot
from andante.errors import BadInput

FILE = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 .1" contype="0" conaffinity="0"/>
  <body name="b" pos="0 0 .5"><freejoint/><geom name="trunk" size=".1" contype="0" conaffinity="0"/>
    <body name="foot" pos="0 0 -.3"><joint name="j" axis="0 1 0"/>
      <geom name="sole" type="box" size=".1 .05 .02" contype="0" conaffinity="0"/></body>
  </body></worldbody><contact>{pairs}</contact></mujoco>"""


def read(folder: Path, pairs: str) -> Robot:
    (folder / "r.xml").write_text(FILE.format(pairs=pairs))
    return load_robot(folder / "r.xml")


def test_a_sole_that_is_paired_with_the_floor_touches(tmp_path: Path) -> None:
    robot = read(tmp_path, '<pair geom1="floor" geom2="sole" friction="0.7 0.7"/>')
    assert [len(robot.link(name).collisions) for name in ("b", "foot")] == [0, 1]
    assert robot.link("foot").collisions[0].surface.mu == 0.7


def test_a_pair_of_two_parts_of_one_robot_gives_no_ground_contact(tmp_path: Path) -> None:
    robot = read(tmp_path, '<pair geom1="trunk" geom2="sole"/>')
    assert not any(link.collisions for link in robot.links)


def test_a_part_for_other_files_says_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text("<mujocoinclude><worldbody/></mujocoinclude>")
    with pytest.raises(BadInput, match=r"part.xml:1.*a part that other MJCF files include"):
        load_robot(tmp_path / "part.xml")
