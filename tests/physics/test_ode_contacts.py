"""Contacts in ODE: hulls and other shapes that it lacks, pair bits, surfaces, far shapes switched off."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("panda3d.ode")

from andante.description.joint import Joint, JointType
from andante.description.link import Collision, Surface
from andante.description.robot import Robot
from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Heightmap, Plane, Sphere
from andante.description.world import Placement
from andante.geometry import SE3, so3
from andante.physics.checks import specimens
from andante.physics.model import Model
from andante.physics.ode.contacts import combined
from andante.physics.ode.convex import ConvexPairs, polytope, shape_points
from andante.physics.ode.engine import OdeEngine
from andante.physics.ode.filter import allowed_pairs, pair_bits
from andante.physics.state import Settings
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
    at = engine.model_index("brick")
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
    assert engine.base_pose(engine.model_index("thing"))[2] == pytest.approx(0.2 + height, abs=0.004)


def test_capsule_lies_on_a_cylinder():
    pillar = Placement(
        "pillar", specimens.solid("pillar", Cylinder(0.3, 0.2)), SE3.from_xyz_rpy((0, 0, 0.1)), fixed=True
    )
    lying = SE3.from_xyz_rpy((0, 0, 0.26), (0, math.pi / 2, 0))
    engine = scene(pillar, Placement("roll", specimens.solid("roll", Capsule(0.05, 0.2)), lying))
    engine.step(200)
    assert engine.base_pose(engine.model_index("roll"))[2] == pytest.approx(0.25, abs=0.004)


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
def test_bits_say_what_is_allowed(robots, masked):
    models = [
        Model(i, Placement(f"r{i}", (robot := _walker(n, own)), fixed=fixed), body_tree(robot))
        for i, (n, own, fixed) in enumerate(robots)
    ]
    rows = [(a.index, b) for a in models for b in range(len(a.tree.bodies))]
    model, body = np.array([a for a, _ in rows]), np.array([b for _, b in rows])
    free = np.array([not (models[a].fixed and b == 0) for a, b in rows])
    mask = np.array([(1 if i % 3 else 6) if masked else 0xFFFFFFFF for i in range(len(rows))])
    allowed = allowed_pairs(models, model, body, mask, free)
    bits = pair_bits(allowed, model, body, free)
    assert np.array_equal(allowed, allowed.T)
    for i in range(len(rows)):
        for k in range(i):
            same = rows[i] == rows[k]
            if bits.exact and not same:
                assert _allowed(bits, i, k) == allowed[i, k]
            elif allowed[i, k]:
                assert _allowed(bits, i, k)


def test_many_self_colliding_robots_fit_or_fall_back():
    """More pairs than bits: the filter in Python gives the same contacts."""
    robot = _walker(40, True)
    lying = [Placement("a", robot, SE3.from_xyz_rpy((0, 0, 0.05)))]
    engine = scene(*lying)
    assert not engine._collider._exact
    engine.step(200)
    assert engine.contacts().of(1).force[:, 2].sum() == pytest.approx(40 * GRAVITY, rel=0.03)
    assert set(engine.contacts().model_a.tolist()) | set(engine.contacts().model_b.tolist()) == {0, 1}


def test_standing_shapes_far_away_are_switched_off_and_on_again():
    posts = [
        Placement(
            f"p{i}", specimens.solid("post", Box((0.4, 0.4, 0.2))), SE3.from_xyz_rpy((2.0 * i, 0, 0.1)), fixed=True
        )
        for i in range(12)
    ]
    ball = Placement("ball", specimens.solid("ball", Sphere(0.1)), SE3.from_xyz_rpy((0, 0, 0.32)))
    engine = scene(*posts, ball)
    at = engine.model_index("ball")
    for x in (0.0, 16.0, 4.0):
        engine.set_base(at, [x, 0, 0.32, 0, 0, 0, 1])
        engine.step(150)
        assert engine.base_pose(at)[2] == pytest.approx(0.3, abs=0.003)
        assert 0 < engine._collider.near._on.sum() < 4
    engine.set_base(engine.model_index("p5"), [4.0, 0.0, 0.3, 0, 0, 0, 1])  # a post put into the ball pushes it out
    engine.step(150)
    assert not 0.29 < engine.base_pose(at)[2] < 0.31


def test_contact_between_two_moving_bodies_tells_both_sides():
    engine = scene(
        Placement("low", specimens.block(2.0), SE3.from_xyz_rpy((0, 0, 0.05))),
        Placement("high", specimens.block(1.0), SE3.from_xyz_rpy((0, 0, 0.15))),
    )
    engine.step(400)
    low = engine.contacts().of(1)
    from_above, from_ground = low.model_b == 2, low.model_b == 0
    assert low.force[from_above, 2].sum() == pytest.approx(-GRAVITY, rel=0.03)
    assert low.force[from_ground, 2].sum() == pytest.approx(3 * GRAVITY, rel=0.03)
    assert (low.normal[from_above, 2] < -0.99).all()


def test_surfaces_combine():
    stiff, soft = (0.5, 0.2, math.inf), (0.8, 0.0, 1000.0)
    mu, bounce, cfm = combined(stiff, soft, 0.2, 0.002)
    assert mu == 0.5
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
