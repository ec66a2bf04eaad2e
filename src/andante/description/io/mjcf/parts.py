"""What MJCF says beside its bodies: actuators, equalities, contact exclusions, keyframes, sensors, custom data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from andante.description.io.values import number, vector
from andante.description.io.xmltree import Node
from andante.description.joint import Joint, JointType, Limits, Mimic
from andante.description.robot import Robot
from andante.description.sensor import SensorSpec
from andante.geometry import SE3

from .bodies import Body
from .document import Document, numbers
from .joints import WIDTH, limited
from .record import SENSOR_SITE

SITE_SENSORS = {
    "accelerometer": "imu",
    "gyro": "imu",
    "touch": "touch",
    "force": "force_torque",
    "torque": "force_torque",
    "rangefinder": "rangefinder",
    "magnetometer": "magnetometer",
    "velocimeter": "velocimeter",
}
SENSOR_FROM_CAMERA = SE3.from_parts([[0, -1, 0], [0, 0, 1], [-1, 0, 0]], [0, 0, 0])  # camera looks along -z, y up


def read_actuators(document: Document, robot: Robot) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Servo gains and effort limits by joint name. Gains act at the joint: kp gear^2, kd gear^2, effort |gear|."""
    gains: dict[str, dict[str, float]] = {}
    efforts: dict[str, float] = {}
    for raw in document.section("actuator"):
        node = document.full(raw, None)
        name = node.get("joint") or node.get("jointinparent")
        if node.tag not in ("general", "motor", "position", "velocity") or name is None:
            document.warn(f"actuator <{node.tag}> that drives no single joint is not represented", node.source)
            continue
        if name not in robot.joint_names:
            _unknown(document, node, "joint", name)
            continue
        gear = (numbers(node, node.get("gear"), "gear", 6) or [1.0])[0]
        effort = abs(gear) * _largest_force(document, node)
        if math.isfinite(effort):
            efforts[name] = min(efforts.get(name, math.inf), effort)
            if effort < robot.joint(name).limits.effort < math.inf:
                gains.setdefault(name, {})["effort"] = effort
        values = _gains(document, node, robot, name, gear)
        if any(value < 0 for value in values.values()):
            raise node.error("gains must not be negative")
        for key, value in values.items():
            if value:
                gains.setdefault(name, {})[key] = value
    return gains, efforts


def _largest_force(document: Document, node: Node) -> float:
    """Largest force of an actuator before its gear; a motor is bounded by its control range as well."""
    force = math.inf
    if limited(document, node, "forcelimited", "forcerange"):
        force = max(abs(v) for v in vector(node, node.get("forcerange"), 2, "forcerange"))
    direct = node.tag == "motor" or (node.tag == "general" and (node.get("biastype") or "none") == "none")
    if direct and limited(document, node, "ctrllimited", "ctrlrange"):
        gain = 1.0 if node.tag == "motor" else (numbers(node, node.get("gainprm"), "gainprm", 10) or [1.0])[0]
        bounds = vector(node, node.get("ctrlrange"), 2, "ctrlrange")
        force = min(force, abs(gain) * max(abs(v) for v in bounds))
    return force


def _gains(document: Document, node: Node, robot: Robot, joint: str, gear: float) -> dict[str, float]:
    square = gear * gear
    if node.tag == "position":
        kp = number(node, node.get("kp"), "kp", 1.0)
        kd = number(node, node.get("kv"), "kv", 0.0)
        ratio = number(node, node.get("dampratio"), "dampratio", 0.0)
        if ratio > 0:
            kd = 2 * ratio * math.sqrt(max(kp * carried_inertia(robot, joint), 0.0)) / max(abs(gear), 1e-9)
        return {"kp": kp * square, "kd": kd * square}
    if node.tag == "velocity":
        return {"kv": number(node, node.get("kv"), "kv", 1.0) * square}
    if node.tag == "motor" or (node.get("biastype") or "none") == "none":
        return {}
    gain = [*numbers(node, node.get("gainprm"), "gainprm", 10), 1.0][0]
    bias = [*numbers(node, node.get("biasprm"), "biasprm", 10), 0.0, 0.0, 0.0]
    if node.get("biastype") == "affine" and (node.get("gaintype") or "fixed") == "fixed" and bias[0] == 0:
        if bias[1] and math.isclose(gain, -bias[1], rel_tol=1e-6):
            return {"kp": gain * square, "kd": -bias[2] * square}
        if bias[1] == 0 and bias[2] and math.isclose(gain, -bias[2], rel_tol=1e-6):
            return {"kv": gain * square}
    document.warn("this general actuator is neither a position nor a velocity servo; its gains are lost", node.source)
    return {}


def carried_inertia(robot: Robot, name: str) -> float:
    """Inertia about (along) a joint of everything it carries with all joints at their start, plus armature."""
    start = {joint.name: joint.initial for joint in robot.movable}
    poses = robot.link_poses(start)
    joint = robot.joint(name)
    carried = {joint.child}
    for other in robot.topological:
        if other.parent in carried:
            carried.add(other.child)
    frame = poses[joint.child] @ joint.joint_from_child.inverse()
    axis, origin = frame.rotation @ np.asarray(joint.axis), frame.translation
    total = joint.dynamics.armature
    for link in robot.links:
        if link.name not in carried or link.inertia is None:
            continue
        body = link.inertia.transformed(poses[link.name])
        if joint.type is JointType.PRISMATIC:
            total += body.mass
        else:
            arm = np.cross(axis, np.asarray(body.com) - origin)
            total += float(axis @ body.matrix @ axis) + body.mass * float(arm @ arm)
    return total


def read_equalities(
    document: Document, joints: Sequence[Joint], links: Mapping[str, SE3], sites: Mapping[str, tuple[str, SE3]]
) -> tuple[dict[str, Mimic], list[Joint]]:
    """Mimics by joint name, and joints that close loops; `links` are poses of the links as drawn, sites on links."""
    start = {joint.name: joint.initial for joint in joints if joint.one_dof}
    mimics: dict[str, Mimic] = {}
    loops: list[Joint] = []
    for raw in document.section("equality"):
        node = document.full(raw, None)
        if node.get("active") == "false":
            document.info("an equality that starts inactive is left out", node.source)
        elif node.tag == "joint":
            _mimic(document, node, start, mimics)
        elif node.tag in ("connect", "weld"):
            loop = _loop(document, node, links, sites, len(loops))
            if loop is not None:
                loops.append(loop)
        else:
            document.warn(f"equality <{node.tag}> is not represented and has no effect", node.source)
    return mimics, loops


def _mimic(document: Document, node: Node, start: Mapping[str, float], mimics: dict[str, Mimic]) -> None:
    first, second = node.get("joint1") or "", node.get("joint2")
    powers = [*numbers(node, node.get("polycoef"), "polycoef", 5)] if node.get("polycoef") else [0.0, 1.0]
    powers += [0.0] * (5 - len(powers))
    if first not in start or (second is not None and second not in start):
        _unknown(document, node, "joint", first if first not in start else str(second))
        return
    if second is None:
        document.warn(f"joint {first!r} held at a constant by an equality is not represented; fix it", node.source)
        return
    if any(powers[2:]):
        document.warn("the higher powers of polycoef are not represented; the linear part is kept", node.source)
    # deviations from the start: q1 - s1 = a + b (q2 - s2)
    offset = start[first] + powers[0] - powers[1] * start[second]
    if first == second or first in mimics:
        document.warn(f"joint {first!r} is coupled more than once; only the first coupling is kept", node.source)
        return
    mimics[first] = Mimic(second, powers[1], offset)


def _loop(
    document: Document, node: Node, links: Mapping[str, SE3], sites: Mapping[str, tuple[str, SE3]], count: int
) -> Joint | None:
    kind = JointType.BALL if node.tag == "connect" else JointType.FIXED
    name = node.get("name") or f"loop_{count + 1}"
    if node.get("site1") is not None:
        ends = [sites.get(node.get(key) or "") for key in ("site1", "site2")]
        if ends[0] is None or ends[1] is None:
            _unknown(document, node, "site", f"{node.get('site1')} or {node.get('site2')}")
            return None
        (parent, at), (child, there) = ends[0], ends[1]
        return Joint(name, kind, parent, child, at, joint_from_child=there.inverse(), source=node.source)
    parent, child = node.get("body1") or "", node.get("body2") or "world"
    for end in (parent, child):
        if end not in links:
            _unknown(document, node, "body", end)
            return None
    parent_from_child = links[parent].inverse() @ links[child]
    if kind is JointType.BALL:
        anchor = SE3.from_parts(np.eye(3), vector(node, node.get("anchor"), 3, "anchor"))
        return Joint(
            name, kind, parent, child, anchor, joint_from_child=anchor.inverse() @ parent_from_child, source=node.source
        )
    relative = vector(node, node.get("relpose"), 7, "relpose", (0.0,) * 7)
    if any(relative[3:]):
        w, x, y, z = relative[3:]
        parent_from_child = SE3.from_xyz_quaternion(relative[:3], (x, y, z, w))
    return Joint(name, kind, parent, child, parent_from_child, source=node.source)


def read_exclusions(document: Document, links: Mapping[str, Any]) -> frozenset[frozenset[str]]:
    """Pairs of links that <contact><exclude> keeps from touching."""
    pairs: set[frozenset[str]] = set()
    for node in document.section("contact"):
        if node.tag != "exclude":
            document.warn(f"contact <{node.tag}> is not represented; geoms collide by their own masks", node.source)
            continue
        ends = [node.get("body1") or "", node.get("body2") or ""]
        missing = [end for end in ends if end not in links]
        if missing:
            _unknown(document, node, "body", missing[0])
        elif ends[0] != ends[1]:
            pairs.add(frozenset(ends))
    return frozenset(pairs)


def read_keyframes(document: Document, layout: Sequence[Joint], wanted: set[str]) -> dict[str, dict[str, float]]:
    """Joint positions of every named keyframe; `layout` are the joints of the whole file in qpos order."""
    size = sum(WIDTH.get(joint.type, 1) for joint in layout)
    poses: dict[str, dict[str, float]] = {}
    for i, node in enumerate(document.section("keyframe")):
        values = node.get("qpos")
        if values is None:
            continue
        q = vector(node, values, size, "qpos")
        pose: dict[str, float] = {}
        at = 0
        for joint in layout:
            if joint.name in wanted:
                pose[joint.name] = q[at]
            at += WIDTH.get(joint.type, 1)
        poses[node.get("name") or f"key_{i}"] = pose
    return poses


def read_sensors(
    document: Document, bodies: Sequence[tuple[str, Body]], sites: Mapping[str, tuple[str, SE3]]
) -> list[SensorSpec]:
    """Sensors at sites (accelerometer and gyro of one site are one IMU) and cameras on bodies."""
    found: dict[tuple[str, str], SensorSpec] = {}
    for raw in document.section("sensor"):
        node = document.full(raw, None)
        site = node.get("site") or (node.get("objname") if node.get("objtype") == "site" else None)
        if site is not None and site.startswith(SENSOR_SITE):
            continue
        kind = SITE_SENSORS.get(node.tag, node.tag)
        if site is None:
            if not node.tag.startswith(("joint", "actuator", "ball", "subtree", "clock", "e_")):
                document.info(f"sensor <{node.tag}> without a site is not represented", node.source)
            continue
        if site not in sites:
            _unknown(document, node, "site", site)
            continue
        if node.tag.startswith("frame") and ("imu", site) in found:
            continue
        link, pose = sites[site]
        parameters: dict[str, float | str] = {}
        noise = number(node, node.get("noise"), "noise", 0.0)
        if noise:
            parameters[f"{node.tag}_noise_stddev"] = noise
        cutoff = number(node, node.get("cutoff"), "cutoff", 0.0)
        if cutoff:
            parameters["range_max" if kind == "rangefinder" else f"{node.tag}_cutoff"] = cutoff
        known = found.get((kind, site))
        if known is not None:
            found[kind, site] = replace(known, parameters={**known.parameters, **parameters})
            continue
        name = site if kind in ("imu", "force_torque") else node.get("name") or f"{site}_{kind}"
        found[kind, site] = SensorSpec(name, kind, link, pose, parameters=parameters, source=node.source)
    return [*found.values(), *_cameras(document, bodies)]


def _cameras(document: Document, bodies: Sequence[tuple[str, Body]]) -> list[SensorSpec]:
    cameras = []
    for link, body in bodies:
        for i, (name, pose, node) in enumerate(body.cameras):
            if name.startswith(SENSOR_SITE):
                continue
            if (node.get("mode") or "fixed") != "fixed":
                document.info(f"camera mode {node.get('mode')!r} is for the viewer and is left out", node.source)
                continue
            fovy = math.radians(number(node, node.get("fovy"), "fovy", 45.0))
            width, height = vector(node, node.get("resolution"), 2, "resolution", (640.0, 480.0))
            if not (0 < fovy < math.pi and min(width, height) >= 1):
                raise node.error("fovy should be between 0 and 180 degrees and resolution positive")
            parameters: dict[str, float | str] = {
                "horizontal_fov": 2 * math.atan(math.tan(fovy / 2) * width / height),
                "width": width,
                "height": height,
            }
            cameras.append(
                SensorSpec(
                    name or f"{link}_camera{i or ''}",
                    "camera",
                    link,
                    pose @ SENSOR_FROM_CAMERA,
                    parameters=parameters,
                    source=node.source,
                )
            )
    return cameras


def with_effort(joint: Joint, efforts: Mapping[str, float]) -> Joint:
    """The joint with the effort limit that its actuator states, unless it states one itself."""
    if joint.name not in efforts or math.isfinite(joint.limits.effort):
        return joint
    limits = joint.limits
    return replace(joint, limits=Limits(limits.lower, limits.upper, efforts[joint.name], limits.velocity))


def _unknown(document: Document, node: Node, what: str, name: str) -> None:
    """Tells a reference that leads nowhere, or to a part of the file that is not read here."""
    tags = {"joint": ("joint", "freejoint"), "body": ("body",), "site": ("site",), "link": ("body",)}[what]
    if name == "world" or name in document.names(tags):
        if not document.in_parts:
            document.info(f"{what} {name!r} is no part of the robot; this <{node.tag}> is left out", node.source)
    else:
        document.warn(f"<{node.tag}> names {what} {name[:60]!r}, which does not exist; it is left out", node.source)


def tell_couplings(document: Document, bodies: Sequence[Body]) -> None:
    """Tells the equalities and exclusions of a world that reach from one object to another, which ours cannot."""
    top: dict[tuple[str, str], int] = {}
    for body in bodies:
        top["body", body.name] = body.top
        top |= {("joint", name): body.top for _, name, _ in body.joints}
        top |= {("site", name): body.top for name, _, _ in body.sites}
    for section in ("equality", "contact"):
        for node in document.section(section):
            ends = {
                top.get((kind, node.get(f"{kind}{i}") or ""))
                for kind in ("body", "joint", "site")
                for i in (1, 2)
                if node.get(f"{kind}{i}") is not None
            } - {None}
            if len(ends) > 1:
                document.warn(f"<{node.tag}> couples two objects of the world; it is left out", node.source)
