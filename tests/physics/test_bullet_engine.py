"""What Bullet needs beyond `check_engine`: its frames, its tricks and what it refuses."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("andante.physics.bullet.api", reason="pybullet is not installed", exc_type=ImportError)

from andante.description.inertia import Inertia
from andante.description.joint import Dynamics, Joint, JointType, Limits, Mimic
from andante.description.link import Collision, Link, Surface
from andante.description.robot import Robot
from andante.description.shapes import Box, Cylinder, Ellipsoid, Heightmap, Plane, Sphere
from andante.description.world import Placement
from andante.errors import Unsupported
from andante.geometry import SE3
from andante.physics import Mode, Settings
from andante.physics.bullet.api import pybullet
from andante.physics.bullet.engine import BulletEngine
from andante.physics.bullet.inertia import engine_inertias, felt_inertias, principal
from andante.physics.bullet.shapes import distance
from andante.physics.checks import specimens
from andante.physics.tree import body_tree, in_plane

NOTHING = specimens.world(gravity=(0.0, 0.0, 0.0))
ROUND = Inertia(1.0, (0.0, 0.0, 0.0), (0.01, 0.0, 0.0, 0.01, 0.0, 0.01))


def at(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> SE3:
    return SE3.from_xyz_rpy((x, y, z))


def scene(*robots: Robot | Placement, world=None, dt: float = 0.002) -> BulletEngine:
    placed = [r if isinstance(r, Placement) else Placement(r.name, r) for r in robots]
    return BulletEngine(world or specimens.world(), placed, Settings(dt=dt))


def body(*collisions: Collision, inertia: Inertia = ROUND, name: str = "body") -> Robot:
    return Robot(name, (Link(name, inertia, collisions=collisions),))


def test_import_says_nothing():
    done = subprocess.run(
        [sys.executable, "-c", "import andante.physics.bullet.engine"], capture_output=True, check=True
    )
    assert done.stdout == b""
    assert done.stderr == b""


def test_building_and_stepping_say_nothing(tmp_path: Path, capfd):
    mesh = specimens.write_box_mesh(tmp_path / "brick.obj", (0.2, 0.1, 0.06))
    jack = body(Collision(mesh), Collision(Sphere(0.1), at(0.2)), Collision(mesh, at(0, 0, 0.2), Surface(mu=0.1)))
    fixed = Placement(
        "rock", body(Collision(mesh, at(0, 0, 0.1)), Collision(specimens.hills()), name="rock"), fixed=True
    )
    robots = [
        jack,
        specimens.massless(),
        specimens.clapper(True),
        specimens.four_bar(),
        specimens.carried(JointType.BALL),
        replace(specimens.carried(JointType.PLANAR), name="planar"),
    ]
    engine = scene(*robots, world=specimens.world(specimens.ground(), fixed))
    engine.step(50)
    engine.restore(engine.snapshot())
    engine.contacts()
    engine.close()
    heard = capfd.readouterr()
    assert (heard.out, heard.err) == ("", "")


@pytest.mark.parametrize(("erp", "fraction"), [(None, 0.08), (0.3, 0.3)])
def test_settings_reach_the_solver(erp, fraction):
    """A ball 5 mm inside the ground leaves it with erp * depth / dt."""
    ball = Placement("ball", specimens.solid("ball", Sphere(0.1)), at(0, 0, 0.095))
    wanted = Settings(dt=0.004, iterations=77, erp=erp, cfm=1e-9)
    engine = BulletEngine(specimens.world(specimens.ground(), gravity=(0.0, 0.0, 0.0)), [ball], wanted)
    told = pybullet.getPhysicsEngineParameters(physicsClientId=engine._client.number)
    assert (told["fixedTimeStep"], told["numSolverIterations"]) == (0.004, 77)
    engine.step()
    assert engine.base_velocity(1)[2] == pytest.approx(fraction * 0.005 / 0.004, rel=0.01)


def test_close_ends_the_client_and_can_be_repeated():
    engine = scene(specimens.block())
    client = engine._client.number
    assert pybullet.isConnected(client)
    engine.close()
    engine.close()
    assert not pybullet.isConnected(client)


def test_a_failed_build_leaves_no_client():
    def open_clients() -> int:
        return sum(bool(pybullet.isConnected(i)) for i in range(64))

    before = open_clients()
    with pytest.raises(Unsupported):
        scene(body(Collision(Plane())))
    assert open_clients() == before


unit = st.floats(-1.0, 1.0, allow_nan=False)
place = st.tuples(unit, unit, unit, unit, unit, unit).map(lambda v: SE3.exp(np.array(v)))


@st.composite
def trees(draw) -> Robot:
    """A random tree of up to six bodies with oblique axes, inertias and moved child frames."""
    count = draw(st.integers(1, 6))
    links, joints = [], []
    for i in range(count + 1):
        a = np.array(draw(st.lists(unit, min_size=9, max_size=9))).reshape(3, 3)
        com = draw(st.tuples(unit, unit, unit))
        links.append(Link(f"l{i}", Inertia.from_matrix(draw(st.floats(0.01, 10.0)), com, a @ a.T + 0.01 * np.eye(3))))
        if i:
            axis = np.array(draw(st.tuples(unit, unit, st.floats(0.5, 2.0))))
            x, y, z = (float(v) for v in axis / np.linalg.norm(axis))
            kind = draw(st.sampled_from([JointType.CONTINUOUS, JointType.PRISMATIC, JointType.FIXED]))
            parent = f"l{draw(st.integers(0, i - 1))}"
            joints.append(Joint(f"j{i}", kind, parent, f"l{i}", draw(place), (x, y, z), joint_from_child=draw(place)))
    return Robot("tree", tuple(links), tuple(joints), fixed_base=draw(st.booleans()))


@settings(max_examples=40, deadline=None)
@given(trees(), place, st.integers(0, 2**31))
def test_any_tree_has_the_poses_of_its_description_and_keeps_them_in_motion(robot, base, seed):
    engine = scene(robot, world=NOTHING, dt=1e-4)
    q = np.random.default_rng(seed).uniform(-1, 1, len(robot.movable))
    for step in range(3):
        if step == 0:
            engine.set_base(0, base.vector)
            engine.set_joints(0, q)
        told = robot.link_poses(dict(zip(robot.joint_names, engine.joint_positions(0), strict=True)))
        root = SE3.from_vector(engine.base_pose(0))
        for link, pose in zip(robot.links, SE3.from_vector(engine.link_poses(0)), strict=True):
            np.testing.assert_allclose(pose.matrix, (root @ told[link.name]).matrix, atol=1e-7)
        engine.push(0, robot.links[-1].name, [1.0, 2.0, 3.0])
        engine.step(10)
    assert np.isfinite(engine.link_velocities(0)).all()


# ---- inertias ----------------------------------------------------------------------------------------------------
def test_oblique_inertia_reaches_bullet():
    tensor = np.array([[0.05, 0.01, -0.004], [0.01, 0.04, 0.006], [-0.004, 0.006, 0.03]])
    robot = body(inertia=Inertia.from_matrix(2.0, (0.1, -0.2, 0.05), tensor))
    engine = scene(robot, world=NOTHING, dt=1e-4)
    torque = np.array([0.3, -0.2, 0.1])
    engine.push(0, "body", (0, 0, 0), torque)
    engine.step()
    np.testing.assert_allclose(engine.base_velocity(0)[3:] / 1e-4, np.linalg.solve(tensor, torque), rtol=1e-6)


def test_principal_axes_rebuild_the_tensor():
    rng = np.random.default_rng(0)
    for _ in range(20):
        a = rng.normal(size=(3, 3))
        inertia = Inertia.from_matrix(1.0, rng.normal(size=3), a @ a.T)
        frame, moments = principal(inertia)
        np.testing.assert_allclose(frame.rotation @ np.diag(moments) @ frame.rotation.T, inertia.matrix, atol=1e-12)
        assert np.linalg.det(frame.rotation) == pytest.approx(1.0)


def test_felt_inertia_of_a_free_pair_is_the_reduced_one():
    """Two discs on one axis, nothing held: 1 / (1/I1 + 1/I2)."""
    disc = Inertia(1.0, (0.0, 0.0, 0.0), (0.02, 0.0, 0.0, 0.02, 0.0, 0.03))
    top = replace(disc, moments=(0.05, 0.0, 0.0, 0.05, 0.0, 0.06))
    joint = Joint("j", JointType.CONTINUOUS, "a", "b", axis=(0.0, 0.0, 1.0), dynamics=Dynamics(armature=0.01))
    tree = body_tree(Robot("pair", (Link("a", disc), Link("b", top)), (joint,)))
    for fixed, expected in ((False, 1 / (1 / 0.03 + 1 / 0.07)), (True, 0.07)):
        assert felt_inertias(tree, fixed, engine_inertias(tree)) == pytest.approx([expected], rel=1e-6)


def test_armature_of_a_slider_has_no_weight():
    robot = specimens.slider(2.0, (0.0, 0.0, 1.0), dynamics=Dynamics(armature=3.0))
    engine = scene(robot, dt=0.001)
    engine.step(100)
    assert engine.joint_velocities(0)[0] == pytest.approx(-9.81 * 2 / 5 * 0.1, rel=1e-6)


def test_a_link_without_gravity_floats_and_a_massless_root_falls():
    still = replace(specimens.block(), links=(replace(specimens.block().links[0], gravity=False),))
    ghost = Robot("ghost", (Link("ghost"),))
    engine = scene(still, ghost)
    engine.step(100)
    assert np.abs(engine.base_pose(0)[:3]).max() < 1e-9
    assert engine.base_pose(1)[2] == pytest.approx(-9.81 * 0.2**2 / 2, rel=0.02)


# ---- shapes ------------------------------------------------------------------------------------------------------
def test_compound_of_box_ball_ellipsoid_and_mesh_rests_on_each(tmp_path: Path):
    """A jack of four shapes: whichever side is down, the height is that of the shape below."""
    mesh = specimens.write_box_mesh(tmp_path / "brick.obj", (0.1, 0.1, 0.1))
    robot = body(
        Collision(Box((0.1, 0.1, 0.3)), at(0, 0, -0.05)),
        Collision(Sphere(0.04), at(0, 0, 0.2)),
        Collision(mesh, at(0, 0, 0.05)),
        Collision(Ellipsoid((0.02, 0.02, 0.06)), at(0, 0, -0.16)),
        inertia=replace(ROUND, com=(0.0, 0.0, -0.1)),
    )
    engine = BulletEngine(
        specimens.world(specimens.ground()),
        [
            Placement("down", robot, at(0, 0, 0.221)),
            Placement("lying", robot, SE3.from_xyz_rpy((1, 0, 0.051), (math.pi / 2, 0, 0))),
        ],
    )
    engine.step(200)
    assert engine.base_pose(1)[2] == pytest.approx(0.22, abs=5e-4)
    engine.step(800)
    assert engine.base_pose(2)[2] == pytest.approx(0.05, abs=5e-4)
    assert engine.contacts().of(2).force[:, 2].sum() == pytest.approx(9.81, rel=0.02)


def test_contact_names_the_link_of_the_touched_shape():
    """Two feet welded to one body are told apart."""
    foot = Collision(Box((0.1, 0.1, 0.1)))
    links = (Link("body", ROUND), Link("left", collisions=(foot,)), Link("right", collisions=(foot,)))
    joints = tuple(
        Joint(name + "_weld", JointType.FIXED, "body", name, at(0, y, -0.2)) for name, y in (("left", 1), ("right", -1))
    )
    engine = BulletEngine(
        specimens.world(specimens.ground()), [Placement("robot", Robot("robot", links, joints), at(0, 0, 0.251))]
    )
    engine.step(300)
    points = engine.contacts().of(1)
    assert set(points.link_a.tolist()) == {1, 2}
    for link, side in ((1, 1), (2, -1)):
        mine = points.link_a == link
        assert np.all(np.sign(points.position[mine, 1]) == side)
        assert points.force[mine, 2].sum() == pytest.approx(9.81 / 2, rel=0.05)


def test_shapes_of_one_body_keep_their_own_friction():
    """A block with a slick underside and a rough top slides one way up and sticks the other."""
    robot = body(
        Collision(Box((0.2, 0.2, 0.05)), at(0, 0, -0.025), Surface(mu=0.0)),
        Collision(Box((0.2, 0.2, 0.05)), at(0, 0, 0.025), Surface(mu=1.0)),
    )
    slope = specimens.inclined(0.3, 1.0, plane=False)
    tilt = SE3.from_xyz_rpy((0, 0, 0), (0, 0.3, 0))
    over = SE3.from_xyz_rpy((0, 0, 0), (math.pi, 0, 0))
    engine = BulletEngine(
        specimens.world(slope),
        [
            Placement("up", robot, tilt @ at(-1, 0.5, 0.051)),
            Placement("over", robot, tilt @ at(-1, -0.5, 0.051) @ over),
        ],
    )
    engine.step(250)
    start = (tilt @ at(-1, 0, 0)).translation[0]
    assert engine.base_pose(1)[0] - start > 0.2
    assert abs(engine.base_pose(2)[0] - start) < 0.02


def surfaced(name: str, geometry, surface: Surface) -> Robot:
    return body(Collision(geometry, surface=surface), name=name)


@pytest.mark.parametrize(("kp", "kd"), [(1e3, 10.0), (1e4, None), (1e6, 1.0), (1e12, 1.0)])
def test_contact_stiffness_is_that_of_the_description_and_never_throws(kp, kd):
    ball = surfaced("ball", Sphere(0.1), Surface(kp=kp, kd=kd))
    engine = BulletEngine(specimens.world(specimens.ground()), [Placement("ball", ball, at(0, 0, 0.15))])
    engine.step(150)
    highest = 0.0
    for _ in range(50):
        engine.step(10)
        highest = max(highest, float(engine.base_pose(1)[2]))
    assert engine.base_pose(1)[2] == pytest.approx(0.1 - 9.81 / kp, abs=2e-5 + 0.01 * 9.81 / kp)
    assert highest < 0.105


@pytest.mark.parametrize("bounce", [0.0, 0.5, 0.9])
def test_a_ball_bounces_by_its_restitution(bounce):
    ball, floor = (surfaced(n, g, Surface(restitution=bounce)) for n, g in (("ball", Sphere(0.1)), ("floor", Plane())))
    engine = BulletEngine(
        specimens.world(Placement("floor", floor, fixed=True)),
        [Placement("ball", ball, at(0, 0, 1.1))],
        Settings(dt=0.001),
    )
    engine.step(500)
    heights = [0.0]
    for _ in range(60):
        engine.step(10)
        heights.append(float(engine.base_pose(1)[2]) - 0.1)
    assert math.sqrt(max(heights)) == pytest.approx(bounce, abs=0.09)


def test_more_shapes_than_one_compound_holds():
    robot = body(*(Collision(Sphere(0.05), at(0.1 * (i % 5), 0.1 * (i // 5), 0)) for i in range(20)))
    engine = BulletEngine(specimens.world(specimens.ground()), [Placement("bed", robot, at(0, 0, 0.051))])
    engine.step(10)
    assert engine.base_pose(1)[2] < 0.051
    engine.step(500)
    points = engine.contacts().of(1)
    assert points.force[:, 2].sum() == pytest.approx(9.81, rel=0.02)
    assert engine.base_pose(1)[2] == pytest.approx(0.05, abs=2e-3)


def test_a_large_height_map_is_cut_and_carries_everywhere():
    side = 160
    ground = Heightmap(tuple((0.1,) * side for _ in range(side)), (8.0, 8.0))
    terrain = Placement("terrain", specimens.solid("terrain", ground), fixed=True)
    ball = specimens.solid("ball", Sphere(0.1))
    spots = [(-3.0, -3.0), (3.0, 3.0), (0.0, 0.02)]
    engine = BulletEngine(
        specimens.world(terrain), [Placement(f"b{i}", ball, at(x, y, 0.21)) for i, (x, y) in enumerate(spots)]
    )
    assert sum(c.model == 0 for c in engine._colliders.values()) == 2
    engine.step(300)
    for i in range(3):
        assert engine.base_pose(i + 1)[2] == pytest.approx(0.2, abs=1e-3)


def test_a_fixed_model_is_moved_with_its_shapes():
    table = specimens.solid("table", Box((1.0, 1.0, 0.2)))
    engine = BulletEngine(
        specimens.world(Placement("table", table, at(5, 0, 0), fixed=True)),
        [Placement("ball", specimens.solid("ball", Sphere(0.1)), at(0, 0, 0.7))],
    )
    saved = engine.snapshot()
    engine.set_base(0, at(0, 0, 0.4).vector)
    engine.step(400)
    assert engine.base_pose(1)[2] == pytest.approx(0.6, abs=1e-3)
    engine.restore(saved)
    assert engine.base_pose(0)[0] == 5.0
    engine.step(200)
    assert engine.base_pose(1)[2] < 0.2


@pytest.mark.parametrize(
    ("geometry", "point", "expected"),
    [
        (Sphere(0.5), (1.0, 0, 0), 0.5),
        (Box((1.0, 1.0, 1.0)), (0.5, 0.5, 1.5), 1.0),
        (Box((1.0, 1.0, 1.0)), (0.0, 0.0, 0.4), -0.1),
        (Plane((0.0, 0.0, 2.0)), (3.0, 0.0, 0.25), 0.25),
    ],
)
def test_distance_to_shapes(geometry, point, expected):
    assert distance(geometry, np.array(point)) == pytest.approx(expected)


# ---- joints ------------------------------------------------------------------------------------------------------
def test_a_chain_of_mimics_follows_its_first_leader():
    pair = specimens.mimic_pair()
    third = Joint("third", JointType.CONTINUOUS, "base", "c", at(0, 0.4, 0), (0.0, 1.0, 0.0))
    third = replace(third, mimic=Mimic("follower", 0.5, -0.2))
    robot = replace(
        pair, links=(*pair.links, specimens.rod_link("c", 0.2, 0.3, (1.0, 0, 0))), joints=(*pair.joints, third)
    )
    engine = scene(robot)
    engine.set_joints(0, [0.4, 0.0, 0.0])
    engine.command(0, [-0.3, 0.0, 0.0])
    for _ in range(20):
        q = engine.joint_positions(0)
        np.testing.assert_allclose(q[1:], [-2 * q[0] + 0.1, -q[0] - 0.15], atol=1e-3)
        engine.step(25)
    assert engine.joint_positions(0)[0] == pytest.approx(-0.3, abs=1e-3)


def test_dry_friction_holds_a_passive_joint_and_lets_a_heavier_load_move():
    for load, moves in ((0.8, False), (1.2, True)):
        robot = specimens.slider(load / 9.81, (0.0, 0.0, 1.0), dynamics=Dynamics(friction=1.0))
        engine = scene(robot)
        engine.step(500)
        assert bool(abs(engine.joint_positions(0)[0]) > 0.1) is moves
        assert engine.joint_efforts(0)[0] == 0.0


def test_friction_returns_to_the_idle_motor_after_torque():
    robot = specimens.slider(1.0, dynamics=Dynamics(friction=1.0))
    engine = scene(robot, dt=0.001)
    engine.command(0, [3.0], Mode.TORQUE)
    engine.step(100)
    speed = float(engine.joint_velocities(0)[0])
    assert speed == pytest.approx(0.2, rel=0.01)
    engine.command(0, [0.0], Mode.OFF)
    engine.step(100)
    assert engine.joint_velocities(0)[0] == pytest.approx(speed - 0.1, rel=0.02)


@pytest.mark.parametrize(
    "dynamics", [Dynamics(damping=50.0), Dynamics(stiffness=1e6), Dynamics(damping=5.0, stiffness=1e4)]
)
def test_stiff_losses_on_a_light_joint_stay_finite_and_are_told(dynamics):
    robot = specimens.hinge((0.0, 1.0, 0.0), 0.05, 0.01, dynamics=dynamics)
    engine = scene(robot)
    engine.set_joints(0, [0.5], [3.0])
    engine.step(1000)
    assert abs(engine.joint_positions(0)[0]) < 1.0
    assert abs(engine.joint_velocities(0)[0]) < 300.0
    assert any("'joint'" in problem.message for problem in engine.problems)


def test_gentle_losses_are_not_told():
    assert scene(specimens.hinge(dynamics=Dynamics(damping=0.1, stiffness=1.0))).problems == ()


def cart() -> Robot:
    """A box on two driven wheels and a ball."""
    wheel = Inertia(0.1, (0.0, 0.0, 0.0), (1e-4, 0.0, 0.0, 1e-4, 0.0, 1e-4))
    chassis = Inertia(1.0, (0.0, 0.0, 0.0), (0.005, 0.0, 0.0, 0.005, 0.0, 0.005))
    ball = Collision(Sphere(0.02), at(-0.1, 0, -0.03), Surface(mu=0.0))
    links = [Link("chassis", chassis, collisions=(Collision(Box((0.25, 0.15, 0.04))), ball))]
    joints = []
    for name, y in (("left", 0.1), ("right", -0.1)):
        turned = SE3.from_xyz_rpy((0, 0, 0), (math.pi / 2, 0, 0))
        links.append(Link(name, wheel, collisions=(Collision(Cylinder(0.05, 0.02), turned),)))
        joints.append(Joint(name + "_wheel", JointType.CONTINUOUS, "chassis", name, at(0.05, y, 0), (0.0, 1.0, 0.0)))
    return Robot("cart", tuple(links), tuple(joints))


@pytest.mark.parametrize(("left", "right"), [(6.0, 6.0), (-4.0, 4.0)])
def test_wheels_roll_without_slipping(left, right):
    engine = BulletEngine(specimens.world(specimens.ground()), [Placement("cart", cart(), at(0, 0, 0.0501))])
    engine.command(1, [left, right], Mode.VELOCITY)
    engine.step(1000)
    velocity, yaw = engine.base_velocity(1), SE3.from_vector(engine.base_pose(1)).rpy[2]
    middle = velocity[:2] + velocity[5] * np.array([-math.sin(yaw), math.cos(yaw)]) * 0.05  # between the wheels
    edge = 0.01 * abs(velocity[5])  # a wheel may stand on either of its rims
    forward = float(middle @ [math.cos(yaw), math.sin(yaw)])
    assert forward == pytest.approx(0.05 * (left + right) / 2, abs=0.006 + edge)
    assert velocity[5] == pytest.approx(0.05 * (right - left) / 0.2, rel=0.05, abs=0.02)


@pytest.mark.parametrize("gain", [1e15, math.inf])
def test_endless_gains_hold(gain):
    engine = scene(specimens.hinge(along=(1.0, 0.0, 0.0)))
    engine.set_gains(0, engine.gains[0].changed(kp=gain, kd=gain, kv=gain))
    engine.command(0, [0.0])
    engine.step(500)
    assert abs(engine.joint_positions(0)[0]) < 1e-3
    engine.command(0, [0.5], Mode.VELOCITY)
    engine.step(10)
    assert engine.joint_velocities(0)[0] == pytest.approx(0.5, abs=1e-6)


def strong_damper() -> Robot:
    """A light and a heavy box on two sliders, one above the other."""
    links = [Link("base"), *(specimens.box_link(n, m, (0.1,) * 3, collide=False) for n, m in (("a", 0.02), ("b", 2.0)))]
    joints = [
        Joint(name, JointType.PRISMATIC, parent, child, at(), (0.0, 0.0, 1.0))
        for name, parent, child in (("j", "base", "a"), ("k", "a", "b"))
    ]
    return Robot("stack", tuple(links), tuple(joints), fixed_base=True)


def test_a_servo_with_a_strong_damper_gives_way_by_load_over_stiffness_also_after_restore():
    engine = scene(strong_damper(), dt=0.002)
    engine.set_gains(0, engine.gains[0].changed(kp=[1000.0, 1e5], kd=[60.0, 1e3]))
    engine.command(0, [0.0, 0.0])
    engine.step(50)  # while it still gives way
    saved = engine.snapshot()
    engine.step(1000)
    first = engine.joint_positions(0)
    assert first[0] == pytest.approx(-2.02 * 9.81 / 1000.0, rel=0.05)
    assert np.abs(engine.joint_velocities(0)).max() < 1e-3
    engine.restore(saved)
    engine.step(1000)
    assert engine.joint_positions(0) == pytest.approx(first, abs=1e-9)


def test_a_one_sided_limit_holds():
    robot = specimens.hinge(along=(1.0, 0.0, 0.0), limits=Limits(upper=0.2))
    engine = scene(robot)
    engine.step(1000)
    assert engine.joint_positions(0)[0] == pytest.approx(0.2, abs=0.005)


def test_a_floating_subtree_goes_along_with_its_base_and_falls_alone():
    engine = scene(specimens.carried(JointType.FLOATING))
    engine.set_base(0, SE3.from_xyz_rpy((1, 2, 3), (0, 0, math.pi / 2)).vector)
    np.testing.assert_allclose(engine.link_poses(0)[1, :3], [1, 2, 4], atol=1e-9)
    engine.step(50)
    assert engine.link_poses(0)[1, 2] == pytest.approx(4 - 9.81 * 0.1**2 / 2, abs=0.002)
    assert engine.link_poses(0)[0, 2] == 3.0


@pytest.mark.parametrize("kind", [JointType.FLOATING, JointType.PLANAR, JointType.BALL])
def test_joints_of_several_degrees_come_back_after_restore(kind):
    engine = scene(specimens.carried(kind))
    engine.push(0, "box", [0.5, 0.2, 0.0])
    engine.step(100)
    saved, there = engine.snapshot(), engine.link_poses(0)
    engine.step(100)
    first = engine.link_poses(0)
    engine.step(77)
    engine.restore(saved)
    np.testing.assert_array_equal(engine.link_poses(0), there)
    engine.step(100)
    np.testing.assert_allclose(engine.link_poses(0), first, atol=BulletEngine.restore_tolerance)


def test_plane_vectors_are_orthonormal():
    for normal in ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.6, 0.0, -0.8)):
        basis = np.array([*in_plane(normal), normal])
        np.testing.assert_allclose(basis @ basis.T, np.eye(3), atol=1e-12)


# ---- loops -------------------------------------------------------------------------------------------------------
def closed_by(kind: JointType) -> Robot:
    """Two hanging rods whose tips are joined."""
    robot = specimens.four_bar()
    return replace(robot, loops=(replace(robot.loops[0], type=kind),))


def test_a_ball_closes_the_loop_and_a_weld_locks_it():
    free, locked = scene(closed_by(JointType.BALL)), scene(closed_by(JointType.FIXED))
    for engine in (free, locked):
        engine.push(0, "crank", [3.0, 0.0, 0.0])
        engine.step(100)
        poses = SE3.from_vector(engine.link_poses(0))
        gap = poses[2] @ np.array([0.4, 0, 0]) - poses[3] @ np.array([0, 0, 0.2])
        assert np.linalg.norm(gap) < 2e-3
    assert free.joint_positions(0)[0] > 0.2
    assert abs(locked.joint_positions(0)[0]) < 0.02


@pytest.mark.parametrize(
    ("robot", "fragment"),
    [
        (closed_by(JointType.PRISMATIC), "'closure'"),
        (specimens.carried(JointType.SCREW), "'free'"),
        (body(Collision(Plane(), name="floor")), "'floor'"),
        (specimens.chain(130), "127"),
    ],
)
def test_what_bullet_cannot_do_is_refused_by_name(robot, fragment):
    with pytest.raises(Unsupported, match="bullet") as caught:
        scene(robot)
    assert fragment in str(caught.value)


# ---- snapshots ---------------------------------------------------------------------------------------------------
def test_restore_after_the_contacts_have_changed():
    """A tower that was pushed over comes back bit by bit."""
    blocks = [Placement(f"b{i}", specimens.block(name="block"), at(0, 0, 0.0501 + 0.1002 * i)) for i in range(3)]
    engine = BulletEngine(specimens.world(specimens.ground()), blocks)
    engine.step(200)
    saved = engine.snapshot()
    engine.step(50)
    first = np.concatenate([engine.body_poses(i) for i in range(1, 4)])
    engine.push(3, "block", [60.0, 0, 0])
    engine.step(300)
    assert engine.base_pose(3)[2] < 0.2
    for _ in range(2):
        engine.restore(saved)
        engine.step(50)
        again = np.concatenate([engine.body_poses(i) for i in range(1, 4)])
        np.testing.assert_allclose(again, first, atol=BulletEngine.restore_tolerance)


def test_snapshots_are_freed_with_their_value_and_outlive_their_engine(monkeypatch):
    freed: list[int] = []
    remove = pybullet.removeState

    def counted(number: int, physicsClientId: int) -> None:
        freed.append(number)
        remove(number, physicsClientId=physicsClientId)

    monkeypatch.setattr(pybullet, "removeState", counted)
    engine = scene(specimens.block())
    state = engine._save()
    number = state.number
    del state
    assert freed == [number]
    last = engine.snapshot()
    engine.close()
    assert last.steps == 0
    del last
    assert freed == [number]
