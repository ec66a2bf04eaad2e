"""<geometry> of SDF: shapes, meshes, height maps, polylines."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from andante.description.io.cached import cached_file
from andante.description.io.xmltree import Node, number, vec3, vector
from andante.description.link import IDENTITY
from andante.description.mesh.triangles import taken_remedy
from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Heightmap, Mesh, Plane, Sphere
from andante.errors import BadInput
from andante.geometry import SE3, Array

from .include import Reading
from .polygon import prism, triangulated
from .values import flag, text_of

UNSUPPORTED = {
    "image": "a grid of boxes from an <image> is not supported and is left out; use a heightmap",
    "cone": "a <cone> is not supported and is left out; use a mesh",
}
MAX_PIXELS = 4097 * 4097
MAX_POINTS = 2_000
HARMLESS = ("texture", "blend", "use_terrain_paging", "sampling")


def read_geometry(reading: Reading, geometry: Node) -> tuple[Geometry, SE3] | None:
    """Shape of a <geometry> and its pose in the element; None (and a finding) when it has none we can use."""
    shape = next((c for c in geometry.children if not c.tag.startswith("andante:")), None)
    if shape is None:
        reading.report.warn(geometry, "<geometry> is empty; the element is left out")
        return None
    try:
        return _shape(reading, shape)
    except BadInput as error:
        if str(shape.source) in str(error):
            raise
        raise shape.error(str(error)) from None


def _shape(reading: Reading, shape: Node) -> tuple[Geometry, SE3] | None:
    tag = shape.tag
    if tag == "box":
        return Box(vec3(shape, text_of(shape, "size"), "<size>", (1.0, 1.0, 1.0))), IDENTITY
    if tag == "sphere":
        return Sphere(number(shape, text_of(shape, "radius"), "<radius>", 1.0)), IDENTITY
    if tag in ("cylinder", "capsule"):
        kind = Cylinder if tag == "cylinder" else Capsule
        radius = number(shape, text_of(shape, "radius"), "<radius>", 1.0 if tag == "cylinder" else 0.5)
        return kind(radius, number(shape, text_of(shape, "length"), "<length>", 1.0)), IDENTITY
    if tag == "ellipsoid":
        return Ellipsoid(vec3(shape, text_of(shape, "radii"), "<radii>", (1.0, 1.0, 1.0))), IDENTITY
    if tag == "plane":
        return _plane(shape), IDENTITY
    if tag == "mesh":
        return _mesh(reading, shape), IDENTITY
    if tag == "heightmap":
        return read_heightmap(reading, shape)
    if tag == "polyline":
        return read_polyline(reading, shape)
    if tag != "empty":
        reading.report.warn(shape, UNSUPPORTED.get(tag, f"<{tag}> is not a known shape and is left out"))
    return None


def _plane(shape: Node) -> Plane:
    x, y, z = vec3(shape, text_of(shape, "normal"), "<normal>", (0.0, 0.0, 1.0))
    length = math.sqrt(x * x + y * y + z * z)
    if length < 1e-9:
        raise shape.error("the normal has no length; write 0 0 1")
    if abs(length - 1.0) > 1e-12:
        x, y, z = x / length, y / length, z / length
    a, b = vector(shape, text_of(shape, "size"), 2, "<size>", (1.0, 1.0))
    return Plane((x, y, z), (a, b))


def _mesh(reading: Reading, shape: Node) -> Mesh:
    uri = text_of(shape, "uri") or text_of(shape, "filename")
    if not uri:
        raise shape.error("a mesh needs a <uri>")
    found = find_file(reading, uri, shape)
    if found is None and (found := reading.resolver.beside(uri, Path(shape.source.file))) is not None:
        reading.report.warn(shape, f"mesh {uri[:200]} {taken_remedy(found, Path(shape.source.file))}")
    elif found is None:
        reading.report.warn(shape, f"mesh {uri[:200]} was not found; set GAZEBO_MODEL_PATH to the folder that holds it")
    sub = shape.find("submesh")
    reading.report.leftovers(shape, ("uri", "filename", "scale", "submesh"), ("convex_decomposition",))
    if shape.get("optimization"):
        reading.report.info(shape, "the `optimization` attribute of <mesh> is not used")
    return Mesh(
        uri=uri,
        path=found,
        scale=vec3(shape, text_of(shape, "scale"), "<scale>", (1.0, 1.0, 1.0)),
        submesh=text_of(sub, "name"),
        center_submesh=flag(sub, "center"),
    )


def find_file(reading: Reading, uri: str, node: Node) -> Path | None:
    """Path of a file that an element names, seen from the file that the element stands in."""
    try:
        found = reading.resolver.resolve(uri, Path(node.source.file))
        return found.resolve() if found is not None and ".." in found.parts else found
    except (OSError, ValueError):
        return None


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
    path = find_file(reading, uri, shape) if uri else None
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


def read_polyline(reading: Reading, shape: Node) -> tuple[Geometry, SE3] | None:
    """Prism of a polygon from z = 0 to its height; None (and a finding) when its sides cross."""
    height = number(shape, text_of(shape, "height"), "<height>", 1.0)
    if height <= 0:
        raise shape.error(f"<height> must be positive, got {height:g}")
    points = np.array([vector(p, p.text, 2, "<point>") for p in shape.all("point")], dtype=float).reshape(-1, 2)
    if len(points) > MAX_POINTS:
        raise shape.error(f"more than {MAX_POINTS} points; refused")
    if len(points) > 1 and np.array_equal(points[0], points[-1]):
        points = points[:-1]
    if len(points) < 3:
        raise shape.error("a polyline needs at least three points")
    box = _rectangle(points, height)
    if box is not None:
        return box
    faces = triangulated(points)
    if faces is None:
        reading.report.warn(shape, "the sides of a <polyline> cross each other; it is left out")
        return None
    path = cached_file(prism(points, faces, height).encode(), "polyline", ".obj")
    return Mesh(path.as_uri(), path), IDENTITY


def _rectangle(points: Array, height: float) -> tuple[Box, SE3] | None:
    if len(points) != 4:
        return None
    a, b = points[1] - points[0], points[2] - points[1]
    scale = float(np.linalg.norm(a) * np.linalg.norm(b))
    closed = np.allclose(points[0] + points[2], points[1] + points[3], atol=1e-9 * (1 + np.max(np.abs(points))))
    if scale <= 0 or abs(float(a @ b)) > 1e-9 * scale or not closed:
        return None
    center = points.mean(axis=0)
    pose = SE3.from_xyz_rpy((center[0], center[1], height / 2), (0.0, 0.0, float(np.arctan2(a[1], a[0]))))
    return Box((float(np.linalg.norm(a)), float(np.linalg.norm(b)), height)), pose
