"""What kind of machine a robot is: its drive and its sensors, told in words.

Wheels are found from the geometry: round shapes on continuous joints near the ground.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from andante.description import Capsule, Cylinder, Joint, JointType, Mesh, Plugin, Robot, Sphere
from andante.description.solids import support
from andante.errors import AndanteError
from andante.geometry import SE3, Array, so3

_TURNING = (JointType.REVOLUTE, JointType.CONTINUOUS)
_CARRIERS = 3  # steering and two suspension joints may stand between the body and a wheel
DRIVE_PLUGINS = {
    "diff_drive": "differential drive",
    "skid_steer": "skid-steer drive",
    "ackermann": "Ackermann drive",
    "tricycle": "tricycle drive",
    "planar_move": "holonomic drive",
    "force_based_move": "holonomic drive",
    "mecanum": "mecanum drive",
    "omni_drive": "omnidirectional drive",
    "omni_wheel": "omnidirectional drive",
    "omni_base": "omnidirectional drive",
    "omni_move": "omnidirectional drive",
    "omnidirectional": "omnidirectional drive",
    "holonomic": "omnidirectional drive",
}
SKIDDING = "skid-steer or mecanum base"
_ONCE = 2 * math.pi - 0.01  # room of a joint that turns once [rad]
_TURNS = 4 * math.pi  # a revolute joint with more room than this turns all the way round [rad]

ROWS, OMNI = ("diff_drive", "skid_steer"), "omnidirectional base"  # plugins for rows of wheels; wheels across others
MOST_NAMED = 8  # motors of a robot with closed loops


@dataclass(frozen=True)
class Wheel:
    """A wheel: its joint, center and axis in the root frame, radius [m], and the joint that steers it."""

    joint: str
    center: Array
    axis: Array
    radius: float
    steering: str = ""
    pivot: Array | None = None  # a point of the steering axis, root frame [m]
    castor: bool = False  # `steering` is a free fork that trails
    roller_angle: float | None = None  # rollers around the wheel: angle from the wheel's plane to their axes [rad]
    rollers: tuple[str, ...] = ()  # joints of the rollers


def recognize(robot: Robot) -> Iterator[str]:
    """Sentences about closed loops, the drive and the sensors."""
    if robot.loops:
        motors = [joint.name for joint in robot.independent if joint.name not in robot.passive]
        told = ", ".join(motors[:MOST_NAMED]) + (f" and {len(motors) - MOST_NAMED} more" if motors[MOST_NAMED:] else "")
        loops, follow = len(robot.loops), len(robot.passive)
        yield f"{loops} closed loop{'s' * (loops > 1)}: {follow} joints follow, motors turn {told or 'none'}"
    wheels = find_wheels(robot)
    for plugin in robot.plugins:
        if key := drive_plugin(plugin):
            contrary = key in ROWS and len(wheels) > 2 and _drive_kind(wheels) == OMNI
            kind = f"{DRIVE_PLUGINS[key]} by its plugin {plugin.filename}"
            yield f"{kind}; its wheels contradict that and count" if contrary else kind
    if wheels:
        names = ", ".join(wheel.joint for wheel in wheels)
        if told := _drive_kind(wheels):
            yield f"{told}: {len(wheels)} wheels ({names}), radius {wheels[0].radius:.3g} m"
        else:
            yield f"wheels that make no drive: {names}, radius {wheels[0].radius:.3g} m"
    if robot.sensors:
        counts = Counter(sensor.kind for sensor in robot.sensors)
        yield "sensors: " + ", ".join(f"{n} {kind}" if n > 1 else kind for kind, n in sorted(counts.items()))


def drive_plugin(plugin: Plugin) -> str:
    """Key of `DRIVE_PLUGINS` that a plugin's file or name contains (`-` and `_` do not matter); empty: no drive."""
    text = f"{plugin.filename} {plugin.name}".lower().replace("-", "").replace("_", "")
    return next((key for key in DRIVE_PLUGINS if key.replace("_", "") in text), "")


def _drive_kind(wheels: list[Wheel]) -> str:
    """What the wheels are together; empty: one alone, or one with casters, carries nobody."""
    wheels = [wheel for wheel in wheels if not wheel.castor] or wheels
    if any(wheel.roller_angle is not None for wheel in wheels):
        slanted = any(abs(wheel.roller_angle or 0.0) > 0.1 for wheel in wheels)
        return "mecanum base" if slanted else OMNI
    driven = [wheel for wheel in wheels if not wheel.steering]
    if not driven:
        return "base of steered wheels"
    if len(driven) < len(wheels):
        return "Ackermann steering" if len(wheels) - len(driven) > 1 else "tricycle steering"
    if len(driven) < 2:
        return ""
    parallel = all(abs(abs(wheel.axis @ driven[0].axis) - 1) < 0.02 for wheel in driven)
    if not parallel:
        return OMNI
    forward = np.array([-driven[0].axis[1], driven[0].axis[0]])
    along = [float(forward @ wheel.center[:2]) for wheel in driven]
    return "differential drive" if max(along) - min(along) < 0.1 * driven[0].radius else SKIDDING


def scrubs(robot: Robot) -> bool:
    """Whether a base turns only by sliding its wheels: parallel ones on several axles, none steered, no rollers."""
    if sum(map(spins, robot.joints)) < 3:
        return False
    wheels = [wheel for wheel in find_wheels(robot) if not wheel.castor]
    return len(wheels) > 2 and _drive_kind(wheels) == SKIDDING


def find_wheels(robot: Robot, loose: bool = False) -> list[Wheel]:
    """Joints that turn all the way round, with a round collision shape about a level axis, at the robot's ground side.

    A ring of three or more free rollers makes a Swedish wheel. A vertical joint before the wheel steers it; a
    continuous one with the wheel beside its axis (or one named so) is a castor. `loose`: also joints that turn once.
    """
    poses = robot.link_poses()
    rings = {joint.name: ring for joint in robot.joints if (ring := _ring(robot, joint, poses))}
    rolling = {name for ring in rings.values() for name in ring}
    found = [
        wheel
        for joint in robot.joints
        if joint.name not in rolling and (wheel := _wheel(robot, joint, poses, rings.get(joint.name, ()), loose))
    ]
    floor = min((_bottom(wheel) for wheel in found), default=0.0)
    largest = max((wheel.radius for wheel in found), default=0.0)
    return [wheel for wheel in found if _bottom(wheel) - floor < 0.5 * largest]


def joint_axis(joint: Joint, poses: Mapping[str, SE3]) -> tuple[Array, Array]:
    """A point on the axis of a joint and its direction, root frame, all joints at 0."""
    pose = poses[joint.parent] @ joint.pose
    return pose.translation, pose.rotation @ np.asarray(joint.axis)


def _bottom(wheel: Wheel) -> float:
    return float(wheel.center[2] - wheel.radius * math.sqrt(max(0.0, 1 - wheel.axis[2] ** 2)))


def spins(joint: Joint) -> bool:
    """Whether a joint turns all the way round: continuous, or revolute with more than two turns of room."""
    return joint.type is JointType.CONTINUOUS or (joint.type is JointType.REVOLUTE and _room(joint) > _TURNS)


def _room(joint: Joint) -> float:
    return joint.limits.upper - joint.limits.lower


def _wheel(
    robot: Robot, joint: Joint, poses: Mapping[str, SE3], ring: tuple[str, ...], loose: bool = False
) -> Wheel | None:
    if not spins(joint) and not (loose and joint.type is JointType.REVOLUTE and _room(joint) > _ONCE):
        return None
    point, axis = joint_axis(joint, poses)
    if abs(axis[2]) > 0.5:
        return None  # turns about the vertical: a caster's fork or a sensor head
    if any(other.one_dof and other.name not in ring for other in _below(robot, joint.child)):
        return None  # carries more joints: an arm or a leg
    carriers = [above for above in robot.ancestors(joint.parent) if above.one_dof]
    if len(carriers) > _CARRIERS:
        return None
    gamma = None
    if ring:
        center, radius, gamma = _roller_wheel(robot, ring, point, axis, poses)
    else:
        round_shape = _round(robot, joint.child, poses, point, axis)
        if round_shape is None:
            return None
        center, radius = round_shape
    steering = next((c for c in carriers if _steers(c, poses, center, radius)), None)
    if steering is None:
        return Wheel(joint.name, center, axis, radius, roller_angle=gamma, rollers=ring)
    pivot, _ = joint_axis(steering, poses)
    gap = center - pivot
    beside = abs(float(axis[0] * gap[1] - axis[1] * gap[0])) / math.hypot(axis[0], axis[1])
    named = any(word in f"{steering.name} {joint.name}".lower() for word in ("caster", "castor"))
    free = spins(steering) and not math.isfinite(steering.limits.upper)
    castor = beside > 0.02 * radius and (free or named)
    return Wheel(joint.name, center, axis, radius, steering.name, pivot, castor, gamma, ring)


def _steers(joint: Joint, poses: Mapping[str, SE3], center: Array, radius: float) -> bool:
    """Whether a joint turns a wheel about a vertical axis that stands near it."""
    if joint.type not in _TURNING:
        return False
    point, axis = joint_axis(joint, poses)
    return abs(axis[2]) > 0.7 and math.hypot(*(center - point)[:2]) < 5 * radius


def _below(robot: Robot, link: str) -> Iterator[Joint]:
    """All joints that a link carries, nearest first."""
    links = deque([link])
    while links:
        for joint in robot.carried(links.popleft()):
            yield joint
            links.append(joint.child)


def _round(robot: Robot, link: str, poses: Mapping[str, SE3], point: Array, axis: Array) -> tuple[Array, float] | None:
    """Center and radius of the largest collision shape of a link that is round about an axis.

    None: there is none, or something welded to the link sticks out of it (a leg on its motor is no wheel).
    """
    links = robot.welded(link)
    around = _around(axis)
    best: tuple[Array, float] | None = None
    farthest = 0.0
    for name in links:
        for collision in robot.link(name).collisions:
            shape, pose = collision.geometry, poses[name] @ collision.pose
            found: tuple[Array, float] | None = None
            try:
                reach = np.array([support(shape, pose.rotation.T @ d) for d in around])
            except AndanteError:
                continue  # the mesh cannot be read
            farthest = max(farthest, float(np.max(reach + around @ (pose.translation - point))))
            if isinstance(shape, Sphere) or (
                isinstance(shape, Cylinder | Capsule) and abs(pose.rotation[:, 2] @ axis) > 0.95
            ):
                found = pose.translation, shape.radius
            elif isinstance(shape, Mesh):
                found = _round_mesh(shape, pose, axis, around, reach)
            if found is not None and (best is None or found[1] > best[1]):
                best = found
    if best is None or np.linalg.norm(np.cross(axis, best[0] - point)) > 0.2 * best[1] or farthest > 1.25 * best[1]:
        return None
    return best


def _around(axis: Array) -> Array:
    """Sixteen directions across an axis, evenly around it (16, 3)."""
    turns = np.arange(16) * np.pi / 8
    flat = np.stack([np.cos(turns), np.sin(turns), np.zeros(16)], axis=-1)
    return flat @ so3.between(np.array([0.0, 0.0, 1.0]), axis).T


def _round_mesh(shape: Mesh, pose: SE3, axis: Array, around: Array, reach: Array) -> tuple[Array, float] | None:
    """Center and radius of a mesh whose widths across the axis agree within 10 %; `reach` is its support `around`."""
    widths = reach[:8] + reach[8:]
    if widths.max() - widths.min() > 0.1 * widths.max():
        return None
    middle = (reach[:8] - reach[8:]) / 2
    turned = pose.rotation.T @ axis
    along = (support(shape, turned) - support(shape, -turned)) / 2
    center = pose.translation + around[0] * middle[0] + around[4] * middle[4] + axis * along
    return center, float(widths.max() / 2)


def _ring(robot: Robot, joint: Joint, poses: Mapping[str, SE3]) -> tuple[str, ...]:
    """Names of the continuous joints that a wheel carries all around at one distance from its axis; empty: none."""
    if joint.type is not JointType.CONTINUOUS:
        return ()
    point, axis = joint_axis(joint, poses)
    held = (j for link in robot.welded(joint.child) for j in robot.carried(link))
    rollers = [j for j in held if j.type is JointType.CONTINUOUS]
    if len(rollers) < 3:
        return ()
    arms = np.array([_arm(poses[j.child].translation, point, axis) for j in rollers])
    distances = np.linalg.norm(arms, axis=1)
    even = distances.min() > 0 and distances.max() - distances.min() < 0.1 * distances.max()
    around = np.linalg.norm(arms.mean(axis=0)) < 0.3 * distances.max()
    return tuple(j.name for j in rollers) if even and around else ()


def _arm(place: Array, point: Array, axis: Array) -> Array:
    """From an axis straight to a place."""
    gap = place - point
    return gap - axis * (axis @ gap)


def _roller_wheel(
    robot: Robot, ring: tuple[str, ...], point: Array, axis: Array, poses: Mapping[str, SE3]
) -> tuple[Array, float, float]:
    """Center, radius over the rollers, and the signed angle from the wheel's plane to the roller axes in (-90, 90]."""
    places, reach, angles = [], [], []
    for name in ring:
        joint = robot.joint(name)
        place = poses[joint.child].translation
        along = joint_axis(joint, poses)[1]
        shape = _round(robot, joint.child, poses, place, along)
        arm = _arm(place, point, axis)
        outwards = arm / np.linalg.norm(arm)
        angle = math.atan2(along @ axis, along @ np.cross(outwards, axis))
        places.append(place)
        reach.append(np.linalg.norm(arm) + (shape[1] if shape else 0.0))
        angles.append(2 * angle)  # axes without direction: doubled angles have no sign
    double = math.atan2(float(np.sin(angles).mean()), float(np.cos(angles).mean()))
    return np.mean(places, axis=0), float(np.max(reach)), double / 2
