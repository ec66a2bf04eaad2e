"""Contact points of Bullet as `Contacts`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from andante.geometry import SE3, Array
from andante.physics.state import Contacts

from .api import pybullet
from .build import Collider
from .shapes import distance


def read_contacts(
    client: int, colliders: dict[tuple[int, int], Collider], pose: Callable[[int, int], Array]
) -> Contacts:
    """The points of the last step that touch or push; `pose(actor, body)` tells where a body is, (7,)."""
    points = [point for point in pybullet.getContactPoints(physicsClientId=client) if point[9] > 0.0 or point[8] <= 0.0]
    known = [p for p in points if (p[1], p[3]) in colliders and (p[2], p[4]) in colliders]
    if not known:
        return Contacts.empty()
    on_a, on_b = np.array([p[5] for p in known]), np.array([p[6] for p in known])
    normal = np.array([p[7] for p in known])
    first, second = np.array([p[11] for p in known]), np.array([p[13] for p in known])
    amount = np.array([(p[9], p[10], p[12]) for p in known])
    position = (on_a + on_b) / 2
    sides = [[colliders[p[1], p[3]] for p in known], [colliders[p[2], p[4]] for p in known]]
    links = [
        np.array([touched_link(side, at, pose) for side, at in zip(which, position, strict=True)]) for which in sides
    ]
    return Contacts(
        actor_a=np.array([side.actor for side in sides[0]]),
        link_a=links[0],
        actor_b=np.array([side.actor for side in sides[1]]),
        link_b=links[1],
        position=position,
        normal=normal,
        force=normal * amount[:, :1] + first * amount[:, 1:2] + second * amount[:, 2:],
        depth=-np.array([p[8] for p in known]),
    )


def touched_link(collider: Collider, point: Array, pose: Callable[[int, int], Array]) -> int:
    """Link of the shape that was touched: the nearest where a body carries shapes of several links."""
    shapes = collider.shapes
    if all(shape.link == shapes[0].link for shape in shapes):
        return shapes[0].link
    local = SE3.from_vector(pose(collider.actor, collider.body)).inverse() @ point
    gaps = [distance(shape.geometry, shape.pose.inverse() @ local) for shape in shapes]
    return shapes[int(np.argmin(gaps))].link
