"""Contact switches: bumpers, touch pads, buttons, and whole links that feel a touch."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from andante.description.robot import Robot
from andante.geometry import SE3, Array

from ._kernels import switches
from .places import places_on_bodies
from .sensor import Measure, Scene


class ContactSwitch:
    """1 while something presses on it, else 0; and how hard [N].

    A switch with a place feels the contacts of its link within `radius` of it, as far as they press against its x axis,
    which points outwards; one without feels every contact of its link.
    """

    def __init__(
        self, robot: Robot, link: str, name: str, pose: SE3 | None = None, radius: float = 0.03, threshold: float = 0.0
    ) -> None:
        self.name = name
        self.robot, self.link = robot, robot.link(link).name
        self.pose = SE3.identity() if pose is None else pose
        self.radius, self.threshold = math.inf if pose is None else radius, threshold
        self._measure: Measure | None = None  # made when first asked for

    @property
    def labels(self) -> tuple[str, ...]:
        """pressed (0 or 1), force [N]."""
        return ("pressed", "force")

    def measure(self, scene: Scene) -> Array:
        """Whether it is pressed, and by how much."""
        out = np.empty(2)
        if self._measure is None:
            self._measure = type(self).together([self], [slice(0, len(out))])
        self._measure(scene, out)
        return out

    @staticmethod
    def together(sensors: Sequence[ContactSwitch], places: Sequence[slice]) -> Measure:
        """All switches of a robot in one pass over the contacts."""
        at = places_on_bodies(sensors[0].robot, [each.link for each in sensors], [each.pose for each in sensors])
        radii = np.array([each.radius for each in sensors])
        thresholds = np.array([each.threshold for each in sensors])
        starts = np.array([place.start for place in places])

        def write(scene: Scene, out: Array) -> None:
            contacts = scene.contacts
            if not len(contacts.link_a):
                out[starts] = thresholds < 0.0
                out[starts + 1] = 0.0
                return
            switches(
                contacts.link_a, contacts.position, contacts.force, at.links, at.bodies, scene.body_poses, at.frames,
                radii, thresholds, starts, out,
            )  # fmt: skip

        return write
