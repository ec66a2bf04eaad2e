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


def test_a_named_pose_on_the_hind_legs_is_not_the_stance(tmp_path):
    raised = {"a_swing": -1.6, "a_knee": -0.6, "b_swing": -1.6, "b_knee": -0.6}
    robot = load(tmp_path, upright())
    robot = replace(robot, poses={"home": {**dict.fromkeys(robot.joint_names, 0.0), **raised}})
    assert robot.standing == "home"
    assert len(find_legs(robot)) == 4
    rig = infer_rig(robot)
    assert len(rig.legs) == 4
    assert abs(rig.stance["a_swing"] + 1.6) > 0.3
    level = replace(robot, poses={"home": dict.fromkeys(robot.joint_names, 0.0)})
    assert infer_rig(level).stance["a_swing"] == 0.0  # a pose on all four is taken


def fingers(side, y):
    """An arm of four joints with a hand of two fingers."""
    tilts = [f"{side}_arm{i}" for i in range(4)]
    parts, parent = [], "body"
    for i, name in enumerate(tilts):
        parts.append(f'<link name="{name}"><inertial><mass value="0.2"/>{TENSOR}</inertial></link>')
        at = f"0 {y} 0" if i == 0 else "0 0 -0.1"
        parts.append(hinge(f"{name}_joint", parent, name, at))
        parent = name
    for k in range(2):
        one, two = f"{side}_finger{k}", f"{side}_tip{k}"
        tip = '<collision><origin xyz="0 0 -0.03"/><geometry><sphere radius="0.01"/></geometry></collision>'
        parts.append(f'<link name="{one}"><inertial><mass value="0.02"/>{TENSOR}</inertial></link>')
        parts.append(f'<link name="{two}"><inertial><mass value="0.02"/>{TENSOR}</inertial>{tip}</link>')
        parts.append(hinge(f"{one}_joint", parent, one, f"0 {0.05 * k} -0.1"))
        parts.append(hinge(f"{two}_joint", one, two, "0 0 -0.03"))
    return "".join(parts)


TENSOR = '<inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/>'


def hinge(name, parent, child, at):
    return (
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/><origin xyz="{at}"/>'
        '<axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" effort="10" velocity="5"/></joint>'
    )


def test_fingers_of_two_hands_are_no_legs(tmp_path):
    body = f'<link name="body"><inertial><mass value="5"/>{TENSOR}</inertial></link>'
    robot = load(tmp_path, f'<robot name="torso">{body}{fingers("l", 0.2)}{fingers("r", -0.2)}</robot>')
    with pytest.raises(BadInput, match=r"has no legs: its chains \(l_tip0.*hang on arms, as fingers do"):
        find_legs(robot)


def test_slides_of_a_bracket_are_no_joints_of_a_leg(tmp_path):
    text = upright()
    slide = (
        '<link name="slide"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" '
        'iyz="0"/></inertial></link><joint name="bracket" type="prismatic"><parent link="trunk"/><child link="slide"/>'
        '<axis xyz="0 0 1"/><limit lower="-0.005" upper="0.005" effort="100" velocity="1"/></joint></robot>'
    )
    text = text.replace("</robot>", slide)
    text = re.sub(r'(name="a_tilt" type="revolute"><parent link=")trunk', r"\g<1>slide", text)
    legs = find_legs(load(tmp_path, text))
    assert [len(leg.joints) for leg in legs] == [3] * 4
