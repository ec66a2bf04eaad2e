"""Joints of a URDF file: type, axis, limits, losses, mimic, safety controller, calibration."""

from __future__ import annotations

import math

from andante.description.io.values import LARGEST, number, vec3
from andante.description.io.xmltree import Node
from andante.description.joint import Dynamics, Joint, JointType, Limits, Mimic, SafetyController
from andante.description.shapes import Vec3

from .parts import Context, at, origin, required_name

UNBOUNDED = 1e16  # what SDF and URDF files write for "no limit"
LARGEST_UNBOUNDED = 1e17
URDF_TYPES = frozenset(("revolute", "continuous", "prismatic", "fixed", "floating", "planar"))
BALL_NAMES = ("spherical", "ball")  # not URDF, but Bullet and others read them


def joint(node: Node, context: Context) -> Joint:
    """A joint with its limits, losses, mimic, safety controller and calibration."""
    context.unknown(
        node,
        (
            "origin",
            "parent",
            "child",
            "axis",
            "limit",
            "dynamics",
            "mimic",
            "safety_controller",
            "calibration",
            "joint_properties",
        ),
    )
    name, kind = required_name(node), (node.get("type") or "").strip()
    if kind not in URDF_TYPES:
        if kind not in BALL_NAMES:
            raise node.error(f"type should be one of {', '.join(sorted(URDF_TYPES))}, got {kind!r}")
        context.info(node, f"the type {kind!r} is no URDF; read as a ball joint")
        kind = "ball"
    ends = []
    for role in ("parent", "child"):
        element = node.find(role)
        if element is None or not element.get("link"):
            raise node.error(f'needs <{role} link="..."/>')
        ends.append(str(element.get("link")))
    type_ = JointType(kind)
    return Joint(
        name,
        type_,
        ends[0],
        ends[1],
        origin(node),
        _axis(node, type_, context),
        _limits(node, type_, context),
        _dynamics(node, context),
        _mimic(node),
        _safety(node),
        _calibration(node),
        source=node.source,
    )


def _axis(node: Node, kind: JointType, context: Context) -> Vec3:
    element = node.find("axis")
    if element is None or kind in (JointType.FIXED, JointType.FLOATING):
        return (1.0, 0.0, 0.0)
    x, y, z = vec3(element, element.get("xyz"), "xyz", (1.0, 0.0, 0.0))
    norm = math.sqrt(x * x + y * y + z * z)
    if norm < 1e-9:
        raise node.error("the axis is zero; give a direction such as 0 0 1")
    if norm == 1.0:
        return (x, y, z)
    if abs(norm - 1.0) > 1e-6:
        context.warn(node, f"the axis {x:g} {y:g} {z:g} is not of unit length, normalised")
    return (x / norm, y / norm, z / norm)


def _bound(node: Node, key: str, default: float) -> float:
    """A limit; numbers beyond any machine (1e16 is customary) mean unbounded."""
    if not (node.get(key) or "").strip():
        return default
    value = number(node, node.get(key), key, infinite=True)
    if abs(value) <= LARGEST:
        return value
    if abs(value) <= LARGEST_UNBOUNDED:
        return math.copysign(math.inf, value)
    raise node.error(f"{key} should be a finite number, got {node.get(key)}; leave it out when there is no limit")


def _limits(node: Node, kind: JointType, context: Context) -> Limits:
    element = node.find("limit")
    ranged = kind in (JointType.REVOLUTE, JointType.PRISMATIC)
    if element is None:
        if ranged:
            context.warn(node, f"a {kind} joint needs <limit>; taken as unbounded")
        return Limits()
    lower, upper = -math.inf, math.inf
    if ranged:
        given = [key for key in ("lower", "upper") if (element.get(key) or "").strip()]
        if not given:
            context.warn(node, "the limit has neither lower nor upper; both are 0 by the URDF rules, so it cannot move")
        lower, upper = _bound(element, "lower", 0.0), _bound(element, "upper", 0.0)
    elif kind is JointType.CONTINUOUS and (element.get("lower") or element.get("upper")):
        context.info(node, "a continuous joint has no lower and upper limit; those given are ignored")
    effort, velocity = (_bound(element, key, math.inf) for key in ("effort", "velocity"))
    for key, value in (("effort", effort), ("velocity", velocity)):
        if value == math.inf and not element.get(key) and kind is not JointType.FIXED:
            context.info(node, f"the limit has no {key}; taken as unbounded")
    return at(element, lambda: Limits(lower, upper, effort, velocity))


def _dynamics(node: Node, context: Context) -> Dynamics:
    element = node.find("dynamics") or node.find("joint_properties")  # the second is the name in early URDF
    if element is None:
        return Dynamics()
    values = {}
    for key in ("damping", "friction", "armature"):
        values[key] = number(element, element.get(key), key, 0.0)
        if values[key] < 0:
            context.warn(node, f"{key} is negative ({values[key]:g}) and feeds energy in; taken as 0")
            values[key] = 0.0
    return Dynamics(**values)


def _mimic(node: Node) -> Mimic | None:
    element = node.find("mimic")
    if element is None:
        return None
    leader = element.get("joint")
    if not leader:
        raise node.error('mimic needs joint="..."')
    multiplier = number(element, element.get("multiplier"), "multiplier", 1.0)
    return Mimic(leader, multiplier, number(element, element.get("offset"), "offset", 0.0))


def _safety(node: Node) -> SafetyController | None:
    element = node.find("safety_controller")
    if element is None:
        return None
    return SafetyController(
        number(element, element.get("k_velocity"), "k_velocity"),
        number(element, element.get("k_position"), "k_position", 0.0),
        number(element, element.get("soft_lower_limit"), "soft_lower_limit", 0.0),
        number(element, element.get("soft_upper_limit"), "soft_upper_limit", 0.0),
    )


def _calibration(node: Node) -> dict[str, float]:
    element = node.find("calibration")
    if element is None:
        return {}
    keys = ("reference_position", "rising", "falling")
    return {key: number(element, element.get(key), key) for key in keys if element.get(key)}
