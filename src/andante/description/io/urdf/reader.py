"""URDF to `Robot`: the tree, its transmissions, and what the <gazebo> elements add."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from andante.description.io.mimic import leader_fault
from andante.description.io.resolver import Resolver
from andante.description.io.xmltree import Node, number
from andante.description.joint import Joint, JointType
from andante.description.link import Link
from andante.description.robot import Robot, Transmission
from andante.description.source import Problem, Severity, Source
from andante.errors import BadInput

from .gazebo import Additions, read_gazebo
from .joints import joint
from .loops import LOOP_TAGS, WORLD, read_frames, read_loops
from .parts import Context, at, collect_materials, link, required_name
from .sensors import urdf_sensor

KNOWN = LOOP_TAGS | {"link", "joint", "material", "transmission", "gazebo", "sensor", "frame"}


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
    links = [link(node, context) for node in link_nodes.values()]
    joints = [joint(node, context) for node in joint_nodes.values()]
    links, joints = _freed(*_with_world(root, links, joints, joint_nodes, context), joint_nodes, context)
    _check_names(joints, joint_nodes, {item.name: root for item in links})
    joints = [_with_leader(item, joints, joint_nodes[item.name], context) for item in joints]
    tree, loops, base = _tree(root, links, joints, joint_nodes, context)

    named_links = {item.name: item for item in links}
    frames = read_frames(root, named_links, context)
    at_zero = at(root, lambda: Robot(name, tuple(links), tuple(tree))).link_poses()
    closing, bolted = read_loops(root, at_zero, {f.name: f for f in frames}, {item.name for item in joints}, context)
    additions = Additions(named_links, {item.name: item for item in (*joints, *closing)}, frames=frames)
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
            tuple(additions.joints[item.name] for item in (*loops, *closing)),
            tuple(additions.sensors),
            tuple(additions.plugins),
            transmissions,
            frames=tuple(additions.frames),
            no_collision=frozenset(additions.no_collision),
            self_collide=additions.self_collide,
            fixed_base=base == WORLD or additions.static or bolted,
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


def _with_world(
    root: Node, links: list[Link], joints: list[Joint], nodes: Mapping[str, Node], context: Context
) -> tuple[list[Link], list[Joint]]:
    """Links and joints with the link "world" that some files, Drake's among them, take as given.

    What they bolt to it beside a robot that stands free, a floor, is scenery and left out.
    """
    held = next((item for item in joints if item.parent == WORLD), None)
    if held is None or any(item.name == WORLD for item in links):
        return links, joints
    children = {item.child for item in joints}
    if all(item.name in children for item in links):
        said = f'its parent {WORLD!r} is taken for the world itself; write <link name="{WORLD}"/>'
        context.warn(nodes[held.name], said)
        return [Link(WORLD, None, source=root.source), *links], joints
    scenery = {WORLD}
    for _ in joints:
        scenery |= {item.child for item in joints if item.parent in scenery and item.type is JointType.FIXED}
    left = ", ".join(sorted(scenery - {WORLD}))
    context.warn(root, f"{left} is bolted to the world and no part of the robot; left out, as worlds have ground")
    kept = [item for item in joints if item.parent not in scenery]
    return [item for item in links if item.name not in scenery], kept


def _freed(
    links: list[Link], joints: list[Joint], nodes: Mapping[str, Node], context: Context
) -> tuple[list[Link], list[Joint]]:
    """Links and joints without a floating joint below an empty root, which is how some files say that a robot is free.

    A robot that nothing holds is free to move by itself; it stands wherever it is put.
    """
    children = {item.child for item in joints}
    roots = [item for item in links if item.name not in children]
    carried = [item for item in joints if any(item.parent == base.name for base in roots)]
    if len(roots) != 1 or len(carried) != 1 or carried[0].type is not JointType.FLOATING:
        return links, joints
    (base,), (free,) = roots, carried
    if base.inertia is not None or base.collisions:  # a mark to be seen is no body
        return links, joints
    context.info(nodes[free.name], f"floats on empty {base.name!r}: the robot is free, {free.child!r} its root")
    return [item for item in links if item is not base], [item for item in joints if item is not free]


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
            f"link {item.child!r} hangs on joint {other.name!r} already, so this joint closes a loop",
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
