"""Gearbox joints of SDF, held as a mimic relation between two revolute joints where they are one."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from andante.description.joint import Joint, JointType, Mimic
from andante.description.shapes import Vec3
from andante.geometry import SE3

from .sdf_include import Reading
from .xmltree import Node


@dataclass(frozen=True)
class Gearbox:
    """A gearbox joint: theta_2 = -ratio theta_1 between two links seen from a third."""

    node: Node
    reference: str
    parent: str
    child: str
    ratio: float
    axis: Vec3  # in the top model frame
    axis2: Vec3


@dataclass(frozen=True)
class Placed:
    """A joint with the pose of its frame in the top model."""

    joint: Joint
    pose: SE3  # top_from_joint


def apply_gearbox(reading: Reading, joints: list[Placed], gearbox: Gearbox) -> list[Placed]:
    """The joints with the gearbox held as a mimic relation; unchanged (and told) where none fits."""
    first = _between(joints, gearbox.reference, gearbox.parent, gearbox.axis)
    second = _between(joints, gearbox.reference, gearbox.child, gearbox.axis2)
    if first is None or second is None or joints[second[0]].joint.mimic is not None:
        reading.report.warn(
            gearbox.node,
            f"the gearbox between {gearbox.parent!r} and {gearbox.child!r} is left out: both need a revolute joint "
            f"to {gearbox.reference!r} along its axes",
        )
        return joints
    (i, sign1), (k, sign2) = first, second
    out = list(joints)
    mimic = Mimic(joints[i].joint.name, -gearbox.ratio * sign1 * sign2)
    out[k] = replace(joints[k], joint=replace(joints[k].joint, mimic=mimic))
    reading.report.info(gearbox.node, f"the gearbox is held as {joints[k].joint.name!r} mimicking {mimic.joint!r}")
    return out


def _between(joints: list[Placed], reference: str, link: str, axis: Vec3) -> tuple[int, float] | None:
    """Index of the revolute joint between two links and the sign of its angle about the axis."""
    for i, placed in enumerate(joints):
        joint = placed.joint
        if joint.type not in (JointType.REVOLUTE, JointType.CONTINUOUS) or {joint.parent, joint.child} != {
            reference,
            link,
        }:
            continue
        along = float(np.dot(placed.pose.rotation @ np.asarray(joint.axis), np.asarray(axis)))
        if abs(abs(along) - 1.0) > 1e-6:
            return None
        forward = 1.0 if joint.parent == reference else -1.0
        return i, forward * math.copysign(1.0, along)
    return None
