"""Links of a model in Bullet: where they are and how they move, and the constraints between them.

Bullet reports the pose and velocity of a link's center of mass in double precision (its link frames only in single);
the body frame is found from it by the inertial frame. Constraints hold mimic joints, dry friction and joints that close
a loop.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.description.joint import JointType
from andante.errors import Unsupported
from andante.geometry import SE3, Array
from andante.physics.engine import Model
from andante.physics.tree import Loop

from .api import pybullet
from .build import BulletHandles


@dataclass(frozen=True)
class Motion:
    """What one reading of a model gives."""

    poses: Array  # (bodies, 7) x y z qx qy qz qw
    velocities: Array  # (bodies, 6) of the origins, linear then angular, world axes


class BodyReader:
    """Reads the moving bodies of one model; rows of fixed roots are left at the identity."""

    def __init__(self, handles: BulletHandles, client: int) -> None:
        self._client = client
        self._count = len(handles.uid)
        self._roots = [(root, int(handles.uid[root])) for root in handles.roots if handles.uid[root] >= 0]
        self._trees = []
        for uid in dict.fromkeys(handles.uid[handles.link >= 0].tolist()):
            inside = np.flatnonzero((handles.uid == uid) & (handles.link >= 0))
            self._trees.append((uid, inside, handles.link[inside].tolist()))
        com_from_body = handles.body_from_com.inverse()
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


STRONGEST = 1e8  # stands for an unlimited force [N, N m]
HINGE_SPAN = 0.05  # distance of the two points that make a hinge [m]


def follow(
    model: Model, handles: BulletHandles, sources: np.ndarray, factors: Array, offsets: Array, client: int
) -> None:
    """Hold q = factor q[source] + offset by a gear between the two joints."""
    for k, joint in enumerate(model.tree.robot.movable):
        if sources[k] < 0:
            continue
        if handles.joint_uid[k] != handles.joint_uid[sources[k]]:
            raise Unsupported(
                f"bullet: joint {joint.name!r} of {model.name!r} mimics a joint on the other side of a floating joint"
            )
        _gear(handles, k, int(sources[k]), -float(factors[k]), float(offsets[k]), 1.0, STRONGEST, client)


def rub(handles: BulletHandles, joint: int, friction: float, client: int) -> int:
    """Dry friction beside a motor: a gear from a joint to nothing, which resists with at most that effort."""
    return _gear(handles, joint, joint, 1e-12, 0.0, 0.0, friction, client)


def _gear(
    handles: BulletHandles, joint: int, source: int, ratio: float, offset: float, erp: float, force: float, client: int
) -> int:
    """q[joint] + ratio q[source] = offset, held with at most that effort."""
    uid = int(handles.joint_uid[joint])
    made = pybullet.createConstraint(
        uid,
        int(handles.joint_link[joint]),
        uid,
        int(handles.joint_link[source]),
        pybullet.JOINT_GEAR,
        [0, 0, 1],
        [0, 0, 0],
        [0, 0, 0],
        physicsClientId=client,
    )
    pybullet.changeConstraint(
        made, gearRatio=ratio, relativePositionTarget=offset, erp=erp, maxForce=force, physicsClientId=client
    )
    return int(made)


def close_loop(model: Model, handles: BulletHandles, loop: Loop, client: int) -> None:
    """Build a joint that closes a loop: ball by one point, hinge by two, fixed by a weld."""
    kind = loop.joint.type
    if kind not in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.BALL, JointType.FIXED):
        raise Unsupported(
            f"bullet: joint {loop.joint.name!r} of {model.name!r} closes a loop and is {kind}; "
            "fixed, revolute, continuous and ball are possible"
        )
    axis = np.asarray(loop.joint.axis)
    if kind is JointType.FIXED:
        _tie(handles, loop, np.zeros(3), pybullet.JOINT_FIXED, client)
    elif kind is JointType.BALL:
        _tie(handles, loop, np.zeros(3), pybullet.JOINT_POINT2POINT, client)
    else:
        for side in (-HINGE_SPAN, HINGE_SPAN):
            _tie(handles, loop, side * axis, pybullet.JOINT_POINT2POINT, client)


def _tie(handles: BulletHandles, loop: Loop, point: Array, kind: int, client: int) -> None:
    """One constraint at a point of the joint frame."""
    ends = []
    for body, from_joint in ((loop.parent, loop.parent_from_joint), (loop.child, loop.child_from_joint)):
        frame = handles.body_from_com[body].inverse() @ from_joint @ SE3.from_parts(np.eye(3), point)
        uid = int(handles.uid[body]) if handles.uid[body] >= 0 else handles.base
        ends.append((uid, int(handles.link[body]), frame))
    (uid_a, link_a, a), (uid_b, link_b, b) = ends
    made = pybullet.createConstraint(
        uid_a,
        link_a,
        uid_b,
        link_b,
        kind,
        [0, 0, 1],
        a.translation.tolist(),
        b.translation.tolist(),
        a.quaternion.tolist(),
        b.quaternion.tolist(),
        physicsClientId=client,
    )
    pybullet.changeConstraint(made, maxForce=STRONGEST, physicsClientId=client)
