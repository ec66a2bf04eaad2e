"""Pictures of robots and worlds: camera, renderer, films, and what a picture shows of a link, whoever draws it."""

from __future__ import annotations

from andante.description.link import Link, Material, Visual
from andante.description.shapes import RGBA, Mesh

PLAIN: RGBA = (0.72, 0.73, 0.75, 1.0)  # shapes of which no color is known
GROUND: RGBA = (0.86, 0.87, 0.88, 1.0)  # planes that state none


def shown(link: Link) -> tuple[Visual, ...]:
    """What a picture shows of a link: its visuals, or else its collision shapes; no mesh that is missing."""
    shapes = [*link.visuals, *(Visual(c.geometry, c.pose, Material()) for c in link.collisions)]
    found = [not (isinstance(shape.geometry, Mesh) and shape.geometry.path is None) for shape in shapes]
    count = len(link.visuals)
    first = slice(0, count) if any(found[:count]) else slice(count, None)
    return tuple(shape for shape, there in zip(shapes[first], found[first], strict=True) if there)
