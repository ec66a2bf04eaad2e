"""Sections of written MJCF beside the bodies: actuators, equalities, exclusions, keyframes, sensors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from xml.etree.ElementTree import Element, SubElement

from andante.description.joint import Joint, JointType
from andante.description.link import SensorSpec
from andante.description.robot import Robot
from andante.errors import Unsupported

from .joints import WIDTH
from .parts import SENSOR_FROM_CAMERA
from .record import LOOP_SITE, SENSOR_SITE
from .write_shapes import set_pose, text

TOUCH_KINDS = ("force", "contact", "bumper", "touch", "button")


def servo_values(robot: Robot, joint: Joint) -> dict[str, float]:
    """Servo values that the robot states for a joint, patterns resolved in their order."""
    values: dict[str, float] = {}
    for pattern, stated in robot.servos.items():
        if fnmatchcase(joint.name, pattern):
            values |= stated
    return values


def add_actuators(actuator: Element, robot: Robot) -> dict[str, dict[str, float]]:
    """Position and velocity servos; returned are the values that these elements cannot hold, by joint."""
    left: dict[str, dict[str, float]] = {}
    for joint in robot.movable:
        values = servo_values(robot, joint)
        if "kp" in values:
            element = SubElement(actuator, "position", name=joint.name, joint=joint.name, kp=text(values.pop("kp")))
            if "kd" in values:
                element.set("kv", text(values.pop("kd")))
        elif "kv" in values:
            element = SubElement(actuator, "velocity", name=joint.name, joint=joint.name, kv=text(values.pop("kv")))
        else:
            element = None
        effort = values.get("effort", math.inf)
        if element is not None and 0 < effort < joint.limits.effort:
            element.set("forcerange", text(-effort, effort))
            if math.isfinite(joint.limits.effort):
                values.pop("effort")
        if values:
            left[joint.name] = values
    return left


def add_equalities(equality: Element, bodies: Mapping[str, Element], robot: Robot) -> None:
    """Mimics as joint equalities; loops as connect or weld between two sites."""
    start = {joint.name: joint.initial for joint in robot.movable}
    for joint in robot.movable:
        if joint.mimic is None:
            continue
        if joint.mimic.joint not in start:
            raise Unsupported(f"joint {joint.name!r} mimics {joint.mimic.joint!r}, which is no movable joint")
        b = joint.mimic.multiplier
        a = joint.mimic.offset + b * start[joint.mimic.joint] - joint.initial
        SubElement(equality, "joint", joint1=joint.name, joint2=joint.mimic.joint, polycoef=text(a, b, 0, 0, 0))
    for loop in robot.loops:
        tag = {JointType.BALL: "connect", JointType.FIXED: "weld"}.get(loop.type)
        if tag is None:
            raise Unsupported(f"MJCF cannot close a loop by a {loop.type} joint ({loop.name!r}); use ball or fixed")
        ends = {"parent": (loop.parent, loop.pose), "child": (loop.child, loop.joint_from_child.inverse())}
        for end, (link, pose) in ends.items():
            set_pose(SubElement(bodies[link], "site", name=f"{LOOP_SITE}{loop.name}:{end}"), pose)
        sites = {f"site{i}": f"{LOOP_SITE}{loop.name}:{end}" for i, end in enumerate(ends, start=1)}
        SubElement(equality, tag, name=loop.name, **sites)  # type: ignore[arg-type]


def add_exclusions(contact: Element, robot: Robot, light: frozenset[str]) -> None:
    """Pairs that never touch; those neither of which wishes it are kept apart by the bits of their geoms."""
    pairs = {tuple(sorted(pair)) for pair in robot.no_collision if len(pair) == 2}
    for a, b in sorted(pairs):
        if a not in light and b not in light:
            SubElement(contact, "exclude", body1=a, body2=b)


def add_keyframes(keyframe: Element, robot: Robot, layout: Sequence[Joint | None]) -> None:
    """Every pose of the robot as a keyframe; `layout` are the joints in qpos order, None for the free base."""
    for name, pose in robot.poses.items():
        positions = {joint.name: joint.initial for joint in robot.movable} | dict(pose)
        complete = robot.complete({k: v for k, v in positions.items() if k in robot.joint_names})
        q: list[float] = []
        for joint in layout:
            if joint is None or joint.type in WIDTH:
                q += [0, 0, 0, 1, 0, 0, 0] if joint is None or joint.type is JointType.FLOATING else [1, 0, 0, 0]
            else:
                q.append(complete.get(joint.name, 0.0))
        SubElement(keyframe, "key", name=name, qpos=text(*q))


def add_sensor(section: Element, body: Element, sensor: SensorSpec) -> None:
    """A site (or camera) at the sensor and the MuJoCo sensors that measure the like; the rest is in the record."""
    name = SENSOR_SITE + sensor.name
    set_pose(SubElement(body, "site", name=name), sensor.pose)
    if sensor.kind == "camera":
        camera = SubElement(body, "camera", name=name)
        set_pose(camera, sensor.pose @ SENSOR_FROM_CAMERA.inverse())
        width, height = (_number(sensor, key, default) for key, default in (("width", 640.0), ("height", 480.0)))
        across = _number(sensor, "horizontal_fov", 1.0)
        if min(width, height) >= 1 and 0 < across < math.pi:
            camera.set("fovy", text(math.degrees(2 * math.atan(math.tan(across / 2) * height / width))))
            camera.set("resolution", f"{int(width)} {int(height)}")
    elif sensor.kind == "imu":
        SubElement(section, "accelerometer", name=f"{sensor.name}_accelerometer", site=name)
        SubElement(section, "gyro", name=f"{sensor.name}_gyro", site=name)
    elif sensor.kind == "force_torque":
        SubElement(section, "force", name=f"{sensor.name}_force", site=name)
        SubElement(section, "torque", name=f"{sensor.name}_torque", site=name)
    elif sensor.kind in TOUCH_KINDS:
        SubElement(section, "touch", name=sensor.name, site=name)


def _number(sensor: SensorSpec, key: str, default: float) -> float:
    try:
        value = float(sensor.parameters.get(key, default))
    except ValueError:
        return default
    return value if math.isfinite(value) else default
