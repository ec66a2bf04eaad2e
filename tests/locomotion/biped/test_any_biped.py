"""Bipeds of any size and make: found by their file and a stance, walking, or refused with the reason."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.locomotion.biped.box_biped import biped, stance

import andante as an
from andante.description import Robot
from andante.errors import BadInput, MissingFile, UnknownName
from andante.gravity import GRAVITY
from andante.locomotion.biped.body import BipedBody
from andante.locomotion.biped.settings import BipedSettings
from andante.locomotion.biped.strength import RESERVE, carried
from andante.locomotion.biped.walk import BipedWalk
from andante.locomotion.gaits import Request, prepare
from andante.locomotion.io.rig_file import read_rig, write_rig
from andante.locomotion.rigs.gains import STIFFNESS
from andante.locomotion.rigs.infer import infer_rig
from andante.locomotion.rigs.rig import weak_joints, with_rig


def load(folder: Path, text: str) -> Robot:
    path = folder / "boxes.urdf"
    path.write_text(text, encoding="utf-8")
    return an.robot(path)


def walking(robot: Robot, settings: BipedSettings | None = None) -> BipedWalk:
    rig = infer_rig(robot, stance=stance())
    return BipedWalk(with_rig(robot, rig), rig, settings)


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> BipedWalk:
    return walking(load(tmp_path_factory.mktemp("one"), biped()))


def test_robots_of_one_shape_walk_alike(tmp_path: Path, one: BipedWalk) -> None:
    """Froude: lengths go with the size, times with its root, speeds too; angles and ratios stay."""
    size = 0.3
    small, large = walking(load(tmp_path, biped(size))).measures, one.measures
    for name in ("center", "width", "lift", "margin", "calm", "hurry", "reach_ahead", "pressure"):
        assert getattr(small, name) == pytest.approx(size * getattr(large, name), rel=1e-3), name
    for name in ("step_time", "shift_time", "fade", "rest", "early", "max_speed", "max_side", "quick", "hurry_time"):
        assert getattr(small, name) == pytest.approx(math.sqrt(size) * getattr(large, name), rel=1e-3), name
    for name in ("rate", "max_turn", "heading_gain", "stand_gain"):
        assert getattr(small, name) == pytest.approx(getattr(large, name) / math.sqrt(size), rel=1e-3), name


def test_gains_follow_from_mass_and_height(one: BipedWalk) -> None:
    rig = one.body.rig
    servo = rig.servos["left_knee"]
    assert servo["kp"] == pytest.approx(STIFFNESS * rig.mass * GRAVITY * rig.center_height, rel=1e-3)
    assert servo["armature"] > 0  # the file states none
    assert one.body.servo_lag == pytest.approx(servo["kd"] / servo["kp"], rel=1e-3)


def test_joints_outside_the_legs_are_as_stiff_as_what_they_carry(tmp_path: Path) -> None:
    """A waist with a trunk below it would be held by its effort limit otherwise; here I w² of what it moves."""
    rig = infer_rig(load(tmp_path, biped(waist=True)), stance=stance())
    assert "waist" not in rig.servos  # it carries the legs, and stays as it is
    assert set(rig.servos) == {name for leg in rig.legs for name in leg.joints}


def test_a_joint_that_others_follow_carries_them(tmp_path: Path) -> None:
    text, opening = biped(arms=0.5), '<joint name="left_hand_foot_joint" type="revolute">'
    assert opening in text
    apart = infer_rig(load(tmp_path, text), stance=stance()).servos
    follows = text.replace(opening, opening + '<mimic joint="left_arm4_joint" multiplier="2"/>')
    together = infer_rig(load(tmp_path, follows), stance=stance()).servos
    assert "left_hand_foot_joint" not in together
    moved = apart["left_arm4_joint"]["kp"] + 4 * apart["left_hand_foot_joint"]["kp"]
    assert together["left_arm4_joint"]["kp"] == pytest.approx(moved, rel=1e-2)


def test_soles_without_load_cells_take_no_rocking_for_a_slope(one: BipedWalk) -> None:
    sense, ground = one.ahead().sense, one.ground.settings
    assert sense.dull
    sense.loads = (0.5, 0.5)
    assert sense.rests(0, ground, both=False) == (False, False)
    assert sense.rests(0, ground, both=True) == (True, True)


@pytest.mark.parametrize("waist", [False, True])
@pytest.mark.parametrize("backward", [False, True])
def test_ahead_and_waist_are_found(tmp_path: Path, waist: bool, backward: bool) -> None:
    robot = load(tmp_path, biped(waist=waist, backward=backward))
    made = walking(robot)
    rig = made.body.rig
    assert rig.forward == pytest.approx(math.pi if backward else 0.0)
    assert rig.legs[0].foot == "left_foot"
    heel, toe, _, _ = made.body.soles[0].box
    assert (heel, toe) == pytest.approx((-0.08, 0.14), abs=1e-6)
    assert "waist" not in {made.body.names[j] for j in made.body.tree.joint[made.body.legs.moved]}
    assert made.measures.width == pytest.approx(0.18, abs=1e-6)


def test_two_capsules_are_a_sole(tmp_path: Path) -> None:
    made = walking(load(tmp_path, biped(foot="capsules")))
    for sole in made.body.soles:
        heel, toe, right, left = sole.box
        assert (heel, toe) == pytest.approx((-0.05, 0.11), abs=0.012)  # straight parts, and little of the round ends
        assert (right, left) == pytest.approx((-0.05, 0.05), abs=0.012)
    assert made.measures.height == pytest.approx(
        0.06 + 2 * 0.4 * math.cos(0.4) + 0.09, abs=2e-3
    )  # the soles lie at the bottom of the round


def test_a_foot_beside_its_ankle_is_pressed_in_its_middle(tmp_path: Path) -> None:
    robot = load(tmp_path, biped(outside=0.03))
    rig = infer_rig(robot, stance=stance())
    body = BipedBody(with_rig(robot, rig), rig)
    for sole in body.soles:
        assert sole.box[2:] == pytest.approx((-0.06, 0.06), abs=1e-6)
    assert body.stance_width == pytest.approx(0.18 + 2 * 0.03, abs=1e-3)
    assert walking(robot).measures.width < 0.22  # no wider than the soles allow


def test_a_stiffness_that_holds_nothing_up_is_a_policys_and_not_the_servos(tmp_path: Path) -> None:
    robot = load(tmp_path, biped())
    rig = infer_rig(robot, stance=stance())
    falls = rig.mass * GRAVITY * rig.center_height
    for kp, own in ((0.5 * falls, True), (2.0 * falls, False)):
        stated = replace(robot, servos={"left_*": {"kp": kp, "kd": 0.02 * kp}})
        servo = infer_rig(stated, stance=stance()).servos.get("left_knee", {})
        assert ("kp" in servo) is own
        if own:
            assert servo["kp"] == rig.servos["left_knee"]["kp"]


def test_servos_too_weak_are_told_with_the_torque_that_is_missing(tmp_path: Path, one: BipedWalk) -> None:
    needed = carried(one)
    worst = float(needed.max())
    name = one.body.names[int(np.argmax(needed))]
    with pytest.warns(RuntimeWarning, match="with little torque to spare: on one leg"):
        walking(load(tmp_path, biped(effort=1.02 * worst)))
    walking(load(tmp_path, biped(effort=1.02 * worst / (1 - RESERVE))))
    has = 0.8 * worst
    with pytest.raises(BadInput, match="its servos cannot carry it on one leg") as told:
        walking(load(tmp_path, biped(effort=has)))
    found = re.search(r"(\w+) needs ([\d.]+) N m and has ([\d.]+), ([\d.]+) N m are missing", str(told.value))
    assert found is not None
    assert found.group(1).split("_", 1)[1] == name.split("_", 1)[1]  # of either leg
    assert [float(found.group(i)) for i in (2, 3, 4)] == pytest.approx([worst, has, worst - has], rel=0.06)


def test_what_a_leg_carries_is_that_of_statics(one: BipedWalk) -> None:
    """The knee of a standing leg: what is above it presses at the pressure point, a lever of the shank ahead of it."""
    m, body = one.measures, one.body
    shank = 0.4 * math.sin(0.4)  # knee ahead of the ankle
    below = 3.0 + 0.3 + 1.2
    expected = (body.mass - below) * GRAVITY * (shank - m.pressure)
    torque = float(carried(one)[body.names.index("left_knee")])
    assert torque == pytest.approx(expected, rel=0.15)


def test_slow_servos_are_led_and_walk_slower(tmp_path: Path, one: BipedWalk) -> None:
    robot = load(tmp_path, biped())
    slow = replace(robot, servos={"*": {"kp": one.body.kp.max(), "kd": 0.1 * one.body.kp.max()}})
    made = walking(slow)
    assert made.body.servo_lag == pytest.approx(0.1, rel=1e-3)
    assert one.measures.lead == 0.0
    assert 0.03 < made.measures.lead < 0.1
    assert made.max_speed < 0.8 * one.max_speed


def test_a_stance_alone_is_a_rig(tmp_path: Path) -> None:
    robot = load(tmp_path, biped())
    file = tmp_path / "stance.toml"
    file.write_text("[stance]\n" + "".join(f"{name} = {value}\n" for name, value in stance().items()))
    rig = read_rig(file, robot)
    assert rig == infer_rig(robot, stance=stance())
    assert an.rig(robot, stance=file).rig == rig
    write_rig(rig, tmp_path / "whole.toml")
    assert read_rig(tmp_path / "whole.toml", robot) == rig
    assert prepare(robot, Request("walk", file)).walker.max_speed > 0.3
    file.write_text("[stance]\nleft_elbow = 0.1\n")
    with pytest.raises(UnknownName, match="left_elbow"):
        read_rig(file, robot)
    file.write_text("[poses]\n")
    with pytest.raises(BadInput, match=r"no table \[stance\]"):
        an.rig(robot, stance=file)
    with pytest.raises(MissingFile, match=r"none\.toml"):
        an.rig(robot, stance=tmp_path / "none.toml")


def test_a_rig_with_one_leg_is_refused(tmp_path: Path) -> None:
    robot = load(tmp_path, biped())
    whole = tmp_path / "rig.toml"
    write_rig(infer_rig(robot, stance=stance()), whole)
    text = whole.read_text(encoding="utf-8")
    first, second = (found.start() for found in re.finditer(r"\[\[legs\]\]", text))
    whole.write_text(text[:second] + text[text.index("[stance]") :], encoding="utf-8")
    assert first < second
    with pytest.raises(BadInput, match="has 1 legs; a rig needs 2 or more"):
        prepare(robot, Request("walk", whole))
    with pytest.raises(BadInput, match="cannot walk: no legs were found"):
        prepare(load(tmp_path, biped(legs=("left",))), Request(""))


def test_weak_joints_of_flat_feet_are_those_below_the_center(tmp_path: Path) -> None:
    robot = load(tmp_path, biped(effort=150.0))
    assert not weak_joints(robot, infer_rig(robot, stance=stance()))  # by its toe the hip would seem to hold twice that


@pytest.mark.parametrize(("size", "foot"), [(0.35, "box"), (1.0, "box"), (1.0, "capsules")])
def test_bipeds_of_boxes_walk(tmp_path: Path, size: float, foot: str) -> None:
    robot = load(tmp_path, biped(size, foot=foot))
    file = tmp_path / "stance.toml"
    file.write_text("[stance]\n" + "".join(f"{name} = {value}\n" for name, value in stance().items()))
    way = 0.4 * math.sqrt(size)
    done = an.walk(robot, distance=way, rig=file, seed=1)
    assert not done.fallen
    assert done.distance == pytest.approx(way, rel=0.06)
    assert abs(done.drift) < 0.1 * way
