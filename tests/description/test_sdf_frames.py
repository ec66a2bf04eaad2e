"""Poses and frames of SDF: relative_to, attached_to, nesting, placement, versions, odd formats."""

import math
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from same_physics import assert_same_physics
from sdf_samples import LINKS, joint, messages, robot, world

from andante.description.io.open import read_robot
from andante.description.joint import JointType
from andante.errors import AndanteError
from andante.geometry import SE3


def test_joint_pose_is_told_in_the_child_by_default() -> None:
    r = robot(LINKS + joint(inner="<pose>0.5 0 0 0 0 1.5707963267948966</pose><axis><xyz>1 0 0</xyz></axis>"))
    j = r.joint("j")
    assert j.pose.close_to(SE3.from_xyz_rpy((1.5, 0, 0), (0, 0, math.pi / 2)), 1e-15)
    assert j.axis == (1.0, 0.0, 0.0)
    assert r.link_poses()["b"].close_to(SE3.from_xyz_rpy((1, 0, 0)), 1e-15)
    turned = r.link_poses({"j": math.pi})["b"]  # about the y axis of a, through (1.5, 0, 0)
    assert np.allclose(turned.translation, (2, 0, 0), atol=1e-12)


@pytest.mark.parametrize(
    ("version", "inner", "axis"),
    [
        ("1.4", "<axis><xyz>1 0 0</xyz></axis>", (0, -1, 0)),
        ("1.5", "<axis><xyz>1 0 0</xyz></axis>", (1, 0, 0)),
        ("1.6", "<axis><xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame></axis>", (0, -1, 0)),
        ("1.6", "<axis><xyz>1 0 0</xyz><use_parent_model_frame>0</use_parent_model_frame></axis>", (1, 0, 0)),
        ("1.7", '<axis><xyz expressed_in="__model__">1 0 0</xyz></axis>', (0, -1, 0)),
        ("1.9", '<axis><xyz expressed_in="b">1 0 0</xyz></axis>', (1, 0, 0)),
        ("1.12", '<axis><xyz expressed_in="a">3 0 0</xyz></axis>', (0, -1, 0)),
    ],
)
def test_the_frame_of_the_axis_depends_on_version_and_attributes(version: str, inner: str, axis: tuple) -> None:
    links = '<link name="a"/><link name="b"><pose>0 0 0 0 0 1.5707963267948966</pose></link>'
    assert np.allclose(robot(links + joint(inner=inner), version).joint("j").axis, axis, atol=1e-12)


def test_chains_of_frames_and_attachment() -> None:
    r = robot(
        '<link name="a"><pose>1 0 0 0 0 0</pose></link><link name="b"><pose relative_to="g">0 0 1 0 0 0</pose></link>'
        '<frame name="f" attached_to="a"><pose>0 2 0 0 0 0</pose></frame>'
        '<frame name="g" attached_to="f"><pose relative_to="__model__">0 0 5 0 0 0</pose></frame>'
        + joint("fixed", "", ends="g b")
    )
    assert r.joint("j").parent == "a"
    assert np.allclose(r.link_poses()["b"].translation, (-1, 0, 6))
    frames = {f.name: f for f in r.frames}
    assert frames["f"].link == "a"
    assert frames["f"].pose.close_to(SE3.from_xyz_rpy((0, 2, 0)))
    assert np.allclose(frames["g"].pose.translation, (-1, 0, 5))


def test_degrees_and_quaternions() -> None:
    r = robot(
        '<link name="a"/><link name="b"><pose degrees="true">0 0 0 90 0 0</pose></link>'
        '<link name="c"><pose rotation_format="quat_xyzw">0 0 0 0.5 0 0 0.5</pose></link>'
        + joint("fixed", "")
        + joint("fixed", "", "k", "a c")
    )
    poses = r.link_poses()
    expected = SE3.from_xyz_rpy((0, 0, 0), (math.pi / 2, 0, 0))
    assert poses["b"].close_to(expected, 1e-15)
    assert poses["c"].close_to(expected, 1e-15)


def test_nested_models_are_flattened_with_their_poses() -> None:
    r = robot(
        '<link name="a"/><model name="outer"><pose>1 0 0 0 0 1.5707963267948966</pose><link name="l"/>'
        '<model name="inner"><pose>1 0 0 0 0 0</pose><link name="l"><pose>0 0 1 0 0 0</pose></link></model>'
        + joint("revolute", '<axis><xyz expressed_in="inner">0 1 0</xyz></axis>', "k", "l inner::l")
        + "</model>"
        + joint("fixed", "", "j", "a outer")
    )
    assert {link.name for link in r.links} == {"a", "outer::l", "outer::inner::l"}
    assert r.joint("j").child == "outer::l"
    k = r.joint("outer::k")
    assert (k.parent, k.child) == ("outer::l", "outer::inner::l")
    assert np.allclose(k.axis, (0, 1, 0), atol=1e-12)
    assert np.allclose(r.link_poses()["outer::inner::l"].translation, (1, 1, 1))


def test_placement_frame_puts_that_frame_at_the_pose() -> None:
    r = robot(
        '<link name="a"/><model name="n" placement_frame="l"><pose>1 2 3 0 0 0</pose>'
        '<link name="l"><pose>0 0 7 0 0 0</pose></link></model>' + joint("fixed", "", ends="a n::l")
    )
    assert np.allclose(r.link_poses()["n::l"].translation, (1, 2, 3))


def test_canonical_link_carries_the_model_frame() -> None:
    body = LINKS + '<frame name="f"><pose>0 0 1 0 0 0</pose></frame>' + joint("fixed", "")
    assert robot(body).frames[0].link == "a"
    assert robot(body, attributes='canonical_link="b"').frames[0].link == "b"


def test_poses_inside_links_may_name_frames() -> None:
    r = robot(
        '<link name="a"><pose>1 0 0 0 0 0</pose><collision name="c"><pose relative_to="__model__">0 0 2 0 0 0</pose>'
        "<geometry><sphere><radius>1</radius></sphere></geometry></collision>"
        "<inertial><pose>0 0 0.5 0 0 0</pose><mass>2</mass></inertial></link>"
    )
    link = r.link("a")
    assert np.allclose(link.collisions[0].pose.translation, (-1, 0, 2))
    assert link.inertia is not None
    assert link.inertia.com == (0.0, 0.0, 0.5)


def test_legacy_frame_attribute() -> None:
    r = robot('<link name="a"/><link name="b"><pose frame="a">1 0 0 0 0 0</pose></link>' + joint("fixed", ""), "1.6")
    assert "`frame` attribute" in messages(r)
    r = robot('<link name="a"><pose frame="nowhere">1 0 0 0 0 0</pose></link>', "1.6")
    assert "does not exist" in messages(r)


def test_world_frames_place_models() -> None:
    w = world(
        '<frame name="f"><pose>1 0 0 0 0 1.5707963267948966</pose></frame>'
        '<model name="m"><pose relative_to="f">1 0 0 0 0 0</pose><link name="l"><pose>0 0 1 0 0 0</pose></link></model>'
        '<model name="n"><pose relative_to="m">0 0 5 0 0 0</pose><link name="l"/></model>'
    )
    assert np.allclose(w.models[0].pose.translation, (1, 1, 1))
    assert np.allclose(w.models[1].pose.translation, (1, 1, 5))


@pytest.mark.parametrize(
    ("body", "fragment"),
    [
        ('<link name="a"><pose relative_to="b"/></link><link name="b"><pose relative_to="a"/></link>', "itself"),
        ('<link name="a"/><frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>', "itself"),
        ('<link name="a"><pose relative_to="zzz"/></link>', "no frame 'zzz'"),
        ('<link name="a"/><link name="a"/>', "taken"),
        ("<link/>", "no name"),
        ('<link name="a"><pose>1 2 3</pose></link>', "6 numbers"),
        ('<link name="a"><pose>nan 0 0 0 0 0</pose></link>', "finite"),
        ('<link name="a"><pose>1e308 0 0 0 0 0</pose></link>', "finite"),
        ('<link name="a"><pose rotation_format="quat_xyzw">0 0 0 0 0 0 0</pose></link>', "no length"),
        ("", "no links"),
    ],
)
def test_bad_frames_are_refused_with_file_and_reason(body: str, fragment: str) -> None:
    with pytest.raises(AndanteError, match=fragment) as caught:
        robot(body)
    assert "sample.sdf:1" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_long_chains_need_no_deep_recursion() -> None:
    count = 5000
    frames = "".join(
        f'<frame name="f{i}" attached_to="f{i + 1}"><pose>1 0 0 0 0 0</pose></frame>' for i in range(count)
    )
    r = robot(f'{frames}<frame name="f{count}"/><link name="a"/>')
    assert r.frames[0].pose.translation[0] == count


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(AndanteError, match="nested more than"):
        robot("".join(f'<model name="n{i}">' for i in range(60)) + '<link name="a"/>' + "</model>" * 60)


def test_a_link_called_world_is_a_link() -> None:
    r = robot('<link name="world"/><link name="b"><pose>1 0 0 0 0 0</pose></link>' + joint(ends="world b"))
    assert (r.root, r.fixed_base) == ("world", False)
    assert r.link("world").inertia is not None
    assert "reserved" in messages(r)


@pytest.mark.parametrize(
    ("version", "in_model"),
    [("1.4", False), ("1.5", False), ("1.5", True), ("1.6", False), ("1.6", True), ("1.7", False), ("1.9", False)],
)
def test_old_versions_mean_what_gazebo_makes_of_them(tmp_path: Path, version: str, in_model: bool) -> None:
    """The parser of Gazebo rewrites old files in its newest version; both must read the same."""
    if shutil.which("ign") is None:
        reason = "`ign sdf -p` is missing: install ignition-tools and libsdformat-dev"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    flag = "<use_parent_model_frame>1</use_parent_model_frame>" if in_model else ""
    axis = f"<axis><xyz>0 0.6 0.8</xyz>{flag}<limit><lower>-1</lower><upper>1</upper></limit></axis>"
    old = tmp_path / "old.sdf"
    old.write_text(
        f'<sdf version="{version}"><model name="m"><link name="a"><pose>0 0 1 0.3 0 0</pose></link><link name="b">'
        '<pose>0 1 1 0 0.5 0.2</pose></link><link name="c"><pose>1 1 1 0 0.5 0.2</pose></link>'
        + joint(inner="<pose>0.1 0.2 0.3 0.4 0.5 0.6</pose>" + axis)
        + joint("prismatic", axis, "k", "b c")
        + "</model></sdf>"
    )
    done = subprocess.run(["ign", "sdf", "-p", str(old)], capture_output=True, text=True, timeout=60, check=True)
    (tmp_path / "new.sdf").write_text(done.stdout)
    assert "1.9" in done.stdout[:100]
    assert_same_physics(read_robot(old), read_robot(tmp_path / "new.sdf"), 1e-5)


def test_separate_links_float_in_a_robot_and_stand_alone_in_a_world() -> None:
    body = LINKS + '<link name="c"/>' + joint(ends="b c")
    r = robot(body)
    assert [j.type for j in r.joints if j.child == "b"] == [JointType.FLOATING]
    assert "no joint holds link 'b'" in messages(r)
    w = world(f'<model name="m"><pose>0 0 1 0 0 0</pose>{body}</model>')
    assert [(m.name, m.robot.root) for m in w.models] == [("m", "a"), ("m::b", "b")]
    assert np.allclose(w.models[1].pose.translation, (1, 0, 1))
    w = world(f'<model name="m"><static>1</static>{body}</model>')
    assert [m.name for m in w.models] == ["m"]
    assert w.models[0].fixed
    assert {j.type for j in w.models[0].robot.joints} == {JointType.FIXED}
