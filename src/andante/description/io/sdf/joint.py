"""<joint> of SDF: types, axes in their frames, limits, losses; two-axis joints become two joints in a row.

Gearbox joints are held as a mimic relation between two revolute joints where they are one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from andante.description.io.xmltree import Node, child_of, number, vec3, vector
from andante.description.joint import Dynamics, Joint, JointType, Limits, Mimic, SafetyController
from andante.description.link import IDENTITY, Link
from andante.description.shapes import Vec3, vec3_of
from andante.errors import BadInput
from andante.geometry import SE3, Array

from .frames import ANCHOR, Scope, joint_ends
from .include import Reading
from .values import UNBOUNDED, child_number, flag, raw_pose, text_of

ONE_AXIS = {
    "revolute": JointType.REVOLUTE,
    "hinge": JointType.REVOLUTE,
    "continuous": JointType.CONTINUOUS,
    "prismatic": JointType.PRISMATIC,
    "slider": JointType.PRISMATIC,
    "screw": JointType.SCREW,
}
NO_AXIS = {"fixed": JointType.FIXED, "ball": JointType.BALL}
SAFETY = ("k_velocity", "k_position", "soft_lower", "soft_upper")
TWO_AXES = ("universal", "revolute2")
READ = (
    *("pose", "parent", "child", "axis", "axis2", "sensor", "plugin", "thread_pitch", "screw_thread_pitch"),
    *("gearbox_ratio", "gearbox_reference_body"),
)


@dataclass(frozen=True)
class ReadJoint:
    """What one <joint> gives: joints, helper links between them, or a gearbox relation."""

    joints: tuple[Placed, ...] = ()
    links: tuple[Link, ...] = ()
    gearbox: Gearbox | None = None


def read_joint(reading: Reading, scope: Scope, top_from_scope: SE3, link_pose: dict[str, SE3], node: Node) -> ReadJoint:
    """The joint (or two) of a <joint> element; link poses are in the top model frame."""
    name = (node.get("name") or "").strip()
    kind = (node.get("type") or "").strip()
    flat = node.get("andante:name") or scope.prefix + name
    reading.report.leftovers(node, READ, ("physics", "frame"))
    parent_name, child_name = joint_ends(node)
    parent, child = scope.link_of(parent_name), scope.link_of(child_name)
    if child == ANCHOR:
        if kind != "fixed":
            raise node.error("the child is the world; swap <parent> and <child>")
        parent, child = child, parent
        parent_name, child_name = child_name, parent_name
    if parent == child:
        raise node.error(f"parent and child are both {parent!r}")
    raw = raw_pose(node)
    frame = scope.frame_of(raw, child_name)
    top_from_joint = top_from_scope @ scope.where(frame) @ raw.motion
    parent_from_joint = link_pose.get(parent, IDENTITY).inverse() @ top_from_joint
    if frame == parent_name and parent_name in scope.entries and scope.entries[parent_name].kind == "link":
        parent_from_joint = raw.motion
    joint_from_child = top_from_joint.inverse() @ link_pose[child]
    entry = scope.entries.get(child_name)
    if entry is not None and entry.kind == "link":
        if entry.relative_to == name and scope.entries.get(name) is not None and scope.entries[name].node is node:
            joint_from_child = entry.raw
        elif frame == child_name:
            joint_from_child = raw.motion.inverse()

    def axis_of(tag: str) -> Vec3:
        return _axis(reading, scope, top_from_scope, top_from_joint, node, tag)

    def moving(label: str, tag: str, kind: str, parent: str, child: str, pose: SE3, joint_from_child: SE3) -> Joint:
        """The joint about (or along) one axis; a revolute one without limits is continuous."""
        axis_node, made = node.find(tag), ONE_AXIS[kind]
        limits = _limits(reading, node, axis_node, kind)
        if made is JointType.REVOLUTE and math.isinf(limits.lower) and math.isinf(limits.upper):
            made = JointType.CONTINUOUS
        return Joint(
            label,
            made,
            parent,
            child,
            pose,
            axis_of(tag),
            limits,
            _dynamics(axis_node),
            _mimic(scope, axis_node),
            joint_from_child=joint_from_child,
            screw_pitch=_screw_pitch(node) if made is JointType.SCREW else 0.0,
            initial=child_number(axis_node, "initial_position", 0.0),
            source=node.source,
        )

    if kind in NO_AXIS or kind in ONE_AXIS:
        if kind in ONE_AXIS:
            joint = moving(flat, "axis", kind, parent, child, parent_from_joint, joint_from_child)
        else:
            joint = Joint(flat, NO_AXIS[kind], parent, child, parent_from_joint, source=node.source)
            joint = replace(joint, joint_from_child=joint_from_child)
        return ReadJoint((Placed(_with_own(node, joint), top_from_joint),))
    if kind in TWO_AXES:
        between = Link(f"{flat}_between", None, source=node.source, invented=True)
        reading.report.info(node, f"a {kind} joint is held as two revolute joints with a massless link between them")
        first = moving(flat, "axis", "revolute", parent, between.name, parent_from_joint, IDENTITY)
        second = moving(f"{flat}_axis2", "axis2", "revolute", between.name, child, IDENTITY, joint_from_child)
        return ReadJoint((Placed(first, top_from_joint), Placed(second, top_from_joint)), (between,))
    if kind == "gearbox":
        turn = top_from_joint.rotation
        reference = text_of(node, "gearbox_reference_body")
        if not reference:
            raise node.error("a gearbox joint needs a <gearbox_reference_body>")
        return ReadJoint(
            gearbox=Gearbox(
                node,
                scope.link_of(reference),
                parent,
                child,
                child_number(node, "gearbox_ratio", 1.0),
                vec3_of(turn @ np.asarray(axis_of("axis"))),
                vec3_of(turn @ np.asarray(axis_of("axis2" if node.find("axis2") is not None else "axis"))),
            )
        )
    known = ", ".join((*ONE_AXIS, *NO_AXIS, *TWO_AXES, "gearbox"))
    raise node.error(f"joint type {kind[:40]!r} is not known; types: {known}")


def _axis(reading: Reading, scope: Scope, top_from_scope: SE3, top_from_joint: SE3, joint: Node, tag: str) -> Vec3:
    """Unit axis in the joint frame, from whichever frame the version and the attributes say it is told in."""
    axis = joint.find(tag)
    if axis is None:
        reading.report.warn(joint, f"a {joint.get('type')} joint without <{tag}> turns about z")
        return (0.0, 0.0, 1.0)
    reading.report.leftovers(axis, ("xyz", "limit", "dynamics", "mimic", "use_parent_model_frame", "initial_position"))
    xyz = axis.find("xyz")
    values = np.asarray(vec3(xyz or axis, xyz.text if xyz is not None else None, "<xyz>", (0.0, 0.0, 1.0)))
    length = float(np.linalg.norm(values))
    if length < 1e-9:
        raise (xyz or axis).error("the axis has no length; write 0 0 1 or the like")
    if abs(length - 1.0) > 1e-15:
        values = values / length
    expressed_in = ((xyz.get("expressed_in") if xyz is not None else "") or "").strip()
    if scope.version < (1, 5) or (scope.version < (1, 7) and flag(axis, "use_parent_model_frame")):
        expressed_in = "__model__"
    if not expressed_in or expressed_in == (joint.get("name") or "").strip():
        return vec3_of(values)
    turn = top_from_joint.rotation.T @ (top_from_scope @ scope.where(expressed_in)).rotation
    turned = turn @ values
    if scope.version < (1, 5) and _upright_wheel(scope, joint, top_from_joint, values, turned):
        reading.report.warn(
            axis,
            "this wheel of a drive would turn about the vertical, as SDF 1.4 tells axes in the frame of the model; it "
            'is taken in the frame of the joint, as SDF 1.5 does: write version="1.5"',
        )
        return vec3_of(values)
    return vec3_of(turned / np.linalg.norm(turned))


def _upright_wheel(scope: Scope, joint: Node, top_from_joint: SE3, told: Array, turned: Array) -> bool:
    """Whether a plugin drives a joint that is vertical as it is read and level in the joint's own frame."""
    name = (joint.get("name") or "").strip()
    driven = any(name in each.text.split() for plugin in scope.node.all("plugin") for each in plugin.walk())
    read, own = (abs(float((top_from_joint.rotation @ axis)[2])) for axis in (turned, told))
    return driven and read > 0.9 and own < 0.1


def _limits(reading: Reading, joint: Node, axis: Node | None, kind: str) -> Limits:
    limit = child_of(axis, "limit")
    if limit is None:
        return Limits()
    reading.report.leftovers(limit, ("lower", "upper", "effort", "velocity"), ("stiffness", "dissipation"))

    def bound(tag: str, default: float) -> float:
        value = child_number(limit, tag, default, infinite=True)
        return math.copysign(math.inf, value) if abs(value) >= UNBOUNDED else value

    def strength(tag: str) -> float:
        value = child_number(limit, tag, -1.0, infinite=True)
        return math.inf if value < 0 or value >= UNBOUNDED else value

    lower, upper = bound("lower", -math.inf), bound("upper", math.inf)
    if kind == "continuous":
        lower, upper = -math.inf, math.inf
    if lower > upper:
        reading.report.warn(joint, f"lower limit {lower:g} is above the upper limit {upper:g}; the two are swapped")
        lower, upper = upper, lower
    return Limits(lower, upper, strength("effort"), strength("velocity"))


def _dynamics(axis: Node | None) -> Dynamics:
    node = child_of(axis, "dynamics")
    return Dynamics(
        damping=child_number(node, "damping", 0.0),
        friction=child_number(node, "friction", 0.0),
        stiffness=child_number(node, "spring_stiffness", 0.0),
        reference=child_number(node, "spring_reference", 0.0),
    )


def _mimic(scope: Scope, axis: Node | None) -> Mimic | None:
    """q = multiplier (leader - reference) + offset, of SDF 1.11."""
    node = child_of(axis, "mimic")
    if node is None:
        return None
    leader = (node.get("joint") or text_of(node, "joint")).strip()
    if not leader:
        raise node.error("a <mimic> needs the attribute joint")
    multiplier = child_number(node, "multiplier", 1.0)
    offset = child_number(node, "offset", 0.0) - multiplier * child_number(node, "reference", 0.0)
    if (node.get("axis") or "axis").strip() == "axis2":
        leader += "_axis2"
    return Mimic(scope.prefix + leader, multiplier, offset)


def _screw_pitch(joint: Node) -> float:
    """Travel per radian [m/rad]: screw_thread_pitch is m per turn, thread_pitch is -rad/m (left-handed)."""
    if text_of(joint, "screw_thread_pitch"):
        return child_number(joint, "screw_thread_pitch", 1.0) / (2 * math.pi)
    pitch = child_number(joint, "thread_pitch", 1.0)
    if pitch == 0:
        raise joint.error("<thread_pitch> must not be 0")
    return -1.0 / pitch


def _with_own(node: Node, joint: Joint) -> Joint:
    """The joint with what our writer keeps beyond the standard, in <andante:joint>."""
    own = node.find("andante:joint")
    if own is None:
        return joint

    def value(name: str, default: float) -> float:
        return number(own or node, own.get(name) if own is not None else None, name, default)

    mimic, safety, calibration = own.find("andante:mimic"), own.find("andante:safety"), own.find("andante:calibration")
    if mimic is not None:
        leader = (mimic.get("joint") or "").strip()
        if not leader:
            raise mimic.error("needs the attribute joint")
        multiplier = number(mimic, mimic.get("multiplier"), "multiplier", 1.0)
        joint = replace(joint, mimic=Mimic(leader, multiplier, number(mimic, mimic.get("offset"), "offset", 0.0)))
    if safety is not None:
        k = [number(safety, safety.get(n), n, 0.0, infinite=True) for n in SAFETY]
        joint = replace(joint, safety=SafetyController(*k))
    if calibration is not None:
        joint = replace(joint, calibration={n: number(calibration, t, n) for n, t in calibration.attributes.items()})
    if own.find("andante:child_pose") is not None:
        joint = replace(joint, joint_from_child=raw_pose(own, "andante:child_pose").motion)
    if own.get("limits"):
        bounds = [number(own, part, "limits", infinite=True) for part in (own.get("limits") or "").split()]
        if len(bounds) != 4:
            raise own.error("limits needs lower, upper, effort and velocity")
        joint = replace(joint, limits=Limits(*bounds))
    if own.get("dynamics"):
        damping, friction, stiffness, reference = vector(own, own.get("dynamics"), 4, "dynamics")
        joint = replace(joint, dynamics=Dynamics(damping, friction, 0.0, stiffness, reference))
    pitch = value("screw_pitch", joint.screw_pitch)
    armature = value("armature", 0.0)
    if armature < 0:
        raise own.error(f"armature must be >= 0, got {armature:g}")
    dynamics = replace(joint.dynamics, armature=armature)
    return replace(joint, dynamics=dynamics, initial=value("initial", joint.initial), screw_pitch=pitch)


def own_joint(node: Node) -> Joint:
    """A joint that SDF has no type for (floating, planar), kept by our writer as <andante:joint> of the model."""
    try:
        kind = JointType(node.get("type") or "")
    except ValueError:
        raise node.error(f"type {node.get('type')!r} is not known") from None
    axis = vec3(node, node.get("axis"), "axis", (1.0, 0.0, 0.0))
    try:
        joint = Joint(
            name=node.get("name") or "",
            type=kind,
            parent=node.get("parent") or "",
            child=node.get("child") or "",
            pose=raw_pose(node, "andante:pose").motion,
            joint_from_child=raw_pose(node, "andante:child_pose").motion,
            axis=axis,
            source=node.source,
        )
        return _with_own(node, joint)
    except BadInput as error:
        raise node.error(str(error)) from None


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
        hinge = joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS)
        if not hinge or {joint.parent, joint.child} != {reference, link}:
            continue
        along = float(np.dot(placed.pose.rotation @ np.asarray(joint.axis), np.asarray(axis)))
        if abs(abs(along) - 1.0) > 1e-6:
            return None
        forward = 1.0 if joint.parent == reference else -1.0
        return i, forward * math.copysign(1.0, along)
    return None
