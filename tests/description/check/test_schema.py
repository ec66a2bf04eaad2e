"""What MuJoCo's schema refuses is an error of the file, at its line; what it takes is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from andante.description.check import check_file

MJCF = """<mujoco model="m">
<worldbody><body name="b"><freejoint/>
<geom name="g" type="sphere" size="0.1" friction="1 0.005 0.0001"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>
<keyframe><key name="k" qpos="0 0 1 1 0 0 0"/></keyframe>
</mujoco>"""


def errors(tmp_path: Path, text: str) -> list[tuple[int, str]]:
    (tmp_path / "m.xml").write_text(text)
    found = check_file(str(tmp_path / "m.xml")).problems
    return [(problem.source.line, problem.message) for problem in found if problem.severity == "error"]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('size="0.1"', 'size="0.1" wings="2"', 3),
        ("<keyframe>", "<wings/><keyframe>", 5),
    ],
)
def test_a_refusal_of_mujoco_is_an_error_at_its_line(tmp_path: Path, old: str, new: str, line: int) -> None:
    ((at, message),) = errors(tmp_path, MJCF.replace(old, new))
    assert at == line
    assert message.startswith("MuJoCo refuses this file: ")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1 0.005 0.0001", "1e13"),
        ("1 0.005 0.0001", "nan"),
        ("0 0 1 1 0 0 0", "0 0 1"),
        ('name="k" ', ""),
    ],
)
def test_odd_values_that_mujoco_takes_are_warnings(tmp_path: Path, old: str, new: str) -> None:
    assert errors(tmp_path, MJCF.replace(old, new)) == []


def test_included_parts_are_judged_at_their_own_place(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text("<mujoco>\n<option wings='2'/></mujoco>")
    (tmp_path / "m.xml").write_text(MJCF.replace("<worldbody>", "<include file='part.xml'/><worldbody>"))
    (problem,) = [each for each in check_file(str(tmp_path / "m.xml")).problems if each.severity == "error"]
    assert problem.source.file.endswith("part.xml")
    assert problem.source.line == 2


def test_a_part_for_other_files_opens_as_in_mujoco(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text("<mujoco><body name='a'><geom class='elsewhere'/></body></mujoco>")
    report = check_file(str(tmp_path / "part.xml"))
    assert report.ok
    assert (report.kind, report.links) == ("world", 0)
    assert any("<include> it in a <worldbody>" in problem.message for problem in report.problems)
