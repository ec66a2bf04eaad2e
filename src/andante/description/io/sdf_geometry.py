"""<geometry> and <material> of SDF: shapes, meshes, height maps, polylines, colours."""

from __future__ import annotations

import math
from pathlib import Path

from andante.description.link import IDENTITY, Material
from andante.description.shapes import (
    RGBA,
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    Mesh,
    Plane,
    Sphere,
)
from andante.errors import BadInput
from andante.geometry import SE3

from .sdf_heightmap import read_heightmap
from .sdf_include import Reading
from .sdf_polyline import read_polyline
from .sdf_values import color, flag, text_of
from .values import number, vec3, vector
from .xmltree import Node

# colours of Gazebo's own material script, by the names that worlds use most
SCRIPT_COLORS: dict[str, RGBA] = {
    "grey": (0.7, 0.7, 0.7, 1.0),
    "gray": (0.7, 0.7, 0.7, 1.0),
    "darkgrey": (0.175, 0.175, 0.175, 1.0),
    "darkgray": (0.175, 0.175, 0.175, 1.0),
    "lightgrey": (0.8, 0.8, 0.8, 1.0),
    "white": (1.0, 1.0, 1.0, 1.0),
    "flatblack": (0.1, 0.1, 0.1, 1.0),
    "black": (0.0, 0.0, 0.0, 1.0),
    "red": (1.0, 0.0, 0.0, 1.0),
    "redbright": (0.87, 0.26, 0.07, 1.0),
    "green": (0.0, 1.0, 0.0, 1.0),
    "blue": (0.0, 0.0, 1.0, 1.0),
    "skyblue": (0.13, 0.44, 0.70, 1.0),
    "yellow": (1.0, 1.0, 0.0, 1.0),
    "zincyellow": (0.9725, 0.9529, 0.2078, 1.0),
    "darkyellow": (0.7, 0.7, 0.0, 1.0),
    "orange": (1.0, 0.5088, 0.0468, 1.0),
    "purple": (1.0, 0.0, 1.0, 1.0),
    "turquoise": (0.0, 1.0, 1.0, 1.0),
    "indigo": (0.33, 0.0, 0.5, 1.0),
    "gold": (0.8, 0.64869, 0.12076, 1.0),
    "bluglow": (0.0, 0.0, 1.0, 1.0),
    "wood": (0.6, 0.43, 0.27, 1.0),
    "woodfloor": (0.6, 0.43, 0.27, 1.0),
    "bricks": (0.6, 0.3, 0.24, 1.0),
    "residential": (0.7, 0.65, 0.6, 1.0),
    "asphalt": (0.3, 0.3, 0.3, 1.0),
    "road": (0.3, 0.3, 0.3, 1.0),
    "grass": (0.3, 0.5, 0.2, 1.0),
}


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
    if tag == "empty":
        return None
    if tag == "image":
        reading.report.warn(shape, "a grid of boxes from an <image> is not supported and is left out; use a heightmap")
    elif tag == "cone":
        reading.report.warn(shape, "a <cone> is not supported and is left out; use a mesh")
    else:
        reading.report.warn(shape, f"<{tag}> is not a known shape and is left out")
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
    if found is None:
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


def read_material(reading: Reading, visual: Node) -> Material:
    """Colour of a visual: diffuse, else ambient, else the colour of a known Gazebo script name."""
    materials = list(visual.all("material"))
    if not materials:
        return Material()
    name, rgba, texture = "", None, ""
    for node in materials:
        script = node.find("script")
        script_name = text_of(script, "name") if script is not None else ""
        name = name or (node.get("andante:name") or script_name)
        rgba = rgba or color(node, "diffuse") or color(node, "ambient")
        texture = texture or (node.get("andante:texture") or "")
        pbr = node.find("pbr")
        for flow in pbr.children if pbr is not None else ():
            texture = texture or text_of(flow, "albedo_map")
        reading.report.leftovers(
            node,
            ("script", "ambient", "diffuse"),
            (
                "specular",
                "emissive",
                "shader",
                "lighting",
                "pbr",
                "render_order",
                "double_sided",
                "shininess",
            ),
        )
    own = any(node.get("andante:name") is not None for node in materials)
    if rgba is None and name and not own:
        rgba = SCRIPT_COLORS.get(name.rpartition("/")[2].casefold())
        if rgba is None:
            reading.report.info(materials[0], f"the colour of material script {name[:80]!r} is not known")
    transparency = text_of(visual, "transparency")
    if transparency:
        hidden = number(visual, transparency, "<transparency>")
        if hidden:
            r, g, b, a = rgba or SCRIPT_COLORS["grey"]
            rgba = (r, g, b, a * min(max(1.0 - hidden, 0.0), 1.0))
    return Material(name, rgba, texture)
