"""A robot as a tree of masses: arrays, and compiled forward kinematics over them (frames, center of mass, points)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from andante.description import JointType, Robot
from andante.description.inertia import combine
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


@njit(cache=True, nogil=True)
def product(a: Array, b: Array, i: int, j: int) -> float:
    """Element i, j of a b for matrices (3, 3)."""
    made: float = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]
    return made


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def points_of(turns: Array, at: Array, body: np.ndarray, points: Array) -> Array:
    """Points fixed to bodies, in the root frame (n, 3) [m]."""
    out = np.empty_like(points)
    for k in range(body.shape[0]):
        b = body[k]
        for i in range(3):
            local = turns[b, i, 0] * points[k, 0] + turns[b, i, 1] * points[k, 1] + turns[b, i, 2] * points[k, 2]
            out[k, i] = at[b, i] + local
    return out
