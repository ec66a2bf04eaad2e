"""Convex parts of meshes that stand still, for engines that collide convex shapes only."""

from __future__ import annotations

import numpy as np

from andante.geometry import Array

SHELL = 0.005  # thickness that a single triangle is given, inwards [m]
MAX_TRIANGLES = 5000  # a concave part with more triangles is taken as its hull, and that is told
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
            out += _prisms(np.asarray(part.triangles), np.asarray(part.face_normals))
    return out


PRISM_FACES = np.array([[0, 1, 2], [5, 4, 3], [0, 3, 4], [0, 4, 1], [1, 4, 5], [1, 5, 2], [2, 5, 3], [2, 3, 0]])


def _prisms(triangles: Array, normals: Array) -> list[tuple[Array, np.ndarray]]:
    lower = triangles - SHELL * normals[:, None, :]
    return [(np.concatenate(pair), PRISM_FACES) for pair in zip(triangles, lower, strict=True)]
