"""Sensors that feel contacts: switches (bumpers, touch pads, buttons, whole links) and load cells under a foot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.description.robot import Robot
from andante.errors import BadInput
from andante.geometry import SE3, Array
from andante.physics import body_tree

from .kernels import cell_fractions, feet, switches
from .sensor import Measure, Scene


@dataclass(frozen=True)
class Places:
    """Frames on the bodies of one robot's tree; rows are frames."""

    bodies: np.ndarray  # (n,) rows of `body_poses`
    frames: Array  # (n, 4, 4) body_from_frame
    links: np.ndarray  # (n, links) of bool: which links are welded to the frame


def places_on_bodies(robot: Robot, links: Sequence[str], poses: Sequence[SE3]) -> Places:
    """Places of frames that are given on links (link_from_frame)."""
    tree = body_tree(robot)
    names = [each.name for each in robot.links]
    rows = np.array([names.index(link) for link in links], dtype=int)
    bodies = tree.link_body[rows]
    frames = tree.link_pose[rows] @ np.stack([pose.matrix for pose in poses])
    return Places(bodies, np.ascontiguousarray(frames), tree.link_body[None, :] == bodies[:, None])


class _ContactSensor:
    """A sensor that measures by the function that measures all of its class together."""

    labels: tuple[str, ...]
    _measure: Measure | None = None  # made when first asked for

    def measure(self, scene: Scene) -> Array:
        """True values, (labels,)."""
        out = np.empty(len(self.labels))
        if self._measure is None:
            self._measure = self.together([self], [slice(0, len(out))])
        self._measure(scene, out)
        return out

    @staticmethod
    def together(sensors: Sequence[Any], places: Sequence[slice]) -> Measure:
        """All sensors of the class on one robot in one pass over the contacts."""
        raise NotImplementedError


class ContactSwitch(_ContactSensor):
    """pressed: 1 while something presses on it, else 0; force: how hard [N].

    A switch with a place feels the contacts of its link within `radius` of it, as far as they press against its x axis,
    which points outwards; one without feels every contact of its link.
    """

    labels = ("pressed", "force")

    def __init__(
        self, robot: Robot, link: str, name: str, pose: SE3 | None = None, radius: float = 0.03, threshold: float = 0.0
    ) -> None:
        self.name = name
        self.robot, self.link = robot, robot.link(link).name
        self.pose = SE3.identity() if pose is None else pose
        self.radius, self.threshold = math.inf if pose is None else radius, threshold

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


MOST_CELLS = 10  # of one foot: its table has 2^cells rows


def fraction_table(cells: Array, width: int) -> Array:
    """Pseudo-inverses of the rows (1, x, y) of every set of cells (n, 2), by its bits: (2^width, width, 3)."""
    count = len(cells)
    table = np.zeros((1 << width, width, 3))
    for mask in range(1, 1 << count):
        index = [i for i in range(count) if mask >> i & 1]
        table[mask, index] = np.linalg.pinv(np.vstack([np.ones(len(index)), cells[index].T]))
    return table


def load_fractions(cells: Array, point: Array) -> Array:
    """Fractions (n,) of a load at a point (2,) that the cells (n, 2) carry; how: `kernels.cell_fractions`."""
    out = np.empty(len(cells))
    cell_fractions(fraction_table(cells, len(cells)), cells, len(cells), point[0], point[1], out)
    return out


class FootForce(_ContactSensor):
    """Force on each load cell of a link [N], pressed along the cells' -z (upwards on the foot).

    Cells are points of the link frame, `rotation` (3, 3) turns the cells' axes into those of the link; the normal force
    of all contacts of the link is shared between them so that the center of pressure is kept (see `cell_fractions`).
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
            told = f"{len(cells)} cells; up to {MOST_CELLS} are modeled" if cells else "no cells"
            raise BadInput(f"foot force sensor {name!r} on {link!r} has {told}")
        self.name = name
        self.robot, self.link = robot, robot.link(link).name
        self.rotation = np.eye(3) if rotation is None else np.asarray(rotation, dtype=float)
        self.cells = np.array([point for _, point in cells], dtype=float) @ self.rotation
        self.labels = tuple(label for label, _ in cells)

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
        tables = np.stack([fraction_table(each.cells[:, :2], width) for each in sensors])
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
