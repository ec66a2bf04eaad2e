"""Writes joints: native elements for what SDF knows, <andante:joint> for the rest."""

from __future__ import annotations

import math

from andante.description.joint import Dynamics, Joint, JointType, Limits

from .sdf_xml import Element, Version, add_pose, write_numbers

NATIVE = {
    JointType.REVOLUTE: "revolute",
    JointType.CONTINUOUS: "continuous",
    JointType.PRISMATIC: "prismatic",
    JointType.FIXED: "fixed",
    JointType.BALL: "ball",
    JointType.SCREW: "screw",
}


def write_joint(element: Element, joint: Joint, parent: str, child: str, version: Version, loop: bool) -> None:
    """Contents of a <joint>; `parent` and `child` are names in the file."""
    element.attributes["type"] = NATIVE[joint.type]
    add_pose(element, joint.pose, version, relative_to=parent)
    element.add("parent", parent)
    element.add("child", child)
    if joint.type is JointType.SCREW and abs(joint.screw_pitch) > 1e-8:  # the exact pitch stands in <andante:joint>
        element.add("thread_pitch", -1.0 / joint.screw_pitch)
    if joint.type not in (JointType.FIXED, JointType.BALL):
        _write_axis(element.add("axis"), joint)
    _write_own(element, joint, version, loop)


def _write_axis(axis: Element, joint: Joint) -> None:
    axis.add("xyz", write_numbers(joint.axis))
    limits, dynamics = joint.limits, joint.dynamics
    node = axis.add("limit")
    if joint.type is not JointType.CONTINUOUS:
        for tag, value in (("lower", limits.lower), ("upper", limits.upper)):
            if math.isfinite(value):
                node.add(tag, value)
            else:
                node.add(tag, "1e16" if value > 0 else "-1e16")
    for tag, value in (("effort", limits.effort), ("velocity", limits.velocity)):
        if math.isfinite(value):
            node.add(tag, value)
    if not node.children:
        axis.children.remove(node)
    if dynamics != Dynamics(armature=dynamics.armature):
        node = axis.add("dynamics")
        node.add("damping", dynamics.damping)
        node.add("friction", dynamics.friction)
        node.add("spring_reference", dynamics.reference)
        node.add("spring_stiffness", dynamics.stiffness)


def _write_own(element: Element, joint: Joint, version: Version, loop: bool) -> None:
    own = Element("andante:joint")
    if joint.dynamics.armature:
        own.attributes["armature"] = repr(joint.dynamics.armature)
    if joint.initial:
        own.attributes["initial"] = repr(joint.initial)
    if joint.type is JointType.SCREW:
        own.attributes["screw_pitch"] = repr(joint.screw_pitch)
    _write_unsaid(own, joint)
    if joint.mimic is not None:
        mimic = joint.mimic
        own.add("andante:mimic", joint=mimic.joint, multiplier=repr(mimic.multiplier), offset=repr(mimic.offset))
    if joint.safety is not None:
        s = joint.safety
        own.add(
            "andante:safety",
            k_velocity=repr(s.k_velocity),
            k_position=repr(s.k_position),
            soft_lower=repr(s.soft_lower),
            soft_upper=repr(s.soft_upper),
        )
    if joint.calibration:
        own.add("andante:calibration", **{name: repr(float(value)) for name, value in joint.calibration.items()})
    if loop:
        add_pose(own, joint.joint_from_child, version, "andante:child_pose")
        if joint.joint_from_child.is_identity():
            own.add("andante:child_pose", "0 0 0 0 0 0")
    if own.attributes or own.children:
        element.children.append(own)


def _write_unsaid(own: Element, joint: Joint) -> None:
    """Limits and losses that a joint of this type cannot state natively (a fixed joint with an effort limit)."""
    silent = joint.type not in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.SCREW)
    limits, dynamics = joint.limits, joint.dynamics
    bounded = math.isfinite(limits.lower) or math.isfinite(limits.upper)
    if (silent and limits != Limits()) or (joint.type is JointType.CONTINUOUS and bounded):
        own.attributes["limits"] = write_numbers((limits.lower, limits.upper, limits.effort, limits.velocity))
    if silent and dynamics != Dynamics(armature=dynamics.armature):
        own.attributes["dynamics"] = write_numbers(
            (dynamics.damping, dynamics.friction, dynamics.stiffness, dynamics.reference)
        )


def is_plain(joint: Joint) -> bool:
    """Whether a fixed joint holds nothing but its place."""
    own = Element("")
    _write_own(own, joint, Version(), False)
    return not own.children


def write_foreign_joint(element: Element, joint: Joint, version: Version) -> None:
    """<andante:joint> of the model for a type that SDF lacks (floating, planar); its links stand there unjoined."""
    own = element.add(
        "andante:joint",
        name=joint.name,
        type=str(joint.type),
        parent=joint.parent,
        child=joint.child,
        axis=write_numbers(joint.axis),
    )
    add_pose(own, joint.pose, version, "andante:pose")
    add_pose(own, joint.joint_from_child, version, "andante:child_pose")
    _write_own(own, joint, version, False)
