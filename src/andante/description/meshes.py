"""Triangles of mesh shapes: loaded within limits, convex hulls, colours; cached by file and time of change."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array

from .io.mesh import stl
from .io.mesh.files import face_colors, load_mesh_file, load_mesh_parts
from .mesh_tools import hull_of
from .shapes import RGBA, Mesh

if TYPE_CHECKING:
    import trimesh


@dataclass(frozen=True, eq=False)
class _Loaded:
    vertices: Array
    faces: np.ndarray
    colors: np.ndarray | None = None  # of the faces (m, 4), 0..255


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


def _scaled(loaded: _Loaded, mesh: Mesh) -> tuple[Array, np.ndarray]:
    scale = np.asarray(mesh.scale, dtype=float)
    if not np.isfinite(scale).all() or (scale == 0).any():
        raise BadInput(f"mesh {mesh.uri!r}: scale must be finite and not 0, got {mesh.scale}")
    return loaded.vertices * scale, loaded.faces[:, ::-1] if np.prod(scale) < 0 else loaded.faces


def _key(mesh: Mesh) -> tuple[Path, int, int, str, bool]:
    if mesh.path is None:
        raise BadInput(f"mesh {mesh.uri!r} was not found; set ROS_PACKAGE_PATH or put it beside the file that names it")
    try:
        stat = mesh.path.stat()
    except OSError as error:
        raise BadInput(f"mesh {mesh.path} cannot be read: {error.strerror or error}") from None
    return mesh.path, stat.st_mtime_ns, stat.st_size, mesh.submesh, mesh.center_submesh


@lru_cache(maxsize=512)
def _load(path: Path, changed: int, size: int, submesh: str, center: bool) -> _Loaded:
    if path.suffix.lower() == ".stl" and not submesh and not center:  # a robot of these needs no mesh library
        parts = load_mesh_parts(path)
        if len(parts) == 1 and parts[0].color is None:
            return _Loaded(*stl.merged(parts[0].vertices, parts[0].faces))
    mesh = load_mesh_file(path, submesh, center)
    return _Loaded(np.asarray(mesh.vertices), np.asarray(mesh.faces), face_colors(mesh))


@lru_cache(maxsize=512)
def _hull(path: Path, changed: int, size: int, submesh: str, center: bool) -> _Loaded:
    return _Loaded(*hull_of(_load(path, changed, size, submesh, center).vertices, f"mesh {path}"))


@lru_cache(maxsize=512)
def _color(path: Path, changed: int, size: int, submesh: str, center: bool) -> RGBA | None:
    painted = _load(path, changed, size, submesh, center).colors
    if painted is None:
        return None
    colors, counts = np.unique(painted, axis=0, return_counts=True)
    r, g, b, a = (float(v) / 255 for v in colors[np.argmax(counts)])
    return (r, g, b, a)
