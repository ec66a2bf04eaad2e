"""Closed meshes from rows of points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from andante.geometry import Array

if TYPE_CHECKING:
    import trimesh


def from_rows(rows: Array, start: Array | None, end: Array | None) -> trimesh.Trimesh:
    """Mesh of rows of points (rows, around, 3), each a closed ring, closed by a point at either end.

    Without end points the last row joins the first, as in a torus. Faces are turned outwards.
    """
    count, around = rows.shape[:2]
    points = [rows.reshape(-1, 3)]
    index = np.arange(count * around).reshape(count, around)
    following = np.roll(index, -1, axis=1)
    last = count if start is None else count - 1
    a, b = index, following
    c, d = np.roll(following, -1, axis=0), np.roll(index, -1, axis=0)
    quads = [np.stack([x[:last].ravel() for x in corners], axis=1) for corners in ((a, b, c), (a, c, d))]
    faces = quads
    if start is not None and end is not None:
        points += [start[None], end[None]]
        first, final = count * around, count * around + 1
        faces.append(np.stack([following[0], index[0], np.full(around, first)], axis=1))
        faces.append(np.stack([index[-1], following[-1], np.full(around, final)], axis=1))
    return closed(np.concatenate(points), np.concatenate(faces))


def closed(points: Array, faces: np.ndarray) -> trimesh.Trimesh:
    """A mesh of points and consistently wound faces, turned inside out where its volume is negative."""
    import trimesh

    mesh = trimesh.Trimesh(points, faces, process=False)
    if mesh.volume < 0:
        mesh = trimesh.Trimesh(points, faces[:, ::-1], process=False)
    return mesh
