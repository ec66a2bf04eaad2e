"""Functions of almath between angles, positions, rotations and transforms; R = Rz(wz) Ry(wy) Rx(wx)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from andante.geometry import so3

from .values import Pose2D, Position3D, Position6D, Quaternion, Rotation, Rotation3D, Transform, made, turned

PI = math.pi


# ---- angles ------------------------------------------------------------------------------------------
def modulo2PI(angle: float) -> float:
    """The same angle in ]-pi, pi]."""
    wrapped = math.fmod(angle + PI, 2 * PI)
    return PI if wrapped == 0.0 and angle > 0 else (wrapped + 2 * PI if wrapped < 0 else wrapped) - PI


def meanAngle(angles: Iterable[float]) -> float:
    """Direction of the sum of unit vectors."""
    values = list(angles)
    return math.atan2(sum(map(math.sin, values)), sum(map(math.cos, values)))


def clipData(low: float, high: float, value: float) -> float:
    """A value within limits."""
    return min(high, max(low, value))


# ---- rotations and transforms ------------------------------------------------------------------------
def rotationFromRotX(angle: float) -> Rotation:
    """Turned about x."""
    out: Rotation = Rotation._of(turned(angle, 0.0, 0.0))
    return out


def rotationFromRotY(angle: float) -> Rotation:
    """Turned about y."""
    out: Rotation = Rotation._of(turned(0.0, angle, 0.0))
    return out


def rotationFromRotZ(angle: float) -> Rotation:
    """Turned about z."""
    out: Rotation = Rotation._of(turned(0.0, 0.0, angle))
    return out


def rotationFromTransform(pose: Transform) -> Rotation:
    """Its rotation."""
    out: Rotation = Rotation._of(pose._m[:3, :3])
    return out


def rotationFromAxesXYZ(x: Position3D, y: Position3D, z: Position3D) -> Rotation:
    """With these columns."""
    out: Rotation = Rotation._of(np.array([x.toVector(), y.toVector(), z.toVector()]).T)
    return out


def rotationFrom3DRotation(wx: float, wy: float, wz: float) -> Rotation:
    """Turned by three angles."""
    out: Rotation = Rotation._of(turned(wx, wy, wz))
    return out


def rotationFromAngleDirection(angle: float, x: float, y: float, z: float) -> Rotation:
    """Turned about an axis."""
    axis = np.array([x, y, z], dtype=float)
    out: Rotation = Rotation._of(so3.exp(angle * axis / (np.linalg.norm(axis) or 1.0)))
    return out


def transformFromRotX(angle: float) -> Transform:
    """Turned about x."""
    return made((0, 0, 0), turned(angle, 0.0, 0.0))


def transformFromRotY(angle: float) -> Transform:
    """Turned about y."""
    return made((0, 0, 0), turned(0.0, angle, 0.0))


def transformFromRotZ(angle: float) -> Transform:
    """Turned about z."""
    return made((0, 0, 0), turned(0.0, 0.0, angle))


def transformFrom3DRotation(wx: float, wy: float, wz: float) -> Transform:
    """Turned by three angles."""
    return made((0, 0, 0), turned(wx, wy, wz))


def transformFromPosition(*values: float) -> Transform:
    """A place, or a place and three angles."""
    return Transform.fromPosition(*values)


def transformFromPosition3D(place: Position3D) -> Transform:
    """A place."""
    return made(place, np.eye(3))


def transformFromPosition6D(place: Position6D) -> Transform:
    """Of x y z wx wy wz."""
    return made((place.x, place.y, place.z), turned(place.wx, place.wy, place.wz))


def transformFromPose2D(pose: Pose2D) -> Transform:
    """On the ground."""
    return made((pose.x, pose.y, 0.0), turned(0.0, 0.0, pose.theta))


def transformFromRotation(turn: Rotation) -> Transform:
    """Turned only."""
    return made((0, 0, 0), turn._m)


def transformFromRotationPosition3D(turn: Rotation, place: Position3D) -> Transform:
    """Turned, at a place."""
    return made(place, turn._m)


def transformInverse(pose: Transform) -> Transform:
    """The inverse."""
    out: Transform = pose.inverse()
    return out


def transformDiff(a: Transform, b: Transform) -> Transform:
    """b as seen from a."""
    return a.diff(b)


def transformMean(a: Transform, b: Transform, share: float = 0.5) -> Transform:
    """Between two poses."""
    turn = np.asarray(so3.log(a._m[:3, :3].T @ b._m[:3, :3]), dtype=float)
    place = a._m[:3, 3] + share * (b._m[:3, 3] - a._m[:3, 3])
    return made(place, a._m[:3, :3] @ so3.exp(share * turn))


# ---- to positions ------------------------------------------------------------------------------------
def position3DFromTransform(pose: Transform) -> Position3D:
    """Its place."""
    return Position3D(pose._m[:3, 3].tolist())


def position6DFromTransform(pose: Transform) -> Position6D:
    """Its place and angles."""
    return Position6D([*pose._m[:3, 3].tolist(), *np.asarray(so3.to_rpy(pose._m[:3, :3])).tolist()])


def rotation3DFromRotation(turn: Rotation) -> Rotation3D:
    """Its angles."""
    return Rotation3D(np.asarray(so3.to_rpy(turn._m)).tolist())


def pose2DFromTransform(pose: Transform) -> Pose2D:
    """On the ground."""
    return Pose2D(float(pose._m[0, 3]), float(pose._m[1, 3]), math.atan2(pose._m[1, 0], pose._m[0, 0]))


def pose2DInverse(pose: Pose2D) -> Pose2D:
    """The way back."""
    return pose.inverse()


def pinv(pose: Pose2D) -> Pose2D:
    """The way back."""
    return pose.inverse()


def pose2DDiff(a: Pose2D, b: Pose2D) -> Pose2D:
    """b as seen from a."""
    return a.diff(b)


def position6DFromPose2D(pose: Pose2D) -> Position6D:
    """On the ground."""
    return Position6D(pose.x, pose.y, 0.0, 0.0, 0.0, pose.theta)


def pose2DFromPosition6D(place: Position6D) -> Pose2D:
    """On the ground."""
    return Pose2D(place.x, place.y, place.wz)


def distance(a: Any, b: Any) -> float:
    """Between places or poses."""
    return float(a.distance(b))


def norm(value: Any) -> float:
    """Its length."""
    return float(value.norm())


def dotProduct(a: Position3D, b: Position3D) -> float:
    """Scalar product."""
    return a.dotProduct(b)


def crossProduct(a: Position3D, b: Position3D) -> Position3D:
    """Vector product."""
    return a.crossProduct(b)


def quaternionFromTransform(pose: Transform) -> Quaternion:
    """Its rotation."""
    x, y, z, w = np.asarray(so3.to_quaternion(pose._m[:3, :3]), dtype=float).tolist()
    return Quaternion(w, x, y, z)


# ---- footsteps ---------------------------------------------------------------------------------------
def clipFootWithEllipse(most_x: float, most_y: float, step: Pose2D) -> bool:
    """Bring a step inside the ellipse x²/X² + y²/Y² = 1; whether it was outside."""
    size = math.hypot(step.x / most_x if most_x else 0.0, step.y / most_y if most_y else 0.0)
    if size <= 1.0:
        return False
    step.x, step.y = step.x / size, step.y / size
    return True


def avoidFootCollision(left_box: Any, right_box: Any, is_left: bool, step: Pose2D) -> bool:
    """Keep a step clear of the other foot by its width; whether it was too near."""
    width = max(abs(float(point.y)) for point in left_box) + max(abs(float(point.y)) for point in right_box)
    sign = 1.0 if is_left else -1.0
    if sign * step.y >= width:
        return False
    step.y = sign * width
    return True


def getDubinsSolutions(goal: Pose2D, radius: float) -> list[Pose2D]:
    """Poses of a smooth way to a goal: turn, straight, turn."""
    heading = math.atan2(goal.y, goal.x) if math.hypot(goal.x, goal.y) > radius else 0.0
    return [Pose2D(0.0, 0.0, heading), Pose2D(goal.x, goal.y, heading), Pose2D(goal.x, goal.y, goal.theta)]
