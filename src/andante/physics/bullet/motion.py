"""Where the bodies of an actor are and how they move, read from Bullet in as few calls as possible.

Bullet tells the pose and velocity of a link's centre of mass in double precision (its link frames only in single);
the body frame is found from it by the inertial frame.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.geometry import Array

from .api import pybullet
from .build import BulletModel


@dataclass(frozen=True)
class Motion:
    """What one reading of an actor gives."""

    poses: Array  # (bodies, 7) x y z qx qy qz qw
    velocities: Array  # (bodies, 6) of the origins, linear then angular, world axes


class BodyReader:
    """Reads the moving bodies of one actor; rows of fixed roots are left at the identity."""

    def __init__(self, model: BulletModel, client: int) -> None:
        self._client = client
        self._count = len(model.uid)
        self._roots = [(root, int(model.uid[root])) for root in model.roots if model.uid[root] >= 0]
        self._trees = []
        for uid in dict.fromkeys(model.uid[model.link >= 0].tolist()):
            inside = np.flatnonzero((model.uid == uid) & (model.link >= 0))
            self._trees.append((uid, inside, model.link[inside].tolist()))
        com_from_body = model.body_from_com.inverse()
        self._turn, self._shift = com_from_body.quaternion, com_from_body.translation

    def read(self) -> Motion:
        """The present poses and velocities."""
        com = np.zeros((self._count, 13))
        com[:, 6] = 1.0
        for root, uid in self._roots:
            position, turn = pybullet.getBasePositionAndOrientation(uid, self._client)
            linear, angular = pybullet.getBaseVelocity(uid, self._client)
            com[root] = (*position, *turn, *linear, *angular)
        for uid, inside, links in self._trees:
            states = pybullet.getLinkStates(uid, links, 1, 1, self._client)
            com[inside] = [(*state[0], *state[1], *state[6], *state[7]) for state in states]
        lever = _rotated(com[:, 3:7], self._shift)
        poses, velocities = np.empty((self._count, 7)), com[:, 7:].copy()
        poses[:, :3] = com[:, :3] + lever
        poses[:, 3:] = _product(com[:, 3:7], self._turn)
        velocities[:, :3] += _cross(velocities[:, 3:], lever)
        return Motion(poses, velocities)


def _cross(a: Array, b: Array) -> Array:
    """a x b for rows; quicker than the general one for small arrays."""
    out = np.empty_like(a)
    out[:, 0] = a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1]
    out[:, 1] = a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]
    out[:, 2] = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return out


def _rotated(q: Array, v: Array) -> Array:
    """Vectors turned by unit quaternions x y z w: v + 2 u x (u x v + w v)."""
    u, w = q[:, :3], q[:, 3:]
    return v + 2.0 * _cross(u, _cross(u, v) + w * v)


def _product(a: Array, b: Array) -> Array:
    """Quaternion products, w >= 0: (wa ub + wb ua + ua x ub, wa wb - ua . ub)."""
    ua, wa, ub, wb = a[:, :3], a[:, 3:], b[:, :3], b[:, 3:]
    vector = wa * ub + wb * ua + _cross(ua, ub)
    scalar = wa * wb - np.sum(ua * ub, axis=1, keepdims=True)
    out = np.concatenate([vector, scalar], axis=1)
    return np.where(out[:, 3:] < 0, -out, out)
