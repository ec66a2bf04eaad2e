"""Pictures of robots and worlds: camera, renderer, films, and what a picture shows of a link, whoever draws it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from andante.description.link import Link, Material, Visual
from andante.description.robot import Robot
from andante.description.shapes import RGBA, Mesh, Vec3, vec3_of
from andante.errors import BadInput
from andante.geometry import SE3, Array

FROM_THE_FRONT_LEFT = (-1.0, -0.75, -0.45)  # viewing direction of pictures that name none


@dataclass(frozen=True)
class Camera:
    """A pinhole camera. `fov` is the vertical angle of view [rad]."""

    position: Vec3 = (2.0, -2.0, 1.2)  # [m]
    lookat: Vec3 = (0.0, 0.0, 0.3)  # [m]
    fov: float = math.radians(40.0)
    up: Vec3 = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        numbers = (*self.position, *self.lookat, *self.up, self.fov)
        if not all(math.isfinite(v) for v in numbers) or math.dist(self.position, self.lookat) < 1e-9:
            raise BadInput(f"a camera needs finite, different position and lookat, got {self.position}, {self.lookat}")
        if not 0.01 < self.fov < 3.1:
            raise BadInput(f"the angle of view must lie between 0.01 and 3.1 rad, got {self.fov}")

    @staticmethod
    def from_pose(pose: SE3, fov: float = math.radians(40.0)) -> Camera:
        """The camera at a pose that looks along its x axis with z up (REP 103 body axes)."""
        forward, up = pose.rotation[:, 0], pose.rotation[:, 2]
        return Camera(vec3_of(pose.translation), vec3_of(pose.translation + forward), fov, vec3_of(up))

    @staticmethod
    def framing(
        points: ArrayLike,
        direction: ArrayLike = FROM_THE_FRONT_LEFT,
        fov: float = math.radians(30.0),
        aspect: float = 4 / 3,
        margin: float = 1.1,
    ) -> Camera:
        """The camera that looks along a direction and just sees all points (n, 3); aspect = width / height.

        A point at (x, y, z) right, up and forward of the center is seen from the distance
        max(|x| / (aspect tan(fov/2)), |y| / tan(fov/2)) - z.
        """
        cloud = np.asarray(points, dtype=float).reshape(-1, 3)
        if len(cloud) == 0 or not np.isfinite(cloud).all():
            raise BadInput("a camera can frame only finite points, and at least one")
        center = (cloud.min(axis=0) + cloud.max(axis=0)) / 2
        probe = Camera(vec3_of(center - np.asarray(direction, dtype=float)), vec3_of(center), fov)
        right, up, forward = probe.axes
        half = math.tan(fov / 2)
        seen = (cloud - center) * margin
        wanted = np.maximum(np.abs(seen @ right) / (half * aspect), np.abs(seen @ up) / half) - seen @ forward
        return replace(probe, position=vec3_of(center - forward * max(float(wanted.max()), 0.05)))

    @property
    def axes(self) -> tuple[Array, Array, Array]:
        """Unit vectors right, up and forward of the picture in world axes."""
        forward = np.subtract(self.lookat, self.position)
        forward = forward / np.linalg.norm(forward)
        right = np.cross(forward, self.up)
        if np.linalg.norm(right) < 1e-6:  # looks along `up`
            right = np.cross(forward, [0.0, 1.0, 0.0] if abs(forward[1]) < 0.9 else [1.0, 0.0, 0.0])
        right = right / np.linalg.norm(right)
        return right, np.cross(right, forward), forward

    @property
    def pose(self) -> SE3:
        """world_from_camera in the axes of OpenGL: x right, y up, looking along -z."""
        right, up, forward = self.axes
        return SE3.from_parts(np.stack([right, up, -forward], axis=1), self.position)

    @property
    def distance(self) -> float:
        """From the camera to what it looks at [m]."""
        return math.dist(self.position, self.lookat)

    def tracking(self, point: ArrayLike) -> Camera:
        """The same camera moved sideways so that it looks at a point."""
        shift = np.asarray(point, dtype=float) - self.lookat
        return replace(self, position=vec3_of(self.position + shift), lookat=vec3_of(self.lookat + shift))

    def orbited(self, angle: float) -> Camera:
        """The same camera turned about the vertical through what it looks at [rad]."""
        turn = SE3.from_xyz_rpy((0, 0, 0), (0, 0, angle))
        return replace(self, position=vec3_of(turn @ np.subtract(self.position, self.lookat) + self.lookat))


PLAIN: RGBA = (0.72, 0.73, 0.75, 1.0)  # shapes of which no color is known
GROUND: RGBA = (0.86, 0.87, 0.88, 1.0)  # planes that state none


def shown(link: Link, robot: Robot) -> tuple[Visual, ...]:
    """What a picture shows of a link: its visuals; its collision shapes where no visual mesh was found.

    A robot without any visual is shown by its collision shapes.
    """
    if not link.visuals and any(other.visuals for other in robot.links):
        return ()
    shapes = [*link.visuals, *(Visual(c.geometry, c.pose, Material()) for c in link.collisions)]
    found = [not (isinstance(shape.geometry, Mesh) and shape.geometry.path is None) for shape in shapes]
    count = len(link.visuals)
    first = slice(0, count) if any(found[:count]) else slice(count, None)
    return tuple(shape for shape, there in zip(shapes[first], found[first], strict=True) if there)
