"""What MJCF says beside its bodies: actuators, equalities, contact exclusions, keyframes, sensors, custom data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.description import Joint, JointType, Limits, Mimic, Robot, SensorSpec
from andante.description.io.xmltree import Node, number, vector
from andante.description.shapes import vec3_of
from andante.geometry import SE3

from .bodies import Body, Equality, Model
from .pairs import within
from .record import HINGE, SENSOR_SITE
from .spec import SERVOS, Document, pose_of

if TYPE_CHECKING:
    import mujoco

SITE_SENSORS = {"accelerometer": "imu", "gyro": "imu", "force": "force_torque", "torque": "force_torque"}
SENSOR_FROM_CAMERA = SE3.from_parts([[0, -1, 0], [0, 0, 1], [-1, 0, 0]], [0, 0, 0])  # camera looks along -z, y up


def read_actuators(
    document: Document, model: Model, robot: Robot
) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Servo gains and effort limits by joint name. Gains act at the joint: kp gear^2, kd gear^2, effort |gear|."""
    gains: dict[str, dict[str, float]] = {}
    efforts: dict[str, float] = {}
    for node in document.section("actuator"):
        name = node.get("joint") or node.get("jointinparent")
        if node.tag not in SERVOS or name is None:
            document.warn(f"actuator <{node.tag}> that drives no single joint is not represented", node.source)
            continue
        if name not in robot.joint_names or id(node) not in model.actuators:
            _unknown(document, node, "joint", name)
            continue
        i, compiled = model.actuators[id(node)], model.compiled
        gear = float(compiled.actuator_gear[i, 0])
        effort = abs(gear) * _largest_force(compiled, i)
        if math.isfinite(effort):
            efforts[name] = min(efforts.get(name, math.inf), effort)
            if effort < robot.joint(name).limits.effort < math.inf:
                gains.setdefault(name, {})["effort"] = effort
        values = _gains(document, node, compiled, i)
        if any(value < 0 for value in values.values()):
            raise node.error("gains must not be negative")
        for key, value in values.items():
            if value:
                gains.setdefault(name, {})[key] = value * gear * gear
    return gains, efforts


def _largest_force(model: mujoco.MjModel, i: int) -> float:
    """Largest force of an actuator before its gear; a motor is bounded by its control range as well."""
    force = math.inf
    if model.actuator_forcelimited[i]:
        force = float(np.abs(model.actuator_forcerange[i]).max())
    if _bias_type(model, i) == "none" and model.actuator_ctrllimited[i]:
        force = min(force, abs(float(model.actuator_gainprm[i, 0])) * float(np.abs(model.actuator_ctrlrange[i]).max()))
    return force


def _bias_type(model: mujoco.MjModel, i: int) -> str:
    import mujoco

    name: str = mujoco.mjtBias(model.actuator_biastype[i]).name.removeprefix("mjBIAS_").lower()
    return name


def _gains(document: Document, node: Node, model: mujoco.MjModel, i: int) -> dict[str, float]:
    """kp and kd of a position servo (bias -kp q - kd dq), kv of a velocity servo (bias -kv dq), before the gear."""
    import mujoco

    kind = _bias_type(model, i)
    if kind == "none":
        return {}
    gain = float(model.actuator_gainprm[i, 0])
    constant, position, velocity = (float(v) for v in model.actuator_biasprm[i, :3])
    fixed = model.actuator_gaintype[i] == mujoco.mjtGain.mjGAIN_FIXED
    if kind == "affine" and fixed and constant == 0:
        if math.isclose(gain, -position, rel_tol=1e-6):
            return {"kp": gain, "kd": -velocity}
        if position == 0 and math.isclose(gain, -velocity, rel_tol=1e-6):
            return {"kv": gain}
    document.warn("this general actuator is neither a position nor a velocity servo; its gains are lost", node.source)
    return {}


def read_equalities(
    document: Document,
    equalities: Sequence[Equality],
    joints: Sequence[Joint],
    links: Mapping[str, SE3],
    sites: Mapping[str, tuple[str, SE3]],
) -> tuple[dict[str, Mimic], list[Joint]]:
    """Mimics by joint name, and joints that close loops; `links` are poses of the links as drawn, sites on links."""
    start = {joint.name: joint.initial for joint in joints if joint.one_dof}
    known = {id(equality.node): equality for equality in equalities}
    mimics: dict[str, Mimic] = {}
    loops: list[Joint] = []
    for node in document.section("equality"):
        equality = known.get(id(node))
        if equality is None:
            document.warn(f"equality <{node.tag}> is not represented and has no effect", node.source)
        elif not equality.active:
            document.info("an equality that starts inactive is left out", node.source)
        elif node.tag == "joint":
            _mimic(document, equality, start, mimics)
        else:
            loop = _loop(document, equality, links, sites, len(loops))
            if loop is not None:
                loops.append(loop)
    return mimics, _hinges(loops)


def _hinges(loops: Sequence[Joint]) -> list[Joint]:
    """The loops with each pair of connects that the writer made of a hinge as that hinge."""
    second = {loop.name.removesuffix(HINGE): loop for loop in loops if loop.name.endswith(HINGE)}
    out = []
    for loop in loops:
        other = second.get(loop.name)
        if other is not None and (other.parent, other.child) == (loop.parent, loop.child):
            along = (loop.pose.inverse() @ other.pose).translation
            axis = vec3_of(along / np.linalg.norm(along))
            out.append(replace(loop, type=JointType.CONTINUOUS, axis=axis))
        elif not (loop.name.endswith(HINGE) and any(each.name == loop.name.removesuffix(HINGE) for each in loops)):
            out.append(loop)
    return out


def _mimic(document: Document, equality: Equality, start: Mapping[str, float], mimics: dict[str, Mimic]) -> None:
    node, first, second = equality.node, equality.first, equality.second
    powers = equality.data[:5]
    if first not in start or (second and second not in start):
        _unknown(document, node, "joint", first if first not in start else second)
        return
    if not second:
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
    document: Document, equality: Equality, links: Mapping[str, SE3], sites: Mapping[str, tuple[str, SE3]], count: int
) -> Joint | None:
    node = equality.node
    kind = JointType.BALL if node.tag == "connect" else JointType.FIXED
    name = node.get("name") or f"loop_{count + 1}"
    if equality.sites:
        ends = [sites.get(end) for end in (equality.first, equality.second)]
        if ends[0] is None or ends[1] is None:
            _unknown(document, node, "site", f"{equality.first} or {equality.second}")
            return None
        (parent, at), (child, there) = ends[0], ends[1]
        return Joint(name, kind, parent, child, at, joint_from_child=there.inverse(), source=node.source)
    parent, child = equality.first, equality.second or "world"
    for end in (parent, child):
        if end not in links:
            _unknown(document, node, "body", end)
            return None
    parent_from_child = links[parent].inverse() @ links[child]
    if kind is JointType.BALL:
        anchor = SE3.from_parts(np.eye(3), equality.data[:3])
        return Joint(
            name, kind, parent, child, anchor, joint_from_child=anchor.inverse() @ parent_from_child, source=node.source
        )
    if any(equality.data[6:10]):
        parent_from_child = pose_of(np.array(equality.data[3:6]), np.array(equality.data[6:10]))
    return Joint(name, kind, parent, child, parent_from_child, source=node.source)


def read_exclusions(document: Document, links: Mapping[str, Any]) -> frozenset[frozenset[str]]:
    """Pairs of links that <contact><exclude> keeps from touching."""
    pairs: set[frozenset[str]] = set()
    for node in document.section("contact"):
        if node.tag != "exclude":
            if node.tag != "pair" or within(document, node):
                said = f"contact <{node.tag}> is not represented; geoms collide by their own masks"
                document.warn(said, node.source, f"contact {node.tag}")
            continue
        ends = [node.get("body1") or "", node.get("body2") or ""]
        missing = [end for end in ends if end not in links]
        if missing:
            _unknown(document, node, "body", missing[0])
        elif ends[0] != ends[1]:
            pairs.add(frozenset(ends))
    return frozenset(pairs)


def read_keyframes(document: Document, model: Model, wanted: set[str]) -> dict[str, dict[str, float]]:
    """Positions of the wanted joints in every named keyframe."""
    compiled = model.compiled
    at = {name: compiled.jnt_qposadr[i] for body in model.bodies for _, name, i in body.joints if name in wanted}
    poses: dict[str, dict[str, float]] = {}
    for i, node in enumerate(document.section("keyframe")):
        if node.get("qpos") is not None:
            q = vector(node, node.get("qpos"), compiled.nq, "qpos")
            poses[node.get("name") or f"key_{i}"] = {name: q[k] for name, k in at.items()}
    return poses


def read_sensors(
    document: Document, bodies: Sequence[tuple[str, Body]], sites: Mapping[str, tuple[str, SE3]]
) -> list[SensorSpec]:
    """Sensors at sites (accelerometer and gyro of one site are one IMU) and cameras on bodies."""
    found: dict[tuple[str, str], SensorSpec] = {}
    for node in document.section("sensor"):
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
        for i, (node, camera, pose) in enumerate(body.cameras):
            name = node.get("name") or f"{link}_camera{i or ''}"
            if name.startswith(SENSOR_SITE):
                continue
            mode = camera.mode.name.removeprefix("mjCAMLIGHT_").lower()
            if mode != "fixed":
                document.info(f"camera mode {mode!r} is for the viewer and is left out", node.source)
                continue
            fovy, (width, height) = math.radians(camera.fovy), (float(v) for v in camera.resolution)
            if (width, height) == (1.0, 1.0):  # where nothing is said
                width, height = 640.0, 480.0
            if not (0 < fovy < math.pi and min(width, height) >= 1):
                raise node.error("fovy should be between 0 and 180 degrees and resolution positive")
            parameters: dict[str, float | str] = {
                "horizontal_fov": 2 * math.atan(math.tan(fovy / 2) * width / height),
                "width": width,
                "height": height,
            }
            at = pose @ SENSOR_FROM_CAMERA
            cameras.append(SensorSpec(name, "camera", link, at, parameters=parameters, source=node.source))
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
        top |= {("site", name): body.top for name, _ in body.sites}
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
