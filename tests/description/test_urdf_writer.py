"""Written URDF reads back as the same physics, is accepted by the reference parser, and refuses by name."""

from __future__ import annotations

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
from urdf_samples import ARM, MACROS

from andante.description.inertia import Inertia
from andante.description.io.open import read_robot
from andante.description.io.resolver import Resolver
from andante.description.io.urdf.reader import read_urdf
from andante.description.io.urdf.writer import rpy_of, write_urdf
from andante.description.io.xmltree import parse_xml
from andante.description.joint import Dynamics, Joint, JointType, Limits, Mimic
from andante.description.link import Collision, Link, Material, SensorSpec, Surface, Visual
from andante.description.load import load_robot, robot_names
from andante.description.robot import Frame, Robot
from andante.description.shapes import Box, Capsule, Ellipsoid, Mesh, Plane, Sphere
from andante.errors import Unsupported
from andante.geometry import SE3, so3

OUT = Path("out.urdf")


def read(text: str) -> Robot:
    return read_urdf(parse_xml(text.encode(), "back.urdf"), OUT, Resolver())


def back(robot: Robot) -> Robot:
    return read(write_urdf(robot, OUT))


@pytest.fixture(scope="module")
def arm() -> Robot:
    return read(ARM)


def test_round_trip_keeps_everything(arm: Robot) -> None:
    again = back(arm)
    assert_same_physics(arm, again, tolerance=1e-12, link_frames=True)
    assert again.transmissions == arm.transmissions
    assert again.plugins == arm.plugins
    assert again.sensors[0].parameters == arm.sensors[0].parameters
    assert [joint.safety for joint in again.joints] == [joint.safety for joint in arm.joints]
    assert [joint.calibration for joint in again.joints] == [joint.calibration for joint in arm.joints]
    assert again.link("upper").visuals[0].material == arm.link("upper").visuals[0].material
    assert write_urdf(again, OUT) == write_urdf(back(again), OUT)


def random_pose(rng: np.random.Generator) -> SE3:
    return SE3.from_parts(so3.exp(rng.normal(size=3)), rng.normal(size=3))


def random_robot(seed: int) -> Robot:
    """A robot as SDF or MJCF may hold it: link frames away from the joints, surfaces per collision."""
    rng = np.random.default_rng(seed)
    links, joints = [], []
    for i in range(8):
        root = rng.normal(size=(3, 3))
        collisions = (
            Collision(Sphere(0.1), random_pose(rng), Surface(mu=0.5, torsional=0.1, collide_bitmask=3), "ball"),
            Collision(Capsule(0.1, 0.2), random_pose(rng), Surface(mu=0.1, restitution=0.4)),
            Collision(Box((1, 2, 3)), random_pose(rng), Surface(fdir1=(0, 1, 0), rolling=0.01)),
        )
        visuals = (Visual(Box((0.1, 0.2, 0.3)), random_pose(rng), Material("", (0.1, 0.2, 0.3, 0.4)), f"v{i}"),)
        inertia = Inertia.from_matrix(rng.uniform(0.1, 2), rng.normal(size=3), root @ root.T)
        links.append(
            Link(f"l{i}", inertia, visuals, collisions, gravity=i != 3, self_collide=(None, True, False)[i % 3])
        )
        if i:
            axis = rng.normal(size=3)
            kind = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.FIXED)[i % 4]
            ranged = kind in (JointType.REVOLUTE, JointType.PRISMATIC)
            x, y, z = (float(v) for v in axis / np.linalg.norm(axis))
            joints.append(
                Joint(
                    f"j{i}",
                    kind,
                    f"l{rng.integers(i)}",
                    f"l{i}",
                    random_pose(rng),
                    (x, y, z) if kind is not JointType.FIXED else (1.0, 0.0, 0.0),
                    Limits(-math.inf if i == 4 else -1.0, 1.0, math.inf, 3.0) if ranged else Limits(),
                    Dynamics(0.1, 0.2, 0.3, 0.4, 0.5) if kind is not JointType.FIXED else Dynamics(),
                    Mimic("j2", -1.5, 0.25) if i == 6 else None,
                    joint_from_child=random_pose(rng),
                    initial=0.1 if i == 2 else 0.0,
                )
            )
    sensors = (
        SensorSpec("i", "imu", "l5", random_pose(rng), 100.0, "imu", {"angular_velocity_x_noise_stddev": 0.01}),
        SensorSpec("f", "force", "l7", random_pose(rng), 0.0, "", {"range_max": 25.0}),
    )
    return Robot(
        "random",
        tuple(links),
        tuple(joints),
        sensors=sensors,
        frames=(Frame("tip", "l6", random_pose(rng)),),
        self_collide=True,
        no_collision=frozenset({frozenset(("l1", "l2"))}),
        fixed_base=seed % 2 == 0,
    )


@pytest.mark.parametrize("seed", range(4))
def test_link_frames_move_into_their_joints(seed: int) -> None:
    robot = random_robot(seed)
    again = back(robot)
    assert_same_physics(robot, again, tolerance=1e-9)
    q = {"j1": 0.3, "j2": -0.4, "j5": 0.2}
    x = robot.link_poses(q)["l6"] @ robot.frames[0].pose
    y = again.link_poses(q)["l6"] @ again.frames[0].pose
    assert x.close_to(y, 1e-9)


def test_same_physics_notices_differences(arm: Robot) -> None:
    base = arm.link("base")
    assert base.inertia is not None
    changed = [
        replace(arm, links=(replace(base, inertia=replace(base.inertia, mass=2.6)), *arm.links[1:])),
        replace(arm, links=(replace(base, collisions=base.collisions[:1]), *arm.links[1:])),
        replace(arm, joints=(replace(arm.joints[0], axis=(0.0, 1.0, 0.0)), *arm.joints[1:])),
        replace(arm, joints=(replace(arm.joints[0], dynamics=Dynamics(0.5, 0.25, 0.004)), *arm.joints[1:])),
        replace(arm, sensors=arm.sensors[1:]),
        replace(arm, fixed_base=True),
    ]
    for other in changed:
        with pytest.raises(AssertionError):
            assert_same_physics(arm, other)


@given(st.floats(-1e-6, 1e-6), st.floats(-4, 4), st.floats(-4, 4), st.sampled_from([-1, 0, 1]))
@settings(max_examples=200, deadline=None)
def test_rpy_near_the_singularity(near: float, roll: float, yaw: float, side: int) -> None:
    rotation = so3.from_rpy([roll, side * math.pi / 2 + near, yaw])
    again = so3.from_rpy(rpy_of(SE3.from_parts(rotation, np.zeros(3))))
    assert np.abs(rotation - again).max() < 1e-12


def test_mesh_names(tmp_path: Path) -> None:
    inside, outside = tmp_path / "robot" / "meshes" / "a.stl", tmp_path / "b.stl"
    inside.parent.mkdir(parents=True)
    for file in (inside, outside):
        file.write_bytes(b"solid")
    meshes = (
        Mesh(str(inside), inside),
        Mesh("../b.stl", outside),
        Mesh("package://p/c.stl", outside, (1, 2, 3)),
        Mesh("lost.stl"),
    )
    robot = Robot("r", (Link("a", visuals=tuple(Visual(mesh) for mesh in meshes)),))
    out = tmp_path / "robot" / "r.urdf"
    out.write_text(write_urdf(robot, out))
    again = [visual.geometry for visual in read_robot(out).link("a").visuals]
    assert [m.uri for m in again if isinstance(m, Mesh)] == [
        "meshes/a.stl",
        outside.as_posix(),
        "package://p/c.stl",
        "lost.stl",
    ]
    assert isinstance(again[0], Mesh)
    assert again[0].path == inside
    assert isinstance(again[2], Mesh)
    assert again[2].scale == (1, 2, 3)


A, B = Link("a"), Link("b")
BALL = Joint("knee", JointType.BALL, "a", "b")


@pytest.mark.parametrize(
    ("robot", "fragment"),
    [
        (Robot("r", (A, B), (BALL,)), "ball joint such as 'knee'"),
        (Robot("r", (A, B), (replace(BALL, type=JointType.SCREW),)), "screw joint such as 'knee'"),
        (
            Robot(
                "r", (A, B), (replace(BALL, type=JointType.FIXED),), (replace(BALL, name="ring", type=JointType.SCREW),)
            ),
            "'ring'",
        ),
        (Robot("r", (Link("a", visuals=(Visual(Ellipsoid((1, 1, 1))),)),)), "ellipsoid, which link 'a'"),
        (Robot("r", (Link("a", collisions=(Collision(Plane()),)),)), "plane, which link 'a'"),
        (Robot("r", (Link("a", visuals=(Visual(Mesh("x", submesh="part")),)),)), "submesh"),
        (Robot("r", (Link("world"),)), "rename"),
    ],
)
def test_refusals_by_name(robot: Robot, fragment: str) -> None:
    with pytest.raises(Unsupported, match=fragment):
        write_urdf(robot, OUT)


def test_odd_names_survive() -> None:
    robot = Robot('a "<&> é', (Link("x & y"), Link("<z>")), (Joint("'q'", JointType.CONTINUOUS, "x & y", "<z>"),))
    again = back(robot)
    assert (again.name, again.joints[0].name, again.joints[0].child) == (robot.name, "'q'", "<z>")


@pytest.mark.parametrize("name", robot_names())
def test_built_in_robots(name: str, tmp_path: Path) -> None:
    robot = load_robot(name)
    out = tmp_path / f"{name}.urdf"
    out.write_text(write_urdf(robot, out), encoding="utf-8")
    again = read_robot(out)
    assert_same_physics(robot, again, tolerance=1e-12, link_frames=True)
    check_with_reference_parser(out)


def samples(tmp_path: Path) -> list[Robot]:
    file = tmp_path / "walker.urdf.xacro"
    file.write_text(MACROS)
    plain = random_robot(2)
    boxes = tuple(
        replace(link, collisions=tuple(c for c in link.collisions if not isinstance(c.geometry, Capsule)))
        for link in plain.links
    )
    return [read(ARM), read_robot(file), replace(plain, links=boxes)]


def check_with_reference_parser(file: Path) -> None:
    """Fail unless check_urdf reads the file without a word of complaint."""
    program = shutil.which("check_urdf")
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail("check_urdf is missing; install liburdfdom-tools")
        pytest.skip("check_urdf (liburdfdom-tools) is not installed")
    result = subprocess.run([program, str(file)], capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Successfully Parsed XML" in result.stdout
    assert "error" not in (result.stdout + result.stderr).lower()


def test_the_reference_parser_accepts_it(tmp_path: Path) -> None:
    for robot in samples(tmp_path):
        out = tmp_path / "out.urdf"
        out.write_text(write_urdf(robot, out))
        check_with_reference_parser(out)
