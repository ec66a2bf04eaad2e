"""What is special about ODE: hulls, folded angles, pair bits, shared inertia, single precision."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("panda3d.ode")

from andante.description import load_robot
from andante.description.joint import Dynamics, Joint, JointType, Limits
from andante.description.link import Collision, Link, Surface
from andante.description.robot import Robot
from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Heightmap, Plane, Sphere
from andante.description.world import Placement
from andante.errors import BadInput, Unsupported
from andante.geometry import SE3, so3
from andante.physics import specimens
from andante.physics.engine import Actor
from andante.physics.ode_build import fold, is_wide, joint_zero, tree_poses
from andante.physics.ode_contacts import combined
from andante.physics.ode_convex import ConvexPairs, polytope, shape_points
from andante.physics.ode_engine import OdeEngine
from andante.physics.ode_filter import pair_bits, wished_pairs
from andante.physics.ode_inertia import shared_tensors
from andante.physics.state import Mode, Settings
from andante.physics.tree import body_tree

GRAVITY = specimens.GRAVITY


def scene(*placements: Placement, ground: bool = True, gravity: float = -GRAVITY, **options: float) -> OdeEngine:
    models = (specimens.ground(mu=0.8),) if ground else ()
    return OdeEngine(specimens.world(*models, gravity=(0.0, 0.0, gravity)), placements, Settings(**options))


# ---- hulls and the shapes ODE lacks ----------------------------------------------------------------------------
def test_hull_of_a_box_stands_and_slides_like_the_box(tmp_path):
    mesh = specimens.write_box_mesh(tmp_path / "brick.obj", (0.2, 0.1, 0.06))
    for angle, moves in ((0.55, False), (0.8, True)):  # atan(0.8) = 0.675
        tilt = SE3.from_xyz_rpy((0, 0, 0), (0, angle, 0))
        slope = Placement("slope", specimens.solid("slope", Plane(), mu=0.8), tilt, fixed=True)
        start = tilt @ SE3.from_xyz_rpy((0, 0, 0.03))
        brick = Placement("brick", specimens.solid("brick", mesh, mu=0.8), start)
        engine = OdeEngine(specimens.world(slope), [brick], Settings())
        engine.step(100)
        before = engine.base_pose(1)[:3]
        engine.step(250)
        assert (math.dist(before, engine.base_pose(1)[:3]) > 0.05) == moves


@pytest.mark.parametrize("below", ["box", "hull", "heightmap", "static mesh"])
def test_hull_rests_on_everything(tmp_path, below):
    mesh = specimens.write_box_mesh(tmp_path / "brick.obj", (0.2, 0.1, 0.06))
    slab = specimens.write_box_mesh(tmp_path / "slab.obj", (1.0, 1.0, 0.2))
    flat = Heightmap(((0.1,) * 12,) * 12, (1.0, 1.0))
    models = {
        "box": specimens.solid("floor", Box((1.0, 1.0, 0.2)), 5.0, moment=0.5),
        "hull": specimens.solid("floor", slab, 5.0, moment=0.5),
        "heightmap": specimens.solid("floor", flat),
        "static mesh": specimens.solid("floor", slab),
    }
    fixed = below not in ("box", "hull")
    under = Placement("floor", models[below], SE3.from_xyz_rpy((0, 0, 0.0 if fixed else 0.1)), fixed=fixed)
    top = 0.1 if fixed else 0.2
    brick = Placement("brick", specimens.solid("brick", mesh), SE3.from_xyz_rpy((0.03, 0.02, top + 0.035), (0, 0, 0.4)))
    engine = scene(under, brick, ground=not fixed)
    engine.step(500)
    at = engine.actor("brick")
    assert engine.base_pose(at)[2] == pytest.approx(top + 0.03, abs=0.003)
    assert np.abs(so3.log(so3.from_quaternion(engine.base_pose(at)[3:]))[:2]).max() < 0.02
    assert engine.contacts().of(at).force[:, 2].sum() == pytest.approx(GRAVITY, rel=0.03)
    before = engine.base_pose(at)[:3]
    engine.step(500)
    assert math.dist(before, engine.base_pose(at)[:3]) < 0.001


@pytest.mark.parametrize(
    ("shape", "height"),
    [
        (Cylinder(0.1, 0.16), 0.08),
        (Ellipsoid((0.1, 0.08, 0.05)), 0.05),
        (Sphere(0.1), 0.1),
        (Box((0.2, 0.2, 0.2)), 0.1),
    ],
)
def test_shapes_on_a_cylinder(shape, height):
    """A capsule across a cylinder and cylinders on each other have no collider in ODE that could carry them."""
    pillar = Placement(
        "pillar", specimens.solid("pillar", Cylinder(0.3, 0.2)), SE3.from_xyz_rpy((0, 0, 0.1)), fixed=True
    )
    engine = scene(
        pillar, Placement("thing", specimens.solid("thing", shape), SE3.from_xyz_rpy((0, 0, 0.205 + height)))
    )
    engine.step(300)
    assert engine.base_pose(engine.actor("thing"))[2] == pytest.approx(0.2 + height, abs=0.004)


def test_capsule_lies_on_a_cylinder():
    pillar = Placement(
        "pillar", specimens.solid("pillar", Cylinder(0.3, 0.2)), SE3.from_xyz_rpy((0, 0, 0.1)), fixed=True
    )
    lying = SE3.from_xyz_rpy((0, 0, 0.26), (0, math.pi / 2, 0))
    engine = scene(pillar, Placement("roll", specimens.solid("roll", Capsule(0.05, 0.2)), lying))
    engine.step(200)
    assert engine.base_pose(engine.actor("roll"))[2] == pytest.approx(0.25, abs=0.004)


BALL_AND_BOX = ConvexPairs(
    [Ellipsoid((0.2, 0.15, 0.1)), Box((0.3, 0.2, 0.4))], np.array([True, True]), np.ones((2, 2), dtype=bool)
)


@settings(max_examples=60, deadline=None)
@given(st.tuples(*[st.floats(-0.4, 0.4)] * 3), st.tuples(*[st.floats(-3.0, 3.0)] * 3))
def test_polytopes_touch_when_their_shapes_do(offset, turn):
    """An ellipsoid and a box: a contact exists exactly when sampled points of the box lie in the ellipsoid."""
    pairs = BALL_AND_BOX
    pose = SE3.from_parts(so3.exp(turn), offset)
    hits, points = pairs.contacts(np.stack([SE3.identity().vector, pose.vector]))
    grid = np.stack(np.meshgrid(*[np.linspace(-0.5, 0.5, 25)] * 3), axis=-1).reshape(-1, 3) * [0.3, 0.2, 0.4]
    level = np.linalg.norm((pose @ grid) / [0.2, 0.15, 0.1], axis=1)
    if level.min() < 0.93:
        assert len(hits) > 0
        assert (points[:, 6] >= 0).all()
        np.testing.assert_allclose(np.linalg.norm(points[:, 3:6], axis=1), 1, atol=1e-9)
        middle = points[:, :3].mean(axis=0)
        assert np.linalg.norm(middle / [0.2, 0.15, 0.1]) < 1.6
    elif level.min() > 1.15:
        assert len(hits) == 0


def test_polytope_of_a_box():
    made = polytope(shape_points(Box((1.0, 2.0, 3.0))))
    assert len(made.corners) == 8
    assert len(made.normals) == 6
    assert len(made.edges) == 3


def test_flat_points_become_a_thin_hull():
    made = polytope(np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]))
    assert np.ptp(made.corners[:, 2]) == pytest.approx(1e-3)


# ---- joints ------------------------------------------------------------------------------------------------------
def test_continuous_joint_counts_turns():
    engine = scene(Placement("r", specimens.hinge((0.0, 0.0, 1.0), along=(1.0, 0.0, 0.0))), ground=False)
    engine.set_joints(0, [0.0], [12.0])
    engine.step(1000)
    assert engine.joint_positions(0)[0] == pytest.approx(24.0, rel=0.005)  # maximal coordinates lose a little speed
    engine.set_joints(0, [-9.0])
    assert engine.joint_positions(0)[0] == pytest.approx(-9.0, abs=1e-5)
    engine.command(0, [-9.5])
    engine.step(500)
    assert engine.joint_positions(0)[0] == pytest.approx(-9.5, abs=0.01)


@pytest.mark.parametrize(
    "limits", [(-4.0, 4.0), (-3.1, 3.1), (0.5, 4.0), (-8.0, -1.0), (2.0, math.inf), (-math.inf, 7.0)]
)
def test_limits_beyond_half_a_turn_hold(limits):
    robot = specimens.hinge((0.0, 0.0, 1.0), along=(1.0, 0.0, 0.0), limits=Limits(*limits))
    engine = scene(Placement("r", robot), ground=False)
    start = next(limit for limit in limits if math.isfinite(limit))
    engine.set_joints(0, [start + (0.2 if start == limits[0] else -0.2)])
    for effort, bound in ((1.0, limits[1]), (-1.0, limits[0])):
        if math.isinf(bound):
            continue
        engine.command(0, [effort], Mode.TORQUE)
        engine.step(2000)
        assert engine.joint_positions(0)[0] == pytest.approx(bound, abs=0.02)


@given(st.floats(-10, 10), st.floats(0.01, 12))
def test_stops_stay_away_from_the_fold(low, width):
    joint = Joint("j", JointType.REVOLUTE, "a", "b", limits=Limits(low, low + width))
    centre = joint_zero(joint)
    for limit in (low, low + width):
        image = fold(limit - centre) if is_wide(joint) else limit - centre
        assert abs(image) < 2.75


def test_servo_at_a_stop_stays_calm():
    """ODE pushes a hinge's own motor with all its force at a stop; the servo must not be that motor."""
    robot = specimens.hinge(limits=Limits(-0.5, 0.5), along=(1.0, 0.0, 0.0))
    engine = scene(Placement("r", robot), ground=False)
    engine.set_joints(0, [0.5])
    engine.command(0, [0.5])
    engine.step(500)
    fastest = 0.0
    for _ in range(100):
        engine.step()
        fastest = max(fastest, abs(float(engine.joint_velocities(0)[0])))
    assert engine.joint_positions(0)[0] == pytest.approx(0.5, abs=0.01)
    assert fastest < 0.01


def test_slider_on_a_turning_base():
    """Speed and momentum of a piston on a free base that turns."""
    engine = scene(Placement("t", specimens.tangle()), ground=False, gravity=0.0)
    engine.set_base(0, [0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0.5, 1.0, -2.0])
    engine.set_joints(0, [0.1, 0.2, 0.05], [0.5, -0.5, 0.4])
    assert engine.joint_velocities(0)[2] == pytest.approx(0.4, abs=1e-5)
    tree = engine.actors[0].tree

    def momentum() -> np.ndarray:
        poses, speeds = SE3.from_vector(engine.body_poses(0)), engine.body_velocities(0)
        total = np.zeros(3)
        for i, body in enumerate(tree.bodies):
            arm = poses.rotation[i] @ np.asarray(body.inertia.com)
            total += body.inertia.mass * (speeds[i, :3] + np.cross(speeds[i, 3:], arm))
        return total

    before = momentum()
    engine.command(0, [0.3, -0.2, 0.1])
    engine.step(200)
    np.testing.assert_allclose(momentum(), before, atol=2e-3)


def test_planar_and_screw_are_refused_by_name():
    for kind in (JointType.PLANAR, JointType.SCREW):
        with pytest.raises(Unsupported, match=r"ode.*'free'"):
            scene(Placement("c", specimens.carried(kind)))


def test_moving_plane_is_refused():
    with pytest.raises(Unsupported, match="plane"):
        scene(Placement("p", specimens.solid("p", Plane())))


def test_loop_joint_of_a_fixed_base_follows_set_base():
    engine = scene(Placement("f", specimens.four_bar()), ground=False)
    engine.set_base(0, [3.0, -2.0, 1.0, 0, 0, math.sin(0.4), math.cos(0.4)])
    engine.command(0, [0.3, 0, 0], joints=None)
    engine.step(200)
    poses = SE3.from_vector(engine.link_poses(0))
    gap = poses[2] @ np.array([0.4, 0, 0]) - poses[3] @ np.array([0, 0, 0.2])
    assert np.linalg.norm(gap) < 0.002
    np.testing.assert_allclose(poses.translation[1], [3.0, -2.0, 1.0], atol=1e-3)


def test_losses_of_a_loop_joint():
    robot = specimens.four_bar()
    (closure,) = robot.loops

    def speed(**losses: float) -> float:
        loops = (replace(closure, dynamics=Dynamics(**losses)),)
        engine = scene(Placement("f", replace(robot, loops=loops)), ground=False, gravity=0.0)
        engine.set_joints(0, [0.0, 0.0, 0.0], [1.0, -1.0, 1.0])
        engine.step(250)
        return float(engine.joint_velocities(0)[0])

    assert speed() == pytest.approx(1.0, abs=0.02)
    assert speed(damping=0.05) < 0.7
    assert abs(speed(friction=0.2)) < 0.01
    with pytest.raises(Unsupported, match="'closure'"):
        speed(stiffness=1.0)


def test_bad_vectors_are_refused():
    engine = scene(Placement("r", specimens.hinge()), ground=False)
    for bad in ([math.nan], [1.0, 2.0]):
        with pytest.raises(BadInput, match="1 finite numbers"):
            engine.set_joints(0, bad)
    with pytest.raises(BadInput, match="7 finite numbers"):
        engine.set_base(0, [0, 0, 0])


# ---- inertia -----------------------------------------------------------------------------------------------------
def _cardan() -> Robot:
    """A trunk and a leg joined by two tiny links on crossed hinges."""
    links = (
        specimens.box_link("trunk", 2.0, (0.2, 0.2, 0.3)),
        specimens.box_link("first", 0.05, (0.02, 0.02, 0.02)),
        specimens.box_link("second", 0.05, (0.02, 0.02, 0.02)),
        specimens.box_link("leg", 1.0, (0.05, 0.05, 0.3), (0, 0, -0.15)),
    )
    turned = SE3.from_xyz_rpy((0.05, 0, -0.15), (0.3, 0.2, 0.1))
    joints = (
        Joint("yaw", JointType.CONTINUOUS, "trunk", "first", turned, (0.0, 0.0, 1.0)),
        Joint("roll", JointType.CONTINUOUS, "first", "second", SE3.from_xyz_rpy((0, 0, -0.03))),
        Joint("pitch", JointType.CONTINUOUS, "second", "leg", SE3.from_xyz_rpy((0, 0, -0.03)), (0.0, 1.0, 0.0)),
    )
    return Robot("cardan", links, joints)


def test_shared_inertia_keeps_the_motion():
    """Inertia moved across hinges changes no kinetic energy, whatever the joints do."""
    robot = _cardan()
    actor = Actor(0, Placement("t", robot), body_tree(robot))
    tensors = shared_tensors(actor)
    rng = np.random.default_rng(5)
    moved = False
    for _ in range(20):
        q = dict(zip(robot.joint_names, rng.uniform(-1, 1, 3), strict=True))
        poses = tree_poses(actor, SE3.identity(), q)
        spin = [rng.normal(size=3)]
        for i, body in enumerate(actor.tree.bodies[1:], start=1):
            turning = body.joint is not None and body.joint.type is not JointType.PRISMATIC
            rate = rng.normal() if turning else 0.0
            spin.append(spin[body.parent] + poses[i].rotation @ np.asarray(body.joint.axis) * rate)
        energy = [0.0, 0.0]
        for i, body in enumerate(actor.tree.bodies):
            local = poses[i].rotation.T @ spin[i]
            energy[0] += local @ body.inertia.matrix @ local
            energy[1] += local @ tensors[i] @ local
            moved = moved or not np.allclose(tensors[i], body.inertia.matrix)
        assert energy[1] == pytest.approx(energy[0], rel=1e-9)
    assert moved
    assert all(np.linalg.eigvalsh(tensor)[0] > 0 for tensor in tensors)


# ---- who collides ------------------------------------------------------------------------------------------------
def _allowed(bits, i: int, k: int) -> bool:
    return bool(bits.category[i] & bits.collide[k] or bits.category[k] & bits.collide[i])


def _walker(count: int, self_collide: bool) -> Robot:
    links = tuple(specimens.box_link(f"l{i}", 1.0, (0.1, 0.1, 0.1)) for i in range(count))
    joints = tuple(
        Joint(f"j{i}", JointType.CONTINUOUS, f"l{i}", f"l{i + 1}", SE3.from_xyz_rpy((0.2, 0, 0)))
        for i in range(count - 1)
    )
    return Robot("walker", links, joints, self_collide=self_collide)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 9), st.booleans(), st.booleans()), min_size=1, max_size=6), st.booleans())
def test_bits_say_what_is_wished(robots, masked):
    actors = [
        Actor(i, Placement(f"r{i}", (robot := _walker(n, own)), fixed=fixed), body_tree(robot))
        for i, (n, own, fixed) in enumerate(robots)
    ]
    rows = [(a.index, b) for a in actors for b in range(len(a.tree.bodies))]
    actor, body = np.array([a for a, _ in rows]), np.array([b for _, b in rows])
    free = np.array([not (actors[a].fixed and b == 0) for a, b in rows])
    mask = np.array([(1 if i % 3 else 6) if masked else 0xFFFFFFFF for i in range(len(rows))])
    wish = wished_pairs(actors, actor, body, mask, free)
    bits = pair_bits(wish, actor, body, free)
    assert np.array_equal(wish, wish.T)
    for i in range(len(rows)):
        for k in range(i):
            same = rows[i] == rows[k]
            if bits.exact and not same:
                assert _allowed(bits, i, k) == wish[i, k]
            elif wish[i, k]:
                assert _allowed(bits, i, k)


def test_many_self_colliding_robots_fit_or_fall_back():
    """More wishes than bits: the filter in Python gives the same contacts."""
    robot = _walker(40, True)
    lying = [Placement("a", robot, SE3.from_xyz_rpy((0, 0, 0.05)))]
    engine = scene(*lying)
    assert not engine._collider._exact
    engine.step(200)
    assert engine.contacts().of(1).force[:, 2].sum() == pytest.approx(40 * GRAVITY, rel=0.03)
    assert set(engine.contacts().actor_a.tolist()) | set(engine.contacts().actor_b.tolist()) == {0, 1}


def test_standing_shapes_far_away_are_switched_off_and_on_again():
    posts = [
        Placement(
            f"p{i}", specimens.solid("post", Box((0.4, 0.4, 0.2))), SE3.from_xyz_rpy((2.0 * i, 0, 0.1)), fixed=True
        )
        for i in range(12)
    ]
    ball = Placement("ball", specimens.solid("ball", Sphere(0.1)), SE3.from_xyz_rpy((0, 0, 0.32)))
    engine = scene(*posts, ball)
    at = engine.actor("ball")
    for x in (0.0, 16.0, 4.0):
        engine.set_base(at, [x, 0, 0.32, 0, 0, 0, 1])
        engine.step(150)
        assert engine.base_pose(at)[2] == pytest.approx(0.3, abs=0.003)
        assert 0 < engine._collider.near._on.sum() < 4
    engine.set_base(engine.actor("p5"), [4.0, 0.0, 0.3, 0, 0, 0, 1])  # a post put into the ball pushes it out
    engine.step(150)
    assert not 0.29 < engine.base_pose(at)[2] < 0.31


def test_contact_between_two_moving_bodies_tells_both_sides():
    engine = scene(
        Placement("low", specimens.block(2.0), SE3.from_xyz_rpy((0, 0, 0.05))),
        Placement("high", specimens.block(1.0), SE3.from_xyz_rpy((0, 0, 0.15))),
    )
    engine.step(400)
    low = engine.contacts().of(1)
    from_above, from_ground = low.actor_b == 2, low.actor_b == 0
    assert low.force[from_above, 2].sum() == pytest.approx(-GRAVITY, rel=0.03)
    assert low.force[from_ground, 2].sum() == pytest.approx(3 * GRAVITY, rel=0.03)
    assert (low.normal[from_above, 2] < -0.99).all()


def test_surfaces_combine():
    stiff, soft = (0.5, 0.2, math.inf), (0.8, 0.0, 1000.0)
    mu, bounce, cfm = combined(stiff, soft, 0.2, 0.002)
    assert mu == pytest.approx(math.sqrt(0.4))
    assert bounce == 0.2
    assert cfm == pytest.approx(0.2 / (0.002 * 1000.0))
    assert combined(stiff, stiff, 0.2, 0.002)[0] == pytest.approx(0.5)


def test_contact_stiffness_and_bounce():
    def ball(**surface: float) -> Robot:
        link = specimens.solid("ball", Sphere(0.1)).links[0]
        return Robot("ball", (replace(link, collisions=(Collision(Sphere(0.1), surface=Surface(**surface)),)),))

    engine = scene(Placement("soft", ball(kp=2000.0), SE3.from_xyz_rpy((0, 0, 0.1))))
    engine.step(1000)
    assert 0.1 - engine.base_pose(1)[2] == pytest.approx(GRAVITY / 2000.0, rel=0.1)
    engine = scene(Placement("rubber", ball(restitution=0.7), SE3.from_xyz_rpy((0, 0, 1.1))))
    highest, fell = 0.0, False
    for _ in range(500):
        engine.step()
        fell = fell or engine.base_pose(1)[2] < 0.11
        highest = max(highest, float(engine.base_pose(1)[2]) - 0.1) if fell else 0.0
    assert highest == pytest.approx(0.49, abs=0.05)


# ---- the humanoid ------------------------------------------------------------------------------------------------
def _nao(drop: float = 0.0) -> tuple[OdeEngine, int]:
    """The NAO in StandInit with its soles at a height above the ground."""
    nao = load_robot("nao")
    engine = scene(Placement("nao", nao))
    actor = engine.actor("nao")
    pose = nao.pose("StandInit")
    q = np.array([pose.get(name, 0.0) for name in nao.joint_names])
    engine.set_joints(actor, q)
    soles = [[link.name for link in nao.links].index(name) for name in ("l_sole", "r_sole")]
    engine.set_base(actor, [0, 0, drop - engine.link_poses(actor)[soles, 2].min(), 0, 0, 0, 1])
    engine.command(actor, q)
    return engine, actor


def test_nao_stands_for_ten_seconds_and_carries_its_weight():
    engine, actor = _nao()
    engine.step(500)
    before = engine.base_pose(actor)
    engine.step(4500)
    after = engine.base_pose(actor)
    assert math.dist(before[:2], after[:2]) < 0.01
    assert after[2] > 0.3
    weight = engine.actors[actor].tree.robot.mass * GRAVITY
    lifted = []
    for _ in range(50):
        engine.step()
        lifted.append(engine.contacts().of(actor).force[:, 2].sum())
    assert np.mean(lifted) == pytest.approx(weight, rel=0.02)


@pytest.mark.parametrize(("drop", "impulse", "stands"), [(0.05, 0.0, True), (0.0, 6.0, False)])
def test_nao_survives_a_drop_and_falls_when_pushed(drop, impulse, stands):
    engine, actor = _nao(drop)
    engine.step(500)
    root = engine.actors[actor].tree.robot.root
    engine.push(actor, root, [impulse / 0.1, 0, 0])
    engine.step(50)
    engine.push(actor, root, [0, 0, 0])
    engine.step(1000)
    assert (engine.base_pose(actor)[2] > 0.25) == stands


# ---- determinism, snapshots, silence -----------------------------------------------------------------------------
def _tumble() -> OdeEngine:
    links = (Link("root", specimens.box_inertia(1.0, (0.2, 0.1, 0.1)), (), (Collision(Box((0.2, 0.1, 0.1))),)),)
    return scene(
        Placement("a", Robot("a", links), SE3.from_xyz_rpy((0, 0, 0.3), (0.4, 0.3, 0.2))),
        Placement("arm", specimens.chain(3), SE3.from_xyz_rpy((1, 0, 1))),
    )


def test_engines_in_one_process_do_not_disturb_each_other():
    alone = _tumble()
    for _ in range(100):
        alone.step()
    first, other = _tumble(), _tumble()
    for _ in range(100):
        first.step()
        other.step(3)
    assert np.array_equal(alone.base_pose(1), first.base_pose(1))
    assert np.array_equal(alone.joint_positions(2), first.joint_positions(2))


def test_one_run_of_many_steps_is_many_runs_of_one():
    one, many = _tumble(), _tumble()
    one.step(150)
    for _ in range(150):
        many.step()
    assert np.array_equal(one.base_pose(1), many.base_pose(1))
    np.testing.assert_array_equal(one.contacts().force, many.contacts().force)


def test_restore_is_exact_and_brings_contacts_back():
    engine = _tumble()
    engine.step(300)
    saved, contacts = engine.snapshot(), engine.contacts()
    engine.step(100)
    after = np.concatenate([engine.body_poses(1).ravel(), engine.body_velocities(2).ravel()])
    engine.restore(saved)
    np.testing.assert_array_equal(engine.contacts().force, contacts.force)
    engine.step(100)
    again = np.concatenate([engine.body_poses(1).ravel(), engine.body_velocities(2).ravel()])
    assert np.abs(after - again).max() <= OdeEngine.restore_tolerance


def test_damping_and_friction_beside_a_servo():
    """A servo under its limit must overcome dry friction: it stops short by friction / kp."""
    robot = specimens.hinge((0.0, 0.0, 1.0), along=(1.0, 0.0, 0.0), dynamics=Dynamics(friction=0.5, damping=0.02))
    engine = scene(Placement("r", robot), ground=False)
    engine.set_gains(0, engine.gains[0].changed(kp=20.0, kd=2.0))
    engine.command(0, [1.0])
    engine.step(2500)
    gap = 1.0 - float(engine.joint_positions(0)[0])
    assert 0.0 < gap <= 0.5 / 20.0 * 1.02
    assert abs(float(engine.joint_velocities(0)[0])) < 1e-4
    assert engine.joint_efforts(0)[0] == pytest.approx(20.0 * gap, rel=0.02)


def test_nothing_is_printed():
    code = (
        "from andante.physics import specimens; from andante.physics.ode_engine import OdeEngine\n"
        "from andante.description.world import Placement\n"
        "e = OdeEngine(specimens.world(specimens.ground()), [Placement('a', specimens.clapper(True))])\n"
        "e.command(0 + 1, [0.1, 0.1]); e.step(20); e.contacts(); e.close()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == ""
    assert done.stderr == ""
