"""Closed loops in URDF, whose own joints form a tree: the ways in which files state them all the same.

| element | of | is |
|---|---|---|
| a <joint> whose child hangs on another joint already | anybody | that joint |
| `<loop_joint>` with `<link1>`, `<link2>` | Isaac Sim, early Drake | a joint with its frame on both links |
| `<joint>` of SDF in `<gazebo>` | Gazebo | a joint that fits in the zero pose; to the world: a fixed base |
| `<drake:ball_constraint>` | Drake | a ball |
| `<drake:linear_bushing_rpy>` | Drake | a ball, hinge or weld, by which of its springs are there |
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from andante.description.io.xmltree import Node, child_of, free_name, number, vec3
from andante.description.joint import Dynamics, Joint, JointType, Limits
from andante.description.link import Link
from andante.description.robot import Frame
from andante.description.shapes import Vec3, vec3_of
from andante.errors import BadInput
from andante.geometry import SE3

from .joints import BALL_NAMES, axis_of, dynamics_of, limits_of
from .parts import Context, pose_element, pose_of

WORLD = "world"  # a root link of this name is the world itself
DRAKE = "drake:"
LOOP_TAGS = frozenset(("loop_joint", f"{DRAKE}loop_joint", f"{DRAKE}ball_constraint", f"{DRAKE}linear_bushing_rpy"))
LOOP_TYPES = {
    **{kind.value: kind for kind in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.FIXED)},
    **dict.fromkeys(BALL_NAMES, JointType.BALL),
    **{"hinge": JointType.REVOLUTE, "slider": JointType.PRISMATIC},
}
AS_BALL = ("universal", "revolute2")  # a ball leaves one turn more free


def read_frames(root: Node, links: Mapping[str, Link], context: Context) -> list[Frame]:
    """Named frames as Drake writes them: <frame name link xyz rpy/>."""
    found = []
    for node in root.all("frame"):
        name, link = (node.get("name") or "").strip(), node.get("link") or ""
        if name and link in links:
            found.append(Frame(name, link, _placed(node)))
        else:
            context.warn(node, f"names the link {link!r}, which is none of this robot; the frame is ignored")
    return found


def read_loops(
    root: Node, poses: Mapping[str, SE3], frames: Mapping[str, Frame], taken: set[str], context: Context
) -> tuple[list[Joint], bool]:
    """Joints that close loops, and whether one of them bolts the root to the world; `poses` of the links at zero."""
    found: list[Joint] = []
    welded = False
    of_gazebo = [node for holder in root.all("gazebo") if not holder.get("reference") for node in holder.all("joint")]
    nodes = [(node, False) for node in root.children if node.tag in LOOP_TAGS] + [(node, True) for node in of_gazebo]
    for node, sdf in nodes:
        name = (node.get("name") or "").strip()
        if name and any(name == each.name for each in found):
            continue  # told once for Gazebo, once for others
        if sdf and _end(node, "parent") == WORLD and WORLD not in poses:
            welded |= _weld(node, poses, context)
            continue
        read: Callable[[Node], Joint | None]
        if sdf:
            read = partial(_gazebo_joint, poses=poses, context=context)
        elif node.tag.endswith("loop_joint"):
            read = partial(_loop_joint, context=context)
        elif node.tag.endswith("ball_constraint"):
            read = _ball_constraint
        else:
            read = partial(_bushing, frames=frames, context=context)
        try:
            joint = read(node)
            if joint is not None:
                _check_ends(joint, poses)
        except BadInput as error:
            words = getattr(error, "words", f"<{node.tag}>: {error}").partition(": ")[2]
            context.warn(node, f"{words}; the loop stays open")
            continue
        if joint is not None:
            found.append(replace(joint, name=free_name(name or node.tag.removeprefix(DRAKE), taken)))
    return found, welded


def _check_ends(joint: Joint, poses: Mapping[str, SE3]) -> None:
    for link in (joint.parent, joint.child):
        if link not in poses:
            raise BadInput(f"link {link!r} does not exist; links: {', '.join(list(poses)[:8])}")
    if joint.parent == joint.child:
        raise BadInput(f"joins link {joint.parent!r} to itself")


def _kind(node: Node, context: Context) -> JointType:
    given = (node.get("type") or "").strip()
    if given in AS_BALL:
        context.warn(node, f"a loop is not closed by a {given} joint here; held as a ball, which turns once more")
        return JointType.BALL
    if given not in LOOP_TYPES:
        raise node.error(f"type should be one of {', '.join(sorted(LOOP_TYPES))}, got {given!r}")
    return LOOP_TYPES[given]


def _placed(node: Node) -> SE3:
    """Pose by the attributes xyz [m] and rpy [rad]."""
    xyz = vec3(node, node.get("xyz"), "xyz", (0.0, 0.0, 0.0))
    return pose_of(xyz, vec3(node, node.get("rpy"), "rpy", (0.0, 0.0, 0.0)))


def _loop_joint(node: Node, context: Context) -> Joint:
    """<loop_joint name type><link1 link xyz rpy/><link2 .../><axis xyz/></loop_joint>."""
    ends = [node.find("link1"), node.find("link2")]
    if ends[0] is None or ends[1] is None:
        raise node.error("needs <link1> and <link2>")
    kind = _kind(node, context)
    limits = limits_of(node, kind, context) if node.find("limit") is not None else Limits()
    if kind is JointType.REVOLUTE and math.isinf(limits.lower) and math.isinf(limits.upper):
        kind = JointType.CONTINUOUS
    parent, child = ends[0].get("link") or "", ends[1].get("link") or ""
    axis, losses = axis_of(node, kind, context), dynamics_of(node, context)
    above, below = _placed(ends[0]), _placed(ends[1]).inverse()
    return Joint("", kind, parent, child, above, axis, limits, losses, joint_from_child=below, source=node.source)


def _end(node: Node, role: str) -> str:
    element = node.find(role)
    return "" if element is None else (element.text.strip() or (element.get("link") or "").strip())


def _weld(node: Node, poses: Mapping[str, SE3], context: Context) -> bool:
    """Whether a joint to the world bolts the root, which has the first pose, down."""
    child, root = _end(node, "child"), next(iter(poses))
    if child == root and (node.get("type") or "").strip() == "fixed":
        return True
    context.warn(node, f"joins link {child!r} to the world; only a fixed joint of the root {root!r} is understood")
    return False


def _gazebo_joint(node: Node, poses: Mapping[str, SE3], context: Context) -> Joint:
    """<joint> of SDF: its <pose> is on the child, and the parent meets it in the zero pose."""
    kind, (parent, child) = _kind(node, context), (_end(node, "parent"), _end(node, "child"))
    for link in (parent, child):
        if link not in poses:
            raise node.error(f"link {link!r} does not exist; links: {', '.join(list(poses)[:8])}")
    child_from_joint = pose_element(node.find("pose"))
    pose = poses[parent].inverse() @ poses[child] @ child_from_joint
    axis_node = node.find("axis")
    limits, losses = _sdf_limits(axis_node), _sdf_losses(axis_node)
    if kind is JointType.REVOLUTE and math.isinf(limits.lower) and math.isinf(limits.upper):
        kind = JointType.CONTINUOUS
    return Joint(
        "",
        kind,
        parent,
        child,
        pose,
        _sdf_axis(axis_node),
        limits,
        losses,
        joint_from_child=child_from_joint.inverse(),
        source=node.source,
    )


def _sdf_axis(node: Node | None) -> Vec3:
    xyz = child_of(node, "xyz")
    values = np.asarray(vec3(xyz, xyz.text, "<xyz>", (0.0, 0.0, 1.0)) if xyz is not None else (0.0, 0.0, 1.0))
    length = float(np.linalg.norm(values))
    return (0.0, 0.0, 1.0) if length < 1e-9 else vec3_of(values / length)


def _value(holder: Node | None, tag: str, default: float) -> float:
    element = child_of(holder, tag)
    return default if element is None else number(element, element.text, tag, default, infinite=True)


def _sdf_limits(node: Node | None) -> Limits:
    holder = child_of(node, "limit")
    lower, upper = _value(holder, "lower", -math.inf), _value(holder, "upper", math.inf)
    return Limits(lower if lower > -1e9 else -math.inf, upper if upper < 1e9 else math.inf)


def _sdf_losses(node: Node | None) -> Dynamics:
    holder = child_of(node, "dynamics")
    return Dynamics(max(0.0, _value(holder, "damping", 0.0)), max(0.0, _value(holder, "friction", 0.0)))


def _drake(node: Node, tag: str) -> Node:
    """A child of one of Drake's elements by its full tag."""
    found = node.find(DRAKE + tag)
    if found is None:
        raise node.error(f"needs <{DRAKE}{tag}>")
    return found


def _ball_constraint(node: Node) -> Joint:
    """A point P of a body A stays on a point Q of a body B."""
    parent, child = (_drake(node, f"ball_constraint_body_{body}").get("name") or "" for body in "AB")
    first, second = (_drake(node, f"ball_constraint_p_{point}") for point in ("AP", "BQ"))
    above, below = (SE3.from_xyz_rpy(vec3(at, at.get("value"), "value")) for at in (first, second))
    return Joint("", JointType.BALL, parent, child, above, joint_from_child=below.inverse(), source=node.source)


def _bushing(node: Node, frames: Mapping[str, Frame], context: Context) -> Joint | None:
    """Springs between two frames; stiff ones hold as a joint does, those that are missing leave it free."""
    ends = [frames.get(_drake(node, f"bushing_frame{frame}").get("name") or "") for frame in "AC"]
    first, second = ends
    if first is None or second is None:
        raise node.error("names a frame that does not exist; give it as <frame name link xyz rpy/>")
    force, torque = (_drake(node, f"bushing_{what}_stiffness") for what in ("force", "torque"))
    pushes, turns = vec3(force, force.get("value"), "value"), vec3(torque, torque.get("value"), "value")
    free = [k for k in range(3) if not turns[k] > 0]
    if not all(value > 0 for value in pushes):
        context.warn(node, "a bushing that lets its frames slide is not represented; the loop stays open")
        return None
    kind = {0: JointType.FIXED, 1: JointType.CONTINUOUS}.get(len(free), JointType.BALL)
    axis = vec3_of(np.eye(3)[free[0]]) if len(free) == 1 else (1.0, 0.0, 0.0)
    context.info(node, f"a bushing is held as a rigid {kind} joint, without its springs and dampers")
    below = second.pose.inverse()
    return Joint("", kind, first.link, second.link, first.pose, axis, joint_from_child=below, source=node.source)
