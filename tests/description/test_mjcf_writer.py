"""Written MJCF: MuJoCo compiles it to the same masses, joints and poses; our reader gives the same robot back."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh
from mjcf_compare import assert_same_as_mujoco, compiled, read
from same_physics import assert_same_physics
from test_mjcf_reader import ARM, CLASSES
from urdf_samples import ARM as URDF_ARM

from andante.description.inertia import Inertia
from andante.description.io.mjcf.reader import read_mjcf_world
from andante.description.io.mjcf.writer import write_mjcf
from andante.description.io.resolver import Resolver
from andante.description.io.urdf.reader import read_urdf
from andante.description.io.xmltree import parse_xml
from andante.description.joint import Dynamics, Joint, JointType, Limits, Mimic, SafetyController
from andante.description.link import Collision, Link, Material, SensorSpec, Surface, Visual
from andante.description.load import load_robot, load_world, robot_names, world_names
from andante.description.robot import Frame, Plugin, Robot, Transmission
from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Heightmap, Mesh, Plane, Sphere
from andante.description.world import Light, PhysicsSpec, Placement, World
from andante.errors import Unsupported
from andante.geometry import SE3

OUT = Path("out.xml")
BODY = Inertia(1.5, (0.01, 0.02, -0.03), (0.02, 0.001, -0.002, 0.03, 0.0005, 0.025))
SMALL = Inertia(0.2, (0, 0, 0.05), (1e-4, 0, 0, 1e-4, 1e-6, 5e-5))


def rich() -> Robot:
    """A robot with some of everything that MJCF can hold, and much that it cannot."""
    at = SE3.from_xyz_rpy((0.1, 0.2, 0.3), (0.4, -0.5, 0.6))
    surface = Surface(mu=0.8, mu2=0.6, restitution=0.1, kp=1e5, kd=10.0, fdir1=(1.0, 0.0, 0.0))
    return Robot(
        "rich",
        links=(
            Link(
                "trunk",
                BODY,
                (Visual(Box((0.2, 0.1, 0.05)), at, Material("red", (1, 0, 0, 1))), Visual(Sphere(0.1))),
                (Collision(Box((0.2, 0.1, 0.05)), at, surface), Collision(Capsule(0.1, 0.2))),
            ),
            Link("hip"),  # a light link between two joints
            Link("thigh", SMALL, (), (Collision(Cylinder(0.02, 0.2), at, Surface(mu=0.5, torsional=0.01)),)),
            Link("shin", SMALL, (), (Collision(Ellipsoid((0.1, 0.2, 0.3)), at, Surface(mu=0.0)),), gravity=False),
            Link("tip"),
            Link("arm", SMALL, (), (Collision(Sphere(0.05), surface=Surface(collide_bitmask=6)),), self_collide=False),
            Link("ball", SMALL),
            Link("slider", SMALL, (), (Collision(Sphere(0.05), surface=Surface(collide_bitmask=0)),)),
        ),
        joints=(
            Joint("yaw", JointType.CONTINUOUS, "trunk", "hip", at, (0.0, 0.6, 0.8), initial=0.2),
            Joint(
                "pitch",
                JointType.REVOLUTE,
                "hip",
                "thigh",
                SE3.from_xyz_rpy((0, 0, -0.1), (0.1, 0, 0)),
                (0.0, 1.0, 0.0),
                Limits(-0.7, 1.1, 12.0, 5.0),
                Dynamics(0.3, 0.1, 0.02, 4.0, 0.25),
                safety=SafetyController(1.0, 2.0, -0.6, 1.0),
                calibration={"rising": 0.1},
                joint_from_child=SE3.from_xyz_rpy((0.01, 0, 0), (0, 0.2, 0)),
                initial=0.1,
            ),
            Joint("knee", JointType.REVOLUTE, "thigh", "shin", at, (1.0, 0.0, 0.0), mimic=Mimic("pitch", -2.0, 0.3)),
            Joint("weld", JointType.FIXED, "shin", "tip", at),
            Joint("swing", JointType.REVOLUTE, "trunk", "arm", at, limits=Limits(-math.inf, 0.5, math.inf, 3.0)),
            Joint("round", JointType.BALL, "trunk", "ball", at),
            Joint("push", JointType.PRISMATIC, "trunk", "slider", at, (0.0, 0.0, 1.0), Limits(0.1, 0.1, 0.0)),
        ),
        loops=(
            Joint("pin", JointType.BALL, "arm", "ball", at, joint_from_child=at.inverse()),
            Joint("glue", JointType.FIXED, "slider", "tip", at),
        ),
        sensors=(
            SensorSpec("imu", "imu", "trunk", at, 100.0, "/imu/data", {"noise_stddev": 0.01}),
            SensorSpec("eye", "camera", "arm", at, 30.0, "", {"horizontal_fov": 1.2, "width": 320.0, "height": 240.0}),
            SensorSpec("sole", "force", "tip", at),
            SensorSpec("wrist", "force_torque", "arm", at),
        ),
        plugins=(Plugin("drive", "libdrive.so", {"wheel": "a b"}),),
        transmissions=(Transmission("t", "Simple", ("pitch",), ("m",), 50.0, ("Effort",)),),
        frames=(Frame("grip", "arm", at),),
        poses={"Stand": {"pitch": 0.4, "swing": -0.2}},
        servos={"p*": {"kp": 60.0, "kd": 2.0, "kv": 3.0}, "swing": {"kp": 5.0, "effort": 2.0}, "yaw": {"kv": 1.5}},
        self_collide=True,
        no_collision=frozenset({frozenset(("trunk", "shin"))}),
    )


def back(robot: Robot, path: Path = OUT) -> Robot:
    return read(write_mjcf(robot, path), path)


@pytest.mark.parametrize("fixed", [False, True])
def test_a_rich_robot_survives(fixed: bool) -> None:
    robot = replace(rich(), fixed_base=fixed)
    text = write_mjcf(robot, OUT)
    again = read(text)
    assert_same_physics(robot, again)  # the frame of the light link `hip` is MJCF's own
    assert not [p for p in again.problems if p.severity != "info"]
    assert again.plugins == robot.plugins
    assert again.transmissions == robot.transmissions
    assert [f.name for f in again.frames] == ["grip"]
    assert again.joint("pitch").safety == robot.joint("pitch").safety
    assert again.joint("pitch").calibration == {"rising": 0.1}
    assert {s.name: (s.rate, s.topic, dict(s.parameters)) for s in again.sensors} == {
        s.name: (s.rate, s.topic, dict(s.parameters)) for s in robot.sensors
    }
    assert again.pose("stand")["pitch"] == 0.4
    assert again.servos["pitch"] == {"kp": 60.0, "kd": 2.0, "kv": 3.0}
    assert again.servos["swing"] == {"kp": 5.0, "effort": 2.0}
    assert again.servos["yaw"] == {"kv": 1.5}
    assert_same_physics(again, back(again), link_frames=True)


def test_mujoco_makes_the_same_of_it() -> None:
    robot = rich()
    model = compiled(write_mjcf(robot, OUT))
    assert model.body_mass.sum() == pytest.approx(robot.mass, rel=1e-4)
    bare = replace(  # without what MuJoCo is given a stand-in for: one-sided and locked ranges
        robot,
        joints=tuple(j for j in robot.joints if j.name not in ("swing", "push")),
        links=tuple(link for link in robot.links if link.name not in ("arm", "slider")),
        loops=(),
        sensors=robot.sensors[:1],
        frames=(),
        poses={"Stand": {"pitch": 0.4}},
    )
    model = compiled(write_mjcf(bare, OUT))
    assert_same_as_mujoco(bare, model)
    assert model.body_mass.sum() == pytest.approx(bare.mass, rel=1e-12)
    assert model.nkey == 1
    shin = model.body("shin").id
    assert model.body_gravcomp[shin] == 1
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    poses = bare.link_poses({"pitch": 0.4, "yaw": 0.2})
    np.testing.assert_allclose(data.xpos[shin], poses["shin"].translation, atol=1e-9)


@pytest.mark.parametrize("text", [ARM, CLASSES], ids=["arm", "classes"])
def test_what_was_read_is_written_the_same(text: str) -> None:
    robot = read(text)
    again = back(robot)
    assert_same_physics(robot, again, link_frames=True)
    assert_same_as_mujoco(robot, compiled(write_mjcf(robot, OUT)))


def test_urdf_to_mjcf_refuses_what_mujoco_lacks_by_name() -> None:
    robot = read_urdf(parse_xml(URDF_ARM.encode(), "arm.urdf"), Path("arm.urdf"), Resolver())
    with pytest.raises(Unsupported, match="'drift'"):
        write_mjcf(robot, OUT)


def test_massless_moving_links_get_a_little_for_mujoco_only() -> None:
    robot = Robot(
        "r",
        (Link("a", BODY), Link("b"), Link("c", Inertia(0.3))),
        (Joint("j", JointType.CONTINUOUS, "a", "b"), Joint("k", JointType.CONTINUOUS, "a", "c")),
    )
    model = compiled(write_mjcf(robot, OUT))
    assert 0 < model.body_mass[2] < 2e-4 * robot.mass
    again = back(robot)
    assert again.link("b").inertia is None
    assert again.link("c").inertia == Inertia(0.3)


@pytest.mark.parametrize(
    "moments",
    [
        (1.0, 0, 0, 1.0, 0, 3.0),
        (-4.43e-22, 0, 0, 3.42e-23, 0, 3e-06),
        (2.7e-20, 0, 0, 2.7e-20, 0, 2.7e-20),
        (0.01, 0.05, 0, 0.01, 0, 0.01),
        (1e-22, 0, 0, 3e-6, 0, 3e-6),
    ],
)
def test_impossible_tensors_are_mended_for_mujoco_only(moments: tuple[float, ...]) -> None:
    given = Inertia(0.75, moments=moments)  # type: ignore[arg-type]
    robot = Robot("r", (Link("a", BODY), Link("odd", given)), (Joint("j", JointType.CONTINUOUS, "a", "odd"),))
    low, middle, high = sorted(compiled(write_mjcf(robot, OUT)).body_inertia[2])
    assert low > 1e-14
    assert low + middle >= high * (1 - 1e-9)
    assert back(robot).link("odd").inertia == given


def test_a_robot_without_any_mass_is_written() -> None:
    links = (Link("a"), Link("b"), Link("c"), Link("d", Inertia(0.0)))
    joints = (
        Joint("j", JointType.CONTINUOUS, "a", "b"),
        Joint("k", JointType.FIXED, "b", "c"),
        Joint("l", JointType.PRISMATIC, "c", "d"),
    )
    assert compiled(write_mjcf(Robot("r", links, joints), OUT)).nv == 8


def test_a_hinge_that_closes_a_loop_comes_back() -> None:
    loop = Joint("hinge", JointType.CONTINUOUS, "a", "b", SE3.from_xyz_rpy((0.2, 0, 0), (0.1, 0, 0)), (0.0, 1.0, 0.0))
    robot = Robot("r", (Link("a", BODY), Link("b", BODY)), (Joint("j", JointType.CONTINUOUS, "a", "b"),), loops=(loop,))
    model = compiled(write_mjcf(robot, OUT))
    assert (model.neq, model.nv) == (2, 7)
    (again,) = back(robot).loops
    assert (again.name, again.type, again.parent, again.child) == ("hinge", JointType.CONTINUOUS, "a", "b")
    np.testing.assert_allclose(again.axis, (0, 1, 0), atol=1e-12)
    np.testing.assert_allclose(again.pose.matrix, loop.pose.matrix, atol=1e-12)


def test_rounded_flat_plate_is_accepted() -> None:
    plate = Inertia(1.0, moments=(0.1, 0, 0, 0.2, 0, 0.30000001))
    robot = Robot("r", (Link("plate", plate),))
    model = compiled(write_mjcf(robot, OUT))
    np.testing.assert_allclose(sorted(model.body_inertia[1]), [0.1, 0.2, 0.3], rtol=1e-6)
    assert back(robot).link("plate").inertia == plate


def test_world_link_as_root() -> None:
    robot = Robot(
        "arm",
        (Link("world"), Link("a", BODY), Link("b", SMALL)),
        (
            Joint("mount", JointType.FIXED, "world", "a", SE3.from_xyz_rpy((0, 0, 1))),
            Joint("j", JointType.CONTINUOUS, "a", "b"),
        ),
        fixed_base=True,
    )
    assert_same_physics(robot, back(robot), link_frames=True)
    assert_same_as_mujoco(robot, compiled(write_mjcf(robot, OUT)))
    at_zero = replace(robot, joints=(replace(robot.joints[0], pose=SE3.identity()), robot.joints[1]))
    assert back(at_zero).root == "world"
    with pytest.raises(Unsupported, match="rename"):
        write_mjcf(replace(robot, fixed_base=False), OUT)


def test_meshes(tmp_path: Path) -> None:
    box = trimesh.creation.box(extents=(1, 2, 3))
    (tmp_path / "in").mkdir()
    box.export(tmp_path / "in" / "box.stl")
    (tmp_path / "in" / "box.dae").write_bytes(box.export(file_type="dae"))
    box.export(tmp_path / "far.obj")

    def robot(path: Path) -> Robot:
        mesh = Mesh(path.name, path, (0.1, 0.1, 0.2))
        return Robot("m", (Link("a", BODY, (Visual(mesh),), (Collision(mesh, SE3.from_xyz_rpy((1, 0, 0))),)),))

    out = tmp_path / "in" / "r.xml"
    for path, reference in ((tmp_path / "in" / "box.stl", 'file="box.stl"'), (tmp_path / "far.obj", str(tmp_path))):
        text = write_mjcf(robot(path), out)
        assert reference in text
        assert compiled(text, out).nmesh == 2
        assert_same_physics(robot(path), read(text, out))
    with pytest.raises(Unsupported, match=r"box\.dae.*andante mesh"):
        write_mjcf(robot(tmp_path / "in" / "box.dae"), out)
    text = write_mjcf(robot(tmp_path / "in" / "box.dae"), out, tmp_path / "in" / "meshes")
    assert 'file="meshes/box.obj"' in text
    model = compiled(text, out)
    assert model.nmesh == 2
    assert (tmp_path / "in" / "meshes" / "box.obj").is_file()
    half = robot(tmp_path / "in" / "box.dae")
    half = replace(half, links=(*half.links, Link("b", BODY)), joints=(Joint("bad", JointType.PLANAR, "a", "b"),))
    with pytest.raises(Unsupported, match="'bad'"):
        write_mjcf(half, out, tmp_path / "never")
    assert not (tmp_path / "never").exists()
    with pytest.raises(Unsupported, match="was not found"):
        write_mjcf(Robot("m", (Link("a", BODY, (Visual(Mesh("none.stl")),)),)), out)


def test_open_meshes_are_accepted(tmp_path: Path) -> None:
    box = trimesh.creation.box(extents=(1, 1, 1))
    trimesh.Trimesh(box.vertices, box.faces[2:], process=False).export(tmp_path / "open.stl")
    opened = Mesh("open.stl", tmp_path / "open.stl")
    robot = Robot("m", (Link("a", BODY, (Visual(opened),), (Collision(opened),)),))
    assert compiled(write_mjcf(robot, tmp_path / "r.xml"), tmp_path / "r.xml").nmesh == 2


def test_world(tmp_path: Path) -> None:
    ground = Robot(
        "ground",
        (
            Link(
                "link",
                None,
                (Visual(Plane(size=(10.0, 8.0))),),
                (
                    Collision(Plane(size=(10.0, 8.0)), surface=Surface(mu=0.9)),
                    Collision(Heightmap(((0.5, 1.0, 0.5), (0.5, 0.5, 2.0)), (4.0, 2.0)), SE3.from_xyz_rpy((9, 0, 0))),
                ),
            ),
        ),
    )
    ball = Robot("ball", (Link("link", SMALL, (), (Collision(Sphere(0.1)),)),))
    world = World(
        "scene",
        (
            Placement("ground", ground, fixed=True),
            Placement("ball", ball, SE3.from_xyz_rpy((0, 0, 2))),
            Placement("rich", rich(), SE3.from_xyz_rpy((1, 2, 3), (0, 0, 1))),
        ),
        gravity=(0.0, 0.0, -3.7),
        lights=(Light("sun", direction=(0.0, 0.6, -0.8)),),
        physics=PhysicsSpec(dt=0.004, iterations=40),
    )
    text = write_mjcf(world, tmp_path / "w.xml")
    model = compiled(text)
    assert model.opt.timestep == 0.004
    assert model.opt.gravity.tolist() == [0, 0, -3.7]
    assert model.nhfield == 1
    again = read_mjcf_world(parse_xml(text.encode(), "w.xml"), Path("w.xml"), Resolver())
    assert (again.gravity, again.physics.dt, again.physics.iterations) == (world.gravity, 0.004, 40)
    assert [p.name for p in again.models] == ["ground", "ball", "rich"]
    assert [p.fixed for p in again.models] == [True, False, False]
    for mine, other in zip(world.models, again.models, strict=True):
        assert mine.pose.close_to(other.pose)
        assert other.robot.mass == pytest.approx(mine.robot.mass)
    heights = again.models[0].robot.links[0].collisions[1]
    total = np.asarray(heights.geometry.heights) + heights.pose.translation[2]
    np.testing.assert_allclose(total, [[0.5, 1.0, 0.5], [0.5, 0.5, 2.0]], atol=1e-12)
    assert again.models[2].robot.joint("rich/knee").mimic == Mimic("rich/pitch", -2.0, pytest.approx(0.3))


@pytest.mark.parametrize("name", robot_names())
def test_built_in_robots(name: str, tmp_path: Path) -> None:
    robot = load_robot(name)
    out = tmp_path / f"{name}.xml"
    text = write_mjcf(robot, out, tmp_path / "meshes")
    model = compiled(text, out)
    assert model.body_mass.sum() == pytest.approx(robot.mass, rel=1e-3)
    assert_same_physics(robot, read(text, out), visuals=False)


@pytest.mark.parametrize("name", world_names())
def test_built_in_worlds(name: str, tmp_path: Path) -> None:
    world = load_world(name)
    out = tmp_path / f"{name}.xml"
    text = write_mjcf(world, out, tmp_path / "meshes")
    compiled(text, out)
    again = read_mjcf_world(parse_xml(text.encode(), str(out)), out, Resolver())
    assert [p.name for p in again.models] == [p.name for p in world.models]
    assert sum(len(m.robot.links) for m in again.models) == sum(len(m.robot.links) for m in world.models)
