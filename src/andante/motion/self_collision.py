"""Which parts of a robot run into each other along a joint motion, by its collision shapes (convex hulls of meshes)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from andante.description import Robot
from andante.description.check.overlaps import TOUCHING, shapes_overlap
from andante.description.extent import bounds
from andante.description.joint import JointType
from andante.description.shapes import Geometry, Heightmap, Plane
from andante.errors import AndanteError
from andante.geometry import SE3, Array

SHALLOW = 0.005  # shapes that come apart when moved this far only brush each other [m]


@dataclass(frozen=True)
class Hit:
    """Two links that overlap; `deep`: they would still do so when moved apart by SHALLOW."""

    links: frozenset[str]
    deep: bool


class SelfCollision:
    """Pairs of links that may collide, prepared once; neighbours over one joint and masked pairs are left out."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        lead = {robot.root: robot.root}
        for joint in robot.topological:
            lead[joint.child] = lead[joint.parent] if joint.type is JointType.FIXED else joint.child
        near = {frozenset((lead[j.parent], lead[j.child])) for j in robot.joints if j.type is not JointType.FIXED}
        self._shapes: list[tuple[str, Geometry, SE3]] = []
        self._reach: list[tuple[Array, float]] = []  # centre and radius of a ball around each shape, in its link
        for link in robot.links:
            for collision in link.collisions:
                if isinstance(collision.geometry, Plane | Heightmap):
                    continue
                try:
                    low, high = bounds(collision.geometry, SE3.identity())
                except AndanteError:
                    continue  # a mesh that cannot be read is told by `check`
                self._shapes.append((link.name, collision.geometry, collision.pose))
                centre = collision.pose @ ((low + high) / 2)
                self._reach.append((centre, float(np.linalg.norm(high - low)) / 2))
        pairs = [
            (i, j)
            for i in range(len(self._shapes))
            for j in range(i + 1, len(self._shapes))
            if self._may_collide(self._shapes[i][0], self._shapes[j][0], lead, near)
        ]
        self._pairs = np.array(pairs, dtype=int).reshape(-1, 2)
        radii = np.array([radius for _, radius in self._reach])
        self._near = radii[self._pairs].sum(axis=1) if len(self._pairs) else np.zeros(0)

    def _may_collide(self, a: str, b: str, lead: Mapping[str, str], near: set[frozenset[str]]) -> bool:
        bodies = frozenset((lead[a], lead[b]))
        return len(bodies) == 2 and bodies not in near and frozenset((a, b)) not in self.robot.no_collision

    def at(self, positions: Mapping[str, float], leave_out: Iterable[frozenset[str]] = ()) -> list[Hit]:
        """Pairs of links that overlap in a joint configuration."""
        skip: set[frozenset[str]] = set(leave_out)
        found: list[Hit] = []
        if not len(self._pairs):
            return found
        poses = self.robot.link_poses(positions)
        places = [poses[link] for link, _, _ in self._shapes]
        centres = np.array([place @ reach[0] for place, reach in zip(places, self._reach, strict=True)])
        boxes: dict[int, tuple[Array, Array]] = {}
        distances = np.linalg.norm(centres[self._pairs[:, 0]] - centres[self._pairs[:, 1]], axis=1)
        for i, j in self._pairs[distances < self._near].tolist():
            pair = frozenset((self._shapes[i][0], self._shapes[j][0]))
            if pair in skip:
                continue
            for k in (i, j):
                if k not in boxes:
                    boxes[k] = bounds(self._shapes[k][1], places[k] @ self._shapes[k][2])
            (low, high), (other_low, other_high) = boxes[i], boxes[j]
            if np.any(low >= other_high - TOUCHING) or np.any(other_low >= high - TOUCHING):
                continue
            a, b = self._shapes[i], self._shapes[j]
            a_pose, b_pose = places[i] @ a[2], places[j] @ b[2]
            if shapes_overlap(a[1], a_pose, b[1], b_pose):
                apart = centres[j] - centres[i]
                length = float(np.linalg.norm(apart))
                step = apart / length * SHALLOW if length > 0 else np.zeros(3)
                moved = SE3.from_parts(b_pose.rotation, b_pose.translation + step)
                found.append(Hit(pair, shapes_overlap(a[1], a_pose, b[1], moved)))
                skip.add(pair)
        return found
