"""A robot as a tree of masses: compiled forward kinematics, support polygons, center of mass and soles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from andante.compiling import njit
from andante.description import JointType, Robot
from andante.description.inertia import combine
from andante.description.shapes import Heightmap, Plane
from andante.description.solids import surface
from andante.errors import BadInput
from andante.geometry import SE3, Array

MOVES = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)


class MassTree(NamedTuple):
    """Rigid bodies, parents first; body 0 is the root. Body k > 0 is carried by joint `joint[k]` of the robot."""

    parent: np.ndarray  # (bodies,) index of the parent body, -1 for the root
    joint: np.ndarray  # (bodies,) index into `robot.joint_names`, -1 for the root
    slides: np.ndarray  # (bodies,) whether that joint slides instead of turning
    rotation: Array  # (bodies, 3, 3) parent_from_body at q = 0
    offset: Array  # (bodies, 3) [m]
    axis: Array  # (bodies, 3) unit, body frame
    mass: Array  # (bodies,) [kg]
    center: Array  # (bodies, 3) center of mass, body frame [m]

    @property
    def total(self) -> float:
        """Mass of the robot [kg]."""
        return float(self.mass.sum())


def mass_tree(robot: Robot) -> tuple[MassTree, dict[str, tuple[int, SE3]]]:
    """The tree of a robot, and for every link its body and body_from_link; joints that neither turn nor slide stand."""
    place: dict[str, tuple[int, SE3]] = {robot.root: (0, SE3.identity())}
    parent, joint, slides = [-1], [-1], [False]
    poses, axes = [SE3.identity()], [np.array([0.0, 0.0, 1.0])]
    names = robot.joint_names
    for each in robot.topological:
        body, at = place[each.parent]
        frame = at @ each.pose
        if each.type not in MOVES:
            place[each.child] = (body, frame @ each.joint_from_child)
            continue
        place[each.child] = (len(parent), each.joint_from_child)
        parent.append(body)
        joint.append(names.index(each.name))
        slides.append(each.type is JointType.PRISMATIC)
        poses.append(frame)
        axes.append(np.asarray(each.axis, dtype=float) / np.linalg.norm(each.axis))
    mass, center = np.zeros(len(parent)), np.zeros((len(parent), 3))
    for k in range(len(parent)):
        parts = [
            link.inertia.transformed(place[link.name][1])
            for link in robot.links
            if link.inertia is not None and place[link.name][0] == k
        ]
        whole = combine(parts)
        if whole is not None:
            mass[k], center[k] = whole.mass, whole.com
    if not mass.sum() > 0:
        raise BadInput(f"robot {robot.name!r} has no mass; give its links inertials")
    tree = MassTree(
        parent=np.array(parent, dtype=np.int64),
        joint=np.array(joint, dtype=np.int64),
        slides=np.array(slides),
        rotation=np.array([pose.rotation for pose in poses]),
        offset=np.array([pose.translation for pose in poses]),
        axis=np.array(axes),
        mass=mass,
        center=center,
    )
    return tree, place


@njit(nogil=True)
def product(a: Array, b: Array, i: int, j: int) -> float:
    """Element i, j of a b for matrices (3, 3)."""
    made: float = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]
    return made


@njit(nogil=True)
def frames(q: Array, tree: MassTree, turns: Array, at: Array) -> None:
    """Fill rotations `turns` (bodies, 3, 3) and origins `at` (bodies, 3) [m] in the root frame at q (joints,)."""
    rotation, offset, axis, m = tree.rotation, tree.offset, tree.axis, np.empty((3, 3))
    for i in range(3):
        at[0, i] = 0.0
        for j in range(3):
            turns[0, i, j] = 1.0 if i == j else 0.0
    for k in range(1, tree.parent.shape[0]):
        p = tree.parent[k]
        angle = q[tree.joint[k]]
        c, s = np.cos(angle), np.sin(angle)
        v = 1.0 - c
        x, y, z = axis[k, 0], axis[k, 1], axis[k, 2]
        m[0, 0], m[0, 1], m[0, 2] = c + x * x * v, x * y * v - z * s, x * z * v + y * s
        m[1, 0], m[1, 1], m[1, 2] = y * x * v + z * s, c + y * y * v, y * z * v - x * s
        m[2, 0], m[2, 1], m[2, 2] = z * x * v - y * s, z * y * v + x * s, c + z * z * v
        for i in range(3):
            a0 = product(turns[p], rotation[k], i, 0)
            a1 = product(turns[p], rotation[k], i, 1)
            a2 = product(turns[p], rotation[k], i, 2)
            for j in range(3):
                turns[k, i, j] = a0 * m[0, j] + a1 * m[1, j] + a2 * m[2, j]
            at[k, i] = (
                at[p, i] + turns[p, i, 0] * offset[k, 0] + turns[p, i, 1] * offset[k, 1] + turns[p, i, 2] * offset[k, 2]
            )


@njit(nogil=True)
def weigh(tree: MassTree, turns: Array, at: Array, out: Array) -> None:
    """Center of mass (3,) [m] in the root frame, from frames as `frames` fills them."""
    mass, center, total = tree.mass, tree.center, 0.0
    out[0] = out[1] = out[2] = 0.0
    for k in range(mass.shape[0]):
        total += mass[k]
        for i in range(3):
            arm = turns[k, i, 0] * center[k, 0] + turns[k, i, 1] * center[k, 1] + turns[k, i, 2] * center[k, 2]
            out[i] += mass[k] * (at[k, i] + arm)
    for i in range(3):
        out[i] /= total


@njit(nogil=True)
def sliding_frames(q: Array, tree: MassTree, turns: Array, at: Array) -> None:
    """As `frames`, for trees in which some joints slide: those move the origin of their body along its axis."""
    rotation, axis, count = tree.rotation, tree.axis, tree.parent.shape[0]
    angle, moved, own = np.zeros(count), tree.offset.copy(), np.arange(count)
    for k in range(1, count):
        value = q[tree.joint[k]]
        if not tree.slides[k]:
            angle[k] = value
            continue
        for i in range(3):
            along = rotation[k, i, 0] * axis[k, 0] + rotation[k, i, 1] * axis[k, 1] + rotation[k, i, 2] * axis[k, 2]
            moved[k, i] += value * along
    frames(angle, MassTree(tree.parent, own, tree.slides, rotation, moved, axis, tree.mass, tree.center), turns, at)


@njit(nogil=True)
def points_of(turns: Array, at: Array, body: np.ndarray, points: Array) -> Array:
    """Points fixed to bodies, in the root frame (n, 3) [m]."""
    out = np.empty_like(points)
    for k in range(body.shape[0]):
        b = body[k]
        for i in range(3):
            local = turns[b, i, 0] * points[k, 0] + turns[b, i, 1] * points[k, 1] + turns[b, i, 2] * points[k, 2]
            out[k, i] = at[b, i] + local
    return out


ROUNDS = 40  # of projections before the middle is taken
LEAST_AREA = 1e-12  # twice the area of a corner that counts [m²]
CLOSE = 1e-6  # a point this near to its goal counts as there [m]


@njit()
def hull(points: Array) -> Array:
    """Corners (m, 2) of the convex hull of points (n, 2) counter-clockwise (Andrew's monotone chain)."""
    n = points.shape[0]
    ordered = np.empty((n, 2))
    count = 0
    for i in range(n):  # sorted by x, then y, each once
        x, y = points[i, 0], points[i, 1]
        at, twin = count, False
        for k in range(count):
            if ordered[k, 0] == x and ordered[k, 1] == y:
                twin = True
                break
            if x < ordered[k, 0] or (x == ordered[k, 0] and y < ordered[k, 1]):
                at = k
                break
        if twin:
            continue
        for k in range(count, at, -1):
            ordered[k, 0], ordered[k, 1] = ordered[k - 1, 0], ordered[k - 1, 1]
        ordered[at, 0], ordered[at, 1] = x, y
        count += 1
    if count <= 2:
        return ordered[:count].copy()
    out = np.empty((2 * count, 2))
    size = 0
    for way in range(2):  # the lower half from left to right, the upper half back
        floor = size
        for step in range(count):
            k = step if way == 0 else count - 1 - step
            x, y = ordered[k, 0], ordered[k, 1]
            while size - floor >= 2:
                ax, ay, bx, by = out[size - 2, 0], out[size - 2, 1], out[size - 1, 0], out[size - 1, 1]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > LEAST_AREA:
                    break
                size -= 1
            out[size, 0], out[size, 1] = x, y
            size += 1
        size -= 1  # the last corner begins the other half
    return out[:size].copy()


@njit()
def edges(points: Array) -> Array:
    """Lines (m, 3) of the hull as nx, ny, d with n·p - d >= 0 inside, |n| = 1; none when the hull has no area."""
    corners = hull(points)
    m = corners.shape[0]
    if m < 3:
        return np.empty((0, 3))
    out = np.empty((m, 3))
    for i in range(m):
        ax, ay = corners[i, 0], corners[i, 1]
        dx, dy = corners[(i + 1) % m, 0] - ax, corners[(i + 1) % m, 1] - ay
        length = math.sqrt(dx * dx + dy * dy)
        out[i, 0], out[i, 1] = -dy / length, dx / length
        out[i, 2] = out[i, 0] * ax + out[i, 1] * ay
    return out


@njit()
def margin(points: Array, where: Array) -> float:
    """Distance of a point from the border of the hull of points (n, 2), positive inside [m]; -inf without a polygon."""
    lines = edges(points)
    if lines.shape[0] == 0:
        return -math.inf
    least = math.inf
    for i in range(lines.shape[0]):
        least = min(least, lines[i, 0] * where[0] + lines[i, 1] * where[1] - lines[i, 2])
    return least


@njit()
def inside(points: Array, where: Array, wanted: float) -> Array:
    """The point nearest to `where` that lies at least `wanted` inside the hull [m]; its middle where that is too much.

    Alternating projections onto the half planes of the shrunken polygon, which end near the nearest point.
    """
    lines = edges(points)
    n, m = points.shape[0], lines.shape[0]
    p = np.array([where[0], where[1]])
    if m:
        for _ in range(ROUNDS):
            worst, least = 0, math.inf
            for i in range(m):
                here = lines[i, 0] * p[0] + lines[i, 1] * p[1] - lines[i, 2]
                if here < least:
                    worst, least = i, here
            if wanted - least <= CLOSE:
                return p
            p[0] += (wanted - least) * lines[worst, 0]
            p[1] += (wanted - least) * lines[worst, 1]
    p[0] = p[1] = 0.0
    for i in range(n):
        p[0] += points[i, 0] / n
        p[1] += points[i, 1] / n
    return p


SOLE = 2e-3  # corners of a foot this near to its lowest one belong to its sole [m]
TILTED = 0.06  # a sole whose corners differ more in height stands on its edge [m]


class Balance:
    """Center of mass and sole corners of a robot in the axes of its root link.

    Feet are the links given, else those that have force sensors. The sole of a foot is made of those corners of its
    collision shapes that are lowest (-z of the foot's frame).
    """

    def __init__(self, robot: Robot, feet: Sequence[str] = ()) -> None:
        self.robot = robot
        self.feet = tuple(feet) or tuple(dict.fromkeys(s.link for s in robot.sensors if s.kind == "force"))
        if not self.feet:
            raise BadInput(f"robot {robot.name!r} has no force sensors to find its feet by; name the links of its feet")
        self._tree, place = mass_tree(robot)
        self.mass = self._tree.total  # [kg]
        corners = [_sole(robot, name) for name in self.feet]
        self._sole_body = np.concatenate(
            [np.full(len(points), place[name][0]) for name, points in zip(self.feet, corners, strict=True)]
        )
        self._sole_points = np.concatenate(
            [place[name][1] @ points for name, points in zip(self.feet, corners, strict=True)]
        )
        ends = np.cumsum([len(points) for points in corners])
        self._slices = [slice(end - len(points), end) for end, points in zip(ends.tolist(), corners, strict=True)]
        self._foot_frames = [place[name] for name in self.feet]

    def at(self, q: ArrayLike) -> tuple[Array, list[Array]]:
        """Center of mass (3,) and sole corners of each foot (n, 3), in the root frame [m], at positions (joints,)."""
        turns, places = self._frames(q)
        points, center = points_of(turns, places, self._sole_body, self._sole_points), np.empty(3)
        weigh(self._tree, turns, places, center)
        return center, [points[s] for s in self._slices]

    def over_feet(self, q: ArrayLike, up: Array) -> bool:
        """Whether the center of mass is over soles that are level, up (3,) being the vertical in root axes."""
        center, soles = self.at(q)
        ahead = np.cross((0.0, 1.0, 0.0), up)
        level = np.array([ahead, np.cross(up, ahead)]) / max(float(np.linalg.norm(ahead)), 1e-9)
        heights = [points @ up for points in soles]
        flat = [points @ level.T for points, h in zip(soles, heights, strict=True) if h.max() - h.min() < TILTED]
        return bool(flat) and margin(np.concatenate(flat), level @ center) > 0

    def foot_poses(self, q: ArrayLike) -> list[SE3]:
        """root_from_foot of each foot at positions (joints,)."""
        turns, places = self._frames(q)
        return [SE3.from_parts(turns[body], places[body]) @ local for body, local in self._foot_frames]

    def _frames(self, q: ArrayLike) -> tuple[Array, Array]:
        """Rotations (bodies, 3, 3) and origins (bodies, 3) in the root frame."""
        count = len(self._tree.parent)
        turns, places = np.empty((count, 3, 3)), np.empty((count, 3))
        sliding_frames(np.ascontiguousarray(q, dtype=float), self._tree, turns, places)
        return turns, places


def _sole(robot: Robot, name: str) -> Array:
    """Corners of the sole of a foot in its own frame, (n, 3)."""
    corners = [
        collision.pose @ surface(collision.geometry)[0]
        for collision in robot.link(name).collisions
        if not isinstance(collision.geometry, Plane | Heightmap)
    ]
    if not corners:
        raise BadInput(f"foot {name!r} of robot {robot.name!r} has no collision shape; give it one to stand on")
    points = np.concatenate(corners)
    return np.asarray(points[points[:, 2] < points[:, 2].min() + SOLE])
