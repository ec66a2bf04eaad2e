"""Load cells under a foot: how the ground's push is shared between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from andante.description.robot import Robot
from andante.errors import BadInput
from andante.geometry import Array

from ._kernels import pressed
from .sensor import Scene


def shares(cells: Array, point: Array) -> Array:
    """Share of each cell (n, 2) in a load at a point (2,): sums to 1, none negative.

    The even share changed as little as possible so that the centre of the shares is the point (least squares); where
    that would pull on a cell, the cell is left out and the rest shares again. A load outside all cells
    goes to the nearest ones.
    """
    count = len(cells)
    active = np.ones(count, dtype=bool)
    out = np.zeros(count)
    for _ in range(count):
        index = np.flatnonzero(active)
        if len(index) == 1:
            out[:] = 0.0
            out[index] = 1.0
            break
        system = np.vstack([np.ones(len(index)), cells[index].T])
        even = np.full(len(index), 1.0 / len(index))
        target = np.array([1.0, point[0], point[1]])
        w = even + np.linalg.pinv(system) @ (target - system @ even)
        if w.min() >= -1e-9:
            out[:] = 0.0
            out[index] = np.maximum(w, 0.0)
            break
        active[index[np.argmin(w)]] = False
    return out / out.sum()


class FootForce:
    """Force on each load cell of a link [N], pressed along the cells' -z (upwards on the foot).

    Cells are points of the link frame, `rotation` (3, 3) turns the cells' axes into those of the link; the normal force
    of all contacts of the link is shared between them so that the centre of pressure is kept (see `shares`).
    """

    def __init__(
        self,
        robot: Robot,
        link: str,
        cells: Sequence[tuple[str, ArrayLike]],
        name: str,
        rotation: ArrayLike | None = None,
    ) -> None:
        if not cells:
            raise BadInput(f"foot force sensor {name!r} on {link!r} has no cells")
        self.name = name
        self._labels = tuple(label for label, _ in cells)
        self._rotation = np.eye(3) if rotation is None else np.asarray(rotation, dtype=float)
        self._cells = np.array([point for _, point in cells], dtype=float) @ self._rotation
        names = [each.name for each in robot.links]
        self._link = names.index(robot.link(link).name)
        self._mine = np.zeros(len(names), dtype=np.bool_)
        self._mine[rigid_group(robot, link)] = True
        self._frame: Array | None = None  # body_from_cells

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the cells."""
        return self._labels

    def measure(self, scene: Scene) -> Array:
        """True cell forces, (cells,)."""
        contacts = scene.contacts
        if not len(contacts.link_a):
            return np.zeros(len(self._cells))
        tree = scene.engine.actors[scene.actor].tree
        if self._frame is None:
            turn = np.eye(4)
            turn[:3, :3] = self._rotation
            self._frame = np.ascontiguousarray(tree.link_pose[self._link] @ turn)
        pose = scene.body_poses[tree.link_body[self._link]]
        total, x, y = pressed(contacts.link_a, contacts.position, contacts.force, self._mine, pose, self._frame)
        if total <= 0:
            return np.zeros(len(self._cells))
        if len(self._cells) == 1:
            return np.array([total])
        return total * shares(self._cells[:, :2], np.array([x, y]))


def rigid_group(robot: Robot, link: str) -> np.ndarray:
    """Indices of all links welded to a link by fixed joints, itself included."""
    from andante.physics import body_tree

    tree = body_tree(robot)
    index = [each.name for each in robot.links].index(link)
    return np.flatnonzero(tree.link_body == tree.link_body[index])
