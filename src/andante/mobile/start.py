"""Where a driving robot starts: on the floor, not on top of a thing that stands there."""

from __future__ import annotations

import numpy as np

from andante.description import World
from andante.description.shapes import Plane
from andante.geometry import Array
from andante.physics import Engine

LEVEL = 0.05  # heights that differ less are one floor [m]
AROUND = 1.5  # the floor is looked at so far around the start [m]
ABOVE = 1.0  # ... from so high over the robot [m]


def plane_height(world: World, x: float, y: float) -> float | None:
    """Height [m] of the highest ground plane of a world below a place; None: it has none."""
    heights = []
    for placement in world.models:
        for name, pose in placement.robot.link_poses().items():
            for collision in placement.robot.link(name).collisions:
                if not isinstance(collision.geometry, Plane):
                    continue
                at = placement.pose @ pose @ collision.pose
                normal, origin = at.rotation @ np.asarray(collision.geometry.normal), at.translation
                if normal[2] > 0.7:
                    slant = normal[0] * (x - origin[0]) + normal[1] * (y - origin[1])
                    heights.append(float(origin[2] - slant / normal[2]))
    return max(heights, default=None)


def set_on_floor(engine: Engine, model: int, start: Array, ground: float) -> float:
    """Move a robot that was put on the highest ground below it down to the plane where that is the floor around.

    ground: the height it was put on [m]. Returns the height it stands on now.
    """
    x, y = float(start[0]), float(start[1])
    plane = plane_height(engine.world, x, y)
    if plane is None or abs(ground - plane) < LEVEL:
        return ground
    base = np.array(engine.base_pose(model))
    steps = np.linspace(-AROUND, AROUND, 13)
    grid = np.stack(np.meshgrid(x + steps, y + steps), axis=-1).reshape(-1, 2)
    top = float(base[2]) + ABOVE
    down = np.tile([0.0, 0.0, -1.0], (len(grid), 1))
    hits = engine.cast_rays(np.column_stack([grid, np.full(len(grid), top)]), down, 100.0, ignore=model)
    heights = top - hits.distance[np.isfinite(hits.distance)]
    if np.sum(np.abs(heights - plane) < LEVEL) <= np.sum(np.abs(heights - ground) < LEVEL):
        return ground
    base[2] += plane - ground
    engine.set_base(model, base)
    return plane
