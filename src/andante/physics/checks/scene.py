"""Checks of the scene: contacts (friction, stacks, shapes, masks), rays, snapshots, determinism, weightless links."""

from __future__ import annotations

import math
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from andante.description.link import Collision, Surface
from andante.description.robot import Robot
from andante.description.shapes import Box, Capsule, Cylinder, Geometry, Plane, Sphere
from andante.description.world import Placement
from andante.geometry import SE3, Array
from andante.gravity import GRAVITY
from andante.physics.engine import Engine
from andante.physics.state import Contacts, Mode, Settings

from . import specimens
from .result import Checks, Findings

SCENE = Checks()


def _slips(engine: type[Engine], angle: float, mu_slope: float, mu_block: float, plane: bool) -> bool:
    """Whether a block on a slope moves more than 2 mm in half a second, after a short rest."""
    slope = specimens.inclined(angle, mu_slope, plane)
    start = SE3.from_xyz_rpy((0, 0, 0), (0, angle, 0)) @ SE3.from_xyz_rpy((-1.0, 0, 0.05))
    scene = engine(
        specimens.world(slope), [Placement("block", specimens.block(1.0, (0.3, 0.3, 0.1), mu_block), start)], Settings()
    )
    scene.step(50)
    before = scene.base_pose(1)[:3]
    scene.step(250)
    return math.dist(before, scene.base_pose(1)[:3]) > 0.002


def slip_angle(engine: type[Engine], mu_slope: float, mu_block: float, plane: bool) -> float:
    """Angle at which the block begins to slip, found by halving [rad]."""
    low, high = math.radians(8.0), math.radians(45.0)
    for _ in range(7):
        middle = (low + high) / 2
        if _slips(engine, middle, mu_slope, mu_block, plane):
            high = middle
        else:
            low = middle
    return (low + high) / 2


@SCENE.add
def friction_angle(engine: type[Engine], found: Findings) -> None:
    """A block with mu 0.5 on a slope of mu 0.5 slips at atan 0.5 within 5 %, on a plane and on a tilted box."""
    expected = math.atan(0.5)
    for plane in (True, False):
        where = "plane" if plane else "box"
        found.close(f"slip angle on a {where} [rad]", slip_angle(engine, 0.5, 0.5, plane), expected, 0.05 * expected)


@SCENE.add
def mixed_friction(engine: type[Engine], found: Findings) -> None:
    """Of two different coefficients the smaller holds within 5 %."""
    expected = math.atan(0.3)
    for slope, block in ((0.3, 0.7), (0.7, 0.3)):
        angle = slip_angle(engine, slope, block, plane=True)
        found.close(f"slip angle of {block} on {slope} [rad]", angle, expected, 0.05 * expected)


@SCENE.add
def resting_block(engine: type[Engine], found: Findings) -> None:
    """The contact forces under a resting block of 1 kg add up to m g, point up and act at its underside."""
    at = SE3.from_xyz_rpy((0.3, -0.2, 0.052), (0, 0, 0.4))
    scene = engine(specimens.world(specimens.ground()), [Placement("block", specimens.block(), at)], Settings())
    scene.step(500)
    contacts = scene.contacts().of(1)
    found.true("there are contacts", len(contacts) > 0)
    if len(contacts) == 0:
        return
    total = contacts.force.sum(axis=0)
    found.close("upward force [N]", total[2], GRAVITY, 0.02 * GRAVITY)
    found.at_most("sideways force [N]", float(np.linalg.norm(total[:2])), 0.02 * GRAVITY)
    found.true("the normals point up", bool(np.all(contacts.normal[:, 2] > 0.99)))
    found.true("the partners are reported", bool(np.all(contacts.model_b == 0) and np.all(contacts.link_a == 0)))
    found.at_most("height of the contact points [m]", np.abs(contacts.position[:, 2]).max(), 0.005)
    reach = np.linalg.norm(contacts.position[:, :2] - scene.base_pose(1)[:2], axis=1)
    found.at_most("contact points off the underside [m]", reach.max(), 0.1 * math.sqrt(2) + 0.005)
    found.at_most("depth [m]", np.abs(contacts.depth).max(), 0.003)
    found.close("height of the block [m]", scene.base_pose(1)[2], 0.05, 0.003)
    mirrored = scene.contacts().of(0)
    found.close("force on the ground [N]", mirrored.force[:, 2].sum(), -GRAVITY, 0.02 * GRAVITY)
    before = scene.base_pose(1)[:3]
    scene.step(1000)
    found.at_most("creep in 2 s [m]", math.dist(before, scene.base_pose(1)[:3]), 0.001)


def _between(contacts: Contacts, a: int, b: int) -> float:
    """Upward force that model a feels from model b [N]."""
    mine = contacts.of(a)
    return float(mine.force[mine.model_b == b, 2].sum())


@SCENE.add
def stack(engine: type[Engine], found: Findings) -> None:
    """Of two stacked blocks the lower one carries both; they stay for 2 s."""
    blocks = [
        Placement("low", specimens.block(2.0), SE3.from_xyz_rpy((0, 0, 0.05))),
        Placement("high", specimens.block(1.0), SE3.from_xyz_rpy((0, 0, 0.15))),
    ]
    scene = engine(specimens.world(specimens.ground()), blocks, Settings())
    scene.step(1000)
    contacts = scene.contacts()
    found.close("force from the ground [N]", _between(contacts, 1, 0), 3 * GRAVITY, 0.03 * 3 * GRAVITY)
    found.close("force between the blocks [N]", _between(contacts, 2, 1), GRAVITY, 0.03 * GRAVITY)
    found.close("height of the upper block [m]", scene.base_pose(2)[2], 0.15, 0.004)
    found.at_most("sideways drift [m]", np.abs(scene.base_pose(2)[:2]).max(), 0.002)


@SCENE.add
def shapes_rest(engine: type[Engine], found: Findings) -> None:
    """A sphere, an upright cylinder, a lying capsule and the hull of a mesh rest on the ground at their heights."""
    with tempfile.TemporaryDirectory() as folder:
        mesh = specimens.write_box_mesh(Path(folder) / "brick.obj", (0.2, 0.1, 0.06))
        lying = SE3.from_xyz_rpy((0, 0, 0), (0, math.pi / 2, 0))
        cases = (
            ("sphere", specimens.solid("sphere", Sphere(0.1)), SE3.identity(), 0.1),
            ("cylinder", specimens.solid("cylinder", Cylinder(0.1, 0.16)), SE3.identity(), 0.08),
            ("capsule", specimens.solid("capsule", Capsule(0.05, 0.2)), lying, 0.05),
            ("mesh", specimens.solid("mesh", mesh), SE3.identity(), 0.03),
        )
        placements = [
            Placement(name, robot, SE3.from_xyz_rpy((i, 0, height + 0.01)) @ turn)
            for i, (name, robot, turn, height) in enumerate(cases)
        ]
        scene = engine(specimens.world(specimens.ground()), placements, Settings())
        scene.step(600)
        for i, (name, _, _, height) in enumerate(cases):
            found.close(f"height of the {name} [m]", scene.base_pose(i + 1)[2], height, 0.004)
            found.close(f"force under the {name} [N]", _between(scene.contacts(), i + 1, 0), GRAVITY, 0.04 * GRAVITY)


@SCENE.add
def heightmap(engine: type[Engine], found: Findings) -> None:
    """A height map carries a ball at the height of its surface, with -x low and +x high, and blocks rays there."""
    terrain = Placement("hills", specimens.solid("hills", specimens.hills(), mu=1.0), fixed=True)
    ball = specimens.solid("ball", Sphere(0.1), mu=1.0)
    post = [
        Placement(f"ball{k}", ball, SE3.from_xyz_rpy((x, y, 0.2 * (x + 1.5) / 3.0 + 0.102)))
        for k, (x, y) in enumerate(((-1.0, 0.3), (1.0, -0.4)))
    ]
    scene = engine(specimens.world(terrain), post, Settings())
    scene.step(150)
    for k in (1, 2):
        x, _, z = scene.base_pose(k)[:3]
        above = float(z) - 0.2 * (float(x) + 1.5) / 3.0
        found.close("height of a ball above the surface [m]", above, 0.1 * math.hypot(1.0, 0.2 / 3.0), 0.005)
    hits = scene.cast_rays([[-0.6, 0.8, 2.0], [0.9, -0.8, 2.0]], [[0, 0, -1.0]] * 2, 5.0)
    found.close("ray down to the low side [m]", hits.distance[0], 2 - 0.2 * 0.9 / 3, 0.005)
    found.close("ray down to the high side [m]", hits.distance[1], 2 - 0.2 * 2.4 / 3, 0.005)


@SCENE.add
def self_collision(engine: type[Engine], found: Findings) -> None:
    """Links of one robot collide only when asked, never with their neighbors, never when the pair is masked."""
    for allowed, masked in ((False, False), (True, False), (True, True)):
        scene = engine(
            specimens.world(gravity=(0.0, 0.0, 0.0)),
            [Placement("c", specimens.clapper(allowed, masked))],
            Settings(dt=0.001),
        )
        scene.step(2)
        found.close("contacts between neighbors", len(scene.contacts()), 0, 0.5)
        scene.command(0, [5.0, 5.0], Mode.TORQUE)
        scene.step(800)
        closed = float(scene.joint_positions(0).sum())
        if allowed and not masked:
            found.close("sliders that collide stop at contact [m]", closed, 0.3, 0.006)
            found.true("their contact is reported", len(scene.contacts()) > 0)
        else:
            found.close("sliders that do not collide run to their limits [m]", closed, 0.6, 0.006)


def _with_mask(robot: Robot, mask: int) -> Robot:
    link = robot.links[0]
    shapes = tuple(Collision(c.geometry, c.pose, Surface(collide_bitmask=mask), c.name) for c in link.collisions)
    return replace(robot, links=(replace(link, collisions=shapes),))


@SCENE.add
def bitmask(engine: type[Engine], found: Findings) -> None:
    """Shapes collide only when their collide_bitmasks share a bit; a silent shape has all bits."""
    shelf = Placement("shelf", _with_mask(specimens.block(1.0, (6.0, 1.0, 0.2)), 0x1), fixed=True)
    placements = [
        Placement("same", _with_mask(specimens.block(), 0x3), SE3.from_xyz_rpy((-1, 0, 0.16))),
        Placement("other", _with_mask(specimens.block(), 0x2), SE3.from_xyz_rpy((0, 0, 0.16))),
        Placement("silent", specimens.block(), SE3.from_xyz_rpy((1, 0, 0.16))),
    ]
    scene = engine(specimens.world(shelf), placements, Settings())
    scene.step(250)
    found.close("height of a block with a common bit [m]", scene.base_pose(1)[2], 0.15, 0.004)
    found.true("a block without a common bit falls through", float(scene.base_pose(2)[2]) < -0.5)
    found.close("height of a block without a mask [m]", scene.base_pose(3)[2], 0.15, 0.004)


@SCENE.add
def rays(engine: type[Engine], found: Findings) -> None:
    """Rays meet every kind of shape at the right distance (1 mm), report model and link, miss with inf, can ignore."""
    with tempfile.TemporaryDirectory() as folder:
        cases: tuple[tuple[str, Geometry, float], ...] = (
            ("box", Box((0.2, 0.4, 0.6)), 0.1),
            ("sphere", Sphere(0.25), 0.25),
            ("cylinder", Cylinder(0.15, 0.8), 0.15),
            ("capsule", Capsule(0.12, 0.5), 0.12),
            ("mesh", specimens.write_box_mesh(Path(folder) / "brick.obj", (0.2, 0.4, 0.6)), 0.1),
        )
        models = tuple(
            Placement(name, specimens.solid(name, shape), SE3.from_xyz_rpy((2.0, 3.0 * i, 1.0)), fixed=True)
            for i, (name, shape, _) in enumerate(cases)
        )
        scene = engine(specimens.world(*models, specimens.ground()), settings=Settings())
        origins = np.array([[0.0, 3.0 * i, 1.0] for i in range(len(cases))])
        ahead = np.tile([3.0, 0.0, 0.0], (len(cases), 1))  # directions need not be unit vectors
        hits = scene.cast_rays(origins, ahead, 10.0)
        for i, (name, _, front) in enumerate(cases):
            found.close(f"distance to a {name} [m]", hits.distance[i], 2.0 - front, 0.001)
            found.close(f"model of a {name}", hits.model[i], i, 0.1)
            found.close(f"link of a {name}", hits.link[i], 0, 0.1)
        short = scene.cast_rays(origins, ahead, 1.0)
        found.true("beyond the range: inf and -1", bool(np.isinf(short.distance).all() and (short.model == -1).all()))
        up = scene.cast_rays([[0, 0, 1.0]], [[0, 0, 1.0]], 10.0)
        found.true("a miss: inf and -1", bool(np.isinf(up.distance[0]) and up.model[0] == -1 and up.link[0] == -1))
        down = scene.cast_rays([[-40.0, 30.0, 1.0]], [[0.0, 3.0, -4.0]], 10.0)
        found.close("slant distance to the plane [m]", down.distance[0], 1.25, 0.001)
        past = scene.cast_rays([[0, 0, 1.0]], [[1.0, 0, 0]], 10.0, ignore=0)
        found.true("an ignored model is passed", bool(np.isinf(past.distance[0])))
        found.close("no rays", len(scene.cast_rays(np.zeros((0, 3)), np.zeros((0, 3)), 1.0).distance), 0, 0)


@SCENE.add
def ray_batch(engine: type[Engine], found: Findings) -> None:
    """A batch of 1000 rays from one origin or many gives what the single rays give; moving bodies are met too."""
    rng = np.random.default_rng(3)
    radius, center = 0.5, np.array([0.2, -0.1, 2.0])
    ball = Placement("ball", specimens.solid("ball", Sphere(radius)))
    scene = engine(specimens.world(gravity=(0.0, 0.0, 0.0)), [ball], Settings())
    scene.set_base(0, [*center, 0, 0, 0, 1])
    directions = rng.normal(size=(1000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    for origins in (np.tile([3.0, 0.5, 1.8], (1000, 1)), center - 2.0 * directions + rng.normal(size=(1000, 3)) * 0.2):
        hits = scene.cast_rays(origins, directions, 5.0)
        expected = _sphere_distance(origins, directions, center, radius)
        sure = np.abs(_offset(origins, directions, center) - radius) > 0.002  # rays that graze may fall either way
        agree = np.isinf(hits.distance) == np.isinf(expected)
        found.at_most("rays that wrongly hit or miss", float(np.count_nonzero(~agree & sure)), 0)
        both = np.isfinite(hits.distance) & np.isfinite(expected) & sure
        found.true("some rays hit", bool(both.any()))
        found.at_most("largest error [m]", np.abs(hits.distance[both] - expected[both]).max(initial=0.0), 0.001)


def _offset(origins: Array, directions: Array, center: Array) -> Array:
    """Distance of a point from the lines of rays."""
    return np.asarray(np.linalg.norm(np.cross(center - origins, directions), axis=1))


def _sphere_distance(origins: Array, directions: Array, center: Array, radius: float) -> Array:
    along = np.sum((center - origins) * directions, axis=1)
    square = radius**2 - _offset(origins, directions, center) ** 2
    distance = along - np.sqrt(np.maximum(square, 0))
    return np.where((square >= 0) & (distance >= 0) & (distance <= 5.0), distance, math.inf)


def _busy(engine: type[Engine]) -> Engine:
    """A scene with contacts, servos and a free base in motion."""
    placements = [
        Placement("arm", specimens.chain(3), SE3.from_xyz_rpy((0, 0, 1.5))),
        Placement("block", specimens.block(), SE3.from_xyz_rpy((0.5, 0, 0.2), (0.2, 0.1, 0))),
        Placement("tangle", specimens.tangle(), SE3.from_xyz_rpy((0, 2, 1))),
    ]
    scene = engine(specimens.world(specimens.ground()), placements, Settings())
    scene.command(1, [0.5, -0.4, 0.3])
    scene.command(3, [0.2, 0.1, 0.05])
    return scene


def _state(scene: Engine) -> Array:
    parts = [scene.body_poses(a.index).ravel() for a in scene.models]
    parts += [scene.body_velocities(a.index).ravel() for a in scene.models]
    parts += [scene.joint_positions(a.index) for a in scene.models]
    return np.concatenate(parts)


@SCENE.add
def snapshot(engine: type[Engine], found: Findings) -> None:
    """After `restore` the run is repeated within `engine.restore_tolerance` (1e-9); commands and time come back."""
    scene = _busy(engine)
    scene.step(60)
    saved, there = scene.snapshot(), _state(scene)
    scene.step(100)
    first = _state(scene)
    scene.command(1, [0.0, 0.0, 0.0])
    scene.push(2, "block", [1.0, 0, 0])
    scene.set_gains(1, scene.gains[1].changed(kp=1.0))
    scene.step(30)
    scene.restore(saved)
    found.close("steps", scene.steps, 60, 0)
    found.at_most(
        "state right after restore", float(np.abs(_state(scene) - there).max()), min(engine.restore_tolerance, 1e-5)
    )
    scene.step(100)
    gap = float(np.abs(_state(scene) - first).max())
    found.at_most("state 100 steps after restore", gap, engine.restore_tolerance)


@SCENE.add
def determinism(engine: type[Engine], found: Findings) -> None:
    """The same scene built twice gives the same bits over 200 steps."""
    states = []
    for _ in range(2):
        scene = _busy(engine)
        scene.step(200)
        states.append(_state(scene))
        scene.close()
    found.at_most("difference of two runs", float(np.abs(states[0] - states[1]).max()), 0.0)


@SCENE.add
def weightless_link(engine: type[Engine], found: Findings) -> None:
    """A moving link without mass gets the least mass with a warning, and the rest of the robot is not disturbed."""
    scene = engine(specimens.world(), [Placement("m", specimens.massless())], Settings())
    found.true("the problem names the link", any("ghost" in p.message for p in scene.problems))
    scene.set_joints(0, [0.0, 0.5])
    scene.step(500)
    found.true("the state is finite", bool(np.isfinite(_state(scene)).all()))
    found.at_most("speed of the arm [rad/s]", scene.joint_velocities(0)[1], 20.0)


@SCENE.add
def plane_normal(engine: type[Engine], found: Findings) -> None:
    """A plane with another normal than z carries a ball on that side."""
    wall = Placement("wall", specimens.solid("wall", Plane((1.0, 0.0, 0.0))), fixed=True)
    ball = Placement("ball", specimens.solid("ball", Sphere(0.1)), SE3.from_xyz_rpy((0.3, 0, 0)))
    scene = engine(specimens.world(wall, gravity=(-5.0, 0.0, 0.0)), [ball], Settings())
    scene.step(700)
    found.close("distance of a ball that rests on a wall [m]", scene.base_pose(1)[0], 0.1, 0.004)
