"""The DART engine beyond the common battery: shapes, loops, mimic loads, snapshots, silence."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("dartpy")

from andante.description import load_robot
from andante.description.joint import Dynamics, Joint, JointType, Limits
from andante.description.link import Collision, Link, Surface
from andante.description.robot import Robot
from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Plane, Sphere
from andante.description.world import Placement
from andante.errors import BadInput, Diverged, Unsupported
from andante.geometry import SE3
from andante.physics import Mode, Settings
from andante.physics.checks import check_engine, specimens
from andante.physics.dart import servos as kernels
from andante.physics.dart.build import mesh_shape
from andante.physics.dart.engine import DartEngine
from andante.physics.tree import body_tree


def alone(robot: Robot, settings: Settings | None = None, pose: SE3 | None = None, ground: bool = False) -> DartEngine:
    """One robot, as model 0 above nothing or as model 1 on the ground."""
    models = (specimens.ground(),) if ground else ()
    return DartEngine(
        specimens.world(*models),
        [Placement("robot", robot, SE3.identity() if pose is None else pose)],
        settings or Settings(),
    )


def hopper(top: float = 2.0) -> Robot:
    """A foot on the ground that carries a weight on a vertical slider."""
    links = (
        specimens.box_link("foot", 1.0, (0.2, 0.2, 0.05)),
        specimens.box_link("top", top, (0.1, 0.1, 0.1), collide=False),
    )
    joint = Joint("lift", JointType.PRISMATIC, "foot", "top", SE3.from_xyz_rpy((0, 0, 0.3)), (0.0, 0.0, 1.0))
    return Robot("hopper", links, (joint,))


def hanging_hopper() -> Robot:
    """The same with the weight as root, so that the contact lies beyond the joint."""
    links = (
        specimens.box_link("top", 2.0, (0.1, 0.1, 0.1), collide=False),
        specimens.box_link("foot", 1.0, (0.2, 0.2, 0.05)),
    )
    joint = Joint("lift", JointType.PRISMATIC, "top", "foot", SE3.from_xyz_rpy((0, 0, -0.3)), (0.0, 0.0, -1.0))
    return Robot("hanging", links, (joint,))


def test_the_battery_passes() -> None:
    failed = [str(result) for result in check_engine(DartEngine) if not result.passed]
    assert not failed


@pytest.mark.parametrize(("robot", "height"), [(hopper(), 0.025), (hanging_hopper(), 0.325)])
def test_efforts_tell_the_servo_and_not_the_contact(robot: Robot, height: float) -> None:
    scene = alone(robot, pose=SE3.from_xyz_rpy((0, 0, height)), ground=True)
    scene.command(1, [0.0])
    scene.step(500)
    assert abs(scene.joint_efforts(1)[0]) == pytest.approx(2 * 9.81, rel=1e-3)
    assert scene.contacts().of(1).force.sum(axis=0)[2] == pytest.approx(3 * 9.81, rel=1e-3)


@pytest.mark.parametrize(
    ("geometry", "height"),
    [
        (Box((0.2, 0.2, 0.2)), 0.1),
        (Sphere(0.1), 0.1),
        (Cylinder(0.1, 0.2), 0.1),
        (Ellipsoid((0.1, 0.1, 0.1)), 0.1),
        (Ellipsoid((0.2, 0.15, 0.1)), 0.1),
    ],
)
@pytest.mark.parametrize("ground", [Plane(), Box((4.0, 4.0, 0.5))])
def test_shapes_rest_on_plane_and_box(geometry: Geometry, height: float, ground: Geometry) -> None:
    floor = Placement(
        "floor",
        specimens.solid("floor", ground),
        SE3.from_xyz_rpy((0, 0, 0 if isinstance(ground, Plane) else -0.25)),
        fixed=True,
    )
    body = Placement("body", specimens.solid("body", geometry), SE3.from_xyz_rpy((0.1, 0.2, height + 0.01)))
    scene = DartEngine(specimens.world(floor), [body])
    scene.step(500)
    x, y, z = scene.base_pose(1)[:3]
    assert z == pytest.approx(height, abs=1e-3)
    assert np.hypot(x - 0.1, y - 0.2) < 2e-3
    assert scene.contacts().of(1).force[:, 2].sum() == pytest.approx(9.81, rel=0.05)


def test_a_hull_touches_the_plane_once_per_corner(tmp_path: Path) -> None:
    mesh = specimens.write_box_mesh(tmp_path / "box.obj", (0.2, 0.2, 0.2))
    scene = alone(specimens.solid("hull", mesh), pose=SE3.from_xyz_rpy((0, 0, 0.101)), ground=True)
    scene.step(300)
    assert len(scene.contacts()) == 4
    assert scene.base_pose(1)[2] == pytest.approx(0.1, abs=1e-3)


def test_meshes_leave_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    mesh_shape(np.eye(4, 3), np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]))
    assert list(tmp_path.iterdir()) == []


def test_several_shapes_of_a_link_are_told_apart_from_other_links() -> None:
    foot = Link(
        "feet",
        specimens.box_inertia(1.0, (0.4, 0.1, 0.1)),
        collisions=tuple(Collision(Box((0.1, 0.1, 0.1)), SE3.from_xyz_rpy((x, 0, 0))) for x in (-0.2, 0.2)),
    )
    scene = alone(Robot("table", (foot,)), pose=SE3.from_xyz_rpy((0, 0, 0.05)), ground=True)
    scene.step(50)
    contacts = scene.contacts().of(1)
    assert set(contacts.link_a) == {0}
    assert set(contacts.model_b) == {0}
    assert {bool(x > 0) for x in contacts.position[:, 0]} == {True, False}


def test_bounce_of_equal_restitutions_is_that_restitution() -> None:
    def bouncy(name: str, geometry: Geometry) -> Robot:
        robot = specimens.solid(name, geometry)
        link = replace(robot.links[0], collisions=(Collision(geometry, surface=Surface(restitution=0.5)),))
        return replace(robot, links=(link,))

    floor = Placement("floor", bouncy("floor", Plane()), fixed=True)
    ball = Placement("ball", bouncy("ball", Sphere(0.1)), SE3.from_xyz_rpy((0, 0, 1.1)))
    scene = DartEngine(specimens.world(floor), [ball], Settings(dt=0.001))
    scene.step(400)  # falls 1 m in 0.452 s
    top = 0.0
    for _ in range(400):
        scene.step()
        if scene.base_velocity(1)[2] > 0:
            top = max(top, float(scene.base_pose(1)[2]) - 0.1)
    assert top == pytest.approx(0.25, rel=0.05)


def test_armature_of_a_slider_weighs_nothing() -> None:
    robot = specimens.slider(1.0, (0.0, 0.0, 1.0), dynamics=Dynamics(armature=3.0))
    scene = alone(robot)
    scene.step(250)
    assert scene.joint_velocities(0)[0] == pytest.approx(-9.81 / 4 * 0.5, rel=1e-3)


def test_dry_friction_takes_from_the_effort_of_a_servo() -> None:
    robot = specimens.slider(1.0, limits=Limits(effort=5.0), dynamics=Dynamics(friction=2.0))
    scene = alone(robot, Settings(dt=0.001))
    scene.command(0, [50.0], Mode.VELOCITY)
    scene.step(500)
    assert scene.joint_velocities(0)[0] == pytest.approx((5.0 - 2.0) * 0.5, rel=0.02)
    assert scene.joint_efforts(0)[0] == pytest.approx(5.0, rel=1e-6)


def test_a_position_servo_without_stiffness_only_damps() -> None:
    scene = alone(specimens.slider(2.0), Settings(dt=0.001))
    scene.set_gains(0, scene.gains[0].changed(kp=0.0, kd=4.0))
    scene.command(0, [1.0])
    scene.set_joints(0, [0.0], [1.0])
    scene.step(500)
    assert scene.joint_velocities(0)[0] == pytest.approx(math.exp(-1.0), rel=0.01)
    assert scene.joint_efforts(0)[0] == pytest.approx(-4.0 * scene.joint_velocities(0)[0])


def test_a_follower_loads_its_driven_leader() -> None:
    robot = specimens.mimic_pair(multiplier=1.0, offset=0.0)
    scene = alone(robot)
    scene.command(0, [0.0, 0.0])
    scene.set_gains(0, scene.gains[0].changed(effort=10.0))
    scene.step(1000)
    own, led = 0.5 * 9.81 * 0.15, 0.3 * 9.81 * 0.1
    leader, follower = np.abs(scene.joint_efforts(0))
    assert follower == pytest.approx(led, rel=0.01)
    assert leader == pytest.approx(own + led, rel=0.01)


def test_chains_of_mimics_end_at_the_independent_joint() -> None:
    pair = specimens.mimic_pair(-2.0, 0.1)
    third = replace(
        pair.joints[1],
        name="third",
        child="c",
        mimic=replace(pair.joints[1].mimic, joint="follower"),  # type: ignore[type-var]
    )
    robot = replace(pair, links=(*pair.links, specimens.rod_link("c", 0.2, 0.1)), joints=(*pair.joints, third))
    mimics = body_tree(robot).mimics
    assert mimics.source.tolist() == [-1, 0, 0]
    q = robot.complete({"leader": 0.3})
    assert mimics.ratio[2] * 0.3 + mimics.offset[2] == pytest.approx(q["third"])


def test_a_loop_given_apart_from_the_zero_pose_is_closed() -> None:
    robot = specimens.four_bar()
    start = replace(robot.joints[0], initial=0.4)
    rest = [replace(robot.joints[1], initial=-0.4), replace(robot.joints[2], initial=0.4)]
    scene = alone(replace(robot, joints=(start, *rest)))
    scene.step(200)
    poses = SE3.from_vector(scene.link_poses(0))
    gap = poses[2] @ np.array([0.4, 0, 0]) - poses[3] @ np.array([0, 0, 0.2])
    assert np.linalg.norm(gap) < 1e-4


def test_loops_that_cannot_be_built_are_refused_by_name() -> None:
    robot = specimens.four_bar()
    with pytest.raises(Unsupported, match="prismatic joint 'closure'"):
        alone(replace(robot, loops=(replace(robot.loops[0], type=JointType.PRISMATIC),)))


def test_limits_of_a_loop_are_reported() -> None:
    robot = specimens.four_bar()
    loop = replace(robot.loops[0], type=JointType.REVOLUTE, limits=Limits(-1.0, 1.0))
    assert any("closure" in problem.message for problem in alone(replace(robot, loops=(loop,))).problems)


def test_a_plane_that_moves_is_refused() -> None:
    with pytest.raises(Unsupported, match="infinite plane"):
        alone(specimens.solid("sheet", Plane()))


def test_restore_is_exact_in_contact_and_under_way() -> None:
    scene = alone(hopper(), pose=SE3.from_xyz_rpy((0, 0, 0.05), (0.1, 0.2, 0.3)), ground=True)
    scene.command(1, [0.1])
    scene.step(60)
    kept = scene.snapshot()
    efforts, contacts = scene.joint_efforts(1), scene.contacts()
    scene.step(100)
    later = scene.link_poses(1)
    scene.restore(kept)
    np.testing.assert_array_equal(scene.joint_efforts(1), efforts)
    np.testing.assert_array_equal(scene.contacts().force, contacts.force)
    scene.step(100)
    np.testing.assert_allclose(scene.link_poses(1), later, rtol=0, atol=DartEngine.restore_tolerance)


@pytest.mark.parametrize("iterations", [None, 50])
def test_a_block_rests_whatever_the_sweeps(iterations: int | None) -> None:
    scene = alone(specimens.block(), Settings(iterations=iterations), SE3.from_xyz_rpy((0, 0, 0.051)), ground=True)
    scene.step(300)
    assert scene.base_pose(1)[2] == pytest.approx(0.05, abs=5e-4)
    assert np.abs(scene.base_velocity(1)).max() < 1e-3


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    limited = specimens.hinge(limits=Limits(-0.5, 0.5), dynamics=Dynamics(stiffness=1.0, reference=2.0, friction=0.1))
    for robot in (limited, specimens.four_bar(), specimens.mimic_pair(), specimens.massless(), specimens.tangle()):
        scene = alone(robot, Settings(iterations=40))
        for mode in (Mode.POSITION, Mode.VELOCITY, Mode.TORQUE, Mode.OFF):
            scene.command(0, np.full(len(robot.movable), 0.1), mode)
            scene.step(5)
    shapes: tuple[Geometry, ...] = (Ellipsoid((0.1, 0.2, 0.3)), Capsule(0.1, 0.2))
    for geometry in shapes:
        alone(specimens.solid("solid", geometry), ground=True).step(5)
    out = capfd.readouterr()
    assert (out.out, out.err) == ("", "")


def test_a_scene_that_flies_apart_is_told_and_does_not_end_the_process() -> None:
    scene = alone(specimens.slider())
    scene.set_joints(0, [0.0], [9e6])
    with pytest.raises(Diverged, match="'robot'"):
        scene.step(1000)


@pytest.mark.parametrize("bad", [math.nan, math.inf, 1e9])
def test_numbers_beyond_the_detector_are_refused(bad: float) -> None:
    scene = alone(specimens.block())
    with pytest.raises(BadInput, match="base pose"):
        scene.set_base(0, [bad, 0, 0, 0, 0, 0, 1])
    with pytest.raises(BadInput, match="joint positions"):
        alone(specimens.slider()).set_joints(0, [bad])


def test_shapes_beyond_the_detector_are_refused() -> None:
    with pytest.raises(BadInput, match="shapes up to"):
        alone(specimens.solid("huge", Box((1e12, 1.0, 1.0))))
    with pytest.raises(BadInput, match="the place of"):
        alone(specimens.block(), pose=SE3.from_xyz_rpy((1e10, 0, 0)))


def test_compiled_commands_agree_with_the_formula() -> None:
    rng = np.random.default_rng(1)
    q, v, reference, feed = rng.normal(size=(4, 6))
    rate, top = rng.uniform(0, 50, 6), rng.uniform(0.1, 10, 6)
    leader, follower = np.array([0, 2]), np.array([4, 5])
    ratio, offset, driven = np.array([-2.0, 0.5]), np.array([0.1, 0.0]), np.array([True, False])
    out, share = np.empty(6), np.array([0.0, 0.4, 0.0, 1.6, 0.0, 0.0])
    kernels.commands(q, v, reference, rate, top, feed, share, leader, follower, ratio, offset, driven, 0.002, out)
    expected = feed + np.clip(rate * (reference - q), -top, top)
    expected[[1, 3]] = v[[1, 3]] + share[[1, 3]] * (expected[[1, 3]] - v[[1, 3]])
    expected[4] = -2.0 * v[0] + (-2.0 * q[0] + 0.1 - q[4]) / 0.002
    np.testing.assert_allclose(out, expected)


def test_restore_keeps_the_loads_of_mimic_joints() -> None:
    scene = alone(specimens.mimic_pair())
    scene.set_gains(0, scene.gains[0].changed(effort=1.0))
    scene.command(0, [0.4, 0.0])
    scene.step(37)
    kept = scene.snapshot()
    scene.step(60)
    later = scene.joint_positions(0), scene.joint_efforts(0)
    scene.restore(kept)
    scene.step(60)
    np.testing.assert_allclose(scene.joint_positions(0), later[0], rtol=0, atol=DartEngine.restore_tolerance)
    np.testing.assert_allclose(scene.joint_efforts(0), later[1], rtol=0, atol=1e-6)


@pytest.fixture(scope="module")
def nao() -> Robot:
    """The NAO."""
    return load_robot("nao")


def standing(robot: Robot, above: float = 0.0) -> tuple[DartEngine, np.ndarray]:
    """The NAO in StandInit with flat soles, `above` metres over the ground."""
    pose = robot.complete(robot.pose("StandInit"))
    target = np.array([pose[name] for name in robot.joint_names])
    feet = robot.link_poses(pose)["l_sole"].inverse()
    upright = SE3.from_parts(feet.rotation, (0.0, 0.0, feet.translation[2] + 1e-3 + above))
    scene = alone(robot, pose=upright, ground=True)
    scene.set_joints(1, target)
    scene.command(1, target)
    return scene, target


def test_the_nao_stands_still_and_tells_its_weight(nao: Robot) -> None:
    scene, target = standing(nao)
    scene.step(500)
    start = scene.base_pose(1)
    scene.step(1500)
    assert np.hypot(*(scene.base_pose(1) - start)[:2]) < 1e-3
    assert scene.contacts().of(1).force[:, 2].sum() == pytest.approx(nao.mass * 9.81, rel=0.01)
    assert np.abs(scene.joint_positions(1) - target).max() < 0.01


def test_the_nao_survives_a_drop_of_5_cm(nao: Robot) -> None:
    scene, _ = standing(nao, 0.05)
    scene.step(1500)
    assert scene.base_pose(1)[2] > 0.3


def test_the_nao_falls_when_pushed_hard(nao: Robot) -> None:
    scene, _ = standing(nao)
    scene.step(250)
    scene.push(1, nao.root, [60.0, 0, 0])
    scene.step(50)
    scene.push(1, nao.root, [0, 0, 0])
    scene.step(1000)
    assert scene.base_pose(1)[2] < 0.2
