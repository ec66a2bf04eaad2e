"""Tools on triangle meshes: turn, scale, re-center, split, wrap in hulls and boxes, report, write.

All return new meshes; files are written whole or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from andante.description.shapes import Box, Vec3
from andante.description.solids import as_trimesh, mesh_moments
from andante.errors import BadInput
from andante.files import write_bytes
from andante.geometry import SE3, Array, so3

from .checks import UP_AXES
from .files import LARGEST, face_colors, paint, quiet
from .triangles import hull_of

if TYPE_CHECKING:
    import trimesh

WRITABLE = (".stl", ".obj", ".ply", ".glb", ".dae")
TEMPLATE = Path(__file__).with_name("template.dae")  # of a COLLADA file with one mesh of one color


@dataclass(frozen=True)
class MeshReport:
    """What a mesh is made of. `volume` is None when the surface does not close; extents in meters."""

    vertices: int
    faces: int
    parts: int  # connected pieces
    watertight: bool
    volume: float | None  # [m^3]
    area: float  # [m^2]
    lower: Vec3
    upper: Vec3


def rotate(mesh: trimesh.Trimesh, rpy: ArrayLike) -> trimesh.Trimesh:
    """The mesh turned about its origin by roll, pitch, yaw [rad]: v' = Rz(yaw) Ry(pitch) Rx(roll) v."""
    angles = np.asarray(rpy, dtype=float)
    if angles.shape != (3,) or not np.isfinite(angles).all():
        raise BadInput(f"a rotation needs three finite numbers roll pitch yaw, got {rpy!r}")
    return _moved(mesh, np.asarray(mesh.vertices) @ so3.from_rpy(angles).T)


def scale(mesh: trimesh.Trimesh, factor: float | ArrayLike) -> trimesh.Trimesh:
    """The mesh scaled about its origin, by one factor or one per axis; mirroring turns the faces over."""
    factors = np.broadcast_to(np.asarray(factor, dtype=float), (3,))
    if not np.isfinite(factors).all() or (factors == 0).any():
        raise BadInput(f"scale factors must be finite and not 0, got {factor!r}")
    with np.errstate(over="ignore"):
        vertices = np.asarray(mesh.vertices) * factors
    if not (np.abs(vertices) <= LARGEST).all():
        raise BadInput(f"scaled by {factor!r} the mesh would be larger than {LARGEST:g} m; give a smaller factor")
    return _moved(mesh, vertices, flip=bool((factors < 0).sum() % 2))


def recenter(mesh: trimesh.Trimesh, about: Literal["box", "mass"] = "box") -> trimesh.Trimesh:
    """The mesh with the middle of its bounding box (or its center of mass at even density) at the origin."""
    middle = np.mean(mesh.bounds, axis=0) if about == "box" else mesh_moments(mesh).com
    return _moved(mesh, np.asarray(mesh.vertices) - middle)


def split(mesh: trimesh.Trimesh) -> tuple[trimesh.Trimesh, ...]:
    """The connected pieces of a mesh, largest first by number of faces; every face is in exactly one."""
    labels = _components(mesh)
    order = np.argsort(-np.bincount(labels), kind="stable")
    return tuple(_submesh(mesh, np.flatnonzero(labels == label)) for label in order)


def convex_hull(mesh: trimesh.Trimesh, what: str = "mesh") -> trimesh.Trimesh:
    """Convex hull of a mesh, faces outwards; a flat mesh has none and is refused."""
    import trimesh

    return trimesh.Trimesh(*hull_of(np.asarray(mesh.vertices), what), process=False)


def bounding_box(mesh: trimesh.Trimesh) -> tuple[Box, SE3]:
    """Axis-aligned bounding box: its shape and pose mesh_from_box. Flat sides get a millionth of the size."""
    lower, upper = np.asarray(mesh.bounds)
    return Box(_thick(upper - lower)), SE3.from_parts(np.eye(3), (lower + upper) / 2)


def oriented_box(mesh: trimesh.Trimesh) -> tuple[Box, SE3]:
    """The best-fitting bounding box in any orientation (least volume found): shape and pose mesh_from_box."""
    import trimesh

    aligned, pose = bounding_box(mesh)
    try:
        with quiet():
            box_from_mesh, extents = trimesh.bounds.oriented_bounds(mesh)  # type: ignore[no-untyped-call]
        mesh_from_box = np.linalg.inv(box_from_mesh)
    except Exception:  # flat meshes have no hull to fit a box to; Qhull and trimesh raise several types
        return aligned, pose
    rotation = np.array(mesh_from_box[:3, :3])
    if np.linalg.det(rotation) < 0:
        rotation[:, 2] *= -1
    if not np.isfinite(mesh_from_box).all() or np.prod(extents) >= np.prod(aligned.size):
        return aligned, pose
    return Box(_thick(np.asarray(extents))), SE3.from_parts(rotation, mesh_from_box[:3, 3])


def box_mesh(box: Box, pose: SE3) -> trimesh.Trimesh:
    """The twelve triangles of a box at a pose."""
    mesh = as_trimesh(box)
    return _moved(mesh, pose @ np.asarray(mesh.vertices))


def report(mesh: trimesh.Trimesh) -> MeshReport:
    """Counts, closedness, volume and extents of a mesh."""
    lower, upper = (tuple(float(v) for v in row) for row in np.asarray(mesh.bounds))
    closed = bool(mesh.is_watertight and mesh.is_winding_consistent)
    return MeshReport(
        vertices=len(mesh.vertices),
        faces=len(mesh.faces),
        parts=int(_components(mesh).max()) + 1,
        watertight=bool(mesh.is_watertight),
        volume=abs(float(mesh.volume)) if closed else None,
        area=float(mesh.area),
        lower=lower,  # type: ignore[arg-type]
        upper=upper,  # type: ignore[arg-type]
    )


def _moved(mesh: trimesh.Trimesh, vertices: Array, flip: bool = False) -> trimesh.Trimesh:
    import trimesh

    faces = np.asarray(mesh.faces)
    moved = trimesh.Trimesh(vertices, faces[:, ::-1] if flip else faces, process=False)
    if (colors := face_colors(mesh)) is not None:
        paint(moved, colors)
    return moved


def _submesh(mesh: trimesh.Trimesh, chosen: np.ndarray) -> trimesh.Trimesh:
    import trimesh

    used, faces = np.unique(np.asarray(mesh.faces)[chosen], return_inverse=True)
    part = trimesh.Trimesh(np.asarray(mesh.vertices)[used], faces.reshape(-1, 3), process=False)
    if (colors := face_colors(mesh)) is not None:
        paint(part, colors[chosen])
    return part


def _components(mesh: trimesh.Trimesh) -> np.ndarray:
    """Label of the connected piece of each face, by shared vertices; (faces,)."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    faces, count = np.asarray(mesh.faces), len(mesh.vertices)
    rows, columns = faces[:, [0, 1]].ravel(), faces[:, [1, 2]].ravel()
    graph = coo_matrix((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(count, count))
    _, labels = connected_components(graph, directed=False)
    return np.unique(labels[faces[:, 0]], return_inverse=True)[1]


def _thick(extents: Array) -> Vec3:
    least = max(float(np.max(extents)), 1e-9) * 1e-6
    x, y, z = (max(float(v), least) for v in extents)
    return (x, y, z)


def write_mesh(mesh: trimesh.Trimesh, path: Path) -> None:
    """Writes a mesh in the format of the suffix: first beside the target, then renamed onto it."""
    write_bytes(mesh_bytes(mesh, path.suffix), path)


def mesh_bytes(mesh: trimesh.Trimesh, suffix: str) -> bytes:
    """The file contents of a mesh in the format of a suffix such as '.stl' (binary)."""
    kind = suffix.lower()
    if kind not in WRITABLE:
        raise BadInput(f"meshes cannot be written as {suffix!r}; known: {', '.join(WRITABLE)}")
    if kind == ".dae":
        return _collada(mesh).encode()
    options: dict[str, Any] = {"include_normals": False} if kind == ".obj" else {}
    if kind == ".glb":  # has y up
        mesh = _moved(mesh, np.asarray(mesh.vertices) @ UP_AXES["Y_UP"])
    with quiet():
        data = mesh.export(file_type=kind[1:], **options)
    return data.encode() if isinstance(data, str) else bytes(data)


def _collada(mesh: trimesh.Trimesh) -> str:
    """A COLLADA 1.4.1 document in meters, z up, one material of the mesh's main color."""
    vertices, faces = np.asarray(mesh.vertices), np.asarray(mesh.faces)
    painted = face_colors(mesh)
    color = (204.0, 204.0, 204.0, 255.0) if painted is None else painted.mean(axis=0)
    rgba = " ".join(f"{value / 255:.6g}" for value in color)
    numbers = " ".join(np.char.mod("%.9g", vertices).ravel())
    indices = " ".join(map(str, faces.ravel()))
    return TEMPLATE.read_text(encoding="utf-8").format(
        rgba=rgba, size=vertices.size, numbers=numbers, vertices=len(vertices), faces=len(faces), indices=indices
    )
