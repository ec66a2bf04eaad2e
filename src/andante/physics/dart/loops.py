"""Loop-closing joints in DART: constraints between two bodies of a skeleton.

A ball loop is one point held together, a revolute loop two points on its axis, a fixed loop a weld. (dartpy 6.20 has a
revolute constraint as well, but it turns one body round and diverges in planar linkages, where its rows are
redundant; two points do neither.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dartpy
import numpy as np

from andante.description.joint import JointType
from andante.errors import Unsupported
from andante.geometry import SE3
from andante.physics.tree import BodyTree, Loop

AXIS_ARM = 0.05  # distance of the two points of a revolute loop from its origin [m]
ERROR_REDUCTION = 0.2  # share of the gap of a loop that is closed in one step


def loop_constraints(robot: str, tree: BodyTree, loop: Loop, nodes: Sequence[Any]) -> list[Any]:
    """Constraints of one loop joint; the bodies must stand at q = 0 and stand there again afterwards.

    DART takes the held points from where the bodies are at the moment of construction, so one body is put where the
    loop is closed (by way of the frame of the joint that carries it) and put back.
    """
    if loop.joint.type not in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.BALL, JointType.FIXED):
        raise Unsupported(
            f"engine 'dart' cannot close a loop with the {loop.joint.type} joint {loop.joint.name!r} of {robot!r}; "
            "use a revolute, ball or fixed joint there, or another engine"
        )
    world = [SE3(node.getWorldTransform().matrix()) for node in nodes]
    moved, wanted = loop.child, world[loop.parent] @ loop.parent_from_joint @ loop.child_from_joint.inverse()
    if _below(tree, loop.parent, loop.child):
        moved, wanted = loop.parent, world[loop.child] @ loop.child_from_joint @ loop.parent_from_joint.inverse()
    joint = nodes[moved].getParentJoint()
    before = joint.getTransformFromParentBodyNode()
    above = tree.bodies[moved].parent
    world_from_above = world[above] if above >= 0 else SE3.identity()
    motion = SE3(joint.getRelativeTransform().matrix())
    frame = SE3(before.matrix()).inverse() @ motion  # what the joint itself adds, identity at q = 0
    shifted = world_from_above.inverse() @ wanted @ frame.inverse()
    joint.setTransformFromParentBodyNode(dartpy.math.Isometry3(shifted.matrix))
    try:
        return _make(loop, nodes[loop.parent], nodes[loop.child])
    finally:
        joint.setTransformFromParentBodyNode(before)


def _make(loop: Loop, parent: Any, child: Any) -> list[Any]:
    place = SE3(parent.getWorldTransform().matrix()) @ loop.parent_from_joint
    if loop.joint.type is JointType.FIXED:
        return [dartpy.constraint.WeldJointConstraint(parent, child)]
    points = [np.zeros(3)]
    if loop.joint.type is not JointType.BALL:
        points = [-AXIS_ARM * np.asarray(loop.joint.axis), AXIS_ARM * np.asarray(loop.joint.axis)]
    return [dartpy.constraint.BallJointConstraint(parent, child, place @ point) for point in points]


def _below(tree: BodyTree, body: int, ancestor: int) -> bool:
    """Whether a body hangs (at any depth) on another."""
    while body >= 0:
        if body == ancestor:
            return True
        body = tree.bodies[body].parent
    return False
