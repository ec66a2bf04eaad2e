"""Geoms of MJCF: their shape, pose, contact surface, colour and share of the body's mass."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.description.inertia import Inertia
from andante.description.io.values import number, vector
from andante.description.io.xmltree import Node
from andante.description.link import Collision, Material, Surface, Visual
from andante.description.mesh_tools import convex_hull
from andante.description.meshes import load as load_mesh
from andante.description.meshes import triangles
from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Heightmap, Mesh, Plane, Sphere
from andante.description.solids import inertia_of, mesh_moments
from andante.description.source import Source
from andante.errors import BadInput
from andante.geometry import SE3, Array

from .assets import Assets, MeshAsset, color
from .document import Document, choice, integer, numbers, z_towards

TYPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
VISIBLE_GROUPS = range(3)  # the groups that MuJoCo's viewer shows at first
SOLVER = ["priority", "solmix", "solref", "solimp", "margin", "gap"]  # how MuJoCo solves the contact, not what it is
FLUID = ["fluidshape", "fluidcoef", "shellinertia", "fitscale"]


@dataclass(frozen=True)
class Geom:
    """One geom told in the frame of its body."""

    name: str
    geometry: Geometry
    pose: SE3
    contype: int
    conaffinity: int
    visible: bool
    surface: Surface
    material: Material
    inertia: Inertia | None  # in the body frame, None: no mass
    group: int
    source: Source

    @property
    def collides(self) -> bool:
        """Whether anything can touch it."""
        return bool(self.contype or self.conaffinity)

    def visual(self) -> Visual:
        """As a visual of its link."""
        return Visual(self.geometry, self.pose, self.material, self.name)

    def collision(self) -> Collision:
        """As a collision of its link."""
        return Collision(self.geometry, self.pose, self.surface, self.name)


def read_geom(document: Document, assets: Assets, node: Node, frame: SE3, massive: bool) -> Geom | None:
    """The geom of an element with its defaults filled in; None (and a told problem) when it has no shape here."""
    kind = choice(node, "type", node.get("type") or ("mesh" if node.get("mesh") else "sphere"), TYPES)
    try:
        shaped = _shape(document, assets, node, kind)
    except BadInput as error:
        raise error if str(node.source) in str(error) else node.error(str(error)) from None
    if shaped is None:
        return None
    geometry, own_pose = shaped
    pose = frame @ own_pose
    contype, conaffinity = (integer(node, node.get(key), key, 1) for key in ("contype", "conaffinity"))
    for key in SOLVER:
        if key in node.attributes:
            document.info(
                f"<geom {key}> is a setting of MuJoCo's contact solver and is not carried over", node.source, key
            )
    for key in FLUID:
        if node.get(key) not in (None, "false", "none"):
            document.warn(f"<geom {key}> is not represented and has no effect", node.source, key)
    group = integer(node, node.get("group"), "group", 0)
    inertia = _inertia(document, assets, node, geometry, pose, group) if massive else None
    return Geom(
        name=node.get("name") or "",
        geometry=geometry,
        pose=pose,
        contype=contype,
        conaffinity=conaffinity,
        visible=group in VISIBLE_GROUPS,
        surface=_surface(node, contype | conaffinity),  # hidden and never touching: a mask of 0
        material=_material(document, assets, node),
        inertia=inertia,
        group=group,
        source=node.source,
    )


def _shape(document: Document, assets: Assets, node: Node, kind: str) -> tuple[Geometry, SE3] | None:
    size = numbers(node, node.get("size"), "size", 3)
    if kind == "sdf":
        document.warn("<geom type='sdf'> needs a MuJoCo plugin and was left out", node.source)
        return None
    mesh = node.get("mesh")
    if kind == "mesh" or mesh:
        return _mesh_shape(document, assets, node, kind, mesh)
    if node.get("fromto") is not None and kind in ("capsule", "cylinder", "box", "ellipsoid"):
        ends = np.array(vector(node, node.get("fromto"), 6, "fromto"))
        along = ends[:3] - ends[3:]
        length = float(np.linalg.norm(along))
        if length < 1e-12 or not size:
            raise node.error("fromto needs two different points and size a radius")
        pose = SE3.from_parts(z_towards(along), (ends[:3] + ends[3:]) / 2)
        size = [size[0], length / 2] if kind in ("capsule", "cylinder") else [size[0], size[0], length / 2]
    else:
        pose = document.pose(node)
    if kind == "plane":
        x, y = (size[0] or 50.0, size[1] or 50.0) if len(size) >= 2 else (50.0, 50.0)
        return Plane((0.0, 0.0, 1.0), (2 * x, 2 * y)), pose
    if kind == "hfield":
        heights = assets.heights.get(node.get("hfield") or "")
        if heights is None:
            raise node.error(f"height field {node.get('hfield')!r} does not exist or could not be read")
        return heights, pose
    needed = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}[kind]
    if len(size) < needed:
        raise node.error(f"size of a {kind} needs {needed} numbers, got {len(size)}")
    match kind:
        case "sphere":
            return Sphere(size[0]), pose
        case "capsule":
            return Capsule(size[0], 2 * size[1]), pose
        case "cylinder":
            return Cylinder(size[0], 2 * size[1]), pose
        case "box":
            return Box((2 * size[0], 2 * size[1], 2 * size[2])), pose
        case _:
            return Ellipsoid((size[0], size[1], size[2])), pose


def _mesh_shape(
    document: Document, assets: Assets, node: Node, kind: str, name: str | None
) -> tuple[Geometry, SE3] | None:
    asset = assets.meshes.get(name or "")
    if asset is None:
        if any(n.tag == "mesh" and n.get("name") == name for n in document.section("asset")):
            document.warn(f"geom of mesh {name!r} was left out, as the mesh itself", node.source)
            return None
        raise node.error(f"mesh {name!r} does not exist; meshes: {', '.join(assets.meshes) or 'none'}")
    if kind != "mesh":
        document.warn(
            f"MuJoCo fits a {kind} to mesh {name!r}; the mesh itself stands in for it here", node.source, f"fit {name}"
        )
    return asset.mesh, document.pose(node) @ asset.pose


def _surface(node: Node, mask: int) -> Surface:
    """Friction as MuJoCo uses it: none for condim 1, sliding for 3, torsion from 4, rolling for 6."""
    friction = numbers(node, node.get("friction"), "friction", 3)
    condim = integer(node, node.get("condim"), "condim", 3)
    mask_or_none = None if mask == 1 else mask
    if condim == 1:
        return Surface(mu=0.0, collide_bitmask=mask_or_none)
    spin = [*friction[1:], *(0.005, 0.0001)[max(len(friction) - 1, 0) :]]
    return Surface(
        mu=friction[0] if friction else None,
        torsional=spin[0] if condim >= 4 else None,
        rolling=spin[1] if condim >= 6 else None,
        collide_bitmask=mask_or_none,
    )


def _material(document: Document, assets: Assets, node: Node) -> Material:
    rgba = color(node, node.get("rgba"), "rgba")
    name = node.get("material")
    if name is None:
        return Material("", rgba)
    if name not in assets.materials:
        document.warn(f"material {name!r} does not exist", node.source, f"material {name}")
        return Material(name, rgba)
    found = assets.materials[name]
    return Material(name, rgba or found.rgba, found.texture)


def _inertia(
    document: Document, assets: Assets, node: Node, geometry: Geometry, pose: SE3, group: int
) -> Inertia | None:
    """Share of the body's mass in the body frame, from mass or density (1000 kg/m^3 where nothing is said)."""
    low, high = document.compiler.inertiagroups
    if isinstance(geometry, Plane | Heightmap) or not low <= group <= high:
        return None
    mass = number(node, node.get("mass"), "mass") if node.get("mass") else None
    density = number(node, node.get("density"), "density", 1000.0)
    if mass == 0 or (mass is None and density == 0):
        return None
    try:
        if isinstance(geometry, Mesh):
            inertia = _mesh_inertia(assets.meshes[node.get("mesh") or ""], mass, density)
        elif mass is not None:
            inertia = inertia_of(geometry, mass=mass).inertia
        else:
            inertia = inertia_of(geometry, density=density).inertia
    except BadInput as error:
        document.warn(f"no mass could be computed for this geom: {error}", node.source)
        return None
    return inertia.transformed(pose)


def _mesh_inertia(asset: MeshAsset, mass: float | None, density: float) -> Inertia:
    """Inertia of a mesh in its own frame, by the rule that the asset names (MuJoCo's default is 'legacy')."""
    if asset.inertia == "convex":
        moments = mesh_moments(convex_hull(load_mesh(asset.mesh)))
        volume, com, tensor = moments.volume, moments.com, moments.tensor
    elif asset.inertia == "shell":
        raise BadInput(f"mesh {asset.mesh.uri!r} is a shell, whose inertia is not represented; use an <inertial>")
    elif asset.inertia == "exact" and load_mesh(asset.mesh).is_watertight:
        moments = mesh_moments(load_mesh(asset.mesh))
        volume, com, tensor = moments.volume, moments.com, moments.tensor
    else:
        volume, com, tensor = legacy_moments(*triangles(asset.mesh))
    factor = density if mass is None else mass / volume
    return Inertia.from_matrix(factor * volume, com, factor * tensor)


def legacy_moments(vertices: Array, faces: np.ndarray) -> tuple[float, Array, Array]:
    """Volume, centre and tensor per density as MuJoCo's 'legacy' rule has them: every tetrahedron counts positively.

    Tetrahedra stand between each triangle and the area-weighted middle of the surface, then the centre of mass;
    exact for convex (more precisely: star-shaped) meshes, and the same too large value as MuJoCo's for others.
    """
    corners = vertices[faces]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    if not areas.sum() > 0:
        raise BadInput("the mesh has no area")
    middle = (areas[:, None] * corners.mean(axis=1)).sum(axis=0) / areas.sum()
    local = corners - middle
    volumes = np.abs(np.einsum("ij,ij->i", local[:, 0], np.cross(local[:, 1], local[:, 2]))) / 6
    if not (math.isfinite(volumes.sum()) and volumes.sum() > 1e-300):
        raise BadInput("the mesh encloses no volume")
    com = (volumes[:, None] * local.sum(axis=1) / 4).sum(axis=0) / volumes.sum()
    local = local - com
    weights = np.abs(np.einsum("ij,ij->i", local[:, 0], np.cross(local[:, 1], local[:, 2]))) / 6
    summed = local.sum(axis=1)
    covariance = (
        np.einsum("i,ikj,ikl->jl", weights, local, local) + np.einsum("i,ij,il->jl", weights, summed, summed)
    ) / 20
    return float(volumes.sum()), com + middle, np.trace(covariance) * np.eye(3) - covariance
