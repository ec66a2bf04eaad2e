"""Triangles of mesh shapes: loaded within limits, convex hulls, colours; cached by file and time of change."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array

from .io.mesh_files import face_colors, load_mesh_file
from .mesh_tools import convex_hull
from .shapes import RGBA, Mesh

if TYPE_CHECKING:
    import trimesh


def triangles(mesh: Mesh) -> tuple[Array, np.ndarray]:
    """Vertices (n, 3) [m] and faces (m, 3) of a mesh, scaled; a mirroring scale turns the faces over."""
    return _scaled(_load(*_key(mesh)), mesh)


def hull(mesh: Mesh) -> tuple[Array, np.ndarray]:
    """Vertices and faces of the convex hull of a mesh, scaled."""
    return _scaled(_hull(*_key(mesh)), mesh)


def mesh_color(mesh: Mesh) -> RGBA | None:
    """Colour of most of a mesh's faces as the file gives it; None where it gives none."""
    return _color(*_key(mesh))


def load(mesh: Mesh) -> trimesh.Trimesh:
    """A fresh trimesh of a mesh shape, scaled."""
    import trimesh

    vertices, faces = triangles(mesh)
    return trimesh.Trimesh(vertices, faces, process=False)


def _scaled(loaded: trimesh.Trimesh, mesh: Mesh) -> tuple[Array, np.ndarray]:
    scale = np.asarray(mesh.scale, dtype=float)
    if not np.isfinite(scale).all() or (scale == 0).any():
        raise BadInput(f"mesh {mesh.uri!r}: scale must be finite and not 0, got {mesh.scale}")
    faces = np.asarray(loaded.faces)
    return np.asarray(loaded.vertices) * scale, faces[:, ::-1] if np.prod(scale) < 0 else faces


def _key(mesh: Mesh) -> tuple[Path, int, int, str, bool]:
    if mesh.path is None:
        raise BadInput(f"mesh {mesh.uri!r} was not found; set ROS_PACKAGE_PATH or put it beside the file that names it")
    try:
        stat = mesh.path.stat()
    except OSError as error:
        raise BadInput(f"mesh {mesh.path} cannot be read: {error.strerror or error}") from None
    return mesh.path, stat.st_mtime_ns, stat.st_size, mesh.submesh, mesh.center_submesh


@lru_cache(maxsize=512)
def _load(path: Path, changed: int, size: int, submesh: str, center: bool) -> trimesh.Trimesh:
    return load_mesh_file(path, submesh, center)


@lru_cache(maxsize=512)
def _hull(path: Path, changed: int, size: int, submesh: str, center: bool) -> trimesh.Trimesh:
    return convex_hull(_load(path, changed, size, submesh, center), f"mesh {path}")


@lru_cache(maxsize=512)
def _color(path: Path, changed: int, size: int, submesh: str, center: bool) -> RGBA | None:
    painted = face_colors(_load(path, changed, size, submesh, center))
    if painted is None:
        return None
    colors, counts = np.unique(painted, axis=0, return_counts=True)
    r, g, b, a = (float(v) / 255 for v in colors[np.argmax(counts)])
    return (r, g, b, a)
