"""Static torques by MuJoCo's inverse dynamics: who can hold itself, who cannot, and what a zoo makes of it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from tests.locomotion.legged.samples import walker

from andante.description import Robot, load_robot
from andante.gravity import GRAVITY
from andante.locomotion import Rig, infer_rig
from andante.tasks.zoo.figures import figures_of, row_of
from andante.tasks.zoo.listing import Animal
from andante.tasks.zoo.process import Ran
from andante.tasks.zoo.statics import carrying, main
from andante.tasks.zoo.steps import _judge_carry


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> Robot:
    path = tmp_path_factory.mktemp("robot") / "robot.urdf"
    path.write_text(walker([30, 90, 150, 210, 270, 330]))
    return load_robot(path)


@pytest.fixture(scope="module")
def rig(robot: Robot) -> Rig:
    return infer_rig(robot)


def with_effort(robot: Robot, effort: float) -> Robot:
    joints = tuple(replace(j, limits=replace(j.limits, effort=effort)) if j.one_dof else j for j in robot.joints)
    return replace(robot, joints=joints)


def test_the_least_load_does_not_depend_on_the_limit(robot: Robot, rig: Rig) -> None:
    strong, weak = (carrying(with_effort(robot, effort), rig) for effort in (100.0, 0.05))
    assert strong.able
    assert not weak.able
    assert strong.needs == pytest.approx(weak.needs, rel=1e-3)
    assert strong.contacts >= 4
    assert 0 < strong.needs < rig.mass * GRAVITY * 0.22  # the whole weight on the whole length of a leg
    assert f"{weak.joint!r} needs" in str(weak)


def test_files_without_limits_count_as_able(robot: Robot, rig: Rig) -> None:
    found = carrying(with_effort(robot, math.inf), rig)
    assert (found.able, found.limits, str(found)) == (True, 0, "no effort limits")


def test_a_robot_without_a_stance_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "box.urdf"
    shape = "<collision><geometry><sphere radius='1'/></geometry></collision>"
    path.write_text(f'<robot name="r"><link name="a">{shape}</link></robot>')
    assert main(str(path)) == 2
    assert "no legs" in capsys.readouterr().err


def test_a_skeleton_is_no_body_that_could_stand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "skeleton.urdf"
    joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>'
    path.write_text(f'<robot name="r"><link name="a"/><link name="b"/>{joint}</robot>')
    assert main(str(path)) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["able"], told["said"]) == (False, "a skeleton: none of its links has a mass or a shape")


def test_a_zoo_counts_walks_of_those_that_can_carry_themselves() -> None:
    weak = json.dumps({"able": False, "said": "'knee' needs 9 of 2", "part": 4.5})
    records = {
        "weak.urdf": _judge_carry(Ran(0, weak, "", 0.1)),
        "strong.urdf": _judge_carry(Ran(0, weak.replace("false", "true"), "", 0.1)),
        "odd.urdf": _judge_carry(Ran(2, "", "no stance found", 0.1)),
    }
    walks = {"weak.urdf": False, "strong.urdf": True, "odd.urdf": False}
    rows = [
        row_of(
            Animal(name, "urdf", (), (), "quadruped"),
            {("carry", "mujoco"): carry, ("walk", "1 m"): {"ok": walks[name], "said": "no"}},
        )
        for name, carry in records.items()
    ]
    carries, walked = figures_of(rows)
    assert (carries.good, carries.of, carries.misses) == (2, 3, ("weak.urdf",))
    assert (walked.good, walked.of, walked.misses) == (1, 2, ("odd.urdf",))
    assert rows[0].carry == "'knee' needs 9 of 2"
