"""Single poses x y z qx qy qz qw as tuples: quicker than arrays for one pose at a time."""

from __future__ import annotations

import math
from collections.abc import Iterable

Pose = tuple[float, float, float, float, float, float, float]
IDENTITY: Pose = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)


def checked(pose: Iterable[float]) -> Pose | None:
    """The pose with a unit quaternion; None for numbers that are not finite or a quaternion of length 0."""
    x, y, z, a, b, c, w = (float(value) for value in pose)
    norm = math.sqrt(a * a + b * b + c * c + w * w)
    if not (norm > 1e-6 and math.isfinite(norm + x + y + z)):
        return None
    if abs(norm - 1.0) > 1e-12:
        a, b, c, w = a / norm, b / norm, c / norm, w / norm
    return (x, y, z, a, b, c, w)


def turn(q: Pose, x: float, y: float, z: float) -> tuple[float, float, float]:
    """A vector turned by the rotation of a pose: v + 2 u × (u × v + w v)."""
    _, _, _, a, b, c, w = q
    tx, ty, tz = 2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)
    return x + w * tx + b * tz - c * ty, y + w * ty + c * tx - a * tz, z + w * tz + a * ty - b * tx


def compose(p: Pose, q: Pose) -> Pose:
    """a_from_c of a_from_b and b_from_c."""
    x, y, z = turn(p, q[0], q[1], q[2])
    _, _, _, a1, b1, c1, w1 = p
    _, _, _, a2, b2, c2, w2 = q
    return (
        p[0] + x,
        p[1] + y,
        p[2] + z,
        w1 * a2 + a1 * w2 + b1 * c2 - c1 * b2,
        w1 * b2 - a1 * c2 + b1 * w2 + c1 * a2,
        w1 * c2 + a1 * b2 - b1 * a2 + c1 * w2,
        w1 * w2 - a1 * a2 - b1 * b2 - c1 * c2,
    )


def inverse(p: Pose) -> Pose:
    """b_from_a of a_from_b."""
    back: Pose = (0.0, 0.0, 0.0, -p[3], -p[4], -p[5], p[6])
    x, y, z = turn(back, -p[0], -p[1], -p[2])
    return (x, y, z, back[3], back[4], back[5], back[6])


def between(p: Pose, q: Pose, fraction: float) -> Pose:
    """The pose a fraction of the way from p to q: positions on a line, rotations on the shortest arc (slerp)."""
    dot = p[3] * q[3] + p[4] * q[4] + p[5] * q[5] + p[6] * q[6]
    sign = 1.0 if dot >= 0 else -1.0
    angle = math.acos(min(1.0, abs(dot)))
    sine = math.sin(angle)
    if sine < 1e-9:
        first, second = 1.0 - fraction, fraction * sign
    else:
        first, second = math.sin((1.0 - fraction) * angle) / sine, sign * math.sin(fraction * angle) / sine
    x, y, z = (p[k] + fraction * (q[k] - p[k]) for k in range(3))
    a, b, c, w = (first * p[k] + second * q[k] for k in range(3, 7))
    norm = math.sqrt(a * a + b * b + c * c + w * w)
    return (x, y, z, a / norm, b / norm, c / norm, w / norm)
