"""Joints of SDF: types, limits, losses, two axes, screws, gearboxes, mimics, loops, the world as parent."""

import math

import numpy as np
import pytest
from sdf_samples import LINKS, joint, messages, robot, world

from andante.description.joint import JointType, Mimic
from andante.errors import AndanteError

AXIS = "<axis><xyz>0 0 1</xyz>{}</axis>"


@pytest.mark.parametrize(
    ("kind", "made"),
    [
        ("revolute", JointType.CONTINUOUS),
        ("continuous", JointType.CONTINUOUS),
        ("prismatic", JointType.PRISMATIC),
        ("fixed", JointType.FIXED),
        ("ball", JointType.BALL),
        ("screw", JointType.SCREW),
    ],
)
def test_types(kind: str, made: JointType) -> None:
    assert robot(LINKS + joint(kind)).joint("j").type is made


@pytest.mark.parametrize("unlimited", ["1e16", "1.79769e+308", "inf"])
def test_limits(unlimited: str) -> None:
    text = (
        f"<limit><lower>-{unlimited}</lower><upper>2</upper><effort>-1</effort><velocity>{unlimited}</velocity></limit>"
    )
    limits = robot(LINKS + joint(inner=AXIS.format(text))).joint("j").limits
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == (-math.inf, 2.0, math.inf, math.inf)
    text = "<limit><lower>-1</lower><upper>2</upper><effort>0</effort><velocity>3</velocity></limit>"
    j = robot(LINKS + joint(inner=AXIS.format(text))).joint("j")
    assert j.type is JointType.REVOLUTE
    assert (j.limits.lower, j.limits.upper, j.limits.effort, j.limits.velocity) == (-1.0, 2.0, 0.0, 3.0)


def test_dynamics() -> None:
    text = (
        "<dynamics><damping>1</damping><friction>2</friction><spring_reference>3</spring_reference>"
        "<spring_stiffness>4</spring_stiffness></dynamics>"
    )
    d = robot(LINKS + joint(inner=AXIS.format(text))).joint("j").dynamics
    assert (d.damping, d.friction, d.reference, d.stiffness) == (1, 2, 3, 4)


def test_mimic_of_1_11() -> None:
    text = '<mimic joint="k"><multiplier>2</multiplier><offset>1</offset><reference>0.25</reference></mimic>'
    body = LINKS + '<link name="c"/>' + joint(inner=AXIS.format(text)) + joint(name="k", ends="a c")
    assert robot(body, "1.11").joint("j").mimic == Mimic("k", 2.0, 0.5)


@pytest.mark.parametrize("kind", ["universal", "revolute2"])
def test_two_axes_become_two_joints(kind: str) -> None:
    axes = (
        "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis2>"
    )
    r = robot(LINKS + joint(kind, axes))
    first, second = r.joint("j"), r.joint("j_axis2")
    assert (first.parent, second.child) == ("a", "b")
    assert first.child == second.parent == "j_between"
    assert r.link("j_between").inertia is None
    assert (first.axis, second.axis) == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    assert (first.type, second.type) == (JointType.CONTINUOUS, JointType.REVOLUTE)
    assert np.allclose(r.link_poses()["b"].translation, (1, 0, 0))
    assert "two revolute joints" in messages(r)


def test_screw_pitch_in_both_notations() -> None:
    new = robot(LINKS + joint("screw", "<screw_thread_pitch>0.01</screw_thread_pitch>" + AXIS.format("")), "1.10")
    assert new.joint("j").screw_pitch == pytest.approx(0.01 / (2 * math.pi))
    old = robot(LINKS + joint("screw", f"<thread_pitch>{-2 * math.pi / 0.01}</thread_pitch>" + AXIS.format("")), "1.6")
    assert old.joint("j").screw_pitch == pytest.approx(0.01 / (2 * math.pi))


def test_gearbox_becomes_a_mimic() -> None:
    gear = (
        "<gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>a</gearbox_reference_body>"
        "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2>"
    )
    links = LINKS + '<link name="c"/>'
    flipped = joint(name="k", ends="a c", inner="<axis><xyz>0 0 -1</xyz></axis>")
    r = robot(links + joint() + joint(name="k", ends="a c") + joint("gearbox", gear, "g", "b c"))
    assert r.joint("k").mimic == Mimic("j", -3.0, 0.0)
    r = robot(links + joint() + flipped + joint("gearbox", gear, "g", "b c"))
    assert r.joint("k").mimic == Mimic("j", 3.0, 0.0)
    r = robot(links + joint() + joint(name="k", ends="b c") + joint("gearbox", gear, "g", "b c"))
    assert r.joint("k").mimic is None
    assert "left out" in messages(r)


def test_world_as_parent() -> None:
    r = robot(LINKS + joint() + joint("fixed", "", "w", "world a"))
    assert r.fixed_base
    assert r.root == "a"
    assert [j.name for j in r.joints] == ["j"]
    r = robot('<link name="a"><pose>0 0 2 0 0 0</pose></link>' + joint("revolute", ends="world a"))
    assert r.fixed_base
    assert (r.root, r.link("world").inertia) == ("world", None)
    assert np.allclose(r.joint("j").pose.translation, (0, 0, 2))


def test_second_parent_closes_a_loop() -> None:
    body = '<link name="a"/><link name="b"/><link name="c"><pose>1 2 3 0 0 0</pose></link>'
    r = robot(body + joint() + joint(name="k", ends="a c") + joint(name="l", ends="b c"))
    assert [j.name for j in r.joints] == ["j", "k"]
    assert [j.name for j in r.loops] == ["l"]
    assert np.allclose((r.loops[0].pose @ r.loops[0].joint_from_child).translation, (1, 2, 3))


def test_two_roots_that_share_a_child_are_one_tree() -> None:
    r = robot(LINKS + '<link name="c"/>' + joint(ends="a c") + joint(name="k", ends="b c"))
    assert r.loops == ()
    k = r.joint("k")
    assert (k.parent, k.child, k.axis) == ("c", "b", (-0.0, -0.0, -1.0))
    assert np.allclose(r.link_poses()["b"].translation, (1, 0, 0))


def test_static_models_do_not_move() -> None:
    w = world(f'<model name="m"><static>true</static>{LINKS}{joint()}</model>')
    assert [j.type for j in w.models[0].robot.joints] == [JointType.FIXED]
    assert "static model" in messages(w)


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        (joint("wobbly"), "wobbly"),
        (joint(ends="a a"), "both"),
        (joint(ends="a nobody"), "no frame 'nobody'"),
        (joint(ends="a world"), "swap"),
        (joint(inner="<axis><xyz>0 0 0</xyz></axis>"), "no length"),
        (joint(inner=AXIS.format("<limit><lower>nan</lower></limit>")), "finite"),
        ('<joint name="j" type="fixed"><child>a</child></joint>', "no <parent>"),
        (joint(inner=AXIS.format("<mimic/>")), "mimic"),
        (joint("screw", "<thread_pitch>0</thread_pitch>"), "must not be 0"),
        (joint() + joint(name="k", ends="b a"), None),
    ],
)
def test_bad_joints(text: str, fragment: str | None) -> None:
    if fragment is None:
        assert [j.name for j in robot(LINKS + text).loops] == ["k"]
        return
    with pytest.raises(AndanteError, match=fragment):
        robot(LINKS + text)


def test_swapped_limits_are_told() -> None:
    r = robot(LINKS + joint(inner=AXIS.format("<limit><lower>1</lower><upper>-1</upper></limit>")))
    assert "swapped" in messages(r)
    assert r.joint("j").limits.lower == -1.0


def test_a_driven_wheel_of_sdf_1_4_that_would_be_vertical_turns_in_its_own_frame() -> None:
    text = """<link name="b"/><link name="w"><pose>0 0.1 0.03 -1.5707963 0 0</pose></link>
      <joint name="j" type="revolute"><parent>b</parent><child>w</child><axis><xyz>0 0 1</xyz></axis></joint>"""
    plain = robot(text, "1.4").joint("j")
    assert np.allclose(plain.axis, (0, -1, 0), atol=1e-6)  # vertical, as the standard says
    plugin = '<plugin name="p" filename="libgazebo_ros_diff_drive.so"><left_joint>j</left_joint></plugin>'
    made = robot(text + plugin, "1.4")
    assert np.allclose(made.joint("j").axis, (0, 0, 1), atol=1e-6)
    assert "in the frame of the joint" in messages(made)
    assert np.allclose(robot(text + plugin, "1.5").joint("j").axis, (0, 0, 1))
