"""Ultra-wideband ranging: distances between a tag on the robot and anchors in the room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from andante.description.link import SensorSpec
from andante.description.robot import Robot
from andante.description.shapes import Vec3, vec3_of
from andante.description.solids import robot_bounds
from andante.description.world import World
from andante.errors import BadInput
from andante.geometry import SE3, Array
from andante.settings import check_fields, is_fraction, is_positive, is_size

from .sensor import Mount, Scene, stated

ANCHOR_IDS = ("0x6902", "0x6e7a", "0x6e44", "0x6e6c")  # of the source, in the order of its convention
NEAR = 0.05  # an anchor may be screwed onto the wall: what lies nearer to it does not block it [m]
INSET, LOW, HIGH = 0.3, 1.5, 2.2  # of usual anchors: from the walls, height of 0 to 2, height of 3 [m]
LARGEST_ROOM, USUAL_ROOM = 30.0, (8.0, 6.0)  # [m]


@dataclass(frozen=True)
class UwbErrors:
    """Errors of a range between a tag and an anchor; all zero is a perfect sensor."""

    stddev: float = 0.08  # white noise [m]
    wall_bias: float = 0.4  # mean of what a wall in the way adds [m]
    outliers: float = 0.02  # fraction of ranges that are too long ...
    outlier_reach: float = 4.0  # ... by up to this much [m]
    dropout: float = 0.02  # fraction of ranges that are missing (NaN)
    range_max: float = 100.0  # beyond it there is no reading (NaN) [m]

    def __post_init__(self) -> None:
        check_fields(self, "uwb", "at least 0 m and finite", is_size, "stddev", "wall_bias", "outlier_reach")
        check_fields(self, "uwb", "a fraction between 0 and 1", is_fraction, "outliers", "dropout")
        check_fields(self, "uwb", "above 0 m", is_positive, "range_max")

    @staticmethod
    def none() -> UwbErrors:
        """A perfect sensor."""
        return UwbErrors(0.0, 0.0, 0.0, 0.0, 0.0)

    @staticmethod
    def of(spec: SensorSpec) -> UwbErrors:
        """The errors that a description states, the usual ones where it does not."""
        return stated(spec, UwbErrors(), {"stddev": "noise_stddev"})


class UwbTag:
    """Ranges to all anchors [m], NaN where there is none.

    r = |tag - anchor| + n, and more where a shape stands in between: wall_bias · f · u with a factor f in 0.5 .. 1.5
    of each anchor (its walls) and u in 0.7 .. 1.3 of each reading. Outliers add up to `outlier_reach`.
    """

    def __init__(
        self,
        robot: Robot,
        link: str,
        pose: SE3,
        anchors: Mapping[str, Vec3],
        errors: UwbErrors | None = None,
        name: str = "tag0",
    ) -> None:
        places = np.array([*anchors.values()], dtype=float).reshape(-1, 3)
        if not len(places) or not np.isfinite(places).all():
            raise BadInput(f"uwb tag {name!r} needs anchors with finite x y z in the world, got {dict(anchors)}")
        self.name, self.anchors, self.errors = name, dict(anchors), errors or UwbErrors()
        self.link, self.pose = link, pose
        self._places = places
        self._mount = Mount(robot, link, pose)
        self.draw_from(np.random.default_rng(0))

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the anchors."""
        return tuple(self.anchors)

    def draw_from(self, generator: np.random.Generator) -> None:
        """Take random numbers from this generator; what walls add at each anchor is drawn at once."""
        self._generator = generator
        self._walls = generator.uniform(0.5, 1.5, len(self._places))

    def blocked(self, scene: Scene) -> tuple[Array, np.ndarray]:
        """True distances (anchors,) [m] and whether something stands in between (anchors,)."""
        tag = self._mount.pose(scene).translation
        way = self._places - tag
        distance = np.maximum(np.linalg.norm(way, axis=1), 1e-9)
        origins = np.ascontiguousarray(np.broadcast_to(tag, way.shape))
        reach = max(float(distance.max()) - NEAR, NEAR)
        hidden = self._mount.on(scene).hidden
        met = scene.rays.nearest(origins, np.ascontiguousarray(way / distance[:, None]), reach, hidden)
        return distance, met < distance - NEAR

    def measure(self, scene: Scene) -> Array:
        """Ranges with their errors, (anchors,)."""
        distance, blocked = self.blocked(scene)
        e, count, g = self.errors, len(distance), self._generator
        out = distance + e.stddev * g.standard_normal(count)
        out += blocked * e.wall_bias * self._walls * g.uniform(0.7, 1.3, count)
        wild, length, lost = g.random(count) < e.outliers, g.random(count) * e.outlier_reach, g.random(count)
        out += wild * length
        return np.where((lost < e.dropout) | (distance > e.range_max), np.nan, np.maximum(out, 0.0))

    def save(self) -> Any:
        """The state of the random numbers."""
        return (self._walls, self._generator.bit_generator.state)

    def load(self, state: Any) -> None:
        """Put back what `save` returned."""
        self._walls, self._generator.bit_generator.state = state


def anchors_of(world: World) -> dict[str, Vec3]:
    """Anchors of a world: its models named anchor*, in order; without any, four in the corners of the room.

    The four keep the convention of the source: 0 is the origin of the UWB frame, 1 lies in +y, 2 in +x of it, 3 hangs
    higher than the rest. The room is the box around all that stands; an empty world counts as 8 x 6 m.
    """
    own = {each.name: vec3_of(each.pose.translation) for each in world.models if each.name.lower().startswith("anchor")}
    if own:
        return dict(sorted(own.items()))
    boxes = [box for each in world.models if (box := robot_bounds(each.robot, root=each.pose)) is not None]
    low, high = np.array([-USUAL_ROOM[0] / 2, -USUAL_ROOM[1] / 2]), np.array([USUAL_ROOM[0] / 2, USUAL_ROOM[1] / 2])
    if boxes:
        first, last = np.min([a for a, _ in boxes], axis=0)[:2], np.max([b for _, b in boxes], axis=0)[:2]
        if (last - first > 4 * INSET).all() and (last - first <= LARGEST_ROOM).all():
            low, high = first, last
    (x0, y0), (x1, y1) = low + INSET, high - INSET
    corners = ((x0, y0, LOW), (x0, y1, LOW), (x1, y0, LOW), (x1, y1, HIGH))
    return {name: vec3_of(corner) for name, corner in zip(ANCHOR_IDS, corners, strict=True)}
