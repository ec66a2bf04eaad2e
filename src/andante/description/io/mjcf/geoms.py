"""Geoms of MJCF: their shape, pose, contact surface and colour. Masses are MuJoCo's to compute."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.description.io.xmltree import Node
from andante.description.link import IDENTITY, Collision, Material, Surface, Visual
from andante.description.mesh.triangles import triangles
from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Mesh, Plane, Sphere
from andante.errors import BadInput
from andante.geometry import SE3

from .assets import Assets, color
from .document import Document, pose_of

if TYPE_CHECKING:
    import mujoco

VISIBLE_GROUPS = range(3)  # the groups that MuJoCo's viewer shows at first
SOLVER = ("priority", "solmix", "solref", "solimp", "margin", "gap")  # how MuJoCo solves the contact, not what it is
UNBOUNDED_PLANE = 50.0  # half size of a plane that states none [m]


@dataclass(frozen=True)
class Geom:
    """One geom told in the frame of its body; before the model is compiled without a pose of its own."""

    name: str
    geometry: Geometry | None  # None: a plain solid, whose size the compiled model tells
    pose: SE3  # geom_from_shape before, body_from_shape after compiling
    contype: int
    conaffinity: int
    visible: bool
    surface: Surface
    material: Material
    element: Any  # MjsGeom

    @property
    def collides(self) -> bool:
        """Whether anything can touch it."""
        return bool(self.contype or self.conaffinity)

    def visual(self) -> Visual:
        """As a visual of its link."""
        assert self.geometry is not None
        return Visual(self.geometry, self.pose, self.material, self.name)

    def collision(self) -> Collision:
        """As a collision of its link."""
        assert self.geometry is not None
        return Collision(self.geometry, self.pose, self.surface, self.name)


class Geoms:
    """The geoms of a document, made ready for MuJoCo's compiler and put together after it."""

    def __init__(self, document: Document, spec: mujoco.MjSpec, assets: Assets) -> None:
        import mujoco

        self.document, self.spec, self.assets = document, spec, assets
        self.kinds = mujoco.mjtGeom
        self.plain = mujoco.MjSpec().default.geom
        self.loaded: set[str] = set()  # meshes that MuJoCo was given for the mass of their geoms
        self.found = [geom for element in list(spec.geoms) if (geom := self._draft(element)) is not None]
        for mesh in list(spec.meshes):
            if mesh.name not in self.loaded:
                spec.delete(mesh)
        for material in list(spec.materials):
            spec.delete(material)

    def _draft(self, element: Any) -> Geom | None:
        """What is known before compiling; the element is left such that MuJoCo can compile it without any asset."""
        document, node = self.document, self.document.node(element)
        kind, contype, conaffinity = element.type, int(element.contype), int(element.conaffinity)
        geometry: Geometry | None = None
        pose = IDENTITY
        if kind == self.kinds.mjGEOM_SDF:
            document.warn("<geom type='sdf'> needs a MuJoCo plugin and was left out", node.source)
            self.spec.delete(element)
            return None
        if kind == self.kinds.mjGEOM_MESH or element.meshname:
            asset = self.assets.meshes.get(element.meshname)
            if asset is None:
                self._no_mesh(node, element)
                return None
            if kind != self.kinds.mjGEOM_MESH:
                fitted = (
                    f"MuJoCo fits a {_word(kind)} to mesh {element.meshname!r}; the mesh itself stands in for it here"
                )
                document.warn(fitted, node.source, f"fit {element.meshname}")
            geometry, pose = asset.mesh, asset.pose
        elif kind == self.kinds.mjGEOM_HFIELD:
            geometry = self.assets.heights.get(element.hfieldname)
            if geometry is None:
                raise node.error(f"height field {element.hfieldname!r} does not exist or could not be read")
        elif kind == self.kinds.mjGEOM_PLANE:
            x, y = (float(v) if v > 0 else UNBOUNDED_PLANE for v in element.size[:2])
            geometry = Plane((0.0, 0.0, 1.0), (2 * x, 2 * y))
        self._tell(node, element)
        geom = Geom(
            name=node.get("name") or "",
            geometry=geometry,
            pose=pose,
            contype=contype,
            conaffinity=conaffinity,
            visible=element.group in VISIBLE_GROUPS,
            surface=_surface(element, contype | conaffinity),  # hidden and never touching: a mask of 0
            material=self._material(node, element),
            element=element,
        )
        element.contype = element.conaffinity = 0  # spares the hulls of meshes
        element.material, element.friction = "", (1.0, 0.0, 0.0)
        if isinstance(geometry, Mesh) and self._massive(element) and self._load(node, element.meshname, geometry):
            element.type = self.kinds.mjGEOM_MESH
        elif geometry is not None:
            self._stand_in(element)
        return geom

    def _no_mesh(self, node: Node, element: Any) -> None:
        name, known = element.meshname, self.assets.meshes
        if name not in known:
            raise node.error(f"mesh {name!r} does not exist; meshes: {', '.join(known) or 'none'}")
        self.document.warn(f"geom of mesh {name!r} was left out, as the mesh itself", node.source)
        self.spec.delete(element)

    def _stand_in(self, element: Any) -> None:
        """Makes the geom a sphere without mass, of which the compiled model tells the pose."""
        element.type, element.size = self.kinds.mjGEOM_SPHERE, (1.0, 0.0, 0.0)
        element.mass, element.density = 0.0, 0.0
        element.meshname = element.hfieldname = ""

    def _tell(self, node: Node, element: Any) -> None:
        given = [key for key in SOLVER if np.any(getattr(element, key) != getattr(self.plain, key))]
        for key in given:
            message = f"<geom {key}> is a setting of MuJoCo's contact solver and is not carried over"
            self.document.info(message, node.source, key)
        if element.fluid_ellipsoid:
            self.document.warn("<geom fluidshape> is not represented and has no effect", node.source, "fluidshape")

    def _massive(self, element: Any) -> bool:
        """Whether the geom counts for the mass of its body; spares reading meshes for nothing."""
        rules, body = self.spec.compiler, element.parent
        low, high = rules.inertiagrouprange
        counted = rules.inertiafromgeom == 1 or (rules.inertiafromgeom == 2 and not body.explicitinertial)
        weighs = element.density != 0 if math.isnan(element.mass) else element.mass != 0
        return bool(body.name != "world" and counted and weighs and low <= element.group <= high)

    def _load(self, node: Node, name: str, mesh: Mesh) -> bool:
        """Hands the triangles of a mesh to MuJoCo; False and told when there are none."""
        if name in self.loaded:
            return True
        try:
            vertices, faces = triangles(replace(mesh, scale=(1.0, 1.0, 1.0)))
        except BadInput as error:
            self.document.warn(f"no mass could be computed for this geom: {error}", node.source)
            return False
        element = self.spec.mesh(name)
        element.uservert, element.userface = vertices.ravel(), faces.ravel()
        self.loaded.add(name)
        return True

    def without(self, node: Node, reason: str) -> None:
        """Takes a mesh away again that MuJoCo finds no mass for."""
        mesh = next(mesh for mesh in self.spec.meshes if self.document.node(mesh) is node)
        for geom in self.found:
            if geom.element.meshname == mesh.name:
                self._stand_in(geom.element)
        self.document.warn(f"no mass could be computed for geoms of this mesh: {reason}", node.source)
        self.spec.delete(mesh)

    def compiled(self, model: mujoco.MjModel) -> list[tuple[int, Geom]]:
        """Body index and geom of every geom, with pose and size as the model has them."""
        out = []
        for geom in self.found:
            i = geom.element.id
            pose = pose_of(model.geom_pos[i], model.geom_quat[i])
            if (mesh := int(model.geom_dataid[i])) >= 0:  # MuJoCo puts meshes into their principal axes
                pose = pose @ pose_of(model.mesh_pos[mesh], model.mesh_quat[mesh]).inverse()
            geometry = geom.geometry or _solid(_word(geom.element.type), [float(v) for v in model.geom_size[i]])
            out.append((int(model.geom_bodyid[i]), replace(geom, geometry=geometry, pose=pose @ geom.pose)))
        return out

    def _material(self, node: Node, element: Any) -> Material:
        rgba, name = color(element.rgba), element.material
        if not name:
            return Material("", rgba)
        if name not in self.assets.materials:
            self.document.warn(f"material {name!r} does not exist", node.source, f"material {name}")
            return Material(name, rgba)
        found = self.assets.materials[name]
        return Material(name, rgba or found.rgba, found.texture)


def _word(kind: Any) -> str:
    return str(kind.name.removeprefix("mjGEOM_").lower())


def _solid(kind: str, size: list[float]) -> Geometry:
    match kind:
        case "sphere":
            return Sphere(size[0])
        case "capsule":
            return Capsule(size[0], 2 * size[1])
        case "cylinder":
            return Cylinder(size[0], 2 * size[1])
        case "box":
            return Box((2 * size[0], 2 * size[1], 2 * size[2]))
        case _:
            return Ellipsoid((size[0], size[1], size[2]))


def _surface(element: Any, mask: int) -> Surface:
    """Friction as MuJoCo uses it: none for condim 1, sliding for 3, torsion from 4, rolling for 6."""
    sliding, torsional, rolling = (float(v) for v in element.friction)
    mask_or_none = None if mask == 1 else mask
    if element.condim == 1:
        return Surface(mu=0.0, collide_bitmask=mask_or_none)
    return Surface(
        mu=None if sliding == -1 else sliding,
        torsional=torsional if element.condim >= 4 else None,
        rolling=rolling if element.condim >= 6 else None,
        collide_bitmask=mask_or_none,
    )
