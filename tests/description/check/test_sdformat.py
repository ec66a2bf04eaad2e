"""`check` finds in SDF what the checker of SDFormat refuses, and nothing in what it takes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from andante.description.check import CheckReport, check_file
from andante.description.source import Severity

SOLID = "<geometry><box><size>1 1 1</size></box></geometry>"
TWO = '<link name="a"/><link name="b"/>'
HINGE = TWO + '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>{}</xyz></axis></joint>'
SCRIPT = f'<link name="a"><visual name="v">{SOLID}<material><script>{{}}</script></material></visual></link>'
NAME, URI = "<name>Gazebo/Grey</name>", "<uri>file://media/materials/scripts/gazebo.material</uri>"


def heavy(mass: float, ixx: float, iyy: float, izz: float) -> str:
    moments = f"<ixx>{ixx}</ixx><iyy>{iyy}</iyy><izz>{izz}</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz>"
    return f'<link name="a"><inertial><mass>{mass}</mass><inertia>{moments}</inertia></inertial></link>'


def model(parts: str, version: str = ' version="1.6"') -> str:
    return f'<sdf{version}><model name="m">{parts}</model></sdf>'


MENDED = {  # what the checker refuses and a simulation mends
    "a tensor that no body has": (model(heavy(1, 1, 1, 3)), "principal moments 1, 1, 3"),
    "also of what stands still": (model("<static>true</static>" + heavy(1, 1, 1, 3)), "principal moments"),
    "more than rounding": (model(heavy(1, 1, 1, 2.0000001)), "exceeds the sum of the others"),
    "a negative moment": (model(heavy(1, -1, 1, 1)), "one is negative"),
    "a negative mass": (model(heavy(-1, 1, 1, 1)), "a mass of -1 kg"),
}
REFUSED = {
    "a script without its file": (model(SCRIPT.format(NAME)), "<script> needs a <uri>"),
    "a script without a name": (model(SCRIPT.format(URI)), "<script> needs a <name>"),
    "an axis without length": (model(HINGE.format("0 0 0")), "<axis> has no length"),
    "one name for two siblings": (
        model(f'<link name="a"><collision name="x">{SOLID}</collision><visual name="x">{SOLID}</visual></link>'),
        "has the name of the <collision>",
    ),
    "a reserved name": (model('<link name="__a__"/>'), "this name is reserved"),
    "an unknown sensor": (model('<link name="a"><sensor name="s" type="nose"/></link>'), "type 'nose' is not known"),
    "an unknown light": (model('<link name="a"><light name="s" type="sun"/></link>'), "type 'sun' is not known"),
    "no type": (model('<link name="a"><sensor name="s"/></link>'), "has no type"),
    "a plugin without a file": (model('<link name="a"/><plugin name="p"/>'), "has no filename"),
    "no version": (model('<link name="a"/>', ""), "<sdf> has no version"),
    "two models": (
        model('<link name="a"/>').replace("</sdf>", "") + '<model name="n"><link name="a"/></model></sdf>',
        "a second",
    ),
    "the world as a child": (model(HINGE.format("0 0 1").replace("<child>b", "<child>world")), "swap parent and child"),
    "a switch that is no word": (model('<link name="a"/><static>maybe</static>'), "should be true or false"),
}
TAKEN = {
    "a plain link": model('<link name="a"/>'),
    "no mass at all": model(heavy(0, 0, 0, 0)),
    "a body without thickness": model(heavy(1, 0, 1, 1)),
    "rounding": model(heavy(1, 1, 1, 2.0000000000000004)),
    "plugins of one name, and anything in them": model(
        '<link name="a"/><plugin name="p" filename="x"><joint name="z"/><joint name="z"/></plugin>'
        '<plugin name="p" filename="x"/>'
    ),
    "a mimic of nobody": model(HINGE.format("0 0 1").replace("</axis>", '<mimic joint="q"/></axis>')),
    "a static model of nothing, in a world": (
        '<sdf version="1.6"><world name="w"><model name="m"><static>1</static></model></world></sdf>'
    ),
    "a state beside its model": (
        '<sdf version="1.6"><world name="w"><model name="a"><link name="b"/></model><state world_name="w">'
        '<model name="a"><pose>0 0 0 0 0 0</pose></model></state></world></sdf>'
    ),
}  # fmt: skip


def checked(text: str, folder: Path) -> CheckReport:
    path = folder / "some.sdf"
    path.write_text(text)
    return check_file(str(path))


def errors(report: CheckReport) -> str:
    return " | ".join(problem.message for problem in report.problems if problem.severity is Severity.ERROR)


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str, tmp_path: Path) -> None:
    text, fragment = REFUSED[case]
    assert fragment in errors(checked(text, tmp_path))


@pytest.mark.parametrize("case", MENDED)
def test_mended(case: str, tmp_path: Path) -> None:
    text, fragment = MENDED[case]
    report = checked(text, tmp_path)
    assert errors(report) == ""
    assert any(fragment in each.message for each in report.problems if each.severity is Severity.WARNING)


@pytest.mark.parametrize("case", TAKEN)
def test_taken(case: str, tmp_path: Path) -> None:
    assert errors(checked(TAKEN[case], tmp_path)) == ""


def test_what_is_included_is_held_to_it_too(tmp_path: Path) -> None:
    (tmp_path / "box").mkdir()
    (tmp_path / "box" / "model.config").write_text('<model><name>box</name><sdf version="1.6">model.sdf</sdf></model>')
    (tmp_path / "box" / "model.sdf").write_text(REFUSED["a reserved name"][0])
    report = checked('<sdf version="1.6"><world name="w"><include><uri>box</uri></include></world></sdf>', tmp_path)
    assert "this name is reserved" in errors(report)


@pytest.mark.skipif(shutil.which("ign") is None, reason="the checker of SDFormat is not installed")
@pytest.mark.drill
def test_the_checker_itself_agrees(tmp_path: Path) -> None:
    """Thirty processes of the tool itself, a third of a second each: not in the quick run."""
    for text, fine in [
        *((text, False) for text, _ in (REFUSED | MENDED).values()),
        *((text, True) for text in TAKEN.values()),
    ]:
        (tmp_path / "some.sdf").write_text(text)
        ran = subprocess.run(["ign", "sdf", "-k", tmp_path / "some.sdf"], capture_output=True, text=True, check=False)
        said = [line for line in ran.stderr.splitlines() if line.startswith("Error")]
        assert ("Valid." in ran.stdout and not said) == fine, (text, said)
