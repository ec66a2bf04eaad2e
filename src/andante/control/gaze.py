"""`Gaze`: the joints that let a camera look at a point."""

from __future__ import annotations

import math

import numpy as np

from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import SE3, Array
from andante.kinematics import Chain

ROUNDS = 12
STEP = 1e-4  # of the difference quotients [rad]


class Gaze:
    """Aims a camera of a robot by the joints between its root and the link that carries it.

    Args:
        robot: the robot.
        link: that carries the camera.
        pose: link_from_camera; it looks along x.
    """

    def __init__(self, robot: Robot, link: str, pose: SE3) -> None:
        self.chain: Chain = robot.chain(robot.root, link)
        if not self.chain.variables:
            raise BadInput(f"no joint turns {link!r} of robot {robot.name!r}")
        self._camera = np.asarray(pose.matrix, dtype=float)
        self._lower, self._upper = (np.asarray(v, dtype=float) for v in self.chain.limits)

    @property
    def joints(self) -> tuple[str, ...]:
        """Joints that turn it."""
        return self.chain.variables

    def root_from_camera(self, q: Array) -> Array:
        """Pose (4, 4) of the camera at positions of its joints."""
        return np.asarray(np.asarray(self.chain.fk(q)) @ self._camera)

    def aim(self, point: Array, start: Array) -> tuple[Array, float]:
        """Positions of its joints that look at a point (3,) of the root frame, and the angle that is missing [rad].

        Gauss-Newton on the sight line's sideways parts e(q) = (y, z) / |p| of the point p in the camera, within limits.
        """
        q = np.clip(np.asarray(start, dtype=float), self._lower, self._upper)
        goal = np.append(np.asarray(point, dtype=float), 1.0)
        for _ in range(ROUNDS):
            error, behind = self._error(q, goal)
            if not behind and float(np.abs(error).max()) < 1e-4:
                break
            columns = [(self._error(q + STEP * axis, goal)[0] - error) / STEP for axis in np.eye(len(q))]
            jacobian = np.stack(columns, axis=1)
            change = -np.linalg.solve(jacobian.T @ jacobian + 1e-3 * np.eye(len(q)), jacobian.T @ error)
            q = np.clip(q + np.clip(change, -0.6, 0.6), self._lower, self._upper)
        error, behind = self._error(q, goal)
        sideways = min(1.0, float(np.hypot(*error)))
        return q, math.pi - math.asin(sideways) if behind else math.asin(sideways)

    def _error(self, q: Array, goal: Array) -> tuple[Array, bool]:
        seen = np.linalg.solve(self.root_from_camera(q), goal)[:3]
        size = max(1e-6, float(np.linalg.norm(seen)))
        side = seen[1:] / size
        if seen[0] < 0:  # behind: the way round is longer than a right angle
            side = side / max(1e-6, float(np.hypot(*side)))
        return np.asarray(side), bool(seen[0] < 0)
