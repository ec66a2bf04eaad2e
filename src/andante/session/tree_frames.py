"""Transforms of all joints of a robot at once: what a robot state publisher tells on /tf."""

from __future__ import annotations

import numpy as np

from andante.description import JointType, Robot
from andante.geometry import Array, so3

MOVING = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)


class JointFrames:
    """parent_from_child of every joint: `moving` ones at given positions, `fixed` ones once."""

    def __init__(self, robot: Robot) -> None:
        names = robot.joint_names
        moving = [joint for joint in robot.topological if joint.type in MOVING and joint.name in names]
        self.parents = tuple(joint.parent for joint in moving)
        self.children = tuple(joint.child for joint in moving)
        self._index = np.array([names.index(joint.name) for joint in moving], dtype=int)
        self._slides = np.array([joint.type is JointType.PRISMATIC for joint in moving], dtype=bool)
        self._sliding = bool(self._slides.any())
        axes = np.array([np.asarray(j.axis, dtype=float) / np.linalg.norm(j.axis) for j in moving]).reshape(-1, 3)
        self._axes = axes
        self._place = np.array([joint.pose.translation for joint in moving]).reshape(-1, 3)
        self._turn = np.array([_quaternion(joint.pose.rotation) for joint in moving]).reshape(-1, 4)
        self._back_place = np.array([joint.joint_from_child.translation for joint in moving]).reshape(-1, 3)
        self._back_turn = np.array([_quaternion(joint.joint_from_child.rotation) for joint in moving]).reshape(-1, 4)
        self._plain = bool(np.all(self._back_place == 0) and np.allclose(self._back_turn, [0, 0, 0, 1]))
        fixed = [joint for joint in robot.topological if joint not in moving]
        self.fixed = tuple((joint.parent, joint.child, (joint.pose @ joint.joint_from_child).vector) for joint in fixed)

    def at(self, positions: Array) -> Array:
        """Poses (joints, 7) x y z qx qy qz qw of the children in their parents."""
        q = positions[self._index]
        angle = np.where(self._slides, 0.0, q) / 2
        spin = np.concatenate([self._axes * np.sin(angle)[:, None], np.cos(angle)[:, None]], axis=1)
        turn = _times(self._turn, spin)
        place = self._place
        if self._sliding:
            place = place + _rotate(self._turn, np.where(self._slides, q, 0.0)[:, None] * self._axes)
        if not self._plain:
            place = place + _rotate(turn, self._back_place)
            turn = _times(turn, self._back_turn)
        return np.concatenate([place, turn], axis=1)


def _quaternion(rotation: Array) -> Array:
    return np.asarray(so3.to_quaternion(rotation), dtype=float)


def _times(a: Array, b: Array) -> Array:
    """Products of quaternions (n, 4) x y z w."""
    ax, ay, az, aw = a.T
    bx, by, bz, bw = b.T
    return np.stack(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ],
        axis=1,
    )


def _rotate(q: Array, v: Array) -> Array:
    """Vectors (n, 3) turned by quaternions (n, 4)."""
    u, w = q[:, :3], q[:, 3:]
    return v + 2 * np.cross(u, np.cross(u, v) + w * v)
