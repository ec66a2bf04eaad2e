"""Robots of other packages are found by name, from what is on the disk alone."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from andante.description import load_robot
from andante.description.load import robot_file
from andante.description.public import public_alike, public_file, public_robots
from andante.errors import UnknownName

MJCF = "<mujoco model='{}'><worldbody><body name='b'><freejoint/><geom size='0.1'/></body></worldbody></mujoco>"
URDF = """<robot name="{}"><link name="a"/><link name="b"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"""
REPOSITORIES = """
REPOSITORIES = {
    "crab-data": Repository(url="https://example.org/crab.git", commit="0", cache_path="crab-data"),
    "snail-data": Repository(url="https://example.org/snail.git", commit="0", cache_path="snail-data"),
}
"""
MODULE = """
from os import getenv as _getenv
from os import path as _path
from ._cache import clone_to_cache as _clone_to_cache
REPOSITORY_PATH: str = _clone_to_cache("{name}-data", commit=_getenv("ROBOT_DESCRIPTION_COMMIT", None))
PACKAGE_PATH: str = _path.join(REPOSITORY_PATH, "robots", "{name}")
{kind}_PATH: str = _path.join(PACKAGE_PATH, "{file}")
raise RuntimeError("running this would fetch it")
"""


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    menagerie = tmp_path / "mujoco_menagerie"
    write(menagerie / "maker_heron" / "heron.xml", MJCF.format("heron"))
    write(menagerie / "maker_heron" / "scene.xml", MJCF.format("scene"))
    write(menagerie / "maker_heron" / "materials.xml", "<mujoco><asset/></mujoco>")
    write(menagerie / "one" / "twin.urdf", URDF.format("twin"))
    write(menagerie / "two" / "twin.urdf", URDF.format("twin"))
    write(menagerie / "newt" / "model.sdf", "<sdf version='1.7'><model name='newt'><joint name='j'/></model></sdf>")
    package = tmp_path / "site" / "robot_descriptions"
    write(package / "__init__.py", "")
    write(package / "_repositories.py", REPOSITORIES)
    write(package / "crab_description.py", MODULE.format(name="crab", kind="URDF", file="crab.urdf"))
    write(package / "snail_mj_description.py", MODULE.format(name="snail", kind="MJCF", file="snail.xml"))
    write(tmp_path / "cache" / "crab-data" / "robots" / "crab" / "crab.urdf", URDF.format("crab"))
    monkeypatch.setenv("ANDANTE_ROBOTS", str(menagerie))
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.delitem(sys.modules, "robot_descriptions", raising=False)
    return tmp_path


def test_robots_are_listed_by_what_brings_them(shelf: Path) -> None:
    found = {name: robot for name, robot in public_robots().items() if shelf in robot.file.parents}
    wanted = ["crab_description", "heron_menagerie", "newt_menagerie", "one_twin_menagerie", "two_twin_menagerie"]
    assert list(found) == wanted  # the snail is not in the cache, and nothing is fetched
    assert found["crab_description"].source == "robot_descriptions"
    assert found["heron_menagerie"].file == shelf / "mujoco_menagerie" / "maker_heron" / "heron.xml"


def test_names_do_wherever_a_robot_is_asked(shelf: Path) -> None:
    assert load_robot("crab_description").name == "crab"
    assert load_robot("heron").name == "heron"  # the only one
    assert load_robot("maker_heron").name == "heron"  # its folder
    assert public_file("twin") is None  # two
    with pytest.raises(UnknownName, match=r"no robot 'twin'; choices: .*one_twin_menagerie, two_twin_menagerie"):
        robot_file("twin")


def test_a_slip_of_the_pen_is_answered_with_names_like_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dog").mkdir()
    text = '<mujoco><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>'
    (tmp_path / "dog" / "runner.xml").write_text(text)
    monkeypatch.setenv("ANDANTE_ROBOTS", str(tmp_path))
    (name,) = [each for each in public_robots() if each.startswith("runner")]
    assert name in public_alike(name.replace("runner", "runnner"))
