"""Geometry of visuals and collisions: solid primitives, planes, meshes and height maps. Meters."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from andante.errors import BadInput

Vec3: TypeAlias = tuple[float, float, float]
RGBA: TypeAlias = tuple[float, float, float, float]


def _positive(what: str, *values: float) -> None:
    for value in values:
        if not (math.isfinite(value) and value > 0):
            raise BadInput(f"{what} must be a positive finite number, got {value}")


@dataclass(frozen=True)
class Box:
    """Box centered on its pose; full edge lengths x, y, z [m]."""

    size: Vec3

    def __post_init__(self) -> None:
        _positive("box size", *self.size)


@dataclass(frozen=True)
class Sphere:
    """Sphere centered on its pose [m]."""

    radius: float

    def __post_init__(self) -> None:
        _positive("sphere radius", self.radius)


@dataclass(frozen=True)
class Cylinder:
    """Cylinder about z, centered on its pose; full length [m]."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        _positive("cylinder radius and length", self.radius, self.length)


@dataclass(frozen=True)
class Capsule:
    """Cylinder about z with two half spheres; length is that of the cylindrical part [m]."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        _positive("capsule radius and length", self.radius, self.length)


@dataclass(frozen=True)
class Ellipsoid:
    """Ellipsoid centered on its pose; half axes x, y, z [m]."""

    radii: Vec3

    def __post_init__(self) -> None:
        _positive("ellipsoid radii", *self.radii)


@dataclass(frozen=True)
class Plane:
    """Infinite plane through its pose for collisions; size [m] is what a picture shows."""

    normal: Vec3 = (0.0, 0.0, 1.0)
    size: tuple[float, float] = (100.0, 100.0)


@dataclass(frozen=True)
class Mesh:
    """Triangle mesh from a file. Collides as its convex hull on moving bodies.

    `uri` is the text of the description file, `path` where the resolver found it (None: not found).
    """

    uri: str
    path: Path | None = None
    scale: Vec3 = (1.0, 1.0, 1.0)
    submesh: str = ""  # name of one part of the file; empty: all of it
    center_submesh: bool = False


@dataclass(frozen=True)
class Heightmap:
    """Ground given by heights on a regular grid, row 0 at -y, column 0 at -x, centered on its pose [m]."""

    heights: tuple[tuple[float, ...], ...]
    size: tuple[float, float]  # extent along x and y [m]
    uri: str = ""


def vec3_of(values: Iterable[float]) -> Vec3:
    """Three numbers as plain floats."""
    x, y, z = map(float, values)
    return (x, y, z)


Geometry: TypeAlias = Box | Sphere | Cylinder | Capsule | Ellipsoid | Plane | Mesh | Heightmap
