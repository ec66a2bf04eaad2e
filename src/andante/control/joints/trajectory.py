"""A trajectory of joints through points in time, as a motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from andante.description import Robot
from andante.errors import BadInput, UnknownName
from andante.geometry import Array
from andante.motion.joint_motion import Splined

LEAST_LEAD = 0.02  # between the start and the first point [s]
MOST_POINTS = 10_000


class Waypoints(Splined):
    """A cubic through points: with the velocities where they are given, else at rest at both ends and smooth (C2)."""

    def __init__(self, names: tuple[str, ...], times: Array, positions: Array, velocities: Array | None) -> None:
        from scipy.interpolate import CubicHermiteSpline, CubicSpline

        self.names, self.duration = names, float(times[-1])
        self._spline = (
            CubicSpline(times, positions, bc_type="clamped")
            if velocities is None
            else CubicHermiteSpline(times, positions, velocities)
        )


def trajectory(
    robot: Robot,
    start: Array,
    names: Sequence[str],
    times: Sequence[float],
    positions: ArrayLike,
    velocities: ArrayLike | None = None,
) -> Waypoints:
    """A trajectory (points, joints) that begins at the targets `start` of all joints; BadInput where it cannot be.

    Positions are brought inside the joint limits. Joints are never faster than they can be: a trajectory that asks for
    more is refused with the joint and the time.
    """
    for name in names:
        if name not in robot.joint_names:
            raise UnknownName.among("joint", name, robot.joint_names, f"robot {robot.name!r}")
    if len(set(names)) != len(names) or not names:
        raise BadInput("a trajectory names each of its joints once")
    at, points = np.asarray(times, dtype=float), np.asarray(positions, dtype=float)
    if not 1 <= len(at) <= MOST_POINTS or points.shape != (len(at), len(names)):
        raise BadInput(
            f"a trajectory of {len(names)} joints has 1 to {MOST_POINTS} points of as many positions, "
            f"got {points.shape} positions at {len(at)} times"
        )
    if not (np.isfinite(at).all() and np.isfinite(points).all() and (np.diff(at) > 0).all() and at[0] >= 0):
        raise BadInput("times of a trajectory must increase from 0 on, and its numbers must be finite")
    joints = [robot.joint(name) for name in names]
    low, high = np.array([j.limits.lower for j in joints]), np.array([j.limits.upper for j in joints])
    points = np.clip(points, low, high)
    here = np.asarray(start, dtype=float)[[robot.joint_names.index(name) for name in names]]
    if at[0] < LEAST_LEAD:
        at, points = (at[1:], points[1:]) if len(at) > 1 else (np.array([LEAST_LEAD]), points)
        velocities = None if velocities is None or len(at) == 1 else np.asarray(velocities, dtype=float)[1:]
    speeds = None
    if velocities is not None:
        given = np.asarray(velocities, dtype=float)
        if given.shape != points.shape or not np.isfinite(given).all():
            raise BadInput(f"a trajectory has a finite velocity for every position or for none, got {given.shape}")
        speeds = np.vstack([np.zeros(len(names)), given])
    made = Waypoints(tuple(names), np.concatenate([[0.0], at]), np.vstack([here, points]), speeds)
    _check_speed(robot, made)
    return made


def _check_speed(robot: Robot, motion: Waypoints) -> None:
    moments = np.linspace(0.0, motion.duration, 20 * 50 + 1)
    speeds = np.abs(motion.evaluate(moments, 1))
    for k, name in enumerate(motion.names):
        limit = robot.joint(name).limits.velocity
        worst = int(np.argmax(speeds[:, k]))
        if limit > 0 and speeds[worst, k] > 1.05 * limit:
            raise BadInput(
                f"joint {name!r} would move at {speeds[worst, k]:.2f} at {moments[worst]:.2f} s, its limit is "
                f"{limit:.2f} rad/s or m/s; give the trajectory more time"
            )
