"""Small robots and worlds built in code, with known mass and geometry, for checks and tests of engines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from andante.description.inertia import Inertia
from andante.description.joint import Dynamics, Joint, JointType, Limits, Mimic
from andante.description.link import IDENTITY, Collision, Link, Material, Surface, Visual
from andante.description.robot import Robot
from andante.description.shapes import Box, Geometry, Heightmap, Mesh, Plane, Vec3
from andante.description.world import Placement, World
from andante.geometry import SE3
from andante.gravity import GRAVITY

BLUE = Material("blue", (0.25, 0.45, 0.8, 1.0))
Y: Vec3 = (0.0, 1.0, 0.0)
GRAY = Material("grey", (0.6, 0.6, 0.62, 1.0))


def box_inertia(mass: float, size: Vec3, com: Vec3 = (0.0, 0.0, 0.0)) -> Inertia:
    """Inertia of a solid box: m/12 (b^2 + c^2) about each axis."""
    a, b, c = (side * side for side in size)
    return Inertia(mass, com, (mass / 12 * (b + c), 0.0, 0.0, mass / 12 * (a + c), 0.0, mass / 12 * (a + b)))


def box_link(
    name: str, mass: float, size: Vec3, com: Vec3 = (0.0, 0.0, 0.0), mu: float | None = None, collide: bool = True
) -> Link:
    """A link that is one solid box centered on `com`."""
    pose = SE3.from_xyz_rpy(com)
    collisions = (Collision(Box(size), pose, Surface(mu=mu)),) if collide else ()
    return Link(name, box_inertia(mass, size, com), (Visual(Box(size), pose, BLUE),), collisions)


def rod_link(name: str, length: float, mass: float, along: Vec3 = (0.0, 0.0, -1.0), width: float = 0.04) -> Link:
    """A square rod from the link origin along an axis direction, without collision."""
    size = tuple(length if abs(a) > 0.5 else width for a in along)
    com = tuple(a * length / 2 for a in along)
    return box_link(name, mass, size, com, collide=False)  # type: ignore[arg-type]


# ---- scenery ---------------------------------------------------------------------------------------------------------
def solid(name: str, geometry: Geometry, mass: float = 1.0, mu: float | None = None, moment: float = 0.01) -> Robot:
    """One link of one shape, with equal moments of inertia about all axes [kg m^2]."""
    inertia = Inertia(mass, (0.0, 0.0, 0.0), (moment, 0.0, 0.0, moment, 0.0, moment))
    return Robot(
        name, (Link(name, inertia, (Visual(geometry, material=GRAY),), (Collision(geometry, surface=Surface(mu=mu)),)),)
    )


def block(mass: float = 1.0, size: Vec3 = (0.2, 0.2, 0.1), mu: float | None = 0.5, name: str = "block") -> Robot:
    """A free box with its true inertia; the one link has the robot's name."""
    return Robot(name, (box_link(name, mass, size, mu=mu),))


def ground(mu: float | None = None) -> Placement:
    """The infinite plane z = 0."""
    return Placement("ground", solid("ground", Plane(), mu=mu), fixed=True)


def world(*models: Placement, gravity: Vec3 = (0.0, 0.0, -GRAVITY)) -> World:
    """A world of these models."""
    return World("specimen", models, gravity)


def inclined(angle: float, mu: float, plane: bool) -> Placement:
    """A slope through the origin that falls along +x at an angle [rad]: a tilted plane, or a tilted fixed box."""
    tilt = SE3.from_xyz_rpy((0, 0, 0), (0, angle, 0))
    if plane:
        return Placement("slope", solid("slope", Plane(), mu=mu), tilt, fixed=True)
    depth = SE3.from_xyz_rpy((0, 0, -0.1))
    return Placement("slope", solid("slope", Box((4.0, 2.0, 0.2)), mu=mu), tilt @ depth, fixed=True)


def hills(rows: int = 21, columns: int = 31, size: tuple[float, float] = (3.0, 2.0), rise: float = 0.2) -> Heightmap:
    """A height map whose height rises linearly from 0 at -x to `rise` at +x; flat along y [m]."""
    return Heightmap((tuple(float(h) for h in np.linspace(0.0, rise, columns)),) * rows, size)


def write_box_mesh(path: Path, size: Vec3) -> Mesh:
    """An OBJ file of a box centered on its origin, and the mesh that names it."""
    half = np.asarray(size) / 2
    corners = [(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
    faces = ("1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6")
    lines = [f"v {x * half[0]:.9g} {y * half[1]:.9g} {z * half[2]:.9g}" for x, y, z in corners]
    for face in faces:
        a, b, c, d = face.split()
        lines += [f"f {a} {b} {c}", f"f {a} {c} {d}"]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return Mesh(path.name, path)


def write_prism_mesh(path: Path, outline: Sequence[tuple[float, float]], height: float) -> Mesh:
    """An OBJ file of a prism over a convex outline, counter-clockwise, centered on its height, and the mesh of it."""
    n, half = len(outline), height / 2
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for z in (-half, half) for x, y in outline]
    lines += [f"f {n + 1} {n + k + 1} {n + k + 2}" for k in range(1, n - 1)]
    lines += [f"f 1 {k + 2} {k + 1}" for k in range(1, n - 1)]
    for k in range(n):
        a, b = k + 1, (k + 1) % n + 1
        lines += [f"f {a} {b} {n + b}", f"f {a} {n + b} {n + a}"]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return Mesh(path.name, path)


# ---- one joint -------------------------------------------------------------------------------------------------------
def hinge(
    axis: Vec3 = (0.0, 1.0, 0.0),
    length: float = 0.5,
    mass: float = 1.0,
    along: Vec3 = (0.0, 0.0, -1.0),
    limits: Limits = Limits(),  # noqa: B008
    dynamics: Dynamics = Dynamics(),  # noqa: B008
    pose: SE3 = IDENTITY,
) -> Robot:
    """A rod on one hinge "joint" of a fixed base; the rod "arm" points along an axis direction at q = 0."""
    kind = JointType.CONTINUOUS if math.isinf(limits.lower) and math.isinf(limits.upper) else JointType.REVOLUTE
    joint = Joint("joint", kind, "base", "arm", pose, axis, limits, dynamics)
    return Robot("hinge", (Link("base"), rod_link("arm", length, mass, along)), (joint,), fixed_base=True)


def hinge_inertia(robot: Robot) -> float:
    """Moment of inertia of the arm of a `hinge` about its axis, armature not counted [kg m^2]."""
    joint = robot.movable[0]
    inertia = robot.link(joint.child).inertia
    if inertia is None:
        return 0.0
    axis = np.asarray(joint.axis)
    return float(axis @ inertia.about_origin() @ axis)


def slider(
    mass: float = 1.0,
    axis: Vec3 = (1.0, 0.0, 0.0),
    limits: Limits = Limits(),  # noqa: B008
    dynamics: Dynamics = Dynamics(),  # noqa: B008
) -> Robot:
    """A box on one prismatic joint of a fixed base."""
    joint = Joint("joint", JointType.PRISMATIC, "base", "box", IDENTITY, axis, limits, dynamics)
    links = (Link("base"), box_link("box", mass, (0.1, 0.1, 0.1), collide=False))
    return Robot("slider", links, (joint,), fixed_base=True)


# ---- several joints --------------------------------------------------------------------------------------------------
def chain(count: int, length: float = 0.3, mass: float = 0.5, axis: Vec3 = (0.0, 1.0, 0.0)) -> Robot:
    """Hanging rods on parallel hinges; joints j0, j1, ..., links base, rod0, rod1, ..."""
    links = [Link("base")]
    joints = []
    for i in range(count):
        links.append(rod_link(f"rod{i}", length, mass))
        at = IDENTITY if i == 0 else SE3.from_xyz_rpy((0, 0, -length))
        joints.append(Joint(f"j{i}", JointType.CONTINUOUS, links[i].name, f"rod{i}", at, axis))
    return Robot("chain", tuple(links), tuple(joints), fixed_base=True)


def tangle(fixed_base: bool = False) -> Robot:
    """A tree with oblique frames, fixed links on both sides of joints, a slider and moved child frames."""

    def place(x: float, y: float, z: float, r: float, p: float, w: float) -> SE3:
        return SE3.from_xyz_rpy((x, y, z), (r, p, w))

    links = (
        box_link("trunk", 2.0, (0.3, 0.2, 0.1), (0.02, -0.01, 0.03), collide=False),
        Link("imu"),
        box_link("upper", 0.7, (0.05, 0.06, 0.3), (0.01, 0.0, -0.1), collide=False),
        box_link("cover", 0.1, (0.05, 0.05, 0.02), (0.0, 0.02, 0.0), collide=False),
        box_link("lower", 0.5, (0.2, 0.05, 0.04), (0.1, 0.0, 0.01), collide=False),
        box_link("piston", 0.3, (0.05, 0.05, 0.1), collide=False),
        Link("tip"),
    )
    oblique, down, stroke = np.array([1.0, 2.0, -2.0]) / 3, (0.0, 0.0, -1.0), Limits(-0.2, 0.3)
    joints = (
        Joint("imu_mount", JointType.FIXED, "trunk", "imu", place(0.1, 0, 0.05, 0.3, 0.2, 0.1)),
        Joint("shoulder", JointType.CONTINUOUS, "imu", "upper", place(0, 0.1, 0, 0.4, -0.3, 0.8), _axis(oblique)),
        Joint("cover_mount", JointType.FIXED, "upper", "cover", place(0, 0, -0.2, 0.1, 0.1, -0.6)),
        replace(
            Joint("elbow", JointType.REVOLUTE, "cover", "lower", place(0.02, 0, -0.1, 0, 0.7, 0), Y, Limits(-2.0, 2.0)),
            joint_from_child=place(-0.05, 0.02, 0.01, 0.2, 0.1, 0.5),
        ),
        Joint("slide", JointType.PRISMATIC, "trunk", "piston", place(-0.1, 0, -0.05, 0, 0.5, 0), down, stroke),
        Joint("tip_mount", JointType.FIXED, "lower", "tip", place(0.2, 0, 0, 0, 0, 1.2)),
    )
    return Robot("tangle", links, joints, fixed_base=fixed_base)


def _axis(vector: np.ndarray) -> Vec3:
    x, y, z = (float(v) for v in vector / np.linalg.norm(vector))
    return (x, y, z)


def mimic_pair(multiplier: float = -2.0, offset: float = 0.1) -> Robot:
    """Two hinged rods side by side: "follower" mimics "leader"; the rods stick out along +x and feel gravity."""
    links = (Link("base"), rod_link("a", 0.3, 0.5, (1.0, 0, 0)), rod_link("b", 0.2, 0.3, (1.0, 0, 0)))
    beside = SE3.from_xyz_rpy((0, 0.2, 0))
    joints = (
        Joint("leader", JointType.CONTINUOUS, "base", "a", IDENTITY, Y),
        Joint("follower", JointType.CONTINUOUS, "base", "b", beside, Y, mimic=Mimic("leader", multiplier, offset)),
    )
    return Robot("mimic_pair", links, joints, fixed_base=True)


def four_bar(span: float = 0.4, height: float = 0.2) -> Robot:
    """A parallelogram linkage: crank, coupler and rocker in a tree, closed by the loop joint "closure"."""
    links = (
        Link("base"),
        rod_link("crank", height, 0.2, (0.0, 0.0, 1.0)),
        rod_link("coupler", span, 0.3, (1.0, 0.0, 0.0)),
        rod_link("rocker", height, 0.2, (0.0, 0.0, 1.0)),
    )
    along, below = SE3.from_xyz_rpy((span, 0, 0)), SE3.from_xyz_rpy((0, 0, -height))
    joints = (
        Joint("drive", JointType.CONTINUOUS, "base", "crank", IDENTITY, Y),
        Joint("wrist", JointType.CONTINUOUS, "crank", "coupler", SE3.from_xyz_rpy((0, 0, height)), Y),
        Joint("pivot", JointType.CONTINUOUS, "base", "rocker", along, Y),
    )
    closure = Joint("closure", JointType.CONTINUOUS, "coupler", "rocker", along, Y, joint_from_child=below)
    return Robot("four_bar", links, joints, loops=(closure,), fixed_base=True)


CRANK_ROCKER = (0.12, 0.36, 0.24, 0.4)  # crank, coupler, rocker and ground [m]; the crank goes round


def crank_rocker(kind: JointType, coupler: float, rocker: float, crank: float = 1.0) -> Robot:
    """A four-bar drawn with all bars along +x, open: "drive" turns the crank, "wrist" and "pivot" follow.

    It starts near the angles of its bars against the ground that are given [rad], rounded to tenths.
    """
    a, b, c, d = CRANK_ROCKER
    links = (Link("base"), *(rod_link(n, x, x, (1.0, 0, 0)) for n, x in (("crank", a), ("coupler", b), ("rocker", c))))
    first, second = round(coupler - crank, 1), round(rocker, 1)
    joints = (
        Joint("drive", JointType.CONTINUOUS, "base", "crank", IDENTITY, Y, initial=crank),
        Joint("wrist", JointType.CONTINUOUS, "crank", "coupler", SE3.from_xyz_rpy((a, 0, 0)), Y, initial=first),
        Joint("pivot", JointType.CONTINUOUS, "base", "rocker", SE3.from_xyz_rpy((d, 0, 0)), Y, initial=second),
    )
    above, below = SE3.from_xyz_rpy((b, 0, 0)), SE3.from_xyz_rpy((-c, 0, 0))
    closure = Joint("closure", kind, "coupler", "rocker", above, Y, joint_from_child=below)
    return Robot("crank_rocker", links, joints, loops=(closure,), fixed_base=True)


def carried(kind: JointType, axis: Vec3 = (0.0, 1.0, 0.0)) -> Robot:
    """A box on a joint "free" of several degrees; on a ball joint it hangs 0.3 m below the pivot."""
    com = (0.0, 0.0, -0.3) if kind is JointType.BALL else (0.0, 0.0, 0.0)
    links = (Link("base"), box_link("box", 1.0, (0.1, 0.1, 0.1), com, collide=False))
    joint = Joint("free", kind, "base", "box", SE3.from_xyz_rpy((0, 0, 1.0)), axis)
    return Robot("carried", links, (joint,), fixed_base=True)


def clapper(self_collide: bool, masked: bool = False) -> Robot:
    """Two boxes of 0.1 m on sliders that face each other 0.3 m apart, above a base box that both overlap."""
    links = (
        box_link("base", 1.0, (0.6, 0.1, 0.1)),
        box_link("left", 1.0, (0.1, 0.1, 0.1)),
        box_link("right", 1.0, (0.1, 0.1, 0.1)),
    )
    limits = Limits(-0.05, 0.3)
    joints = (
        Joint("l", JointType.PRISMATIC, "base", "left", SE3.from_xyz_rpy((-0.2, 0, 0.05)), (1.0, 0, 0), limits),
        Joint("r", JointType.PRISMATIC, "base", "right", SE3.from_xyz_rpy((0.2, 0, 0.05)), (-1.0, 0, 0), limits),
    )
    pairs = frozenset({frozenset({"left", "right"})}) if masked else frozenset()
    return Robot("clapper", links, joints, self_collide=self_collide, no_collision=pairs, fixed_base=True)


def massless() -> Robot:
    """A hinge to a weightless wheel beside a heavy one."""
    links = (box_link("body", 2.0, (0.2, 0.2, 0.2)), Link("ghost"), rod_link("arm", 0.2, 0.5))
    joints = (
        Joint("ghost_joint", JointType.CONTINUOUS, "body", "ghost", SE3.from_xyz_rpy((0.2, 0, 0)), (0.0, 0.0, 1.0)),
        Joint("arm_joint", JointType.CONTINUOUS, "body", "arm", SE3.from_xyz_rpy((-0.2, 0, 0)), (0.0, 1.0, 0.0)),
    )
    return Robot("massless", links, joints, fixed_base=True)
