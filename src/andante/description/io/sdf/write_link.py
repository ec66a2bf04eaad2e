"""Writes links: inertia, shapes, surfaces. Sensors and plugins by the table of `sensor`."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from andante.description import Collision, Inertia, Link, Material, Plugin, SensorSpec, Surface, Visual
from andante.description.io.gazebo import SENSORS, SURFACE
from andante.description.io.resolver import Resolver
from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Heightmap, Mesh, Plane, Sphere
from andante.geometry import SE3

from .link import MOMENTS
from .sensor import BODIES, KINDS
from .xml import XML_NAME, Element, Names, Version, add_pose, label, write_numbers, write_value

LEAST_MASS = 1e-9  # written for links that weigh nothing, beside the mark that says so [kg]
LEAST_MOMENT = 1e-12  # [kg m^2]
NOISE_AS_ELEMENT = ("lidar", "camera", "depth_camera", "rgbd_camera")  # <noise><type> instead of <noise type>
WHOLE = ("samples", "vertical_samples", "width", "height")
IMAGE_FORMATS = (  # of the standard
    *("L8", "L16", "L_INT8", "L_INT16", "R8G8B8", "RGB_INT8", "R8G8B8A8", "RGBA_INT8", "B8G8R8A8", "BGRA_INT8"),
    *("RGB_INT16", "RGB_INT32", "B8G8R8", "BGR_INT8", "BGR_INT16", "BGR_INT32", "R_FLOAT16", "RGB_FLOAT16"),
    *("R_FLOAT32", "RGB_FLOAT32", "BAYER_RGGB8", "BAYER_BGGR8", "BAYER_GBRG8", "BAYER_GRBG8"),
)


def write_link(element: Element, link: Link, path: Path, version: Version, names: Names) -> None:
    """Contents of a <link>, except its pose and sensors; `names` are those taken inside the link."""
    if not link.gravity:
        element.add("gravity", False)
    if link.self_collide is not None:
        element.add("self_collide", link.self_collide)
    _write_inertia(element, link.inertia)
    for kind, shapes in (("collision", link.collisions), ("visual", link.visuals)):
        for shape in shapes:
            child = element.add(kind)
            label(child, names.fresh(kind, shape.name), shape.name)
            add_pose(child, shape.pose, version)
            _write_geometry(child.add("geometry"), shape.geometry, path, version)
            if isinstance(shape, Collision):
                _write_surface(child, shape.surface)
            elif isinstance(shape, Visual):
                _write_material(child, shape.material, path)


def _write_inertia(element: Element, inertia: Inertia | None) -> None:
    """<inertial>; what SDF does not allow (no mass, an impossible tensor) is repaired there and kept beside it."""
    if inertia is None:
        element.add("andante:massless")
    written = possible(inertia if inertia is not None else Inertia(0.0))
    if inertia is not None and written != inertia:
        mass, com, moments = repr(inertia.mass), write_numbers(inertia.com), write_numbers(inertia.moments)
        element.add("andante:inertial", mass=mass, com=com, moments=moments)
    node = element.add("inertial")
    if any(written.com):
        node.add("pose", write_numbers((*written.com, 0.0, 0.0, 0.0)))
    node.add("mass", written.mass)
    tensor = node.add("inertia")
    for tag, value in zip(MOMENTS, written.moments, strict=True):
        tensor.add(tag, value)


def possible(inertia: Inertia) -> Inertia:
    """The inertia itself when a body can have it, else the nearest one with mass and a tensor of a real body.

    Principal moments of a real body are positive and none is larger than the sum of the other two.
    """
    moments, axes = np.linalg.eigh(inertia.matrix)
    if inertia.mass > 0 and moments[0] > 0 and moments[0] + moments[1] >= moments[2]:
        return inertia
    small, middle, large = np.maximum(moments, LEAST_MOMENT)
    repaired = np.array([small, middle, min(large, (small + middle) * (1 - 1e-9))])
    return Inertia.from_matrix(max(inertia.mass, LEAST_MASS), inertia.com, axes @ np.diag(repaired) @ axes.T)


def _write_geometry(element: Element, shape: Geometry, path: Path, version: Version) -> None:
    if isinstance(shape, Box):
        element.add("box").add("size", write_numbers(shape.size))
    elif isinstance(shape, Sphere):
        element.add("sphere").add("radius", shape.radius)
    elif isinstance(shape, Cylinder | Capsule):
        if isinstance(shape, Capsule):
            version.need(8)
        node = element.add("cylinder" if isinstance(shape, Cylinder) else "capsule")
        node.add("radius", shape.radius)
        node.add("length", shape.length)
    elif isinstance(shape, Ellipsoid):
        version.need(8)
        element.add("ellipsoid").add("radii", write_numbers(shape.radii))
    elif isinstance(shape, Plane):
        node = element.add("plane")
        node.add("normal", write_numbers(shape.normal))
        node.add("size", write_numbers(shape.size))
    elif isinstance(shape, Mesh):
        node = element.add("mesh")
        node.add("uri", mesh_uri(shape, path))
        if shape.submesh:
            sub = node.add("submesh")
            sub.add("name", shape.submesh)
            sub.add("center", shape.center_submesh)
        if shape.scale != (1.0, 1.0, 1.0):
            node.add("scale", write_numbers(shape.scale))
    elif isinstance(shape, Heightmap):
        node = element.add("heightmap")
        node.add("uri", shape.uri or "heights.png")
        highest = max(max(row) for row in shape.heights)
        node.add("size", write_numbers((*shape.size, highest if highest > 0 else 1.0)))
        flat = [value for row in shape.heights for value in row]
        node.add("andante:heights", write_numbers(flat), columns=str(len(shape.heights[0])))


def mesh_uri(mesh: Mesh, path: Path) -> str:
    """URI that finds the mesh from the written file: the one it had, else a path from the folder of that file."""
    if mesh.path is None:
        return mesh.uri
    folder = path.resolve().parent
    try:
        found = Resolver().resolve(mesh.uri, path.resolve())
        if found is not None and found.resolve() == mesh.path.resolve():
            return mesh.uri
        return Path(os.path.relpath(mesh.path.resolve(), folder)).as_posix()
    except ValueError:  # another drive on Windows
        return mesh.path.resolve().as_uri()


def _write_material(element: Element, material: Material, path: Path) -> None:
    if material == Material():
        return
    node = element.add("material")
    if material.name:
        node.attributes["andante:name"] = material.name
    if material.rgba is not None:
        node.add("ambient", write_numbers(material.rgba))
        node.add("diffuse", write_numbers(material.rgba))
    if material.texture:
        uri = mesh_uri(Mesh(material.texture, material.path), path)
        node.add("pbr").add("metal").add("albedo_map", uri)


def _write_surface(element: Element, surface: Surface) -> None:
    """<surface> with only what is stated."""
    if surface == Surface():
        return
    node = element.add("surface")
    stated = vars(surface)
    for path, name in SURFACE.items():
        group, _, tag = path.rpartition("/")
        value = stated[name]
        if value is not None:
            below(node, group).add(tag, write_numbers(value) if isinstance(value, tuple) else value)


def below(element: Element, path: str) -> Element:
    """The element at a path of tags, made where it is missing."""
    for tag in path.split("/") if path else ():
        found = next((child for child in element.children if child.tag == tag), None)
        element = found if found is not None else element.add(tag)
    return element


def write_sensor(owner: Element, sensor: SensorSpec, pose: SE3, names: Names, version: Version) -> None:
    """A <sensor> below a link or a joint; kinds that SDF lacks are of type custom."""
    element = owner.add("sensor")
    sdf_type = sensor.parameters.get("sdf_type") or next((t for t, k in KINDS.items() if k == sensor.kind), "custom")
    label(element, names.fresh("sensor", sensor.name), sensor.name)
    element.attributes["type"] = str(sdf_type)
    if KINDS.get(str(sdf_type)) != sensor.kind:
        version.need(9)
        element.attributes["andante:kind"] = sensor.kind
    add_pose(element, pose, version)
    if sensor.rate:
        element.add("update_rate", sensor.rate)
    if sensor.topic:
        element.add("topic", sensor.topic)
    paths = {name: path for path, name in reversed(SENSORS.get(sensor.kind, {}).items())}
    body: Element | None = None
    for name, value in sensor.parameters.items():
        if name in ("sdf_type", "joint"):
            continue
        path = paths.get(name)
        foreign = name == "format" and value not in IMAGE_FORMATS  # of a plugin; the standard's checker refuses it
        if path is None or foreign or (isinstance(value, str) and not value.strip()):
            element.add("andante:parameter", name=name, value=write_value(value))
            continue
        if body is None:
            body = element.add(BODIES.get(sensor.kind, (sensor.kind,))[0])
        group, _, tag = path.rpartition("/")
        place = below(body, group)
        if tag == "type" and sensor.kind not in NOISE_AS_ELEMENT:
            place.attributes["type"] = str(value)
        elif name in WHOLE and isinstance(value, float) and value.is_integer():
            place.add(tag, int(value))
        else:
            place.add(tag, value)
    if body is not None:
        _complete(body, sensor.kind)


def _complete(body: Element, kind: str) -> None:
    """What the standard demands beside what is stated: a type of every noise."""
    stack = [body]
    while stack:
        node = stack.pop()
        stack += node.children
        if node.tag != "noise" or "type" in node.attributes or any(c.tag == "type" for c in node.children):
            continue
        if kind in NOISE_AS_ELEMENT:
            node.children.insert(0, Element("type", {"andante:implied": "true"}, "gaussian"))
        else:
            node.attributes |= {"type": "gaussian", "andante:implied": "true"}


def write_plugin(owner: Element, plugin: Plugin) -> None:
    """A <plugin> with its parameters as leaf elements."""
    element = owner.add("plugin", name=plugin.name or "plugin", filename=plugin.filename or "none")
    if not plugin.name:
        element.attributes["andante:unnamed"] = "true"
    if not plugin.filename:
        element.attributes["andante:no_file"] = "true"
    for name, value in plugin.parameters.items():
        if XML_NAME.match(name) and not name.casefold().startswith("xml"):
            element.add(name, value)
        else:
            element.add("andante:parameter", value, name=name)
