"""Binary STL: 80 bytes of anything, a count, and 50 bytes per triangle, read without a mesh library."""

from __future__ import annotations

import struct

import numpy as np

from andante.geometry import Array

HEAD = 84
TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
SAME = 1e-8  # corners that agree to this are one vertex [file units]


def is_binary(data: bytes) -> bool:
    """Whether the bytes are as long as their header says; ASCII files and those with notes behind are not."""
    return len(data) > HEAD and len(data) == HEAD + TRIANGLE.itemsize * struct.unpack_from("<I", data, HEAD - 4)[0]


def binary_triangles(data: bytes) -> tuple[Array, np.ndarray]:
    """Corners (3 m, 3), three for each triangle and not merged, and faces (m, 3)."""
    corners = np.frombuffer(data, TRIANGLE, offset=HEAD)["corners"].astype(float).reshape(-1, 3)
    return corners, np.arange(len(corners)).reshape(-1, 3)


def merged(vertices: Array, faces: np.ndarray) -> tuple[Array, np.ndarray]:
    """The same triangles with equal vertices told once, in the order in which they come first."""
    keys = np.round(vertices / SAME)
    _, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return vertices[first[order]], place[which.reshape(-1)][faces]
