"""Robots that stand on two wheels and nothing else: they would have to balance, which neither drives nor gaits do."""

from __future__ import annotations

import math

import numpy as np

from andante.description.robot import Robot
from andante.description.shapes import Plane
from andante.description.solids import support_point
from andante.errors import AndanteError
from andante.geometry import Array

from .recognize import Wheel, find_wheels

LEANS = 0.35  # a robot that leans further before something else holds it has fallen [rad]
ONE_LINE = 0.2  # of their radius: wheels that stand less apart along the way share an axle
_AROUND = 24


def balance_told(robot: Robot) -> str:
    """Why a robot can neither drive nor walk: it would fall off its two wheels; empty: it would not."""
    wheels = two_wheels(robot)
    if wheels is None:
        return ""
    where = str(robot.joint(wheels[0].joint).source)
    return (
        f"{where + ': ' if where else ''}robot {robot.name!r} stands on two wheels only ({wheels[0].joint}, "
        f"{wheels[1].joint}) and would have to balance; drives and gaits here do not, so give its body a caster or "
        "another <collision> that reaches the ground, or move it by your own file.py:Name"
    )


def two_wheels(robot: Robot) -> tuple[Wheel, Wheel] | None:
    """The only two wheels of a robot where nothing else of it comes near the ground; None: it stands by itself."""
    wheels = find_wheels(robot, loose=True)
    if len(wheels) != 2 or any(wheel.castor or wheel.steering for wheel in wheels):
        return None
    left, right = wheels
    radius, axis = max(left.radius, right.radius), left.axis
    if abs(abs(float(axis @ right.axis)) - 1.0) > 0.02:
        return None
    ahead = np.array([-axis[1], axis[0]]) / math.hypot(axis[0], axis[1])
    if abs(float(ahead @ (left.center - right.center)[:2])) > ONE_LINE * radius:
        return None
    points = _points(robot, {left.joint, right.joint}, ahead)
    middle = (left.center + right.center) / 2
    if not len(points):
        return left, right
    along, up = (points - middle)[:, :2] @ ahead, (points - middle)[:, 2]
    sizes = np.hypot(along, up)
    for side in (1.0, -1.0):  # z of a point that leans by t: up cos t - side along sin t, on the ground at -radius
        low = (side * along > 0) & (sizes > radius)
        angles = np.arcsin(radius / sizes[low]) + np.arctan2(up[low], side * along[low])
        if len(angles) and float(angles.min()) < LEANS:
            return None
    return left, right


def _points(robot: Robot, wheels: set[str], ahead: Array) -> Array:
    """(n, 3) outermost points of all shapes that the wheels do not turn, in the plane across their axle."""
    turns = np.arange(_AROUND) * 2 * math.pi / _AROUND
    directions = np.stack([ahead[0] * np.cos(turns), ahead[1] * np.cos(turns), np.sin(turns)], axis=-1)
    poses, out = robot.link_poses(), list[Array]()
    for link in robot.links:
        if any(joint.name in wheels for joint in robot.ancestors(link.name)):
            continue
        for collision in link.collisions:
            if isinstance(collision.geometry, Plane):
                continue
            place = poses[link.name] @ collision.pose
            try:
                touched = [support_point(collision.geometry, d) for d in directions @ place.rotation]
            except AndanteError:
                continue
            out.append(np.array(touched) @ place.rotation.T + place.translation)
    return np.concatenate(out) if out else np.zeros((0, 3))
