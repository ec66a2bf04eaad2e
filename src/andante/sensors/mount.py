"""Where a sensor with rays sits: the body that carries it, its frame on that body, and what it does not see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.description.robot import Robot
from andante.geometry import SE3, Array

from .ray_scene import RayScene
from .sensor import Scene


@dataclass(frozen=True)
class Place:
    """A mounted sensor in a scene."""

    body: int  # row of the actor's `body_poses`
    body_from_sensor: Array  # (4, 4)
    hidden: np.ndarray  # (shapes,) of bool: shapes of that body


class Mount:
    """A frame on a link (link_from_sensor), found in the scene when first asked for."""

    def __init__(self, robot: Robot, link: str, pose: SE3) -> None:
        self._link = [each.name for each in robot.links].index(robot.link(link).name)
        self._pose = pose
        self._place: Place | None = None
        self._rays: RayScene | None = None  # of the scene that the place was found in

    def on(self, scene: Scene) -> Place:
        """The place of the frame on the actor of a scene."""
        if self._place is None or self._rays is not scene.rays:
            self._rays = scene.rays
            tree = scene.engine.actors[scene.actor].tree
            body = int(tree.link_body[self._link])
            frame = np.ascontiguousarray(tree.link_pose[self._link] @ self._pose.matrix)
            self._place = Place(body, frame, scene.rays.hidden(scene.actor, body))
        return self._place

    def pose(self, scene: Scene) -> SE3:
        """World pose of the frame at this instant."""
        place = self.on(scene)
        return SE3.from_vector(scene.body_poses[place.body]) @ SE3(place.body_from_sensor)
