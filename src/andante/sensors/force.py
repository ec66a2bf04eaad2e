"""Load cells under a foot: how the ground's push is shared between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from andante.description.robot import Robot
from andante.errors import BadInput
from andante.geometry import SE3, Array

from ._kernels import feet
from .places import places_on_bodies
from .sensor import Measure, Scene

MOST_CELLS = 10  # of one foot: its table has 2^cells rows


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


def share_table(cells: Array, width: int) -> Array:
    """Pseudo-inverses of the rows (1, x, y) of every set of cells (n, 2), by its bits: (2^width, width, 3)."""
    count = len(cells)
    table = np.zeros((1 << width, width, 3))
    for mask in range(1, 1 << count):
        index = [i for i in range(count) if mask >> i & 1]
        table[mask, index] = np.linalg.pinv(np.vstack([np.ones(len(index)), cells[index].T]))
    return table


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
        if not 0 < len(cells) <= MOST_CELLS:
            told = f"{len(cells)} cells; up to {MOST_CELLS} are modelled" if cells else "no cells"
            raise BadInput(f"foot force sensor {name!r} on {link!r} has {told}")
        self.name = name
        self.robot, self.link = robot, robot.link(link).name
        self.rotation = np.eye(3) if rotation is None else np.asarray(rotation, dtype=float)
        self.cells = np.array([point for _, point in cells], dtype=float) @ self.rotation
        self._labels = tuple(label for label, _ in cells)
        self._measure: Measure | None = None  # made when first asked for

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the cells."""
        return self._labels

    def measure(self, scene: Scene) -> Array:
        """True cell forces, (cells,)."""
        out = np.empty(len(self.cells))
        if self._measure is None:
            self._measure = type(self).together([self], [slice(0, len(out))])
        self._measure(scene, out)
        return out

    @staticmethod
    def together(sensors: Sequence[FootForce], places: Sequence[slice]) -> Measure:
        """All feet of a robot in one pass over the contacts."""
        turns = [SE3.from_parts(each.rotation, np.zeros(3)) for each in sensors]
        at = places_on_bodies(sensors[0].robot, [each.link for each in sensors], turns)
        counts = np.array([len(each.cells) for each in sensors])
        width = int(counts.max())
        cells = np.zeros((len(sensors), width, 2))
        for row, each in zip(cells, sensors, strict=True):
            row[: len(each.cells)] = each.cells[:, :2]
        tables = np.stack([share_table(each.cells[:, :2], width) for each in sensors])
        starts = np.array([place.start for place in places])

        def write(scene: Scene, out: Array) -> None:
            contacts = scene.contacts
            if not len(contacts.link_a):
                for place in places:
                    out[place] = 0.0
                return
            feet(
                contacts.link_a, contacts.position, contacts.force, at.links, at.bodies, scene.body_poses, at.frames,
                tables, cells, counts, starts, out,
            )  # fmt: skip

        return write
