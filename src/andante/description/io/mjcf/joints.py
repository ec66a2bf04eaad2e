"""Joints of MJCF: a body with several becomes a chain of light links, each turning about its own point."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.description.io.values import number, vec3, vector
from andante.description.io.xmltree import Node
from andante.description.joint import Dynamics, Joint, JointType, Limits
from andante.description.link import IDENTITY, Link
from andante.description.robot import joint_motion
from andante.description.shapes import Vec3
from andante.errors import BadInput
from andante.geometry import SE3

from .bodies import Body
from .document import Document, choice, numbers

KINDS = {"hinge": JointType.REVOLUTE, "slide": JointType.PRISMATIC, "ball": JointType.BALL, "free": JointType.FLOATING}
WIDTH = {JointType.FLOATING: 7, JointType.BALL: 4}  # numbers in qpos; 1 for the rest


@dataclass(frozen=True)
class Chain:
    """The joints that carry one body, the light links between them, and where they sit in qpos."""

    joints: tuple[Joint, ...]
    links: tuple[Link, ...]


def joint_type(node: Node) -> JointType:
    """Type of a <joint> or <freejoint>."""
    if node.tag == "freejoint":
        return JointType.FLOATING
    return KINDS[choice(node, "type", node.get("type") or "hinge", tuple(KINDS))]


def read_chain(document: Document, body: Body, parent: str, child: str) -> Chain:
    """Joints from the parent link to the body's link; a body without joints is fixed."""
    if not body.joints:
        return Chain((Joint(f"{child}_fixed", JointType.FIXED, parent, child, body.pose, source=body.source),), ())
    joints: list[Joint] = []
    links: list[Link] = []
    above, base = parent, body.pose
    for i, (node, name, frame) in enumerate(body.joints):
        last = i == len(body.joints) - 1
        below = child if last else f"{child}__{name}"
        kind = joint_type(node)
        if kind is JointType.FLOATING and (body.parent != 0 or len(body.joints) > 1):
            raise node.error("a free joint belongs alone on a body of the world")
        joints.append(_joint(document, node, name, kind, frame, base, above, below))
        if not last:
            links.append(Link(below, source=node.source))
        above, base = below, IDENTITY
    return Chain(tuple(joints), tuple(links))


def _joint(
    document: Document, node: Node, name: str, kind: JointType, frame: SE3, base: SE3, above: str, below: str
) -> Joint:
    if kind is JointType.FLOATING:
        return Joint(name, kind, above, below, base, source=node.source)
    angular = kind is not JointType.PRISMATIC
    to_si = document.angle if angular else float
    at = frame @ np.array(vec3(node, node.get("pos"), "pos", (0.0, 0.0, 0.0)))
    axis = frame.rotation @ np.array(vec3(node, node.get("axis"), "axis", (0.0, 0.0, 1.0)))
    length = float(np.linalg.norm(axis))
    if length < 1e-12 and kind is not JointType.BALL:
        raise node.error("axis must not be zero")
    unit = axis / length if length >= 1e-12 else np.array([0.0, 0.0, 1.0])
    direction: Vec3 = (float(unit[0]), float(unit[1]), float(unit[2]))
    ref = to_si(number(node, node.get("ref"), "ref", 0.0))
    try:
        limits = _limits(document, node, kind)
        if kind is JointType.REVOLUTE and math.isinf(limits.lower) and math.isinf(limits.upper):
            kind = JointType.CONTINUOUS
        there = SE3.from_parts(np.eye(3), at)
        joint = Joint(name, kind, above, below, base @ there, direction, limits, _dynamics(document, node, to_si))
    except BadInput as error:
        raise node.error(str(error)) from None
    pose = base @ there @ joint_motion(joint, -ref)
    return Joint(
        name,
        kind,
        above,
        below,
        pose,
        direction,
        limits,
        joint.dynamics,
        joint_from_child=there.inverse(),
        initial=0.0 if kind is JointType.BALL else ref,
        source=node.source,
    )


def _limits(document: Document, node: Node, kind: JointType) -> Limits:
    low, high = -math.inf, math.inf
    if limited(document, node, "limited", "range"):
        low, high = vector(node, node.get("range"), 2, "range")
        if kind is not JointType.PRISMATIC:
            low, high = document.angle(low), document.angle(high)
        if low >= high:
            raise node.error(f"range needs its first number smaller than the second, got {node.get('range')!r}")
    effort = math.inf
    if limited(document, node, "actuatorfrclimited", "actuatorfrcrange"):
        effort = max(abs(v) for v in vector(node, node.get("actuatorfrcrange"), 2, "actuatorfrcrange"))
    return Limits(low, high, effort)


def limited(document: Document, node: Node, flag: str, key: str) -> bool:
    """Whether a range holds: said so, or 'auto' with autolimits on and a range given."""
    state = choice(node, flag, node.get(flag) or "auto", ("true", "false", "auto"))
    if state == "auto":
        return document.compiler.autolimits and node.get(key) is not None
    return state == "true"


def _dynamics(document: Document, node: Node, to_si) -> Dynamics:  # type: ignore[no-untyped-def]
    values: dict[str, float] = {}
    for key in ("stiffness", "damping"):
        listed = numbers(node, node.get(key), key, 8)
        values[key] = listed[0] if listed else 0.0
        if any(listed[1:]):
            document.warn(f"the higher powers of {key} are not represented; the linear term is kept", node.source)
    for key in ("springdamper", "actuatorgravcomp"):
        if node.get(key) not in (None, "false", "0 0"):
            document.warn(f"<joint {key}> is not represented and has no effect", node.source, key)
    friction = number(node, node.get("frictionloss"), "frictionloss", 0.0)
    armature = number(node, node.get("armature"), "armature", 0.0)
    if min(friction, armature) < 0:
        raise node.error("frictionloss and armature must not be negative")
    rest = to_si(number(node, node.get("springref"), "springref", 0.0))
    return Dynamics(values["damping"], friction, armature, values["stiffness"], rest)
