"""Shapes of bodies as MuJoCo geoms: friction, softness, who meets whom, meshes and height fields.

Friction of a pair is the smaller coefficient of the two. MuJoCo itself takes the larger one unless the geoms differ in
priority, so the priority falls as the coefficient rises. Contacts are elliptic cones of three dimensions, four where
torsional and six where rolling friction is stated. MuJoCo collides convex shapes only, so meshes that stand still are
cut into convex parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np

from andante.description.link import Surface
from andante.description.mesh import triangles as meshes
from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Heightmap, Mesh, Plane, Sphere
from andante.description.solids import bounds
from andante.description.source import Problem, Severity
from andante.errors import BadInput, Unsupported
from andante.geometry import SE3, Array, so3
from andante.physics.model import Model
from andante.physics.state import Settings
from andante.physics.tree import Body, BodyShape

from .softness import Side, margin_of, plain_softness

DEEPEST = 0.05  # of half the size of a shape: the deepest that a stated `min_depth` lets it stand


def new_spec() -> Any:
    """An empty `MjSpec` in radians, in which nothing is limited that does not state it."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = spec.compiler.autolimits = False
    return spec


def shallow(shape: BodyShape) -> Surface:
    """The surface of a shape whose `min_depth` is small beside it.

    Files state centimeters for engines that need them. MuJoCo's point of contact is the middle of the overlap, so that
    a wheel which stands d deep rolls on r - d / 2 and drives by so much less than it counts.
    """
    surface = shape.surface
    if not surface.min_depth or isinstance(shape.geometry, Plane | Heightmap):
        return surface
    lower, upper = bounds(shape.geometry, SE3.identity())
    return replace(surface, min_depth=min(surface.min_depth, DEEPEST * float((upper - lower).max()) / 2))


def compiled(spec: Any, failed: str) -> Any:
    """The `MjModel` of a spec; BadInput begins with what failed."""
    try:
        return spec.compile()
    except ValueError as error:
        raise BadInput(f"{failed}: {' '.join(str(error).split())}") from error


def quaternion(pose: SE3) -> Array:
    """Quaternion w x y z of a pose, MuJoCo's order."""
    x, y, z, w = pose.quaternion
    return np.array([w, x, y, z])


class Forms:
    """Gives geoms of one `MjSpec` their form; meshes and height fields are shared."""

    field_thickness = 0.0  # of what stands below the lowest height [m]; 0: as much as it rises, at least 0.5 m
    mesh_inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        self._assets: dict[Geometry, str] = {}

    def set(self, geom: Any, geometry: Geometry, pose: SE3) -> SE3:
        """Set type and size of a geom; the pose that it needs so that the shape has the given one."""
        kinds = mujoco.mjtGeom
        match geometry:
            case Box(size):
                geom.type, geom.size = kinds.mjGEOM_BOX, [s / 2 for s in size]
            case Sphere(radius):
                geom.type, geom.size = kinds.mjGEOM_SPHERE, [radius, 0, 0]
            case Cylinder(radius, length):
                geom.type, geom.size = kinds.mjGEOM_CYLINDER, [radius, length / 2, 0]
            case Capsule(radius, length):
                geom.type, geom.size = kinds.mjGEOM_CAPSULE, [radius, length / 2, 0]
            case Ellipsoid(radii):
                geom.type, geom.size = kinds.mjGEOM_ELLIPSOID, list(radii)
            case Plane(normal):
                geom.type, geom.size = kinds.mjGEOM_PLANE, self.plane_size(geometry)
                return pose @ SE3.from_parts(so3.between([0, 0, 1], normal), np.zeros(3))
            case Heightmap():
                geom.type, geom.hfieldname = kinds.mjGEOM_HFIELD, self._field(geometry)
                return pose @ SE3.from_xyz_rpy((0, 0, min(min(row) for row in geometry.heights)))
            case Mesh():
                if geometry not in self._assets:
                    self._assets[geometry] = self.asset(*self.triangles(geometry))
                geom.type, geom.meshname = kinds.mjGEOM_MESH, self._assets[geometry]
        return pose

    def plane_size(self, plane: Plane) -> list[float]:
        """Half sides and spacing of a plane; 0: without end."""
        return [0, 0, 1]

    def triangles(self, mesh: Mesh) -> tuple[Array, np.ndarray]:
        """Vertices and faces that stand for a mesh: its convex hull."""
        return meshes.hull(mesh)

    def asset(self, vertices: Array, faces: np.ndarray) -> str:
        """Name of a new mesh."""
        made = self.spec.add_mesh()
        made.name = name = f"mesh{len(self.spec.meshes)}"
        made.uservert, made.userface = np.asarray(vertices, dtype=float).ravel(), np.asarray(faces).ravel()
        made.inertia = self.mesh_inertia
        return name

    def _field(self, field: Heightmap) -> str:
        """Name of a height field; its zero is the lowest height."""
        if field not in self._assets:
            heights = np.asarray(field.heights, dtype=float)
            rise = max(float(np.ptp(heights)), 1e-6)
            made = self.spec.add_hfield()
            made.name = self._assets[field] = f"field{len(self._assets)}"
            made.nrow, made.ncol = heights.shape
            made.size = [field.size[0] / 2, field.size[1] / 2, rise, self.field_thickness or max(0.5, rise)]
            made.userdata = ((heights - heights.min()) / rise).ravel()
        return self._assets[field]


SHELL = 0.005  # thickness that a single triangle is given, inwards [m]
MAX_TRIANGLES = 5000  # a concave part with more triangles is taken as its hull, with a warning
FLAT = 1e-6  # a part thinner than this has no hull [m]


def convex_parts(vertices: Array, faces: np.ndarray, filled: list[int] | None = None) -> list[tuple[Array, np.ndarray]]:
    """Convex solids (vertices, faces) that together have the surface of a mesh.

    Every connected part that is convex is one solid. A concave or flat one becomes a shell: a thin prism under each
    triangle, so that a room stays hollow and a bowl can be filled. `filled` is given the number of triangles of every
    concave part that is too fine for that and becomes its hull.
    """
    import trimesh

    whole = trimesh.Trimesh(vertices, faces, process=True)
    whole.update_faces(whole.nondegenerate_faces())
    groups = trimesh.graph.connected_components(whole.face_adjacency, nodes=np.arange(len(whole.faces)), min_len=1)
    out: list[tuple[Array, np.ndarray]] = []
    for group in groups:
        part = trimesh.Trimesh(whole.vertices, whole.faces[group], process=False)
        part.remove_unreferenced_vertices()
        thick = float(np.linalg.svd(part.vertices - part.vertices.mean(axis=0), compute_uv=False)[-1]) > FLAT
        if thick and (part.is_convex or len(part.faces) > MAX_TRIANGLES):
            if filled is not None and not part.is_convex:
                filled.append(len(part.faces))
            hull = part.convex_hull
            out.append((np.asarray(hull.vertices), np.asarray(hull.faces)))
        else:
            upper = np.asarray(part.triangles)
            lower = upper - SHELL * np.asarray(part.face_normals)[:, None, :]
            out += [(np.concatenate(pair), PRISM_FACES) for pair in zip(upper, lower, strict=True)]
    return out


PRISM_FACES = np.array([[0, 1, 2], [5, 4, 3], [0, 3, 4], [0, 4, 1], [1, 4, 5], [1, 5, 2], [2, 5, 3], [2, 3, 0]])


ALL_BITS = 0x7FFFFFFF
SHARED_BIT = 0x1  # geoms that may meet anything


class Bits:
    """Collision bits of every model: contype and conaffinity, and the pairs of bodies that need an exclusion."""

    def __init__(self, models: Sequence[Model]) -> None:
        shapes = [shape for model in models for body in model.tree.bodies for shape in body.shapes]
        self._stated = any(_mask(shape.surface) != ALL_BITS for shape in shapes)
        self._own: dict[int, int] = {}
        self.excluded: list[tuple[int, int, int]] = []  # model, body, body
        for model in models:
            tree = model.tree
            full = [i for i, body in enumerate(tree.bodies) if body.shapes]
            pairs = [(a, b) for n, a in enumerate(full) for b in full[n + 1 :]]
            masked = [pair for pair in pairs if pair in tree.masked_pairs]
            if not masked:
                continue
            if len(masked) == len(pairs) and not self._stated and len(self._own) < 30:
                self._own[model.index] = 2 << len(self._own)
            else:
                self.excluded += [(model.index, a, b) for a, b in masked]

    def of(self, model: int, surface: Surface) -> tuple[int, int]:
        """contype and conaffinity of a shape.

        A model that never meets itself has a bit of its own and accepts all others. Stated collide_bitmasks leave
        no bits for that: then the masks are the bits, and exclusions do the rest.
        """
        if self._stated:
            mask = _mask(surface)
            return mask, mask
        own = self._own.get(model)
        return (SHARED_BIT, ALL_BITS) if own is None else (own, ALL_BITS & ~own)


def _mask(surface: Surface) -> int:
    stated = surface.collide_bitmask
    return ALL_BITS if stated is None or stated & 0xFFFF == 0xFFFF else stated & ALL_BITS


class GeomMaker(Forms):
    """Adds geoms to the bodies of one `MjSpec`."""

    def __init__(self, spec: Any, models: Sequence[Model], settings: Settings) -> None:
        super().__init__(spec)
        self.settings = settings
        self.bits = Bits(models)
        self._parts: dict[Mesh, list[str]] = {}
        self.problems: list[Problem] = []  # what had to be changed
        self.sides: list[Side] = []  # of every geom
        self._count = 0
        surfaces = [shape.surface for model in models for body in model.tree.bodies for shape in body.shapes]
        coefficients = sorted({self._mu(surface) for surface in surfaces}, reverse=True)
        self._priority = {mu: rank for rank, mu in enumerate(coefficients)}  # the smallest has the highest

    def _mu(self, surface: Surface) -> float:
        return max(self.settings.friction if surface.mu is None else surface.mu, 1e-5)

    def add(self, parent: Any, model: Model, body: Body, shape: BodyShape, static: bool) -> None:
        """Add one shape of a body; its geoms are named "model:link:number"."""
        if static and isinstance(shape.geometry, Mesh):
            for asset in self._solid_parts(shape.geometry, f"{model.name}/{body.name}"):
                geom = parent.add_geom()
                geom.type, geom.meshname = mujoco.mjtGeom.mjGEOM_MESH, asset
                self._finish(geom, shape.pose, model, shape, static)
            return
        if isinstance(shape.geometry, (Plane, Heightmap)) and not static:
            kind = type(shape.geometry).__name__.lower()
            raise Unsupported(f"engine mujoco: {model.name}/{body.name} moves and cannot collide as a {kind}")
        geom = parent.add_geom()
        self._finish(geom, self.set(geom, shape.geometry, shape.pose), model, shape, static)

    def _finish(self, geom: Any, pose: SE3, model: Model, shape: BodyShape, static: bool) -> None:
        """Pose, bits and surface of a geom."""
        geom.name = f"{model.index}:{shape.link}:{self._count}"
        self._count += 1
        geom.pos, geom.quat = pose.translation, quaternion(pose)
        geom.mass = 0.0
        geom.contype, geom.conaffinity = self.bits.of(model.index, shape.surface)
        surface = shallow(shape)
        mu, torsional, rolling = self._mu(surface), surface.torsional or 0.0, surface.rolling or 0.0
        geom.friction = [mu, torsional, rolling]
        geom.condim = 6 if rolling > 0 else 4 if torsional > 0 else 3
        geom.priority = self._priority[mu]
        geom.solref = plain_softness(surface, self.settings.dt)
        geom.margin, geom.gap = margin_of(surface), surface.gap or 0.0
        bits = (geom.contype, geom.conaffinity)
        friction = (mu, torsional, rolling)
        side = Side(geom.name, model.index, static, friction, geom.condim, geom.priority, bits, surface)
        self.sides.append(side)

    def _solid_parts(self, mesh: Mesh, where: str) -> list[str]:
        """Names of the convex parts of a mesh that stands still."""
        if mesh not in self._parts:
            filled: list[int] = []
            self._parts[mesh] = [self.asset(*part) for part in convex_parts(*meshes.triangles(mesh), filled)]
            if filled:
                self.problems.append(
                    Problem(
                        Severity.WARNING,
                        f"{where}: mesh {mesh.uri!r} has hollows and {max(filled)} triangles in one piece; engine "
                        f"mujoco fills them (its convex hull); give it at most {MAX_TRIANGLES} triangles to keep them",
                    )
                )
        return self._parts[mesh]
