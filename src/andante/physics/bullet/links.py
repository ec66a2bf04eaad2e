"""Constraints of Bullet between links: mimic joints, dry friction, joints that close a loop."""

from __future__ import annotations

import numpy as np

from andante.description.joint import JointType
from andante.errors import Unsupported
from andante.geometry import SE3, Array
from andante.physics.engine import Actor
from andante.physics.tree import Loop

from .api import pybullet
from .build import BulletModel

STRONGEST = 1e8  # stands for an unlimited force [N, N m]
HINGE_SPAN = 0.05  # distance of the two points that make a hinge [m]


def follow(actor: Actor, model: BulletModel, sources: np.ndarray, factors: Array, offsets: Array, client: int) -> None:
    """Hold q = factor q[source] + offset by a gear between the two joints."""
    for k, joint in enumerate(actor.tree.robot.movable):
        if sources[k] < 0:
            continue
        if model.joint_uid[k] != model.joint_uid[sources[k]]:
            raise Unsupported(
                f"bullet: joint {joint.name!r} of {actor.name!r} mimics a joint on the other side of a floating joint"
            )
        _gear(model, k, int(sources[k]), -float(factors[k]), float(offsets[k]), 1.0, STRONGEST, client)


def rub(model: BulletModel, joint: int, friction: float, client: int) -> int:
    """Dry friction beside a motor: a gear from a joint to nothing, which resists with at most that effort."""
    return _gear(model, joint, joint, 1e-12, 0.0, 0.0, friction, client)


def _gear(
    model: BulletModel, joint: int, source: int, ratio: float, offset: float, erp: float, force: float, client: int
) -> int:
    """q[joint] + ratio q[source] = offset, held with at most that effort."""
    uid = int(model.joint_uid[joint])
    made = pybullet.createConstraint(
        uid,
        int(model.joint_link[joint]),
        uid,
        int(model.joint_link[source]),
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


def close_loop(actor: Actor, model: BulletModel, loop: Loop, client: int) -> None:
    """Build a joint that closes a loop: ball by one point, hinge by two, fixed by a weld."""
    kind = loop.joint.type
    if kind not in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.BALL, JointType.FIXED):
        raise Unsupported(
            f"bullet: joint {loop.joint.name!r} of {actor.name!r} closes a loop and is {kind}; "
            "fixed, revolute, continuous and ball are possible"
        )
    axis = np.asarray(loop.joint.axis)
    if kind is JointType.FIXED:
        _tie(model, loop, np.zeros(3), pybullet.JOINT_FIXED, client)
    elif kind is JointType.BALL:
        _tie(model, loop, np.zeros(3), pybullet.JOINT_POINT2POINT, client)
    else:
        for side in (-HINGE_SPAN, HINGE_SPAN):
            _tie(model, loop, side * axis, pybullet.JOINT_POINT2POINT, client)


def _tie(model: BulletModel, loop: Loop, point: Array, kind: int, client: int) -> None:
    """One constraint at a point of the joint frame."""
    ends = []
    for body, from_joint in ((loop.parent, loop.parent_from_joint), (loop.child, loop.child_from_joint)):
        frame = model.body_from_com[body].inverse() @ from_joint @ SE3.from_parts(np.eye(3), point)
        uid = int(model.uid[body]) if model.uid[body] >= 0 else model.base
        ends.append((uid, int(model.link[body]), frame))
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
