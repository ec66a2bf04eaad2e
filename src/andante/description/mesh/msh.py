"""Meshes in MuJoCo's own format: four counts (corners, normals, places in a picture, faces), then these arrays."""

from __future__ import annotations

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array

LARGEST = 1e9  # coordinate [file units]


def read_msh(data: bytes, file: str) -> tuple[Array, np.ndarray, Array | None]:
    """Vertices (n, 3), faces (m, 3), and where the file has them the places (m, 3, 2) of its corners in the picture."""
    counts = np.frombuffer(data[:16], "<i4") if len(data) >= 16 else np.zeros(4, int)
    corners, normals, places, faces = counts.tolist()
    if min(corners, faces) < 1 or min(normals, places) < 0:
        raise BadInput(f"mesh {file} is not MuJoCo's .msh; convert it to .stl or .obj")
    if len(data) != 16 + 12 * corners + 12 * normals + 8 * places + 12 * faces:
        raise BadInput(f"mesh {file} is truncated: its header announces {corners} vertices, {faces} faces")
    start = 16 + 12 * corners + 12 * normals
    vertices = np.frombuffer(data, "<f4", 3 * corners, 16).reshape(-1, 3).astype(float)
    uv = np.frombuffer(data, "<f4", 2 * places, start).reshape(-1, 2).astype(float)
    index = np.frombuffer(data, "<i4", 3 * faces, start + 8 * places).reshape(-1, 3)
    if index.min() < 0 or index.max() >= corners or not (np.abs(vertices) <= LARGEST).all():
        raise BadInput(f"mesh {file} names vertices that it has not; convert it to .stl or .obj")
    upward = uv * (1, -1) + (0, 1)  # pictures begin at their upper edge here
    return vertices, index, upward[index] if places == corners and np.isfinite(uv).all() else None
