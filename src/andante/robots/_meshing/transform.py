"""Moving, mirroring and joining meshes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from andante.geometry import Array

from ._grid import closed

if TYPE_CHECKING:
    import trimesh


def frame_along(axis: ArrayLike) -> Array:
    """A rotation (3, 3) whose third column is the axis; the second leans to +z, or to +x for an upright axis."""
    third = np.asarray(axis, dtype=float)
    third = third / np.linalg.norm(third)
    hint = np.array([1.0, 0.0, 0.0]) if abs(third[2]) > 0.99 else np.array([0.0, 0.0, 1.0])
    second = hint - (hint @ third) * third
    second /= np.linalg.norm(second)
    return np.column_stack([np.cross(second, third), second, third])


def moved(mesh: trimesh.Trimesh, rotation: ArrayLike, translation: ArrayLike) -> trimesh.Trimesh:
    """The mesh turned by a rotation (3, 3), then shifted [m]."""
    points = np.asarray(mesh.vertices) @ np.asarray(rotation, dtype=float).T + np.asarray(translation, dtype=float)
    return closed(points, np.asarray(mesh.faces))


def mirror(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """The mirror image at the plane y = 0: left becomes right."""
    return closed(np.asarray(mesh.vertices) * [1.0, -1.0, 1.0], np.asarray(mesh.faces)[:, ::-1])


def join(*meshes: trimesh.Trimesh) -> trimesh.Trimesh:
    """Several bodies in one mesh, for parts of one colour."""
    shift = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    points = np.concatenate([np.asarray(mesh.vertices) for mesh in meshes])
    faces = np.concatenate([np.asarray(mesh.faces) + start for mesh, start in zip(meshes, shift, strict=False)])
    return closed(points, faces)
