"""Links of a URDF file, element by element: poses, geometry, inertia, materials, visuals, collisions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from andante.description import Collision, Inertia, Link, Material, Problem, Severity, Surface, Visual
from andante.description.io.resolver import Resolver
from andante.description.io.xmltree import Node, number, rgba, vec3, vector
from andante.description.link import IDENTITY
from andante.description.mesh.triangles import taken_remedy
from andante.description.shapes import Box, Capsule, Cylinder, Geometry, Mesh, Plane, Sphere
from andante.errors import BadInput
from andante.geometry import SE3

T = TypeVar("T")
BULLET_ONLY = ("contact_cfm", "contact_erp", "inertia_scaling", "friction_anchor")


@dataclass
class Context:
    """What the parts of one file share: where it is, how files are found, colors by name, findings."""

    path: Path
    resolver: Resolver
    materials: dict[str, Material] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def warn(self, node: Node, message: str) -> None:
        """Note a warning at an element."""
        self._note(Severity.WARNING, node, message)

    def info(self, node: Node, message: str) -> None:
        """Note something that is only told."""
        self._note(Severity.INFO, node, message)

    def _note(self, severity: Severity, node: Node, message: str) -> None:
        name = f" {node.attributes['name']!r}" if node.attributes.get("name") else ""
        self.problems.append(Problem(severity, f"<{node.tag}>{name}: {message}", node.source))

    def unknown(self, node: Node, known: Iterable[str]) -> None:
        """Note every child that is not among the known ones."""
        for child in node.children:
            if child.tag not in known:
                self.warn(child, f"not understood inside <{node.tag}>, ignored")


def at(node: Node, make: Callable[[], T]) -> T:
    """The result of a constructor; what it refuses is told with file, line and element."""
    try:
        return make()
    except BadInput as error:
        raise node.error(str(error)) from None


def required_name(node: Node) -> str:
    """The name attribute, which must be there."""
    name = node.get("name")
    if not name or not name.strip():
        raise node.error("needs a name attribute")
    return name


def rotation_rpy(roll: float, pitch: float, yaw: float) -> list[list[float]]:
    """Rz(yaw) Ry(pitch) Rx(roll) as nested lists [rad]."""
    cr, cp, cy, sr, sp, sy = (f(a) for f in (math.cos, math.sin) for a in (roll, pitch, yaw))
    return [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]


def pose_of(xyz: tuple[float, ...], rpy: tuple[float, ...]) -> SE3:
    """Pose of a position [m] and roll, pitch, yaw [rad]."""
    if not any(xyz) and not any(rpy):
        return IDENTITY
    rows = rotation_rpy(rpy[0], rpy[1], rpy[2])
    return SE3([[*rows[i], xyz[i]] for i in range(3)] + [[0.0, 0.0, 0.0, 1.0]])


def origin(node: Node) -> SE3:
    """Pose of the <origin> child (xyz and rpy, or quat_xyzw); identity when there is none."""
    element = node.find("origin")
    if element is None:
        return IDENTITY
    xyz = vec3(element, element.get("xyz"), "xyz", (0.0, 0.0, 0.0))
    quaternion = element.get("quat_xyzw")
    if quaternion is not None:
        q = vector(element, quaternion, 4, "quat_xyzw")
        if math.hypot(*q) < 1e-9:
            raise element.error("quat_xyzw must not be zero")
        return SE3.from_xyz_quaternion(xyz, q)
    return pose_of(xyz, vec3(element, element.get("rpy"), "rpy", (0.0, 0.0, 0.0)))


def geometry(node: Node, context: Context) -> Geometry | None:
    """Shape of a visual or collision; None (with a warning) when the element is empty."""
    holder = node.find("geometry")
    shapes = holder.children if holder is not None else []
    if holder is None or not shapes:
        context.warn(node, "has no geometry, ignored; give it a box, sphere, cylinder, capsule or mesh")
        return None
    if len(shapes) > 1:
        context.warn(holder, f"holds {len(shapes)} shapes; only the first is used, write one element per shape")
    shape = shapes[0]
    if _flat(shape):
        context.warn(shape, "has no extent in one direction, ignored; give it a positive size")
        return None
    if shape.tag == "plane":
        return _plane(shape)
    if shape.tag == "box":
        size = vec3(shape, shape.get("size"), "size")
        return at(shape, lambda: Box(size))
    if shape.tag == "sphere":
        radius = number(shape, shape.get("radius"), "radius")
        return at(shape, lambda: Sphere(radius))
    if shape.tag in ("cylinder", "capsule"):
        kind = Cylinder if shape.tag == "cylinder" else Capsule
        radius, length = (number(shape, shape.get(key), key) for key in ("radius", "length"))
        return at(shape, lambda: kind(radius, length))
    if shape.tag == "mesh":
        return _mesh(shape, context)
    raise shape.error("unknown geometry; URDF has box, sphere, cylinder, capsule and mesh")


def _flat(shape: Node) -> bool:
    """Whether a size of a box, sphere, cylinder or capsule is zero."""
    keys = {"box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius",)}
    texts = " ".join(shape.get(key) or "" for key in keys.get(shape.tag, ())).split()
    return any(number(shape, text, "size") == 0.0 for text in texts)


def _plane(node: Node) -> Plane:
    """The plane that Bullet reads: through the origin, with a normal."""
    x, y, z = vec3(node, node.get("normal"), "normal", (0.0, 0.0, 1.0))
    length = math.sqrt(x * x + y * y + z * z)
    if length < 1e-9:
        raise node.error("the normal is zero")
    return Plane((x / length, y / length, z / length))


def _mesh(node: Node, context: Context) -> Mesh | None:
    uri = (node.get("filename") or "").strip()
    if not uri:
        context.warn(node, "has no filename, ignored")
        return None
    scale = vec3(node, node.get("scale"), "scale", (1.0, 1.0, 1.0))
    if 0.0 in scale:
        raise node.error("scale must not be zero")
    found = context.resolver.resolve(uri, context.path)
    if found is None and node.source.file and node.source.file != str(context.path):
        found = context.resolver.resolve(uri, Path(node.source.file))
    if found is None and (found := context.resolver.beside(uri, context.path)) is not None:
        context.warn(node, f"{uri[:200]!r} {taken_remedy(found, context.path)}")
    return Mesh(uri, found, scale)


def inertial(node: Node, context: Context) -> Inertia:
    """Mass, center of mass and tensor about it along the link axes: R I Rᵀ with the R of <origin>."""
    context.unknown(node, ("origin", "mass", "inertia"))
    mass_node, tensor_node = node.find("mass"), node.find("inertia")
    if mass_node is None:
        raise node.error("has no <mass>; add one or remove the <inertial>")
    mass = number(mass_node, mass_node.get("value"), "value")
    if mass < 0:
        context.warn(mass_node, f"the mass {mass:g} kg is negative; taken as 0, give it its mass")
        mass = 0.0
    pose = origin(node)
    x, y, z = (float(v) for v in pose.translation)
    if tensor_node is None:
        context.warn(node, "has no <inertia>, taken as zero; a moving link needs one")
        return Inertia(mass, (x, y, z))
    # off-diagonal moments may be left out, the diagonal may not
    ixx, iyy, izz = (number(tensor_node, tensor_node.get(key), key) for key in ("ixx", "iyy", "izz"))
    ixy, ixz, iyz = (number(tensor_node, tensor_node.get(key), key, 0.0) for key in ("ixy", "ixz", "iyz"))
    R = pose.rotation
    if np.array_equal(R, np.eye(3)):
        return Inertia(mass, (x, y, z), (ixx, ixy, ixz, iyy, iyz, izz))
    tensor = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    return Inertia.from_matrix(mass, (x, y, z), R @ tensor @ R.T)


def pose_element(element: Node | None) -> SE3:
    """Pose of the text x y z roll pitch yaw of a <pose>; identity when there is none."""
    values = vector(element, element.text, 6, "pose", (0.0,) * 6) if element is not None else (0.0,) * 6
    return pose_of(values[:3], values[3:])


def material(node: Node, context: Context) -> Material:
    """Material as it stands: name, color and texture where given."""
    color, texture = node.find("color"), node.find("texture")
    uri = (texture.get("filename") or "").strip() if texture is not None else ""
    return Material(
        (node.get("name") or "").strip(),
        rgba(color, color.get("rgba")) if color is not None else None,
        uri,
        context.resolver.resolve(uri, context.path) if uri else None,
    )


def collect_materials(root: Node, context: Context) -> None:
    """Colors by name: those of the robot first, then the first one that a visual defines."""
    inline = (m for link in root.all("link") for v in link.all("visual") for m in v.all("material"))
    for node in (*root.all("material"), *inline):
        found = material(node, context)
        if found.name and (found.rgba or found.texture):
            context.materials.setdefault(found.name, found)


def _visual_material(node: Node, context: Context) -> Material:
    element = node.find("material")
    if element is None:
        return Material()
    own = material(element, context)
    if own.texture and own.path is None:
        context.warn(element, f"the texture {own.texture[:200]!r} was not found; put it beside the file that names it")
    if own.rgba or own.texture:
        return own
    if own.name in context.materials:
        return context.materials[own.name]
    if own.name:
        context.warn(element, "this material is defined nowhere; the visual keeps the default color")
    return own


def link(node: Node, context: Context) -> Link:
    """A link with its inertia, visuals and collisions."""
    context.unknown(node, ("inertial", "visual", "collision", "contact"))
    inertials = list(node.all("inertial"))
    if len(inertials) > 1:
        context.warn(inertials[1], "a second <inertial> in one link is ignored")
    surface = _bullet_surface(node, context)
    visuals, collisions = [], []
    for element in node.all("visual"):
        context.unknown(element, ("origin", "geometry", "material"))
        if (shape := geometry(element, context)) is not None:
            color = _visual_material(element, context)
            visuals.append(Visual(shape, origin(element), color, element.get("name") or ""))
    for element in node.all("collision"):
        context.unknown(element, ("origin", "geometry", "material", "verbose"))
        if (shape := geometry(element, context)) is not None:
            collisions.append(Collision(shape, origin(element), surface, element.get("name") or ""))
    name, inertia = required_name(node), inertial(inertials[0], context) if inertials else None
    return Link(name, inertia, tuple(visuals), tuple(collisions), source=node.source)


def _bullet_surface(node: Node, context: Context) -> Surface:
    """Surface of the <contact> extension that Bullet reads."""
    element = node.find("contact")
    if element is None:
        return Surface()
    names = {
        "lateral_friction": "mu",
        "spinning_friction": "torsional",
        "rolling_friction": "rolling",
        "restitution": "restitution",
        "stiffness": "kp",
        "damping": "kd",
    }
    context.unknown(element, (*names, *BULLET_ONLY))
    for child in element.children:
        if child.tag in BULLET_ONLY:
            context.info(child, "a setting of Bullet without a counterpart here, ignored")
    values: dict[str, Any] = {
        names[child.tag]: number(child, child.get("value"), "value") for child in element.children if child.tag in names
    }
    return Surface(**values)
