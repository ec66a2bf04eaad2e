"""The SDF writer: what is written reads back the same, and the parser of Gazebo accepts it without a word."""

import math
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from same_physics import assert_same_physics
from sdf_samples import FULL, LINKS, joint, robot

from andante.description.inertia import Inertia
from andante.description.io.open import read_robot, read_world
from andante.description.io.sdf.writer import write_sdf
from andante.description.joint import Dynamics, Joint, JointType, Limits, Mimic, SafetyController
from andante.description.link import Collision, Link, Material, SensorSpec, Surface, Visual
from andante.description.load import robot_file, robot_names, world_file, world_names
from andante.description.robot import Frame, Plugin, Robot, Transmission
from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Heightmap, Mesh, Plane, Sphere
from andante.description.world import Light, PhysicsSpec, Placement, World
from andante.errors import AndanteError
from andante.geometry import SE3, so3

POSE = SE3.from_xyz_rpy((0.1, -0.2, 1 / 3), (0.4, 0.5, -0.6))
GIMBAL = SE3.from_xyz_rpy((0, 0, 1), (0.3, math.pi / 2, 0.1))


def some_robot() -> Robot:
    """A robot with a bit of everything."""
    heights = ((0.0, 0.1, 0.2), (0.3, 1 / 3, 0.5))
    shapes = (Box((1, 2, 3)), Sphere(0.1), Cylinder(0.1, 0.2), Capsule(0.1, 0.3), Ellipsoid((0.1, 0.2, 0.3)), Plane())
    surface = Surface(0.1, 0.2, 0.3, 0.4, 0.5, 1e12, 7.0, 8.0, 0.009, (0.0, 1.0, 0.0), 12)
    body = Inertia(2.5, (0.1, 0.2, 1 / 3), (0.2, 0.01, 0.02, 0.3, 0.03, 0.35))
    links = (
        Link("second", body, gravity=False, self_collide=True),
        Link(
            "base",
            body,
            (
                Visual(Box((1, 1, 1)), POSE, Material("grey", (0.1, 0.2, 0.3, 0.4), "wood.png"), "look"),
                Visual(Sphere(1.0)),
            ),
            (*(Collision(shape, POSE, surface) for shape in shapes), Collision(Heightmap(heights, (3.0, 4.0)))),
        ),
        Link("massless", None, visuals=(Visual(Mesh("model://nowhere/part.stl", None, (1, 2, 3), "part", True)),)),
        Link("tip", None),
        Link("tip_of_tip", None),
        Link("moving", None),
        Link("odd::name", Inertia(0.0)),
        Link("world", Inertia(1.0, (0.0, 0.0, 0.0), (0.1, 0.0, 0.0, 0.1, 0.0, 0.5))),
        Link("slider", body),
        Link("swinger", body),
        Link("free", body),
        Link("ball", body),
        Link("screwed", body),
    )
    own = {"armature": 0.01}
    joints = (
        Joint("second", JointType.REVOLUTE, "base", "second", POSE, (0.0, 0.6, 0.8), Limits(-1.5, 2 / 3, 10, 5),
              Dynamics(0.1, 0.2, **own, stiffness=3, reference=0.5), safety=SafetyController(1, 2, -1, 1),
              calibration={"rising": 0.25}, initial=0.125),
        Joint("to_massless", JointType.FIXED, "base", "massless", GIMBAL, limits=Limits(effort=5.0)),
        Joint("to_tip", JointType.FIXED, "massless", "tip", POSE),
        Joint("to_tip2", JointType.FIXED, "tip", "tip_of_tip", POSE, joint_from_child=POSE),
        Joint("to_moving", JointType.CONTINUOUS, "tip", "moving", POSE, limits=Limits(effort=3.0),
              joint_from_child=POSE),
        Joint("to_odd", JointType.PRISMATIC, "moving", "odd::name", POSE, (0.0, 0.0, 1.0), Limits(upper=0.5)),
        Joint("to_world", JointType.FIXED, "odd::name", "world"),
        Joint("slide", JointType.PRISMATIC, "base", "slider", GIMBAL, mimic=Mimic("second", 0.5, 1 / 3)),
        Joint("swing", JointType.REVOLUTE, "base", "swinger", limits=Limits(-1, 1), joint_from_child=GIMBAL),
        Joint("floating", JointType.FLOATING, "base", "free", POSE, joint_from_child=POSE),
        Joint("balljoint", JointType.BALL, "free", "ball", POSE),
        Joint("screw", JointType.SCREW, "ball", "screwed", POSE, (0.0, 1.0, 0.0), screw_pitch=0.003),
    )  # fmt: skip
    loop = Joint("loop", JointType.REVOLUTE, "slider", "swinger", POSE, joint_from_child=GIMBAL, limits=Limits(-1, 1))
    sensors = (
        SensorSpec("imu", "imu", "base", POSE, 100.0, "imu/data", {"linear_acceleration_x_noise_stddev": 0.1}),
        SensorSpec("foot", "force", "second", POSE, 50.0, "", {"range_max": 25.0, "note": "left heel"}),
        SensorSpec("eye", "camera", "base", POSE, 30.0, "", {"width": 640.0, "height": 480.0, "horizontal_fov": 1 / 3}),
        SensorSpec("deep", "depth_camera", "base", POSE, 30.0, "", {"near": 0.1, "noise_stddev": 0.01}),
        SensorSpec("scan", "lidar", "base", POSE, 1.0, "", {"samples": 360.0, "range_max": 12.0, "noise_type": "none"}),
        SensorSpec("ft", "force_torque", "swinger", POSE, 9.0, "", {"joint": "swing", "frame": "child"}),
        SensorSpec("tag", "uwb", "massless"),
    )  # fmt: skip
    return Robot(
        "some robot",
        links,
        joints,
        (loop,),
        sensors,
        (Plugin("drive", "libdrive.so", {"a": "1", "x y": "2 < 3"}), Plugin("", "")),
        (Transmission("t", "simple", ("second",), ("motor",), 50.0, ("position",)),),
        (Frame("frame", "second", POSE),),
        self_collide=True,
        no_collision=frozenset({frozenset(("base", "second"))}),
    )


def again(thing: Robot, folder: Path) -> Robot:
    """The robot written and read back."""
    path = folder / "out.sdf"
    path.write_text(write_sdf(thing, path))
    return read_robot(path)


def check_with_gazebo(path: Path) -> None:
    """Fail when the parser of Gazebo has anything to say."""
    if shutil.which("ign") is None:
        reason = "`ign sdf -k` is missing: install ignition-tools and libsdformat-dev"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    done = subprocess.run(["ign", "sdf", "-k", str(path)], capture_output=True, text=True, timeout=60, check=False)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line and "backtrace" not in line]
    assert lines == ["Valid."]


@pytest.mark.parametrize("fixed", [False, True])
def test_everything_survives(tmp_path: Path, fixed: bool) -> None:
    first = replace(some_robot(), fixed_base=fixed)
    second = again(first, tmp_path)
    assert_same_physics(first, second, 1e-14, link_frames=True)
    assert second.joint_names == first.joint_names
    for a in first.joints:
        b = second.joint(a.name)
        assert (a.safety, a.calibration, a.mimic, a.dynamics, a.initial) == (
            *(b.safety, b.calibration, b.mimic, b.dynamics, b.initial),
        )
        assert a.pose.close_to(b.pose, 1e-15)
        assert a.joint_from_child.close_to(b.joint_from_child, 1e-15)
    assert {s.name: s.parameters for s in first.sensors} == {s.name: s.parameters for s in second.sensors}
    assert (second.plugins, second.transmissions, second.name) == (first.plugins, first.transmissions, first.name)
    assert second.frames[0].pose.close_to(POSE, 1e-15)
    assert [v.material for v in second.link("base").visuals] == [v.material for v in first.link("base").visuals]
    assert [c.name for c in second.link("base").collisions] == [""] * 7
    text = write_sdf(second, tmp_path / "out.sdf")
    assert write_sdf(again(second, tmp_path), tmp_path / "out.sdf") == text


@pytest.mark.parametrize("fixed", [False, True])
def test_gazebo_accepts_a_robot(tmp_path: Path, fixed: bool) -> None:
    path = tmp_path / "r.sdf"
    path.write_text(write_sdf(replace(some_robot(), fixed_base=fixed), path))
    check_with_gazebo(path)


def test_plain_robots_are_written_in_an_old_version() -> None:
    text = write_sdf(robot(LINKS + joint()), Path("r.sdf"))
    assert '<sdf version="1.7"' in text
    assert "andante:" not in text.replace("urn:andante:sdf", "")


def test_gazebo_accepts_equal_names_of_different_things(tmp_path: Path) -> None:
    shapes = {"visuals": (Visual(Sphere(1.0), name="x"),) * 3, "collisions": (Collision(Sphere(1.0), name="x"),) * 2}
    links = (Link("x", Inertia(1.0, moments=(1, 0, 0, 1, 0, 1)), **shapes), Link("y", Inertia(1.0)), Link("__z__"))
    joints = (Joint("x", JointType.FIXED, "x", "y"), Joint("y", JointType.PRISMATIC, "x", "__z__"))
    sensors = (SensorSpec("x", "imu", "x"), SensorSpec("x", "camera", "y"))
    first = Robot("x", links, joints, (), sensors, (Plugin("x", "x"),) * 2, frames=(Frame("x", "y"),))
    second = again(first, tmp_path)
    assert_same_physics(first, second, link_frames=True)
    assert [v.name for v in second.link("x").visuals] == ["x", "x", "x"]
    check_with_gazebo(tmp_path / "out.sdf")
    scene = World("x", tuple(Placement(name, first) for name in ("x", "default", "world")), lights=(Light("x"),) * 2)
    path = tmp_path / "w.sdf"
    path.write_text(write_sdf(replace(scene, physics=PhysicsSpec(0.001, 50, 1e-5, 0.2)), path))
    assert [m.name for m in read_world(path).models] == ["x", "default", "world"]
    check_with_gazebo(path)


@pytest.mark.parametrize("name", robot_names())
def test_built_in_robots_survive(tmp_path: Path, name: str) -> None:
    first = read_robot(robot_file(name))
    second = again(first, tmp_path)
    assert_same_physics(first, second, 1e-12, link_frames=True)
    check_with_gazebo(tmp_path / "out.sdf")


@pytest.mark.parametrize("name", world_names())
def test_built_in_worlds_survive(tmp_path: Path, name: str) -> None:
    first = read_world(world_file(name))
    path = tmp_path / "out.sdf"
    path.write_text(write_sdf(first, path))
    second = read_world(path)
    assert (second.gravity, second.physics) == (first.gravity, first.physics)
    for a, b in zip(first.models, second.models, strict=True):
        assert (a.name, a.fixed) == (b.name, b.fixed)
        assert a.pose.close_to(b.pose, 1e-12)
        assert_same_physics(a.robot, b.robot, 1e-12, link_frames=True)
    check_with_gazebo(path)


def test_bare_frames_are_written_as_frames() -> None:
    text = write_sdf(some_robot(), Path("r.sdf"))
    assert '<frame name="tip_of_tip" attached_to="tip" andante:joint="to_tip2">' in text
    assert '<link name="tip">' in text  # something that moves hangs on it


def test_worlds_survive(tmp_path: Path) -> None:
    (tmp_path / "full.world").write_text(FULL)
    first = read_world(tmp_path / "full.world")
    arm = Robot("arm", (Link("a"), Link("b", Inertia(1.0, moments=(1, 0, 0, 1, 0, 1)))),
                (Joint("j", JointType.REVOLUTE, "a", "b", limits=Limits(-1, 1)),))  # fmt: skip
    first = replace(
        first,
        models=(*first.models, Placement("bolted", arm, POSE, fixed=True), Placement("loose", arm, GIMBAL)),
        lights=(*first.lights, Light("sun", pose=POSE)),
        physics=PhysicsSpec(dt=0.004),
    )
    path = tmp_path / "again.sdf"
    path.write_text(write_sdf(first, path))
    second = read_world(path)
    assert (second.name, second.gravity, second.physics) == (first.name, first.gravity, first.physics)
    assert (second.ambient, second.background) == (first.ambient, first.background)
    assert [replace(a, pose=SE3.identity()) for a in second.lights] == [
        replace(a, pose=SE3.identity()) for a in first.lights
    ]
    assert [(m.name, m.robot.name, m.fixed) for m in second.models] == [
        (m.name, m.robot.name, m.fixed) for m in first.models
    ]
    for a, b in zip(first.models, second.models, strict=True):
        assert_same_physics(a.robot, b.robot, 1e-14, link_frames=True)
        assert a.pose.close_to(b.pose, 1e-14)
    check_with_gazebo(path)


def test_an_empty_world_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "w.sdf"
    path.write_text(write_sdf(World("empty"), path))
    assert read_world(path).gravity == (0.0, 0.0, -9.81)
    check_with_gazebo(path)


def test_urdf_to_sdf_and_back_keeps_massless_links(tmp_path: Path) -> None:
    urdf = tmp_path / "r.urdf"
    urdf.write_text(
        '<robot name="r"><link name="base_footprint"/><link name="base"><inertial><origin xyz="0 0 0.1" rpy="0.1 0 0"/>'
        '<mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<link name="camera"/><joint name="f" type="fixed"><parent link="base_footprint"/><child link="base"/>'
        '<origin xyz="0 0 0.3"/></joint><joint name="c" type="fixed"><parent link="base"/><child link="camera"/>'
        '<origin xyz="0.1 0 0" rpy="-1.5707963 0 -1.5707963"/></joint></robot>'
    )
    first = read_robot(urdf)
    second = again(first, tmp_path)
    assert_same_physics(first, second, 1e-14, link_frames=True)
    assert second.link("camera").inertia is None
    assert second.link("base_footprint").inertia is None
    check_with_gazebo(tmp_path / "out.sdf")


def test_meshes_are_found_from_the_new_place(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "m.stl").write_text("solid")
    mesh = Mesh("m.stl", tmp_path / "a" / "m.stl")
    second = again(Robot("r", (Link("l", None, (Visual(mesh),)),)), tmp_path / "b")
    shape = second.links[0].visuals[0].geometry
    assert isinstance(shape, Mesh)
    assert shape.path is not None
    assert shape.path.samefile(tmp_path / "a" / "m.stl")


def test_names_that_xml_cannot_hold_are_refused() -> None:
    with pytest.raises(AndanteError, match="XML cannot"):
        write_sdf(Robot("r", (Link("a\x01"),)), Path("r.sdf"))


numbers = st.floats(-1e6, 1e6, allow_nan=False)
angles = st.floats(-10, 10, allow_nan=False)
names = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(numbers, numbers, angles, angles, angles), min_size=1, max_size=4), st.data())
def test_random_chains_survive(tmp_path_factory: pytest.TempPathFactory, poses: list, data: st.DataObject) -> None:
    labels = data.draw(st.lists(names, min_size=len(poses) + 1, max_size=len(poses) + 1, unique=True))
    links = tuple(
        Link(name, Inertia(1.0, moments=(1, 0, 0, 1, 0, 1)) if i % 2 else None) for i, name in enumerate(labels)
    )
    joints = []
    for i, (x, y, roll, pitch, yaw) in enumerate(poses):
        pose = SE3.from_xyz_rpy((x, y, -x), (roll, pitch, yaw))
        axis = so3.from_rpy((pitch, roll, yaw))[:, 0]
        kind = data.draw(st.sampled_from(sorted(JointType)))
        joints.append(
            Joint(labels[i + 1], kind, labels[i], labels[i + 1], pose, tuple(axis.tolist()), screw_pitch=y)
            if kind is JointType.SCREW
            else Joint(labels[i + 1], kind, labels[i], labels[i + 1], pose, tuple(axis.tolist()), joint_from_child=pose)
        )
    first = Robot("r", links, tuple(joints))
    second = again(first, tmp_path_factory.mktemp("chain"))
    for a in first.joints:
        b = second.joint(a.name)
        unlimited = a.type is JointType.REVOLUTE  # the limits are infinite, so it comes back as continuous
        assert b.type is (JointType.CONTINUOUS if unlimited else a.type)
        assert np.allclose(a.pose.matrix, b.pose.matrix, rtol=1e-15, atol=2e-15)
        assert np.allclose(a.joint_from_child.matrix, b.joint_from_child.matrix, rtol=1e-15, atol=2e-15)
        if a.type in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC):
            assert np.allclose(a.axis, b.axis, rtol=0, atol=1e-15)
