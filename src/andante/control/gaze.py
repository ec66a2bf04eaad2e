"""`Gaze`: the joints that let a camera look at a point. `Limbs`: what of the robot itself stands before a camera."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np

from andante.description import Robot
from andante.description.solids import surface
from andante.errors import BadInput
from andante.geometry import SE3, Array
from andante.kinematics import Chain

ROUNDS = 12
STEP = 1e-4  # of the difference quotients [rad]
MISSED = 0.05  # an end farther off than this is doubted [rad]


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

        Gauss-Newton on e(q) = angle (y, z) / |(y, z)| of the point x, y, z in the camera, within the limits of the
        joints; where that ends beside the point, again from other starts.
        """
        goal = np.append(np.asarray(point, dtype=float), 1.0)
        best = self._from(np.asarray(start, dtype=float), goal)
        if best[1] > MISSED:
            middle = np.clip(np.zeros(len(self._lower)), self._lower, self._upper)
            for share in (0.1, 0.3, 0.5, 0.7, 0.9):
                middle[0] = self._lower[0] + share * (self._upper[0] - self._lower[0])
                best = min(best, self._from(middle, goal), key=lambda found: found[1])
        return best

    def _from(self, start: Array, goal: Array) -> tuple[Array, float]:
        q = np.clip(start, self._lower, self._upper)
        for _ in range(ROUNDS):
            error = self._error(q, goal)
            if float(np.abs(error).max()) < 1e-4:
                break
            columns = [(self._error(q + STEP * axis, goal) - error) / STEP for axis in np.eye(len(q))]
            jacobian = np.stack(columns, axis=1)
            change = -np.linalg.solve(jacobian.T @ jacobian + 1e-3 * np.eye(len(q)), jacobian.T @ error)
            q = np.clip(q + np.clip(change, -0.6, 0.6), self._lower, self._upper)
        return q, float(np.hypot(*self._error(q, goal)))

    def _error(self, q: Array, goal: Array) -> Array:
        """The angle off the axis, split into its parts to the left and up [rad]."""
        x, y, z = np.linalg.solve(self.root_from_camera(q), goal)[:3].tolist()
        aside = math.hypot(y, z)
        angle = math.atan2(aside, x)
        return np.array([y, z]) * (angle / aside if aside > 1e-12 else 0.0)


class Limbs:
    """Limbs that some joints move, as spheres around their shapes: what is seen there is the robot itself.

    Args:
        robot: the robot.
        joints: that move limbs which can come before a camera, such as those of the arms.
    """

    def __init__(self, robot: Robot, joints: Collection[str], margin: float = 0.02) -> None:
        self._robot = robot
        self._spheres: list[tuple[str, Array, float]] = []  # link, center in it, radius [m]
        for link in robot.links:
            if link.name == robot.root or not link.collisions:
                continue
            if set(robot.chain(robot.root, link.name).joint_names) & set(joints):
                points = np.concatenate([shape.pose @ surface(shape.geometry, 8)[0] for shape in link.collisions])
                center = (points.min(axis=0) + points.max(axis=0)) / 2
                far = float(np.linalg.norm(points - center, axis=1).max())
                self._spheres.append((link.name, center, far + margin))

    def hide(self, positions: Mapping[str, float], root_from_camera: Array, ray: Array, distance: float) -> bool:
        """Whether a limb stands on a sight line (3,) of a camera before a distance [m]."""
        if not self._spheres:
            return False
        poses = self._robot.link_poses(dict(positions))
        eye, way = root_from_camera[:3, 3], root_from_camera[:3, :3] @ ray
        for link, center, radius in self._spheres:
            gap = poses[link] @ center - eye
            along = float(gap @ way)
            if 0 < along < distance and float(np.linalg.norm(gap - along * way)) < radius:
                return True
        return False
