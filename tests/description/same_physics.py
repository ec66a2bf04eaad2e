"""Whether two robots are the same to physics, whatever their link frames are on paper.

Everything is compared in the root frame at random joint positions: masses, centres of mass, tensors, shapes and their
surfaces, joint axes and anchors, sensors. A bare root link `world` that only holds a fixed base does not count.
"""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

import numpy as np

from andante.description.joint import Joint, JointType
from andante.description.robot import Robot
from andante.description.shapes import Mesh
from andante.geometry import SE3

MOVING_AXIS = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.PLANAR, JointType.SCREW)


def assert_same_physics(
    a: Robot, b: Robot, tolerance: float = 1e-9, link_frames: bool = False, samples: int = 4, visuals: bool = True
) -> None:
    """Fail with the first difference. `link_frames` also wants the link frames themselves to agree."""
    a, b = without_world(a), without_world(b)
    _same("fixed base", a.fixed_base, b.fixed_base)
    _same("self collide", a.self_collide, b.self_collide)
    _same("pairs without collision", a.no_collision, b.no_collision)
    _same("links", sorted(item.name for item in a.links), sorted(item.name for item in b.links))
    _same("root", a.root, b.root)
    _same("joints", sorted(item.name for item in a.joints), sorted(item.name for item in b.joints))
    _same("loops", sorted(item.name for item in a.loops), sorted(item.name for item in b.loops))
    _same("sensors", sorted(_sensor_key(s) for s in a.sensors), sorted(_sensor_key(s) for s in b.sensors))
    for joint in (*a.joints, *a.loops):
        _same_joint(joint, b.joint(joint.name), tolerance)
    for link in a.links:
        _same_link(link, b.link(link.name), tolerance, visuals)
    rng = np.random.default_rng(1)
    for sample in range(samples):
        q = {joint.name: 0.0 if sample == 0 else _position(joint, rng) for joint in a.independent}
        _same_places(a, b, q, tolerance, link_frames, visuals)


def without_world(robot: Robot) -> Robot:
    """The robot without a bare root link `world` that carries nothing but one fixed link in its own place."""
    below = [joint for joint in robot.joints if joint.parent == robot.root]
    root = robot.link(robot.root)
    bare = root.inertia is None and not root.visuals and not root.collisions
    if not (robot.fixed_base and robot.root == "world" and bare and len(below) == 1):
        return robot
    joint = below[0]
    if joint.type is not JointType.FIXED or not joint.pose.is_identity() or not joint.joint_from_child.is_identity():
        return robot
    return replace(
        robot,
        links=tuple(link for link in robot.links if link.name != "world"),
        joints=tuple(item for item in robot.joints if item is not joint),
    )


def _position(joint: Joint, rng: np.random.Generator) -> float:
    lower = joint.limits.lower if math.isfinite(joint.limits.lower) else -2.0
    upper = joint.limits.upper if math.isfinite(joint.limits.upper) else 2.0
    return float(rng.uniform(lower, upper)) if lower < upper else lower


def _same(what: str, a: Any, b: Any) -> None:
    assert a == b, f"{what}: {a!r} against {b!r}"


def _close(what: str, a: Any, b: Any, tolerance: float) -> None:
    """Equal within the tolerance, absolute below 1 and relative above; infinities must match."""
    x, y = np.atleast_1d(np.asarray(a, dtype=float)), np.atleast_1d(np.asarray(b, dtype=float))
    assert x.shape == y.shape, f"{what}: {a!r} against {b!r}"
    finite = np.isfinite(x)
    assert np.array_equal(finite, np.isfinite(y)), f"{what}: {a!r} against {b!r}"
    assert np.array_equal(x[~finite], y[~finite]), f"{what}: {a!r} against {b!r}"
    scale = np.maximum(1.0, np.abs(x[finite]))
    assert np.all(np.abs(x[finite] - y[finite]) <= tolerance * scale), f"{what}: {a!r} against {b!r}"


def _sensor_key(sensor: Any) -> tuple[str, str, str]:
    return (sensor.link, sensor.name, sensor.kind)


def _same_joint(a: Joint, b: Joint, tolerance: float) -> None:
    where = f"joint {a.name!r}"
    _same(f"{where} type", a.type, b.type)
    _same(f"{where} parent", a.parent, b.parent)
    _same(f"{where} child", a.child, b.child)
    for part in ("limits", "dynamics"):
        for field in fields(getattr(a, part)):
            values = [getattr(getattr(item, part), field.name) for item in (a, b)]
            _close(f"{where} {part}.{field.name}", *values, tolerance)
    _same(f"{where} mimics", a.mimic and a.mimic.joint, b.mimic and b.mimic.joint)
    if a.mimic is not None and b.mimic is not None:
        _close(f"{where} mimic", (a.mimic.multiplier, a.mimic.offset), (b.mimic.multiplier, b.mimic.offset), tolerance)
    _close(f"{where} initial", a.initial, b.initial, tolerance)
    _close(f"{where} screw pitch", a.screw_pitch, b.screw_pitch, tolerance)


def _same_link(a: Any, b: Any, tolerance: float, visuals: bool) -> None:
    where = f"link {a.name!r}"
    _same(f"{where} gravity", a.gravity, b.gravity)
    _same(f"{where} self collide", a.self_collide, b.self_collide)
    _same(f"{where} has inertia", a.inertia is None, b.inertia is None)
    if a.inertia is not None:
        _close(f"{where} mass", a.inertia.mass, b.inertia.mass, tolerance)
    kinds = ("collisions", "visuals") if visuals else ("collisions",)
    for kind in kinds:
        mine, other = getattr(a, kind), getattr(b, kind)
        _same(f"{where} number of {kind}", len(mine), len(other))
        for index, (x, y) in enumerate(zip(mine, other, strict=True)):
            _same_geometry(f"{where} {kind}[{index}]", x.geometry, y.geometry, tolerance)
    for index, (x, y) in enumerate(zip(a.collisions, b.collisions, strict=True)):
        for field in fields(x.surface):
            mine, other = getattr(x.surface, field.name), getattr(y.surface, field.name)
            _same(f"{where} collision {index} has {field.name}", mine is None, other is None)
            if mine is not None:
                _close(f"{where} collision {index} {field.name}", mine, other, tolerance)
    if visuals:
        for index, (x, y) in enumerate(zip(a.visuals, b.visuals, strict=True)):
            _same(f"{where} visual {index} is coloured", x.material.rgba is None, y.material.rgba is None)
            if x.material.rgba is not None:
                _close(f"{where} visual {index} colour", x.material.rgba, y.material.rgba, 1e-6)


def _same_geometry(where: str, a: Any, b: Any, tolerance: float) -> None:
    _same(where, type(a), type(b))
    if isinstance(a, Mesh):
        _close(f"{where} scale", a.scale, b.scale, tolerance)
        _same(f"{where} submesh", (a.submesh, a.center_submesh), (b.submesh, b.center_submesh))
        if a.path is not None or b.path is not None:
            _same(f"{where} file", a.path and a.path.resolve(), b.path and b.path.resolve())
        return
    for field in fields(a):
        mine, other = getattr(a, field.name), getattr(b, field.name)
        if not isinstance(mine, str):
            _close(f"{where} {field.name}", mine, other, tolerance)


def _same_places(a: Robot, b: Robot, q: dict[str, float], tolerance: float, link_frames: bool, visuals: bool) -> None:
    in_a, in_b = a.link_poses(q), b.link_poses(q)
    for link in a.links:
        other = b.link(link.name)
        where, x, y = f"link {link.name!r} at {q}", in_a[link.name], in_b[link.name]
        if link_frames:
            _close_pose(f"{where} frame", x, y, tolerance)
        if link.inertia is not None and other.inertia is not None:
            mine, their = link.inertia.transformed(x), other.inertia.transformed(y)
            _close(f"{where} centre of mass", mine.com, their.com, tolerance)
            _close(f"{where} tensor", mine.moments, their.moments, tolerance)
        for index, (mine, their) in enumerate(zip(link.collisions, other.collisions, strict=True)):
            _close_pose(f"{where} collision {index}", x @ mine.pose, y @ their.pose, tolerance)
        if visuals:
            for index, (mine, their) in enumerate(zip(link.visuals, other.visuals, strict=True)):
                _close_pose(f"{where} visual {index}", x @ mine.pose, y @ their.pose, tolerance)
    for joint in (*a.joints, *a.loops):
        if joint.type in MOVING_AXIS or joint.type is JointType.BALL:
            _same_motion(joint, in_a, b.joint(joint.name), in_b, tolerance)
    others = {_sensor_key(sensor): sensor for sensor in b.sensors}
    for sensor in a.sensors:
        other = others[_sensor_key(sensor)]
        where = f"sensor {sensor.name!r}"
        _close_pose(where, in_a[sensor.link] @ sensor.pose, in_b[other.link] @ other.pose, tolerance)
        _close(f"{where} rate", sensor.rate, other.rate, tolerance)
        _same(f"{where} topic", sensor.topic, other.topic)
        _same(f"{where} parameters", sorted(sensor.parameters), sorted(other.parameters))
        for key, value in sensor.parameters.items():
            if isinstance(value, str):
                _same(f"{where} {key}", value, other.parameters[key])
            else:
                _close(f"{where} {key}", value, other.parameters[key], tolerance)


def _same_motion(a: Joint, in_a: dict[str, SE3], b: Joint, in_b: dict[str, SE3], tolerance: float) -> None:
    """Same axis in the root frame; for turning joints the same line, for a ball the same point."""
    x, y = in_a[a.parent] @ a.pose, in_b[b.parent] @ b.pose
    u, v = x.rotation @ np.asarray(a.axis), y.rotation @ np.asarray(b.axis)
    offset = x.translation - y.translation
    if a.type is JointType.BALL:
        _close(f"joint {a.name!r} centre", offset, np.zeros(3), tolerance)
        return
    _close(f"joint {a.name!r} axis", u, v, tolerance)
    if a.type in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.SCREW):
        _close(f"joint {a.name!r} line", offset - u * np.dot(u, offset), np.zeros(3), tolerance)


def _close_pose(what: str, a: SE3, b: SE3, tolerance: float) -> None:
    _close(what, a.matrix, b.matrix, tolerance)
