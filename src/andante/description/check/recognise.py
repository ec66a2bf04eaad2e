"""What kind of machine a robot is: its drive and its legs, told in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from andante.description.extent import bounds
from andante.description.joint import JointType
from andante.description.robot import Robot
from andante.description.shapes import Capsule, Cylinder, Mesh, Plane, Sphere
from andante.errors import AndanteError
from andante.geometry import Array

DRIVE_PLUGINS = {
    "diff_drive": "differential drive",
    "skid_steer": "skid-steer drive",
    "ackermann": "Ackermann drive",
    "tricycle": "tricycle drive",
    "planar_move": "holonomic drive",
    "mecanum": "mecanum drive",
    "omni": "omnidirectional drive",
}


@dataclass(frozen=True)
class Wheel:
    """A wheel: its joint, centre and axis in the root frame, radius [m], and the joint that steers it."""

    joint: str
    centre: Array
    axis: Array
    radius: float
    steering: str = ""


@dataclass(frozen=True)
class Leg:
    """A leg: its joints from the body outwards, and the link at its end."""

    joints: tuple[str, ...]
    tip: str


def recognise(robot: Robot) -> Iterator[str]:
    """Sentences about the drive and the legs."""
    for plugin in robot.plugins:
        text = f"{plugin.filename} {plugin.name}".lower()
        for key, kind in DRIVE_PLUGINS.items():
            if key in text:
                yield f"{kind} by its plugin {plugin.filename}"
                break
    wheels = find_wheels(robot)
    if wheels:
        names = ", ".join(wheel.joint for wheel in wheels)
        yield f"{_drive_kind(wheels)}: {len(wheels)} wheels ({names}), radius {wheels[0].radius:.3g} m"
    legs = find_legs(robot)
    if legs:
        yield f"{len(legs)} legs of {_counts(legs)} joints, ending in {', '.join(leg.tip for leg in legs)}"
    if robot.sensors:
        counts: dict[str, int] = {}
        for sensor in robot.sensors:
            counts[sensor.kind] = counts.get(sensor.kind, 0) + 1
        yield "sensors: " + ", ".join(f"{n} {kind}" if n > 1 else kind for kind, n in sorted(counts.items()))


def find_wheels(robot: Robot) -> list[Wheel]:
    """Continuous joints with a round collision shape about their axis, level with the ground side of the robot."""
    poses = robot.link_poses()
    out = []
    for joint in robot.joints:
        if joint.type is not JointType.CONTINUOUS:
            continue
        axis = poses[joint.parent].rotation @ joint.pose.rotation @ np.asarray(joint.axis)
        if abs(axis[2]) > 0.5:
            continue  # turns about the vertical: a caster's fork or a sensor head
        radius = _round_radius(robot, joint.child, poses, axis)
        if radius is None:
            continue
        carrier = robot.parent_joint(joint.parent)
        steered = carrier is not None and carrier.type in (JointType.REVOLUTE, JointType.CONTINUOUS)
        steering = carrier.name if steered and carrier is not None else ""
        out.append(Wheel(joint.name, poses[joint.child].translation, axis, radius, steering))
    return out


def _round_radius(robot: Robot, link: str, poses: dict, axis: Array) -> float | None:
    for collision in robot.link(link).collisions:
        shape, pose = collision.geometry, poses[link] @ collision.pose
        if isinstance(shape, Sphere):
            return shape.radius
        if isinstance(shape, Cylinder | Capsule) and abs(pose.rotation[:, 2] @ axis) > 0.95:
            return shape.radius
        if isinstance(shape, Mesh):
            try:
                low, high = bounds(shape, pose)
            except AndanteError:
                continue
            across = [high[i] - low[i] for i in range(3) if i != int(np.argmax(np.abs(axis)))]
            if abs(across[0] - across[1]) < 0.05 * max(across):
                return float(across[0] / 2)
    return None


def _drive_kind(wheels: list[Wheel]) -> str:
    driven = [wheel for wheel in wheels if not wheel.steering]
    if any(wheel.steering for wheel in wheels):
        return "Ackermann steering"
    parallel = all(abs(abs(wheel.axis @ driven[0].axis) - 1) < 0.02 for wheel in driven)
    if not parallel:
        return "omnidirectional base"
    along = {round(float(wheel.centre[0]), 3) for wheel in driven}
    if len(driven) == 2 and len(along) == 1:
        return "differential drive"
    return "differential drive" if len(along) == 1 else "skid-steer or mecanum base"


def find_legs(robot: Robot) -> list[Leg]:
    """Branches of two or more turning joints whose ends lie lowest; robots on wheels have none.

    The branches are those from the last link that several of them share (the body).
    """
    if find_wheels(robot):
        return []
    poses = robot.link_poses()
    branches: list[tuple[tuple[str, ...], str, float]] = []
    parents = {joint.parent for joint in robot.joints if joint.type is not JointType.FIXED}
    moving = {joint.child for joint in robot.joints if joint.one_dof}
    for end in moving - parents:
        if any(j.one_dof for j in robot.joints if j.parent == end):
            continue
        chain, link = [], end
        while (joint := robot.parent_joint(link)) is not None:
            if joint.one_dof:
                chain.append(joint.name)
            link = joint.parent
        low = _lowest(robot, end, poses)
        if len(chain) >= 2 and low is not None:
            branches.append((tuple(reversed(chain)), end, low))
    if not branches:
        return []
    floor = min(low for _, _, low in branches)
    height = max(float(pose.translation[2]) for pose in poses.values()) - floor
    legs = [Leg(chain, tip) for chain, tip, low in branches if low - floor < 0.12 * max(height, 1e-6)]
    order = {joint.name: i for i, joint in enumerate(robot.joints)}
    return sorted(legs, key=lambda leg: order[leg.joints[0]]) if len(legs) >= 2 else []


def _lowest(robot: Robot, end: str, poses: dict) -> float | None:
    """Lowest point of the collision shapes of the links welded to a link [m], root frame."""
    group, lows = [end], []
    for name in group:
        group += [j.child for j in robot.joints if j.parent == name and j.type is JointType.FIXED]
        for collision in robot.link(name).collisions:
            if isinstance(collision.geometry, Plane):
                continue
            try:
                lows.append(float(bounds(collision.geometry, poses[name] @ collision.pose)[0][2]))
            except AndanteError:
                continue
    return min(lows) if lows else None


def _counts(legs: list[Leg]) -> str:
    counts = sorted({len(leg.joints) for leg in legs})
    return " or ".join(str(count) for count in counts)
