"""Where the centre of mass and the soles of a robot are, from its joint positions alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from andante.description import JointType, Robot
from andante.description.inertia import combine
from andante.description.shapes import Heightmap, Plane
from andante.description.solids import as_trimesh
from andante.errors import BadInput
from andante.geometry import SE3, Array

from .balance_kernels import centre_of, points_of, tree_frames
from .support import margin

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
        place = self._read_tree(robot)
        self._read_masses(robot, place)
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

    def _read_tree(self, robot: Robot) -> dict[str, tuple[int, SE3]]:
        """Body of every link and body_from_link; keeps the arrays of the kernel."""
        place: dict[str, tuple[int, SE3]] = {robot.root: (0, SE3.identity())}
        parent, joint, slides = [-1], [-1], [False]
        poses, axes = [SE3.identity()], [np.array([0.0, 0.0, 1.0])]
        for each in robot.topological:
            body, at = place[each.parent]
            frame = at @ each.pose
            if each.type not in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC):
                place[each.child] = (body, frame @ each.joint_from_child)
                continue
            place[each.child] = (len(parent), each.joint_from_child)
            parent.append(body)
            joint.append(robot.joint_names.index(each.name))
            slides.append(each.type is JointType.PRISMATIC)
            poses.append(frame)
            axes.append(np.asarray(each.axis, dtype=float) / np.linalg.norm(each.axis))
        self._tree = (
            np.array(parent),
            np.array(joint),
            np.array(slides),
            np.array([pose.rotation for pose in poses]),
            np.array([pose.translation for pose in poses]),
            np.array(axes),
        )
        return place

    def _read_masses(self, robot: Robot, place: dict[str, tuple[int, SE3]]) -> None:
        count = len(self._tree[0])
        self._mass, self._centre = np.zeros(count), np.zeros((count, 3))
        for k in range(count):
            parts = [
                link.inertia.transformed(place[link.name][1])
                for link in robot.links
                if link.inertia is not None and place[link.name][0] == k
            ]
            whole = combine(parts)
            if whole is not None:
                self._mass[k], self._centre[k] = whole.mass, whole.com
        self.mass = float(self._mass.sum())  # [kg]
        if not self.mass > 0:
            raise BadInput(f"robot {robot.name!r} has no mass; give its links inertials")

    def at(self, q: ArrayLike) -> tuple[Array, list[Array]]:
        """Centre of mass (3,) and sole corners of each foot (n, 3), in the root frame [m], at positions (joints,)."""
        turns, places = tree_frames(*self._tree, np.asarray(q, dtype=float))
        points = points_of(turns, places, self._sole_body, self._sole_points)
        return centre_of(turns, places, self._mass, self._centre), [points[s] for s in self._slices]

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
        turns, places = tree_frames(*self._tree, np.asarray(q, dtype=float))
        return [SE3.from_parts(turns[body], places[body]) @ local for body, local in self._foot_frames]


def _sole(robot: Robot, name: str) -> Array:
    """Corners of the sole of a foot in its own frame, (n, 3)."""
    corners = [
        collision.pose @ np.asarray(as_trimesh(collision.geometry).vertices)
        for collision in robot.link(name).collisions
        if not isinstance(collision.geometry, Plane | Heightmap)
    ]
    if not corners:
        raise BadInput(f"foot {name!r} of robot {robot.name!r} has no collision shape; give it one to stand on")
    points = np.concatenate(corners)
    return points[points[:, 2] < points[:, 2].min() + SOLE]
