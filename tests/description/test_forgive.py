"""One odd value is left out with its line; the robot is read. What holds it together is still refused."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.description import Robot, World
from andante.description.check import check_file
from andante.description.io.open import robot_of, world_of
from andante.description.io.resolver import Resolver
from andante.description.io.xmltree import Node, parse_xml
from andante.errors import BadInput

URDF = """<robot name="r">
<material name="red"><color rgba="1 0 0 1"/></material>
<link name="a"><inertial><origin xyz="0 0 0"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0"/></inertial>
<visual><origin xyz="0 0 1" rpy="0 0 0"/><geometry><box size="1 1 1"/></geometry><material name="red"/></visual>
<collision><origin xyz="0 0 1"/><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="j" type="revolute"><origin xyz="0 0 1"/><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="10" velocity="5"/><dynamics damping="0.1" friction="0.2"/>
<safety_controller k_velocity="10" k_position="1"/><calibration rising="0.1"/></joint>
<transmission name="t"><type>Simple</type><joint name="j"><hardwareInterface>E</hardwareInterface></joint>
<actuator name="m"><mechanicalReduction>1</mechanicalReduction></actuator></transmission>
<gazebo reference="b"><mu1>0.5</mu1><mu2>0.5</mu2><kp>1000</kp><fdir1>1 0 0</fdir1><selfCollide>true</selfCollide>
<sensor name="s" type="imu"><update_rate>100</update_rate><pose>0 0 0 0 0 0</pose></sensor></gazebo>
<gazebo reference="j"><springStiffness>1</springStiffness></gazebo>
</robot>"""
SDF = """<sdf version="1.7"><model name="m"><link name="a"><pose>0 0 1 0 0 0</pose>
<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
<collision name="c"><pose>0 0 0 0 0 0</pose><geometry><box><size>1 1 1</size></box></geometry>
<surface><friction><ode><mu>0.5</mu><mu2>0.5</mu2></ode></friction><contact><ode><kp>1e6</kp></ode></contact></surface>
</collision><visual name="v"><geometry><sphere><radius>1</radius></sphere></geometry></visual></link>
<link name="b"/><joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>
<limit><lower>-1</lower><upper>1</upper><effort>10</effort><velocity>5</velocity></limit>
<dynamics><damping>0.1</damping></dynamics></axis></joint></model></sdf>"""
ODD = ("Inf", "-inf", "nan", "1e13", "-1", "", "{word}", "${word}", "1.0m", "30deg", "1,0", "TRUE", "0x10", "1 2 3 4 5")
FILE = Path("test.urdf")


def read(root: Node) -> Robot:
    return robot_of(root, FILE, Resolver())


@pytest.mark.parametrize(
    ("old", "new", "severity", "words"),
    [
        (
            "<mu1>0.5<",
            "<mu1>Inf<",
            "warning",
            "<mu1>: mu1 should be a finite number up to 1e+09, got Inf; <mu1> is left",
        ),
        ("<kp>1000<", "<kp>1e13<", "warning", "got 1e+13; <kp> is left out".replace("1e+13", "1e13")),
        (
            'friction="0.2"',
            'friction="{f}"',
            "error",
            "friction should be a number, got '{f}'; friction is taken as not",
        ),
        ('effort="10"', 'effort="10Nm"', "error", "effort is taken as not given"),
        ('<actuator name="m">', "<actuator>", "warning", "needs a name attribute; <actuator> is left out"),
        ('<box size="1 1 1"/>', '<box size="1 x 1"/>', "warning", "got 'x'; <box> is left out"),
        ('<box size="1 1 1"/>', "<torus/>", "warning", "unknown geometry; URDF has box"),
        ('value="1"/><inertia ixx="1" iyy="1" izz="1" ', 'value="1kg"/><inertia ', "warning", "<inertial> is left out"),
        ("<selfCollide>true", "<selfCollide>perhaps", "warning", "<selfCollide> is left out"),
        ("<update_rate>100", "<update_rate>often", "warning", "<update_rate> is left out"),
        ('k_velocity="10"', "", "error", "<safety_controller> is left out"),
        ('rgba="1 0 0 1"', 'rgba="red"', "warning", "<color> is left out"),
        ("<springStiffness>1", "<springStiffness>stiff", "warning", "<springStiffness> is left out"),
    ],
)
def test_an_odd_value_costs_its_part_only(old: str, new: str, severity: str, words: str) -> None:
    assert old in URDF
    text = URDF.replace(old, new, 1)
    robot = read(parse_xml(text.encode(), str(FILE)))
    (found,) = [problem for problem in robot.problems if words in problem.message]
    assert found.severity == severity
    assert found.source.line == text[: text.index(new)].count("\n") + 1 if new else True
    assert len(robot.links) == 2
    assert robot.joint("j").limits.lower == -1


def test_all_odd_values_are_told_and_the_others_kept() -> None:
    text = (
        URDF.replace("<mu1>0.5<", "<mu1>Inf<")
        .replace("<fdir1>1 0 0<", "<fdir1>up<")
        .replace('rising="0.1"', 'rising="?"')
    )
    robot = read(parse_xml(text.encode(), str(FILE)))
    assert len([p for p in robot.problems if "left out" in p.message or "not given" in p.message]) == 3
    assert robot.joint("j").dynamics.damping == 0.1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('<origin xyz="0 0 1"/><parent', '<origin xyz="0 0 x"/><parent'),
        ('<child link="b"/>', '<child link="c"/>'),
        ('<link name="b">', "<link>"),
        ('type="revolute"', 'type="hinge"'),
    ],
)
def test_what_holds_a_robot_together_is_refused(old: str, new: str) -> None:
    with pytest.raises(BadInput, match=r"test\.urdf:\d+: "):
        read(parse_xml(URDF.replace(old, new, 1).encode(), str(FILE)))


@pytest.mark.parametrize("text", ["0, 0, 1", "0,0,1", "0 0 1 0", "0 0 1,"])
def test_a_place_of_a_joint_may_have_commas_or_a_number_too_many(text: str) -> None:
    odd = URDF.replace('<origin xyz="0 0 1"/><parent', f'<origin xyz="{text}"/><parent', 1)
    robot = read(parse_xml(odd.encode(), str(FILE)))
    assert robot.joint("j").pose.translation.tolist() == [0, 0, 1]
    (told,) = [problem for problem in robot.problems if problem.message.endswith("'0 0 1' is taken")]
    assert (told.severity, told.source.line) == ("error", 7)


def test_a_broken_place_of_a_shape_costs_the_shape() -> None:
    text = URDF.replace('<collision><origin xyz="0 0 1"/>', '<collision><origin xyz="0 0"/>')
    robot = read(parse_xml(text.encode(), str(FILE)))
    assert robot.link("a").collisions == ()
    assert len(robot.link("a").visuals) == 1
    assert any("<collision> is left out" in problem.message for problem in robot.problems)


def test_an_included_model_is_forgiven_too(tmp_path: Path) -> None:
    (tmp_path / "models" / "m").mkdir(parents=True)
    (tmp_path / "models" / "m" / "model.sdf").write_text(SDF.replace("<mu>0.5<", "<mu>lots<"))
    config = "<?xml version='1.0'?><model><sdf version='1.7'>model.sdf</sdf><description>a & b</description></model>"
    (tmp_path / "models" / "m" / "model.config").write_text(config)
    world = tmp_path / "w.world"
    world.write_text("<sdf version='1.7'><world name='w'><include><uri>model://m</uri></include></world></sdf>")
    made = world_of(parse_xml(world.read_bytes(), str(world)), world, Resolver())
    assert isinstance(made, World)
    told = [problem for problem in made.problems if "left out" in problem.message or "&amp;" in problem.message]
    assert [Path(problem.source.file).name for problem in told] == ["model.sdf", "model.config"]


def test_check_says_what_was_left_out(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(URDF.replace("<mu1>0.5<", "<mu1>Inf<"))
    report = check_file(str(tmp_path / "r.urdf"))
    assert report.ok
    assert any("<mu1> is left out" in problem.message for problem in report.problems)


def read_or_refused(root: Node) -> Robot | None:
    """The robot; None where it is refused with its file named."""
    try:
        return read(root)
    except BadInput as error:
        if "test." not in str(error):
            raise
        return None


def _values(root: Node) -> list[tuple[Node, str]]:
    """Every place of a value: element and attribute, or empty for its text."""
    return [(node, key) for node in root.walk() for key in (*node.attributes, *([""] if node.text.strip() else []))]


@settings(max_examples=120, deadline=None)
@given(st.data())
@pytest.mark.parametrize("text", [URDF, SDF], ids=["urdf", "sdf"])
def test_any_value_may_be_odd(text: str, data: st.DataObject) -> None:
    root = parse_xml(text.encode(), "test.xml")
    for _ in range(data.draw(st.integers(1, 3))):
        node, key = data.draw(st.sampled_from(_values(root)), label="place")
        odd = data.draw(st.sampled_from(ODD), label="value")
        node.text, node.attributes = (odd, node.attributes) if not key else (node.text, {**node.attributes, key: odd})
    robot = read_or_refused(root)
    assert robot is None or all(math.isfinite(robot.mass) and str(problem.source) for problem in robot.problems)


@settings(max_examples=120, deadline=None)
@given(st.data())
@pytest.mark.parametrize("text", [URDF, SDF], ids=["urdf", "sdf"])
def test_any_element_may_be_missing_doubled_or_renamed(text: str, data: st.DataObject) -> None:
    root = parse_xml(text.encode(), "test.xml")
    holder = data.draw(st.sampled_from([node for node in root.walk() if node.children]), label="holder")
    index = data.draw(st.integers(0, len(holder.children) - 1), label="child")
    deed = data.draw(st.sampled_from(("drop", "double", "rename", "upper", "unknown")), label="deed")
    child = holder.children[index]
    if deed == "drop":
        del holder.children[index]
    elif deed == "double":
        holder.children.insert(index, child)
    elif deed == "unknown":
        holder.children.append(Node("wings", {"span": "2"}, "x", source=child.source))
    else:
        child.tag = child.tag.upper() if deed == "upper" else f"{child.tag}s"
    read_or_refused(root)
