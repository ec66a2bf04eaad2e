"""Robots that cannot walk are told which chains were seen, what each lacks, and what to do."""

import re
from dataclasses import replace

import pytest
from tests.locomotion.legged.samples import upright, walker

import andante as an
from andante.description import Joint, JointType
from andante.errors import BadInput
from andante.locomotion.gaits import Request, prepare
from andante.locomotion.rigs.infer import infer_rig
from andante.locomotion.rigs.legs import find_legs, leg_faults

SQUARE = (45, 135, 225, 315)
HEXAGON = (30, 90, 150, 210, 270, 330)


def load(tmp_path, text):
    path = tmp_path / "sample.urdf"
    path.write_text(text)
    return an.robot(path)


def bare(text):
    return re.sub("<collision>.*?</collision>", "", text)


def test_feet_without_shapes_get_the_remedy(tmp_path):
    robot = load(tmp_path, bare(walker(SQUARE)))
    told = (
        "leg0_tibia, leg1_tibia, leg2_tibia, leg3_tibia: no <collision> at the end of the chain; to stand on it, give"
    )
    with pytest.raises(BadInput, match=r"cannot walk: no legs were found in it \(leg0.*as andante rig shows") as walk:
        prepare(robot, Request(""))
    with pytest.raises(BadInput, match="has no legs") as rig:
        infer_rig(robot)
    assert told in str(walk.value)
    assert told in str(rig.value)
    assert "\n" not in f"{walk.value}{rig.value}"


def test_many_chains_are_counted(tmp_path):
    assert "leg3_tibia and 2 more: no <collision>" in leg_faults(load(tmp_path, bare(walker(HEXAGON))))


def test_wheels_are_sent_elsewhere():
    assert leg_faults(an.robot("waffle")) == (
        "wheel_left_link, wheel_right_link: only turn about themselves, as wheels do; "
        "what has wheels drives, by andante navigate or in the studio"
    )


@pytest.mark.parametrize(("count", "told"), [(1, "no legs were found"), (3, "3 legs were found")])
def test_too_few_legs_are_named(tmp_path, count, told):
    robot = load(tmp_path, walker(range(0, 360, 360 // count)))
    with pytest.raises(BadInput, match=rf"{told} in it \(leg0_tibia.*: could be (a leg|legs); a leg is a chain"):
        prepare(robot, Request(""))


def test_one_joint_and_joints_that_cannot_move(tmp_path):
    legs = walker(SQUARE)
    assert "leg0_tibia, leg1_tibia" in leg_faults(
        load(tmp_path, re.sub('lower="-2.0" upper="2.0"', 'lower="0" upper="0"', legs))
    )
    single = re.sub('type="revolute"(><parent link="leg._(?:coxa|femur)")', r'type="fixed"\1', legs)
    assert leg_faults(load(tmp_path, single)).startswith(
        "leg0_tibia, leg1_tibia, leg2_tibia, leg3_tibia: only one joint;"
    )


def test_a_robot_without_joints(tmp_path):
    robot = load(tmp_path, '<robot name="box"><link name="body"/></robot>')
    assert leg_faults(robot).startswith("it has no joints that move; a leg is")


def closing(parent, child):
    return Joint("closing", JointType.FIXED, parent, child)


def test_loops_outside_the_legs_do_not_matter(tmp_path):
    robot = load(tmp_path, walker(SQUARE, arm=True))
    gripping = replace(robot, loops=(closing("upper_arm", "hand"),))
    assert [leg.foot for leg in find_legs(gripping)] == [f"leg{i}_tibia" for i in range(4)]
    closed = replace(robot, loops=(closing("leg1_femur", "leg1_tibia"),))
    with pytest.raises(BadInput, match=r"its legs close loops \('closing' joins 'leg1_femur' and 'leg1_tibia'\)"):
        find_legs(closed)


def test_knees_that_bend_toward_each_other_stand(tmp_path):
    """Front knees back, rear knees ahead, by their limits."""
    text = re.sub(r'(name="[ab]_knee".*?lower=")-2.6(" upper=")2.6', r"\g<1>-2.6\g<2>-0.2", upright())
    mixed = re.sub(r'(name="[cd]_knee".*?lower=")-2.6(" upper=")2.6', r"\g<1>0.2\g<2>2.6", text)
    stance = infer_rig(load(tmp_path, mixed)).stance
    assert stance["a_knee"] < -0.2
    assert stance["c_knee"] > 0.2


def test_a_leg_that_cannot_stand_is_named_with_its_limits(tmp_path):
    text = re.sub(r'(name="c_swing".*?lower=")-2.6(" upper=")2.6', r"\g<1>1.9\g<2>2.6", upright())
    stiff = re.sub(r'(name="c_knee".*?lower=")-2.6(" upper=")2.6', r"\g<1>0\g<2>0.2", text)
    with pytest.raises(BadInput, match=r"cannot stand on its 4 legs: the joints of leg 'c_shin' \(.*c_knee 0 to 0.2\)"):
        infer_rig(load(tmp_path, stiff))


def test_joints_whose_range_lies_beyond_a_quarter_turn_stand(tmp_path):
    folded = re.sub(r'(name="._knee".*?lower=")-2.6(" upper=")2.6', r"\g<1>-2.6\g<2>-1.65", upright())
    assert infer_rig(load(tmp_path, folded)).stance["a_knee"] < -1.65
