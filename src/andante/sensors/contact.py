"""Contact switches: bumpers, touch pads, buttons, and whole links that feel a touch."""

from __future__ import annotations

import numpy as np

from andante.description.robot import Robot
from andante.geometry import Array, so3

from .force import _rigid_group
from .sensor import Scene


class ContactSwitch:
    """1 while something presses on a link (within `radius` of a point of it, when given), else 0; and how hard [N]."""

    def __init__(
        self,
        robot: Robot,
        link: str,
        name: str,
        point: tuple[float, float, float] | None = None,
        radius: float = 0.02,
        threshold: float = 0.0,
    ) -> None:
        self.name = name
        names = [each.name for each in robot.links]
        self._link = names.index(robot.link(link).name)
        self._group = _rigid_group(robot, link)
        self._point = None if point is None else np.asarray(point, dtype=float)
        self._radius, self._threshold = radius, threshold

    @property
    def labels(self) -> tuple[str, ...]:
        """pressed (0 or 1), force [N]."""
        return ("pressed", "force")

    def measure(self, scene: Scene) -> Array:
        """Whether it is pressed, and the sum of the contact forces on it."""
        contacts = scene.contacts
        mine = np.isin(contacts.link_a, self._group)
        if self._point is not None and mine.any():
            pose = scene.link_poses[self._link]
            place = pose[:3] + so3.from_quaternion(pose[3:]) @ self._point
            mine &= np.linalg.norm(contacts.position - place, axis=1) <= self._radius
        force = float(np.linalg.norm(contacts.force[mine], axis=1).sum())
        return np.array([float(bool(mine.any()) and force > self._threshold), force])
