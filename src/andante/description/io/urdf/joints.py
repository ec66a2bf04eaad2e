"""<joint> of a URDF: type, axis, limits, losses, mimic, safety controller and calibration."""

from __future__ import annotations

import math

from andante.description.io.xmltree import LARGEST, Node, number, vec3
from andante.description.joint import Dynamics, Joint, JointType, Limits, Mimic, SafetyController
from andante.description.shapes import Vec3

from .parts import Context, at, origin, required_name

UNBOUNDED = 1e16  # what SDF and URDF files write for "no limit"
LARGEST_UNBOUNDED = 1e17
URDF_TYPES = frozenset(("revolute", "continuous", "prismatic", "fixed", "floating", "planar"))
JOINT_PARTS = (
    *("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
    *("safety_controller", "calibration", "joint_properties"),
)
BALL_NAMES = ("spherical", "ball")  # not URDF, but Bullet and others read them


def joint(node: Node, context: Context) -> Joint:
    """A joint with its limits, losses, mimic, safety controller and calibration."""
    context.unknown(node, JOINT_PARTS)
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
    type_, (parent, child) = JointType(kind), ends
    pose, axis, limits = origin(node), axis_of(node, type_, context), limits_of(node, type_, context)
    losses, mimic, safety = dynamics_of(node, context), _mimic(node), _safety(node)
    calibration, source = _calibration(node), node.source
    return Joint(name, type_, parent, child, pose, axis, limits, losses, mimic, safety, calibration, source=source)


def axis_of(node: Node, kind: JointType, context: Context) -> Vec3:
    """Unit vector of the <axis> of a joint, 1 0 0 where it has none."""
    element = node.find("axis")
    if element is None or kind in (JointType.FIXED, JointType.FLOATING):
        return (1.0, 0.0, 0.0)
    x, y, z = vec3(element, element.get("xyz"), "xyz", (1.0, 0.0, 0.0))
    norm = math.sqrt(x * x + y * y + z * z)
    if norm < 1e-9:
        context.warn(element, "the axis is zero; taken as 1 0 0, give a direction such as 0 0 1")
        return (1.0, 0.0, 0.0)
    if norm == 1.0:
        return (x, y, z)
    if abs(norm - 1.0) > 1e-6:
        context.warn(node, f"the axis {x:g} {y:g} {z:g} is not of unit length, normalized")
    return (x / norm, y / norm, z / norm)


def _bound(node: Node, key: str, default: float) -> float:
    """A limit; numbers beyond any machine (1e16 is customary) mean unbounded."""
    if not (node.get(key) or "").strip():
        return default
    value = number(node, node.get(key), key, infinite=True)
    if abs(value) <= LARGEST:
        return value
    if abs(value) <= LARGEST_UNBOUNDED or math.isinf(value):
        return math.copysign(math.inf, value)
    said = f"{key} should be a finite number, got {node.get(key)}; leave it out when there is no limit"
    raise node.error(said, key)


def limits_of(node: Node, kind: JointType, context: Context) -> Limits:
    """The <limit> of a joint; what is unbounded is infinite."""
    element = node.find("limit")
    ranged = kind in (JointType.REVOLUTE, JointType.PRISMATIC)
    if element is None:
        if ranged:
            context.warn(node, f"a {kind} joint needs <limit>; taken as unbounded")
        return Limits()
    lower, upper = -math.inf, math.inf
    if ranged:
        given = [key for key in ("lower", "upper") if (element.get(key) or "").strip()]
        turn = 0.0
        if not given and kind is JointType.REVOLUTE:  # nobody writes a joint that cannot move
            context.warn(node, "the limit has neither lower nor upper; -pi to pi is taken")
            turn = math.pi
        elif not given:
            context.warn(node, "the limit has neither lower nor upper; both are 0 by the URDF rules, so it cannot move")
        lower, upper = _bound(element, "lower", -turn), _bound(element, "upper", turn)
    elif kind is JointType.CONTINUOUS and (element.get("lower") or element.get("upper")):
        context.info(node, "a continuous joint has no lower and upper limit; those given are ignored")
    effort, velocity = (_bound(element, key, math.inf) for key in ("effort", "velocity"))
    for key, value in (("effort", effort), ("velocity", velocity)):
        if value == math.inf and not element.get(key) and kind is not JointType.FIXED:
            context.info(node, f"the limit has no {key}; taken as unbounded")
    if lower > upper:
        context.warn(element, f"lower {lower:g} is above upper {upper:g}; they are swapped, swap them in the file")
        lower, upper = upper, lower
    for key, value in (("effort", effort), ("velocity", velocity)):
        if value < 0:
            context.warn(element, f"{key} {value:g} is negative; taken as unbounded, leave it out or give the limit")
    effort, velocity = (math.inf if value < 0 else value for value in (effort, velocity))
    return at(element, lambda: Limits(lower, upper, effort, velocity))


def dynamics_of(node: Node, context: Context) -> Dynamics:
    """The <dynamics> of a joint."""
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
        raise element.error('needs joint="..."')
    multiplier = number(element, element.get("multiplier"), "multiplier", 1.0)
    return Mimic(leader, multiplier, number(element, element.get("offset"), "offset", 0.0))


def _safety(node: Node) -> SafetyController | None:
    element = node.find("safety_controller")
    if element is None:
        return None
    k_velocity = number(element, element.get("k_velocity"), "k_velocity")
    others = ("k_position", "soft_lower_limit", "soft_upper_limit")
    return SafetyController(k_velocity, *(number(element, element.get(key), key, 0.0) for key in others))


def _calibration(node: Node) -> dict[str, float]:
    element = node.find("calibration")
    if element is None:
        return {}
    keys = ("reference_position", "rising", "falling")
    return {key: number(element, element.get(key), key) for key in keys if element.get(key)}
