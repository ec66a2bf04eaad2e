"""<heightmap> of SDF: heights of an image (or of our own element) on a regular grid."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from andante.description.link import IDENTITY
from andante.description.shapes import Heightmap
from andante.errors import BadInput
from andante.geometry import SE3

from .sdf_include import Reading
from .sdf_values import text_of
from .values import number, vec3
from .xmltree import Node

MAX_PIXELS = 4097 * 4097
HARMLESS = ("texture", "blend", "use_terrain_paging", "sampling")


def read_heightmap(reading: Reading, shape: Node) -> tuple[Heightmap, SE3] | None:
    """Heights of a <heightmap>: white is size z, black 0; the top row of the image lies at +y."""
    uri = text_of(shape, "uri")
    x, y, z = vec3(shape, text_of(shape, "size"), "<size>", (1.0, 1.0, 1.0))
    if not (x > 0 and y > 0):
        raise shape.error(f"<size> needs a positive extent along x and y, got {x:g} {y:g}")
    offset = vec3(shape, text_of(shape, "pos"), "<pos>", (0.0, 0.0, 0.0))
    pose = SE3.from_xyz_rpy(offset) if any(offset) else IDENTITY
    reading.report.leftovers(shape, ("uri", "size", "pos"), HARMLESS)
    own = shape.find("andante:heights")
    if own is not None:
        return Heightmap(_own_heights(own), (x, y), uri), pose
    path = None
    try:
        path = reading.resolver.resolve(uri, Path(shape.source.file)) if uri else None
    except (OSError, ValueError):
        path = None
    if path is None:
        reading.report.warn(shape, f"height map image {uri[:200]!r} was not found; the shape is left out")
        return None
    levels = _levels(shape, path) * z
    return Heightmap(tuple(tuple(row) for row in levels.tolist()), (x, y), uri), pose


def _own_heights(node: Node) -> tuple[tuple[float, ...], ...]:
    columns = int(number(node, node.get("columns"), "columns"))
    values = [number(node, part, "height") for part in node.text.split()]
    if columns < 2 or len(values) < 2 * columns or len(values) % columns:
        raise node.error(f"{len(values)} heights do not fill rows of {columns}")
    return tuple(tuple(values[i : i + columns]) for i in range(0, len(values), columns))


def _levels(shape: Node, path: Path) -> np.ndarray:
    """Brightness of an image, 0 to 1 of what its pixels can hold, row 0 at the bottom of the picture."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            if image.width * image.height > MAX_PIXELS or min(image.size) < 2:
                raise shape.error(f"{path} has {image.width} x {image.height} pixels; 2 x 2 to 4097 x 4097 are read")
            deep = image.mode.startswith("I") or image.mode == "F"
            pixels = np.asarray(image if deep else image.convert("L"), dtype=float)
            full = 65535.0 if deep else 255.0
    except BadInput:
        raise
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise shape.error(f"{path} cannot be read as an image ({error}); use a grey PNG") from None
    return pixels[::-1] / full
