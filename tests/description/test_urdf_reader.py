"""URDF text to `Robot`: every element, repairs with a finding, refusals with file and line."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from urdf_samples import ARM

from andante.description.io.open import read_robot
from andante.description.io.resolver import Resolver
from andante.description.io.urdf.reader import read_urdf
from andante.description.io.xmltree import parse_xml
from andante.description.joint import JointType
from andante.description.robot import Robot
from andante.description.shapes import Box, Capsule, Mesh, Plane
from andante.description.source import Severity
from andante.errors import BadInput
from andante.geometry import so3


def read(text: str, file: str = "test.urdf") -> Robot:
    return read_urdf(parse_xml(text.encode(), file), Path(file), Resolver())


@pytest.fixture(scope="module")
def arm() -> Robot:
    return read(ARM)


def test_links_and_joints_of_every_type(arm: Robot) -> None:
    assert arm.name == "arm"
    assert arm.root == "base"
    assert [joint.type for joint in arm.joints] == [
        JointType.REVOLUTE,
        JointType.REVOLUTE,
        JointType.CONTINUOUS,
        JointType.PRISMATIC,
        JointType.FLOATING,
        JointType.PLANAR,
        JointType.FIXED,
    ]
    assert not arm.fixed_base
    assert arm.mass == pytest.approx(3.7)


def test_joint_values(arm: Robot) -> None:
    shoulder, elbow = arm.joint("shoulder"), arm.joint("elbow")
    limits, dynamics = shoulder.limits, shoulder.dynamics
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == (-1.5, 1.25, 30, 2.5)
    assert (dynamics.damping, dynamics.friction, dynamics.armature) == (0.5, 0.25, 0.003)
    assert shoulder.axis == pytest.approx((0, 0.6, 0.8))
    assert shoulder.safety is not None
    assert (shoulder.safety.k_velocity, shoulder.safety.soft_lower) == (3, -1.4)
    assert shoulder.calibration == {"rising": 0.1}
    assert elbow.mimic is not None
    assert (elbow.mimic.joint, elbow.mimic.multiplier, elbow.mimic.offset) == ("shoulder", -0.5, 0.1)
    assert np.allclose(shoulder.pose.rotation, so3.from_rpy([0.1, 0.2, 0.3]))
    assert arm.joint("spin").limits.effort == math.inf
    assert arm.joint("slide").axis == (1, 0, 0)


def test_a_limit_without_bounds_lets_a_hinge_turn() -> None:
    joint = '<joint name="j" type="{}"><parent link="a"/><child link="b"/><limit effort="80" velocity="20"/></joint>'
    for kind, bound, told in (("revolute", math.pi, "-pi to pi is taken"), ("prismatic", 0.0, "so it cannot move")):
        robot = read(f'<robot name="r"><link name="a"/><link name="b"/>{joint.format(kind)}</robot>')
        assert robot.joint("j").limits.upper == -robot.joint("j").limits.lower == bound
        assert any(told in problem.message for problem in robot.problems)


def test_inertia_is_rotated_into_link_axes(arm: Robot) -> None:
    inertia = arm.link("upper").inertia
    assert inertia is not None
    R = so3.from_rpy([0.3, -0.2, 1.1])
    assert np.allclose(inertia.matrix, R @ np.diag([0.001, 0.002, 0.0025]) @ R.T, atol=1e-15)
    assert inertia.com == (0.1, 0, 0)
    assert arm.link("lower").inertia is None


def test_materials_by_name_and_in_place(arm: Robot) -> None:
    assert arm.link("base").visuals[0].material.rgba == (0.6, 0.6, 0.7, 1)
    skin = arm.link("upper").visuals[0].material
    assert (skin.rgba, skin.texture) == ((1, 0.8, 0.7, 0.5), "skin.png")
    assert arm.link("base").visuals[0].name == "body"
    assert [item.name for item in arm.link("base").collisions] == ["hull", "foot"]


def test_transmission(arm: Robot) -> None:
    (drive,) = arm.transmissions
    assert (drive.joints, drive.actuators, drive.reduction) == (("shoulder",), ("motor",), 50)
    assert drive.interfaces == ("hardware_interface/EffortJointInterface",)


def test_mesh_and_capsule(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_bytes(b"solid")
    file = tmp_path / "r.urdf"
    file.write_text(
        '<robot name="r"><link name="a"><visual><geometry><mesh filename="part.stl" scale="1 -1 2"/></geometry>'
        "</visual>"
        '<visual><geometry><mesh filename="package://nowhere/x.stl"/></geometry></visual>'
        '<collision><geometry><capsule radius="0.1" length="0.3"/></geometry></collision></link></robot>'
    )
    link = read_robot(file).link("a")
    found, lost = link.visuals[0].geometry, link.visuals[1].geometry
    assert isinstance(found, Mesh)
    assert (found.path, found.scale) == (tmp_path / "part.stl", (1, -1, 2))
    assert isinstance(lost, Mesh)
    assert (lost.uri, lost.path) == ("package://nowhere/x.stl", None)
    assert link.collisions[0].geometry == Capsule(0.1, 0.3)


def test_world_link_fixes_the_base() -> None:
    text = """<robot name="r"><link name="world"/><link name="a"/>
      <joint name="weld" type="fixed"><parent link="world"/><child link="a"/></joint></robot>"""
    robot = read(text)
    assert robot.fixed_base
    assert robot.root == "world"
    assert not read(text.replace("world", "floor")).fixed_base


def test_a_floating_joint_on_an_empty_root_means_that_the_robot_is_free() -> None:
    text = """<robot name="r"><link name="{base}">{body}</link><link name="a"/><link name="b"/>
      <joint name="float" type="floating"><origin xyz="0 0 1"/><parent link="{base}"/><child link="a"/></joint>
      <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"""
    for base in ("world", "odom"):
        robot = read(text.format(base=base, body=""))
        assert not robot.fixed_base
        assert (robot.root, robot.joint_names) == ("a", ("j",))
        assert any("the robot is free" in problem.message for problem in robot.problems)
    body = '<collision><geometry><sphere radius="1"/></geometry></collision>'
    mark = body.replace("collision", "visual")
    assert read(text.format(base="odom", body=mark)).root == "a"
    assert read(text.format(base="odom", body=body)).root == "odom"
    drake = text.replace('<link name="{base}">{body}</link>', "").format(base="world")
    assert not read(drake).fixed_base


def test_loops_are_held_with_a_warning() -> None:
    robot = read("""<robot name="bars"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
      <joint name="ab" type="continuous"><parent link="a"/><child link="b"/></joint>
      <joint name="ac" type="continuous"><parent link="a"/><child link="c"/></joint>
      <joint name="bd" type="continuous"><parent link="b"/><child link="d"/></joint>
      <joint name="cd" type="continuous"><parent link="c"/><child link="d"/></joint></robot>""")
    assert [joint.name for joint in robot.joints] == ["ab", "ac", "bd"]
    assert [joint.name for joint in robot.loops] == ["cd"]
    (problem,) = robot.problems
    assert problem.severity is Severity.WARNING
    assert "loop" in problem.message
    assert problem.source.line == 5


@pytest.mark.parametrize(
    ("text", "line", "fragment"),
    [
        (
            '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>'
            '<child link="b"/>\n<axis xyz="0 0 2"/></joint></robot>',
            1,
            "unit length",
        ),
        ('<robot><link name="a"/></robot>', 1, "has no name"),
        (
            '<robot name="r">\n<link name="a"><visual><geometry><box size="1 1 1"/></geometry><material name="red"/>'
            "</visual></link></robot>",
            2,
            "defined nowhere",
        ),
        ('<robot name="r">\n<link name="a"><visual/></link></robot>', 2, "no geometry"),
        (
            '<robot name="r"><link name="a"><collision><geometry>\n<sphere radius="0"/></geometry></collision></link>'
            "</robot>",
            2,
            "no extent",
        ),
        (
            '<robot name="r"><link name="a"/><transmission name="t">\n<mechanicalReduction>x</mechanicalReduction>'
            "</transmission></robot>",
            2,
            "should be a number",
        ),
        (
            '<robot name="r"><link name="a"/><link name="b"/>\n<joint name="j" type="revolute"><parent link="a"/>'
            '<child link="b"/></joint></robot>',
            2,
            "needs <limit>",
        ),
        (
            '<robot name="r"><link name="a"/><link name="b"/>\n<joint name="j" type="continuous"><parent link="a"/>'
            '<child link="b"/><dynamics damping="-1"/></joint></robot>',
            2,
            "negative",
        ),
        ('<robot name="r"><link name="a"/>\n<ros2_control/></robot>', 2, "not understood"),
        ('<robot name="r"><link name="a">\n<wings/></link></robot>', 2, "not understood"),
    ],
)
def test_repairs_leave_a_problem(text: str, line: int, fragment: str) -> None:
    found = [problem for problem in read(text).problems if fragment in problem.message]
    assert found
    assert (found[0].source.file, found[0].source.line) == ("test.urdf", line)


LINKS = '<link name="a"/>\n<link name="b"/>\n'
JOINT = '<joint name="j" type="{}"><parent link="a"/><child link="b"/>{}</joint>'


@pytest.mark.parametrize(
    ("inside", "line", "fragment"),
    [
        ('<link name="a"/>\n<link name="a"/>', 3, "stands already at test.urdf:2"),
        (LINKS + 2 * (JOINT.format("fixed", "") + "\n"), 5, "stands already at test.urdf:4"),
        (LINKS, 1, "'a' (line 2), 'b' (line 3)"),
        (LINKS + '<joint name="j" type="fixed"><parent link="a"/><child link="c"/></joint>', 4, "'c' does not exist"),
        (LINKS + '<joint name="j" type="fixed"><parent link="a"/></joint>', 4, "<child link="),
        (LINKS + '<joint name="j" type="fixed"><child link="a"/></joint>', 4, "<parent link="),
        (LINKS + '<joint name="j" type="fixed"><parent link="a"/><child link="a"/></joint>', 4, "to itself"),
        (LINKS + '<joint name="j" type="hinge"><parent link="a"/><child link="b"/></joint>', 4, "'hinge'"),
        (LINKS + '<joint type="fixed"><parent link="a"/><child link="b"/></joint>', 4, "name"),
        (LINKS + JOINT.format("revolute", '<limit lower="nan"/>'), 4, "finite"),
        (LINKS + JOINT.format("revolute", '<limit upper="1e308"/>'), 4, "finite"),
        (LINKS + JOINT.format("fixed", '<origin xyz="1e308 0 0"/>'), 4, "finite"),
        (LINKS + JOINT.format("fixed", '<origin xyz="0 0"/>'), 4, "3 numbers"),
        (LINKS + JOINT.format("fixed", '<origin rpy="a b c"/>'), 4, "number"),
        ('<link name="a"><inertial/></link>', 2, "<mass>"),
        ('<link name="a"><inertial><mass value="inf"/></inertial></link>', 2, "finite"),
        ('<link name="a"><visual><geometry><box size="1 -1 1"/></geometry></visual></link>', 2, "positive"),
        ('<link name="a"><visual><geometry><torus/></geometry></visual></link>', 2, "unknown geometry"),
        ('<link name="a"><visual><geometry><mesh filename="x" scale="0 1 1"/></geometry></visual></link>', 2, "scale"),
        ("", 1, "no links"),
    ],
)
def test_refusals_name_file_and_line(inside: str, line: int, fragment: str) -> None:
    with pytest.raises(BadInput) as caught:
        read(f'<robot name="r">\n{inside}</robot>')
    assert str(caught.value).startswith(f"test.urdf:{line}: ")
    assert fragment in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "part", "fragment"),
    [
        ("revolute", '<axis xyz="0 0 0"/><limit lower="0" upper="1"/>', "axis is zero; taken as 1 0 0"),
        ("revolute", '<limit lower="2" upper="1"/>', "lower 2 is above upper 1; they are swapped"),
        ("revolute", '<limit lower="1" upper="2" effort="-1"/>', "effort -1 is negative; taken as unbounded"),
        ("revolute", '<limit lower="1" upper="2" velocity="-1"/>', "velocity -1 is negative; taken as unbounded"),
        ("continuous", '<mimic joint="k"/>', "mimics joint 'k', which does not exist, and moves freely"),
        ("continuous", '<mimic joint="j"/>', "mimics itself"),
    ],
)
def test_odd_joints_are_mended(kind: str, part: str, fragment: str) -> None:
    robot = read(f'<robot name="r">\n{LINKS}{JOINT.format(kind, part)}</robot>')
    (found,) = [problem for problem in robot.problems if fragment in problem.message]
    assert (found.severity, found.source.line) == ("warning", 4)
    (joint,) = robot.joints
    assert (joint.mimic, joint.axis) == (None, (1.0, 0.0, 0.0))
    assert joint.limits.lower <= joint.limits.upper
    assert joint.limits.effort == joint.limits.velocity == math.inf


def test_cycles_are_refused() -> None:
    ring = """<robot name="r"><link name="a"/><link name="b"/>
      <joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>
      <joint name="ba" type="fixed"><parent link="b"/><child link="a"/></joint></robot>"""
    with pytest.raises(BadInput, match=r"test.urdf:2: .*cycle"):
        read(ring)
    with pytest.raises(BadInput, match=r"test.urdf:3: .*a, b form a cycle"):
        read(ring.replace("</robot>", '<link name="root"/></robot>'))


def test_customary_huge_limits_mean_unbounded() -> None:
    joint = JOINT.format("revolute", '<limit lower="-1e16" upper="1e16" effort="1e16"/>')
    limits = read(f'<robot name="r">{LINKS}{joint}</robot>').joint("j").limits
    assert (limits.lower, limits.upper, limits.effort) == (-math.inf, math.inf, math.inf)


def test_bullet_contact_and_quaternion() -> None:
    robot = read("""<robot name="r"><link name="a"><contact><lateral_friction value="0.7"/><restitution value="0.2"/>
      </contact><collision><origin quat_xyzw="0 0 0.7071067811865476 0.7071067811865476"/>
      <geometry><box size="1 2 3"/></geometry></collision></link></robot>""")
    (collision,) = robot.link("a").collisions
    assert (collision.surface.mu, collision.surface.restitution) == (0.7, 0.2)
    assert collision.geometry == Box((1, 2, 3))
    assert np.allclose(collision.pose.rpy, [0, 0, math.pi / 2])


def test_what_other_readers_take() -> None:
    robot = read("""

<?xml version="1.0"?>
<robot name="r"><link name="a"><collision><geometry><plane normal="0 0 2"/></geometry></collision></link>
<joint name="j" type="spherical"><parent link="a"/><child link="b"/><joint_properties damping="0.5"/></joint>
<link name="b"/></robot>""")
    assert robot.link("a").collisions[0].geometry == Plane((0, 0, 1))
    assert robot.joint("j").type is JointType.BALL
    assert robot.joint("j").dynamics.damping == 0.5
    assert robot.joint("j").source.line == 5


def test_three_hundred_links() -> None:
    links = "".join(f'<link name="l{i}"/>' for i in range(300))
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><origin xyz="0 0 1" rpy="0.1 0 0"/><parent link="l{i}"/>'
        f'<child link="l{i + 1}"/></joint>'
        for i in range(299)
    )
    assert len(read(f'<robot name="long">{links}{joints}</robot>').movable) == 299


def test_empty_attributes_of_a_sensor_are_not_stated() -> None:
    robot = read(
        '<robot name="r"><link name="base"/><sensor name="eye" update_rate="10"><parent link="base"/>'
        '<ray><horizontal max_angle="" min_angle="" samples="100"/></ray></sensor></robot>'
    )
    (eye,) = robot.sensors
    assert eye.kind == "lidar"
    assert dict(eye.parameters) == {"samples": 100}
    assert [problem.message for problem in robot.problems if "empty" in problem.message] != []
