"""What kind of machine a robot is: its drive and its legs, told in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from andante.description.extent import bounds
from andante.description.joint import JointType
from andante.description.robot import Plugin, Robot
from andante.description.shapes import Plane
from andante.errors import AndanteError
from andante.geometry import SE3

from .wheels import Wheel, find_wheels

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
class Leg:
    """A leg: its joints from the body outwards, and the link at its end that reaches lowest."""

    joints: tuple[str, ...]
    tip: str


def recognize(robot: Robot) -> Iterator[str]:
    """Sentences about the drive and the legs."""
    for plugin in robot.plugins:
        if key := drive_plugin(plugin):
            yield f"{DRIVE_PLUGINS[key]} by its plugin {plugin.filename}"
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


def drive_plugin(plugin: Plugin) -> str:
    """Key of `DRIVE_PLUGINS` that a plugin's file or name contains (`-` and `_` do not matter); empty: no drive."""
    text = f"{plugin.filename} {plugin.name}".lower().replace("-", "").replace("_", "")
    return next((key for key in DRIVE_PLUGINS if key.replace("_", "") in text), "")


def _drive_kind(wheels: list[Wheel]) -> str:
    wheels = [wheel for wheel in wheels if not wheel.castor] or wheels
    if any(wheel.roller_angle is not None for wheel in wheels):
        slanted = any(abs(wheel.roller_angle or 0.0) > 0.1 for wheel in wheels)
        return "mecanum base" if slanted else "omnidirectional base"
    driven = [wheel for wheel in wheels if not wheel.steering]
    if not driven:
        return "base of steered wheels"
    if len(driven) < len(wheels):
        return "Ackermann steering" if len(wheels) - len(driven) > 1 else "tricycle steering"
    parallel = all(abs(abs(wheel.axis @ driven[0].axis) - 1) < 0.02 for wheel in driven)
    if not parallel:
        return "omnidirectional base"
    forward = np.array([-driven[0].axis[1], driven[0].axis[0]])
    along = [float(forward @ wheel.center[:2]) for wheel in driven]
    return "differential drive" if max(along) - min(along) < 0.1 * driven[0].radius else "skid-steer or mecanum base"


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
        lowest = _lowest(robot, end, poses)
        if len(chain) >= 2 and lowest is not None:
            branches.append((tuple(reversed(chain)), lowest[1], lowest[0]))
    if not branches:
        return []
    floor = min(low for _, _, low in branches)
    height = max(float(pose.translation[2]) for pose in poses.values()) - floor
    legs = [Leg(chain, tip) for chain, tip, low in branches if low - floor < 0.12 * max(height, 1e-6)]
    order = {joint.name: i for i, joint in enumerate(robot.joints)}
    return sorted(legs, key=lambda leg: order[leg.joints[0]]) if len(legs) >= 2 else []


def _lowest(robot: Robot, end: str, poses: Mapping[str, SE3]) -> tuple[float, str] | None:
    """Lowest point of the collision shapes of a link and those welded to it [m], root frame, and whose it is."""
    group: list[str] = [end]
    lows: list[tuple[float, str]] = []
    for name in group:
        group += [j.child for j in robot.joints if j.parent == name and j.type is JointType.FIXED]
        for collision in robot.link(name).collisions:
            if isinstance(collision.geometry, Plane):
                continue
            try:
                lows.append((float(bounds(collision.geometry, poses[name] @ collision.pose)[0][2]), name))
            except AndanteError:
                continue
    return min(lows) if lows else None


def _counts(legs: list[Leg]) -> str:
    counts = sorted({len(leg.joints) for leg in legs})
    return " or ".join(str(count) for count in counts)
