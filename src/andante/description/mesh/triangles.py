"""Triangles of mesh shapes: loaded within limits, convex hulls; cached by file and time of change."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from andante.description.shapes import Mesh
from andante.description.source import Source
from andante.errors import BadInput, MissingFile
from andante.geometry import Array

from .files import load_mesh_file
from .plain import plain_triangles

if TYPE_CHECKING:
    import trimesh

USUAL_FOLDERS = ("", "meshes", "mesh", "models", "visual", "collision", "meshes/visual", "meshes/collision")
LEVELS_UP = 2
MANY = 60_000  # corners beyond which a search among those of the hull is worth making it
ELSEWHERE = "put it beside the file or set ROS_PACKAGE_PATH (GAZEBO_MODEL_PATH)"


@dataclass(frozen=True, eq=False)
class _Loaded:
    vertices: Array
    faces: np.ndarray


def triangles(mesh: Mesh) -> tuple[Array, np.ndarray]:
    """Vertices (n, 3) [m] and faces (m, 3) of a mesh, scaled; a mirroring scale turns the faces over."""
    return _scaled(_load(*file_key(mesh)), mesh)


def hull(mesh: Mesh) -> tuple[Array, np.ndarray]:
    """Vertices and faces of the convex hull of a mesh, scaled."""
    return _scaled(_hull(*file_key(mesh)), mesh)


def reach(mesh: Mesh, direction: Array) -> float:
    """Largest d·x over the points x of a mesh [m]."""
    return float(np.max(_outermost(*file_key(mesh)) @ (direction * check_scale(mesh))))


def farthest(mesh: Mesh, direction: Array) -> Array:
    """A corner of a mesh (3,) that lies farthest along a direction [m]."""
    scale, corners = check_scale(mesh), _outermost(*file_key(mesh))
    return np.asarray(corners[int(np.argmax(corners @ (direction * scale)))] * scale)


def hull_of(points: Array, what: str = "mesh") -> tuple[Array, np.ndarray]:
    """Corners (n, 3) and outward faces (m, 3) of the convex hull of points; flat ones have none and are refused."""
    from scipy.spatial import ConvexHull, QhullError

    extent = _check_thick(points, what)
    try:
        # scaled to unit size, so that small parts in meters keep their corners
        hull = ConvexHull(points / extent, qhull_options="QbB Pp Qt")
    except QhullError as error:  # its own errors are long texts
        raise BadInput(f"{what} has no convex hull: {str(error).split(chr(10))[0][:80]}") from None
    kept = np.sort(hull.vertices)
    corners, faces = points[kept], np.searchsorted(kept, hull.simplices)
    a, b, c = (corners[faces[:, k]] for k in range(3))
    inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    faces[inwards] = faces[inwards][:, ::-1]
    return corners, faces


def _check_thick(points: Array, what: str) -> float:
    """Longest edge of the box around points (n, 3) [m]; flat ones are refused."""
    extent = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) if len(points) >= 4 else np.zeros(3)
    if extent == 0 or spread[-1] <= 1e-9 * spread[0]:
        raise BadInput(f"{what} is flat, so it has no convex hull; give it thickness or use a box")
    return extent


def fault_of(mesh: Mesh) -> str:
    """Why a mesh that was found cannot be a solid: its file cannot be read, or is flat; empty: it can."""
    try:
        _check_thick(_load(*file_key(mesh)).vertices, f"mesh {mesh.path}")
    except BadInput as error:
        return str(error)
    return ""


def load(mesh: Mesh) -> trimesh.Trimesh:
    """A fresh trimesh of a mesh shape, scaled."""
    import trimesh

    vertices, faces = triangles(mesh)
    return trimesh.Trimesh(vertices, faces, process=False)


def check_scale(mesh: Mesh) -> Array:
    """Factors (3,) of a mesh along its axes."""
    scale = np.asarray(mesh.scale, dtype=float)
    if not np.isfinite(scale).all() or (scale == 0).any():
        raise BadInput(f"mesh {mesh.uri!r}: scale must be finite and not 0, got {mesh.scale}")
    return scale


def _scaled(loaded: _Loaded, mesh: Mesh) -> tuple[Array, np.ndarray]:
    scale = check_scale(mesh)
    return loaded.vertices * scale, loaded.faces[:, ::-1] if np.prod(scale) < 0 else loaded.faces


def file_key(mesh: Mesh) -> tuple[Path, int, int, str, bool]:
    """What tells a mesh file as it is now, and what is wanted of it: the key of caches."""
    if mesh.path is None:
        raise MissingFile(
            f"mesh {mesh.uri!r} was not found; set ROS_PACKAGE_PATH or put it beside the file that names it"
        )
    try:
        stat = mesh.path.stat()
    except OSError as error:
        raise BadInput(f"mesh {mesh.path} cannot be read: {error.strerror or error}") from None
    return mesh.path, stat.st_mtime_ns, stat.st_size, mesh.submesh, mesh.center_submesh


@lru_cache(maxsize=512)
def _load(path: Path, changed: int, size: int, submesh: str, center: bool) -> _Loaded:
    plain = None if submesh or center else plain_triangles(path)
    if plain is not None:
        return _Loaded(*plain)
    mesh = load_mesh_file(path, submesh, center)
    return _Loaded(np.asarray(mesh.vertices), np.asarray(mesh.faces))


@lru_cache(maxsize=512)
def _hull(path: Path, changed: int, size: int, submesh: str, center: bool) -> _Loaded:
    return _Loaded(*hull_of(_load(path, changed, size, submesh, center).vertices, f"mesh {path}"))


@lru_cache(maxsize=512)
def _outermost(path: Path, changed: int, size: int, submesh: str, center: bool) -> Array:
    """Corners among which those of the hull are; the hull itself, which takes time, only where there are many."""
    corners = _load(path, changed, size, submesh, center).vertices
    if len(corners) > MANY:
        return _hull(path, changed, size, submesh, center).vertices
    _check_thick(corners, f"mesh {path}")
    return corners


def mesh_remedy(mesh: Mesh, source: Source) -> str:
    """Advice for a mesh without a file that the description `source` names: the name that would work, if there is one.

    Looked at are the folder of the description and the two above it, there the path that the name ends in and a file
    of the same name in the usual folders; upper and lower case do not matter.
    """
    if mesh.uri.startswith(("http://", "https://")):
        return "nothing is fetched from the net; download it and name the file"
    rest = mesh.uri.partition("://")[2].partition("/")[2] if "://" in mesh.uri else mesh.uri
    parts = [part for part in rest.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    if not parts or not source.file:
        return ELSEWHERE
    home = Path(source.file).resolve().parent
    for base in [home, *home.parents][: LEVELS_UP + 1]:
        for folder in dict.fromkeys(["/".join(parts[:-1]), *USUAL_FOLDERS]):
            if found := _same_name(base / folder, parts[-1]):
                name = Path(os.path.relpath(found, home)).as_posix()
                return f"write {_as_written(name, Path(source.file))}: that file is there"
    return ELSEWHERE


def taken_remedy(found: Path, file: Path) -> str:
    """Advice on a mesh that was taken from beside the description `file`, as the name in it leads nowhere."""
    name = Path(os.path.relpath(found.resolve(), file.resolve().parent)).as_posix()
    return f"was not found; write {_as_written(name, file)}: that file is there, and is taken"


def _as_written(name: str, file: Path) -> str:
    """How a description of that format names a mesh."""
    suffixes = {suffix.lower() for suffix in file.suffixes}
    if suffixes & {".sdf", ".world"}:
        return f"<uri>{name}</uri>"
    return f'file="{name}"' if suffixes & {".mjcf", ".xml"} else f'filename="{name}"'


def _same_name(folder: Path, name: str) -> Path | None:
    """A file of that name, also in other letters of case."""
    try:
        exact = folder / name
        if exact.is_file():
            return exact
        return next((each for each in sorted(folder.iterdir()) if each.name.lower() == name.lower()), None)
    except (OSError, ValueError):
        return None
