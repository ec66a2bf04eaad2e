"""URDF to `Robot`: the tree, its transmissions, and what the <gazebo> elements add."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from andante.description.io.mimic import leader_fault
from andante.description.io.resolver import Resolver
from andante.description.io.xmltree import LARGEST, Node, number, vec3
from andante.description.joint import Dynamics, Joint, JointType, Limits, Mimic, SafetyController
from andante.description.link import Link
from andante.description.robot import Robot, Transmission
from andante.description.shapes import Vec3
from andante.description.source import Problem, Severity, Source
from andante.errors import BadInput

from .gazebo import Additions, read_gazebo
from .parts import Context, at, collect_materials, link, origin, required_name
from .sensors import urdf_sensor

UNBOUNDED = 1e16  # what SDF and URDF files write for "no limit"
LARGEST_UNBOUNDED = 1e17
URDF_TYPES = frozenset(("revolute", "continuous", "prismatic", "fixed", "floating", "planar"))
JOINT_PARTS = (
    *("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
    *("safety_controller", "calibration", "joint_properties"),
)
BALL_NAMES = ("spherical", "ball")  # not URDF, but Bullet and others read them
KNOWN = frozenset(("link", "joint", "material", "transmission", "gazebo", "sensor"))
WORLD = "world"  # a root link of this name is the world itself


def read_urdf(root: Node, path: Path, resolver: Resolver) -> Robot:
    """The robot of a <robot> element; everything repaired or not understood is in `robot.problems`."""
    if root.tag != "robot":
        raise root.error("a URDF file has the root element <robot>")
    context = Context(path, resolver)
    name = (root.get("name") or "").strip()
    if not name:
        name = path.name.split(".")[0] or "robot"
        context.warn(root, f"has no name; called {name!r} after its file")
    collect_materials(root, context)
    for child in root.children:
        if child.tag not in KNOWN:
            context.info(child, "not understood at the top of a URDF file, ignored")

    link_nodes, joint_nodes = _unique(root, "link"), _unique(root, "joint")
    if not link_nodes:
        raise root.error("has no links")
    if WORLD not in link_nodes and (held := _to_world(joint_nodes)):
        context.warn(held, f'its parent {WORLD!r} is taken for the world itself; write <link name="{WORLD}"/>')
        link_nodes[WORLD] = Node("link", {"name": WORLD}, source=held.source)
    links = [link(node, context) for node in link_nodes.values()]
    joints = [joint(node, context) for node in joint_nodes.values()]
    _check_names(joints, joint_nodes, link_nodes)
    joints = [_with_leader(item, joints, joint_nodes[item.name], context) for item in joints]
    tree, loops, base = _tree(root, links, joints, joint_nodes, context)

    additions = Additions({item.name: item for item in links}, {item.name: item for item in joints})
    for node in root.all("sensor"):
        found = urdf_sensor(node, additions.links, context)
        if found is not None:
            additions.sensors.append(found)
    for node in root.all("gazebo"):
        read_gazebo(node, additions, context)
    _check_sensor_names(additions, context)
    transmissions = tuple(_transmission(node, joint_nodes, context) for node in root.all("transmission"))
    return at(
        root,
        lambda: Robot(
            name,
            tuple(additions.links.values()),
            tuple(additions.joints[item.name] for item in tree),
            tuple(additions.joints[item.name] for item in loops),
            tuple(additions.sensors),
            tuple(additions.plugins),
            transmissions,
            frames=tuple(additions.frames),
            no_collision=frozenset(additions.no_collision),
            self_collide=additions.self_collide,
            fixed_base=base == WORLD or additions.static,
            source=Source(str(path), root.source.line),
            problems=tuple(context.problems),
        ),
    )


def _unique(root: Node, tag: str) -> dict[str, Node]:
    nodes: dict[str, Node] = {}
    for node in root.all(tag):
        name = required_name(node)
        if name in nodes:
            raise node.error(f"a {tag} of this name stands already at {nodes[name].source}; rename one")
        nodes[name] = node
    return nodes


def _to_world(joints: Mapping[str, Node]) -> Node | None:
    """A joint that hangs on the world without a link for it, as Drake has them; None: there is none."""
    ends = ((node, node.find("parent")) for node in joints.values())
    return next((node for node, parent in ends if parent is not None and parent.get("link") == WORLD), None)


def _check_names(joints: Sequence[Joint], joint_nodes: dict[str, Node], link_nodes: dict[str, Node]) -> None:
    for item in joints:
        node = joint_nodes[item.name]
        for role, name in (("parent", item.parent), ("child", item.child)):
            if name not in link_nodes:
                raise node.error(f"its {role} link {name!r} does not exist; links: {_some(link_nodes)}")
        if item.parent == item.child:
            raise node.error(f"joins link {item.parent!r} to itself")


def _with_leader(item: Joint, joints: Sequence[Joint], node: Node, context: Context) -> Joint:
    """The joint, free where what it mimics cannot lead it."""
    fault = leader_fault(item, joints)
    if fault:
        context.warn(node, f"mimics {fault}")
    return replace(item, mimic=None) if fault else item


def _check_sensor_names(additions: Additions, context: Context) -> None:
    seen: dict[str, Source] = {}
    for sensor in additions.sensors:
        if sensor.name in seen:
            text = f"a sensor {sensor.name!r} stands already at {seen[sensor.name]}; their data cannot be told apart"
            context.problems.append(Problem(Severity.WARNING, text, sensor.source))
        seen[sensor.name] = sensor.source


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:8]) + (f" and {len(listed) - 8} more" if len(listed) > 8 else "")


def _tree(
    root: Node, links: Sequence[Link], joints: Sequence[Joint], nodes: dict[str, Node], context: Context
) -> tuple[list[Joint], list[Joint], str]:
    """Joints of the spanning tree in file order, those that close a loop, and the name of the root link."""
    children = {item.child for item in joints}
    roots = [item.name for item in links if item.name not in children]
    if not roots:
        raise nodes[joints[0].name].error("every link has a parent joint, so the joints form a cycle; break it")
    if len(roots) > 1:
        lines = ", ".join(f"{item.name!r} (line {item.source.line})" for item in links if item.name in roots[:8])
        raise root.error(f"{len(roots)} links have no parent joint: {lines}; connect all but one with joints")
    below: dict[str, list[Joint]] = {}
    for item in joints:
        below.setdefault(item.parent, []).append(item)
    carrier: dict[str, Joint] = {}
    queue = deque(roots)
    while queue:
        for item in below.get(queue.popleft(), ()):
            if item.child not in carrier:
                carrier[item.child] = item
                queue.append(item.child)
    lost = [item for item in links if item.name not in carrier and item.name != roots[0]]
    if lost:
        names = _some([item.name for item in lost])
        culprit = next(item for item in joints if item.child == lost[0].name)
        raise nodes[culprit.name].error(
            f"the links {names} form a cycle that does not hang on the root {roots[0]!r}; break it"
        )
    tree = [item for item in joints if carrier[item.child] is item]
    loops = [item for item in joints if carrier[item.child] is not item]
    for item in loops:
        other = carrier[item.child]
        context.warn(
            nodes[item.name],
            f"link {item.child!r} hangs on joint {other.name!r} already, so this joint closes a loop; "
            "not every engine can build it",
        )
    base = roots[0]
    if base == WORLD and any(item.type is not JointType.FIXED for item in below.get(base, ())):
        context.info(root, "the root link 'world' is the world itself and stays where it is; its joints move on it")
    return tree, loops, base


def _transmission(node: Node, joints: dict[str, Node], context: Context) -> Transmission:
    """Transmission in the ROS form (<type>, interfaces inside joint and actuator) or the older attribute form."""
    context.unknown(
        node, ("type", "joint", "actuator", "mechanicalReduction", "hardwareInterface", "leftActuator", "rightActuator")
    )
    kind = node.find("type")
    names, actuators, interfaces, reduction = [], [], [], 1.0
    for child in (node, *node.all("joint"), *node.all("actuator")):
        for element in child.all("mechanicalReduction"):
            try:
                reduction = number(element, element.text, "mechanicalReduction", 1.0)
            except BadInput:
                context.warn(element, f"should be a number, got {element.text.strip()[:40]!r}; taken as 1")
        interfaces += [element.text.strip() for element in child.all("hardwareInterface") if element.text.strip()]
    for child in node.all("joint"):
        names.append(required_name(child))
        if names[-1] not in joints:
            context.warn(child, "the transmission drives a joint that does not exist")
    actuators += [required_name(child) for child in node.all("actuator")]
    text = kind.text.strip() if kind is not None else (node.get("type") or "")
    unique = tuple(dict.fromkeys(interfaces))
    return Transmission(node.get("name") or "", text, tuple(names), tuple(actuators), reduction, unique)


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
    pose, axis, limits = origin(node), _axis(node, type_, context), _limits(node, type_, context)
    losses, mimic, safety = _dynamics(node, context), _mimic(node), _safety(node)
    calibration, source = _calibration(node), node.source
    return Joint(name, type_, parent, child, pose, axis, limits, losses, mimic, safety, calibration, source=source)


def _axis(node: Node, kind: JointType, context: Context) -> Vec3:
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
        context.warn(node, f"the axis {x:g} {y:g} {z:g} is not of unit length, normalised")
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
