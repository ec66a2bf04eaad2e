"""Where the centre of mass and the soles of a robot are, from its joint positions alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from andante.description import Robot
from andante.description.shapes import Heightmap, Plane
from andante.description.solids import surface
from andante.errors import BadInput
from andante.geometry import SE3, Array

from .mass_tree import mass_tree
from .support import margin
from .tree_kernels import points_of, sliding_frames, weigh

SOLE = 2e-3  # corners of a foot this near to its lowest one belong to its sole [m]
TILTED = 0.06  # a sole whose corners differ more in height stands on its edge [m]


class Balance:
    """Centre of mass and sole corners of a robot in the axes of its root link.

    Feet are the links given, else those that have force sensors. The sole of a foot is made of those corners of its
    collision shapes that are lowest (-z of the foot's frame).
    """

    def __init__(self, robot: Robot, feet: Sequence[str] = ()) -> None:
        self.robot = robot
        self.feet = tuple(feet) or tuple(dict.fromkeys(s.link for s in robot.sensors if s.kind == "force"))
        if not self.feet:
            raise BadInput(f"robot {robot.name!r} has no force sensors to tell its feet by; name the links of its feet")
        self._tree, place = mass_tree(robot)
        self.mass = self._tree.total  # [kg]
        corners = [_sole(robot, name) for name in self.feet]
        self._sole_body = np.concatenate(
            [np.full(len(points), place[name][0]) for name, points in zip(self.feet, corners, strict=True)]
        )
        self._sole_points = np.concatenate(
            [place[name][1] @ points for name, points in zip(self.feet, corners, strict=True)]
        )
        ends = np.cumsum([len(points) for points in corners])
        self._slices = [slice(end - len(points), end) for end, points in zip(ends.tolist(), corners, strict=True)]
        self._foot_frames = [place[name] for name in self.feet]

    def at(self, q: ArrayLike) -> tuple[Array, list[Array]]:
        """Centre of mass (3,) and sole corners of each foot (n, 3), in the root frame [m], at positions (joints,)."""
        turns, places = self._frames(q)
        points, centre = points_of(turns, places, self._sole_body, self._sole_points), np.empty(3)
        weigh(turns, places, self._tree.mass, self._tree.centre, centre)
        return centre, [points[s] for s in self._slices]

    def over_feet(self, q: ArrayLike, up: Array) -> bool:
        """Whether the centre of mass is over soles that are level, up (3,) being the vertical in root axes."""
        centre, soles = self.at(q)
        ahead = np.cross((0.0, 1.0, 0.0), up)
        level = np.array([ahead, np.cross(up, ahead)]) / max(float(np.linalg.norm(ahead)), 1e-9)
        heights = [points @ up for points in soles]
        flat = [points @ level.T for points, h in zip(soles, heights, strict=True) if h.max() - h.min() < TILTED]
        return bool(flat) and margin(np.concatenate(flat), level @ centre) > 0

    def foot_poses(self, q: ArrayLike) -> list[SE3]:
        """root_from_foot of each foot at positions (joints,)."""
        turns, places = self._frames(q)
        return [SE3.from_parts(turns[body], places[body]) @ local for body, local in self._foot_frames]

    def _frames(self, q: ArrayLike) -> tuple[Array, Array]:
        """Rotations (bodies, 3, 3) and origins (bodies, 3) in the root frame."""
        tree = self._tree
        turns, places = np.empty((len(tree.parent), 3, 3)), np.empty((len(tree.parent), 3))
        positions = np.ascontiguousarray(q, dtype=float)
        sliding_frames(
            positions, tree.parent, tree.joint, tree.slides, tree.rotation, tree.offset, tree.axis, turns, places
        )
        return turns, places


def _sole(robot: Robot, name: str) -> Array:
    """Corners of the sole of a foot in its own frame, (n, 3)."""
    corners = [
        collision.pose @ surface(collision.geometry)[0]
        for collision in robot.link(name).collisions
        if not isinstance(collision.geometry, Plane | Heightmap)
    ]
    if not corners:
        raise BadInput(f"foot {name!r} of robot {robot.name!r} has no collision shape; give it one to stand on")
    points = np.concatenate(corners)
    return points[points[:, 2] < points[:, 2].min() + SOLE]
