"""A crouch is found for bipeds of any make: soles level, center above them, knees as they bend; or the reason."""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.locomotion.biped.box_biped import biped

import andante as an
from andante.description import Robot
from andante.errors import BadInput
from andante.locomotion.biped.body import BipedBody
from andante.locomotion.gaits import Request, prepare
from andante.locomotion.rigs.balance import Balance
from andante.locomotion.rigs.infer import infer_rig
from andante.locomotion.rigs.legs import find_legs, told_legs
from andante.locomotion.rigs.rig import held_targets, with_rig


def load(folder: Path, text: str) -> Robot:
    path = folder / "boxes.urdf"
    path.write_text(text, encoding="utf-8")
    return an.robot(path)


@pytest.mark.parametrize(
    "made",
    [
        {},
        {"size": 0.3},
        {"backward": True},
        {"waist": True},
        {"outside": 0.03},
        {"foot": "capsules"},
        {"knee": (-2.5, 0.0)},
        {"knee": (-2.0, 0.45)},
        {"arms": 1.2},
        {"toes": True},
    ],
    ids=str,
)
def test_a_crouch_stands_level_and_balanced(tmp_path: Path, made: dict[str, object]) -> None:
    robot = load(tmp_path, biped(**made))  # type: ignore[arg-type]
    size = float(made.get("size", 1.0))  # type: ignore[arg-type]
    rig = infer_rig(robot)
    assert sorted(leg.foot for leg in rig.legs) == ["left_foot", "right_foot"]  # not hands, not toes
    q = np.array([rig.stance[name] for name in robot.joint_names])
    center, soles = Balance(robot, ("left_foot", "right_foot")).at(q)
    heights = np.concatenate(soles)[:, 2]
    assert np.ptp(heights) < 3e-3 * max(size, 1.0) + (0.06 * size if made.get("foot") else 0.0)
    lowest = np.concatenate([points[points[:, 2] < heights.min() + 5e-3] for points in soles])
    middle = 0.5 * (lowest.min(axis=0) + lowest.max(axis=0))
    assert center[:2] == pytest.approx(middle[:2], abs=0.012 * size)
    for name, value in rig.stance.items():
        limits = robot.joint(name).limits
        assert limits.lower <= value <= limits.upper
        if name.startswith("left_") and "arm" not in name and "hand" not in name:
            mirrored = -1.0 if name.endswith(("yaw", "roll")) else 1.0
            assert rig.stance[name.replace("left", "right")] == pytest.approx(mirrored * value, abs=5e-3)
    bend = rig.stance["left_knee"]
    forth = -1.0 if made.get("knee") == (-2.5, 0.0) else 1.0  # of a knee that bends back only
    assert 0.19 < forth * bend < 1.25
    BipedBody(with_rig(robot, rig), rig)


def test_weak_servos_are_spared_by_straighter_knees(tmp_path: Path) -> None:
    strong, weak = (infer_rig(load(tmp_path, biped(effort=effort))) for effort in (400.0, 55.0))
    assert weak.stance["left_knee"] < strong.stance["left_knee"] - 0.1
    with pytest.raises(BadInput, match=r"needs [\d.]+ N m and has 30, [\d.]+ N m are missing"):
        prepare(load(tmp_path, biped(effort=30.0)), Request("walk"))


def test_height_and_knees_are_taken_as_asked(tmp_path: Path) -> None:
    robot = load(tmp_path, biped())
    assert infer_rig(robot, height=0.85).height == pytest.approx(0.85, abs=2e-3)
    assert infer_rig(robot, "back").stance["left_knee"] < -0.2
    with pytest.raises(BadInput, match="knees of two legs bend same, front, back; got 'up'"):
        infer_rig(robot, "up")
    with pytest.raises(BadInput, match=r"no crouch found .* misses it by"):
        infer_rig(robot, height=1.5)


def test_legs_that_cannot_are_told_why(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"'left_foot' .* has no ankle roll"):
        prepare(load(tmp_path, biped(ankle_roll=False)), Request("walk"))
    stiff = biped().replace('name="left_knee" type="revolute"', 'name="left_knee" type="fixed"')
    stiff = stiff.replace('name="right_knee" type="revolute"', 'name="right_knee" type="fixed"')
    with pytest.raises(BadInput, match="has only left_hip_pitch, left_ankle_pitch that turns about the axis across"):
        infer_rig(load(tmp_path, stiff))


def test_hands_that_reach_lower_than_feet_are_no_feet(tmp_path: Path) -> None:
    robot = load(tmp_path, biped(arms=1.8))
    assert [leg.foot for leg in find_legs(robot)] == ["left_foot", "right_foot"]
    assert told_legs(robot) == "2 legs of 6 joints, ending in left_foot, right_foot"
    assert told_legs(robot) in an.check(robot).recognised


def test_servos_hold_what_they_carry(tmp_path: Path) -> None:
    """By virtual work: raising the body by dz needs sum tau dq = m g dz; here the knee alone, by its lever."""
    robot = load(tmp_path, biped())
    rig = infer_rig(robot)
    held = held_targets(robot, rig)
    bend = (held["left_knee"] - rig.stance["left_knee"]) * rig.servos["left_knee"]["kp"]
    poses = robot.link_poses(rig.stance)
    knee = (poses["left_thigh"] @ robot.joint("left_knee").pose).translation
    lever = float(knee[0]) - rig.center[0]  # of the knee ahead of where the sole is pressed
    assert bend == pytest.approx(-0.5 * rig.mass * 9.81 * lever, rel=0.02)
    assert math.isclose(
        bend, (held["right_knee"] - rig.stance["right_knee"]) * rig.servos["right_knee"]["kp"], rel_tol=0.02
    )


def test_light_drives_get_the_step_that_keeps_them_calm(tmp_path: Path) -> None:
    """A servo at its limit must not throw the foot to and fro: kd h <= 4 I with the inertia that the file states."""
    plain = load(tmp_path, biped())
    assert not any("step" in values for values in infer_rig(plain).servos.values())  # they get a rotor that is heavy
    geared = replace(plain, joints=tuple(replace(j, dynamics=replace(j.dynamics, armature=0.01)) for j in plain.joints))
    rig = infer_rig(geared)
    ankle = rig.servos["left_ankle_roll"]
    foot = geared.link("left_foot").inertia
    assert foot is not None
    _, y, z = foot.com
    about = foot.matrix[0, 0] + foot.mass * (y * y + z * z) + 0.01
    assert ankle["step"] == pytest.approx(4 * about / ankle["kd"], rel=0.01)
    assert "armature" not in ankle
    walker, first = with_rig(geared, rig), dict(rig.stance)
    calm = min(values["step"] for values in rig.servos.values() if "step" in values)
    with closing(an.simulate(walker, pose=first)) as sim:
        assert 0.8 * calm < sim.engine.dt <= calm
        assert math.isclose(0.01 / sim.engine.dt, round(0.01 / sim.engine.dt))
    with closing(an.simulate(walker, pose=first, dt=0.002)) as sim:
        assert sim.engine.dt == 0.002
