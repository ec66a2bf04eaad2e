"""Batched rays by Bullet's own ray test."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from andante.geometry import Array

from .bullet_api import pybullet
from .bullet_build import Collider
from .bullet_contacts import touched_link
from .state import RayHits

BATCH = 16_000  # rays per call that Bullet takes
FARTHEST = 1e4  # stands for an unlimited range [m]
MOST_LAYERS = 64  # colliders of the ignored actor that a ray may cross


def cast(
    client: int,
    colliders: dict[tuple[int, int], Collider],
    origins: Array,
    directions: Array,
    max_range: float,
    ignore: int | None,
    pose: Callable[[int, int], Array],
) -> RayHits:
    """First hits of rays; those that meet the ignored actor ask for their next hit until it is another one's."""
    origins, directions = np.atleast_2d(origins), np.atleast_2d(directions)
    count = max(len(origins), len(directions))
    origins = np.broadcast_to(origins, (count, 3))
    unit = np.broadcast_to(directions / np.linalg.norm(directions, axis=1, keepdims=True), (count, 3))
    reach = min(max_range, FARTHEST)
    hits = RayHits(np.full(count, np.inf), np.full(count, -1), np.full(count, -1))
    waiting, layer = np.arange(count), -1
    ends = origins + unit * reach
    while len(waiting) and layer < MOST_LAYERS:
        again = []
        for k, (uid, link, fraction, at) in zip(waiting, _batch(client, origins, ends, waiting, layer), strict=True):
            collider = colliders.get((uid, link))
            if collider is None:
                continue
            if collider.actor == ignore:
                again.append(k)
                continue
            hits.distance[k] = fraction * reach
            hits.actor[k] = collider.actor
            hits.link[k] = touched_link(collider, np.asarray(at), pose)
        waiting, layer = np.array(again, dtype=int), max(layer + 1, 1)
    return hits


def _batch(
    client: int, origins: Array, ends: Array, which: np.ndarray, layer: int
) -> list[tuple[int, int, float, tuple[float, float, float]]]:
    """Body, link, fraction and point of one hit per ray: the nearest (layer -1) or the hit of that number."""
    out: list[tuple[int, int, float, tuple[float, float, float]]] = []
    for start in range(0, len(which), BATCH):
        rays = which[start : start + BATCH]
        found = pybullet.rayTestBatch(
            origins[rays].tolist(), ends[rays].tolist(), 1, reportHitNumber=layer, physicsClientId=client
        )
        out += [(hit[0], hit[1], hit[2], hit[3]) for hit in found]
    return out
