"""Checks of contacts: friction, forces, stacks, meshes, height maps, who collides with whom."""

from __future__ import annotations

import math
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from andante.description.link import Collision, Surface
from andante.description.robot import Robot
from andante.description.shapes import Capsule, Cylinder, Sphere
from andante.description.world import Placement
from andante.geometry import SE3
from andante.gravity import GRAVITY
from andante.physics.engine import Engine
from andante.physics.state import Contacts, Mode, Settings

from . import specimens
from .result import Checks, Findings

CONTACT = Checks()


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


@CONTACT.add
def friction_angle(engine: type[Engine], found: Findings) -> None:
    """A block with mu 0.5 on a slope of mu 0.5 slips at atan 0.5 within 5 %, on a plane and on a tilted box."""
    expected = math.atan(0.5)
    for plane in (True, False):
        where = "plane" if plane else "box"
        found.close(f"slip angle on a {where} [rad]", slip_angle(engine, 0.5, 0.5, plane), expected, 0.05 * expected)


@CONTACT.add
def mixed_friction(engine: type[Engine], found: Findings) -> None:
    """Of two different coefficients the pair uses something between: the smaller, or their geometric mean."""
    low, high = math.atan(0.3), math.atan(math.sqrt(0.3 * 0.7))
    for pair in ((0.3, 0.7), (0.7, 0.3)):
        angle = slip_angle(engine, *pair, plane=True)
        found.close("slip angle of 0.3 on 0.7 [rad]", angle, (low + high) / 2, (high - low) / 2 * 1.1)


@CONTACT.add
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


@CONTACT.add
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


@CONTACT.add
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


@CONTACT.add
def heightmap(engine: type[Engine], found: Findings) -> None:
    """A height map carries a ball at the height of its surface, with -x low and +x high, and blocks rays there."""
    terrain = Placement("hills", specimens.solid("hills", specimens.hills(), mu=1.0), fixed=True)
    ball = specimens.solid("ball", Sphere(0.1), mu=1.0)
    spots = ((-1.0, 0.3), (1.0, -0.4))
    post = [
        Placement(f"ball{k}", ball, SE3.from_xyz_rpy((x, y, 0.2 * (x + 1.5) / 3.0 + 0.102)))
        for k, (x, y) in enumerate(spots)
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


@CONTACT.add
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


@CONTACT.add
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
