"""Contact switches: bumpers, touch pads, buttons, and whole links that feel a touch."""

from __future__ import annotations

import numpy as np

from andante.description.robot import Robot
from andante.geometry import SE3, Array

from .force import rigid_group
from .sensor import Scene


class ContactSwitch:
    """1 while something presses on it, else 0; and how hard [N].

    A switch with a place feels the contacts of its link within `radius` of it, as far as they press against its x axis,
    which points outwards; one without feels every contact of its link.
    """

    def __init__(
        self, robot: Robot, link: str, name: str, pose: SE3 | None = None, radius: float = 0.03, threshold: float = 0.0
    ) -> None:
        self.name = name
        names = [each.name for each in robot.links]
        self._link = names.index(robot.link(link).name)
        self._group = rigid_group(robot, link)
        self._pose, self._radius, self._threshold = pose, radius, threshold

    @property
    def labels(self) -> tuple[str, ...]:
        """pressed (0 or 1), force [N]."""
        return ("pressed", "force")

    def measure(self, scene: Scene) -> Array:
        """Whether it is pressed, and by how much."""
        contacts = scene.contacts
        mine = np.isin(contacts.link_a, self._group)
        if self._pose is None:
            force = float(np.linalg.norm(contacts.force[mine], axis=1).sum())
        elif mine.any():
            place = SE3.from_vector(scene.link_poses[self._link]) @ self._pose
            near = mine & (np.linalg.norm(contacts.position - place.translation, axis=1) <= self._radius)
            force = float(np.maximum(-contacts.force[near] @ place.rotation[:, 0], 0.0).sum())
        else:
            force = 0.0
        return np.array([float(force > self._threshold), force])
