"""Triangles of mesh files and shapes: loading with limits, convex hulls, cached by file."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array

from .shapes import Mesh

if TYPE_CHECKING:
    import trimesh

MAX_BYTES = 100 * 1024 * 1024


def triangles(mesh: Mesh) -> tuple[Array, np.ndarray]:
    """Vertices (n, 3) [m] and faces (m, 3) of a mesh, scaled."""
    loaded = _load(_path(mesh), mesh.submesh, mesh.center_submesh)
    return np.asarray(loaded.vertices) * np.asarray(mesh.scale), np.asarray(loaded.faces)


def hull(mesh: Mesh) -> tuple[Array, np.ndarray]:
    """Vertices and faces of the convex hull of a mesh, scaled."""
    loaded = _hull(_path(mesh), mesh.submesh, mesh.center_submesh)
    return np.asarray(loaded.vertices) * np.asarray(mesh.scale), np.asarray(loaded.faces)


def _path(mesh: Mesh) -> Path:
    if mesh.path is None:
        raise BadInput(f"mesh {mesh.uri!r} was not found; set ROS_PACKAGE_PATH or put it beside the file that names it")
    return mesh.path


@lru_cache(maxsize=512)
def _load(path: Path, submesh: str, center: bool) -> trimesh.Trimesh:
    import trimesh

    if path.stat().st_size > MAX_BYTES:
        raise BadInput(f"mesh {path} is over {MAX_BYTES // 2**20} MiB; refused")
    loaded = trimesh.load(path, force="mesh")
    if not isinstance(loaded, trimesh.Trimesh) or len(loaded.faces) == 0:
        raise BadInput(f"mesh {path} holds no triangles")
    return loaded


@lru_cache(maxsize=512)
def _hull(path: Path, submesh: str, center: bool) -> trimesh.Trimesh:
    return _load(path, submesh, center).convex_hull
