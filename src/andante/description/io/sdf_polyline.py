"""<polyline> of SDF: a polygon extruded along z. Rectangles become boxes, convex ones a mesh in the user's cache."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

import numpy as np

from andante.description.link import IDENTITY
from andante.description.shapes import Box, Geometry, Mesh
from andante.geometry import SE3, Array

from .sdf_include import Reading
from .sdf_values import text_of
from .values import number, vector
from .xmltree import Node

MAX_POINTS = 10_000


def read_polyline(reading: Reading, shape: Node) -> tuple[Geometry, SE3] | None:
    """Prism of a polygon from z = 0 to its height; None (and a finding) when the polygon is not convex."""
    height = number(shape, text_of(shape, "height"), "<height>", 1.0)
    if height <= 0:
        raise shape.error(f"<height> must be positive, got {height:g}")
    points = np.array([vector(p, p.text, 2, "<point>") for p in shape.all("point")], dtype=float).reshape(-1, 2)
    if len(points) > MAX_POINTS:
        raise shape.error(f"more than {MAX_POINTS} points; refused")
    if len(points) > 1 and np.array_equal(points[0], points[-1]):
        points = points[:-1]
    if len(points) < 3:
        raise shape.error("a polyline needs at least three points")
    if not _convex(points):
        reading.report.warn(shape, "a <polyline> that is not convex is left out; split it into convex parts")
        return None
    box = _rectangle(points, height)
    return box if box is not None else (_prism(points, height), IDENTITY)


def _convex(points: Array) -> bool:
    """Whether a polygon turns one way only, and once around."""
    edges = np.roll(points, -1, axis=0) - points
    following = np.roll(edges, -1, axis=0)
    cross = edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0]
    dot = np.sum(edges * following, axis=1)
    turned = abs(float(np.sum(np.arctan2(cross, dot))))
    small = 1e-12 * float(np.max(np.abs(points)) ** 2 + 1e-300)
    one_way = bool(np.all(cross >= -small) or np.all(cross <= small))
    return one_way and abs(turned - 2 * np.pi) < 1e-6


def _rectangle(points: Array, height: float) -> tuple[Box, SE3] | None:
    if len(points) != 4:
        return None
    a, b = points[1] - points[0], points[2] - points[1]
    scale = float(np.linalg.norm(a) * np.linalg.norm(b))
    closed = np.allclose(points[0] + points[2], points[1] + points[3], atol=1e-9 * (1 + np.max(np.abs(points))))
    if scale <= 0 or abs(float(a @ b)) > 1e-9 * scale or not closed:
        return None
    center = points.mean(axis=0)
    pose = SE3.from_xyz_rpy((center[0], center[1], height / 2), (0.0, 0.0, float(np.arctan2(a[1], a[0]))))
    return Box((float(np.linalg.norm(a)), float(np.linalg.norm(b)), height)), pose


def _prism(points: Array, height: float) -> Mesh:
    """The prism as a mesh file in the cache, named by its contents so that it is written once."""
    text = _obj(points, height)
    name = f"polyline-{hashlib.sha256(text.encode()).hexdigest()[:16]}.obj"
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "andante" / "shapes"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.gettempdir())
    path = folder / name
    if not path.is_file():
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, suffix=".part") as file:
            file.write(text)
        Path(file.name).replace(path)
    return Mesh(path.as_uri(), path)


def _obj(points: Array, height: float) -> str:
    """Wavefront text of the prism, faces outward."""
    if float(np.sum(points[:, 0] * np.roll(points[:, 1], -1) - points[:, 1] * np.roll(points[:, 0], -1))) < 0:
        points = points[::-1]
    n = len(points)
    lines = [f"v {x!r} {y!r} {z!r}" for z in (0.0, height) for x, y in points.tolist()]
    for i in range(1, n - 1):
        lines += [f"f 1 {i + 2} {i + 1}", f"f {n + 1} {n + i + 1} {n + i + 2}"]
    for i in range(n):
        j = (i + 1) % n
        lines += [f"f {i + 1} {j + 1} {n + j + 1}", f"f {i + 1} {n + j + 1} {n + i + 1}"]
    return "\n".join(lines) + "\n"
