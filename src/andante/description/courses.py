"""Worlds made by numbers: a course of platform, bar, ramp and stairs, and rough ground of a seed.

A course lies along x and begins at 0.6 m, so that a robot at the origin has room. Everything stands on a floor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.errors import BadInput, UnknownName
from andante.geometry import SE3

from .link import Collision, Link, Material, Surface, Visual
from .robot import Robot
from .shapes import Box, Ellipsoid, Geometry, Plane
from .world import Light, Placement, World

FLOOR = Material("floor", (0.62, 0.64, 0.66, 1.0))
WOOD = Material("wood", (0.72, 0.58, 0.42, 1.0))
GRIP = Surface(mu=0.9, mu2=0.9)
BEGIN = 0.6  # of what is on the floor [m]
MOST_PARTS = 10_000
KINDS = ("steps", "waves", "stones")


@dataclass(frozen=True)
class CourseSettings:
    """Sizes of a course; a part of height 0 (no stairs: `stairs` 0) is left out."""

    platform: float = 0.02  # height [m]
    platform_length: float = 0.6  # [m]
    bar: float = 0.01  # height [m]
    bar_length: float = 0.02  # along the way [m]
    ramp: float = math.radians(7.0)  # slope, up and down again [rad]
    ramp_length: float = 0.8  # of each side along the floor [m]
    stairs: int = 3  # up, and as many down
    rise: float = 0.03  # of a stair [m]
    tread: float = 0.35  # [m]
    width: float = 1.2  # across the way [m]
    gap: float = 0.6  # of floor between two parts [m]

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (math.isfinite(value) and 0.0 <= value <= 100.0):
                raise BadInput(f"{name} of a course must lie from 0 to 100, got {value}")
        if not (self.width > 0 and self.tread > 0 and self.ramp < math.radians(45.0)):
            raise BadInput("a course needs a width and treads above 0 and a ramp below 45 degrees")


def course(settings: CourseSettings | None = None) -> World:
    """A world with platform, bar, ramp and stairs one after the other along x."""
    s = settings or CourseSettings()
    parts: list[tuple[str, Geometry, SE3]] = []
    x = BEGIN
    if s.platform > 0:
        parts.append(_block("platform", x, s.platform_length, s.platform, s.width))
        x += s.platform_length + s.gap
    if s.bar > 0:
        parts.append(_block("bar", x, s.bar_length, s.bar, s.width))
        x += s.bar_length + s.gap
    if s.ramp > 0:
        thick, long = 0.02, s.ramp_length / math.cos(s.ramp)
        for name, side in (("ramp_up", -1.0), ("ramp_down", 1.0)):
            middle = np.array(
                [x + (0.5 if side < 0 else 1.5) * s.ramp_length, 0.0, 0.5 * s.ramp_length * math.tan(s.ramp)]
            )
            normal = np.array([math.sin(side * s.ramp), 0.0, math.cos(s.ramp)])
            at = SE3.from_xyz_rpy(middle - 0.5 * thick * normal, (0.0, side * s.ramp, 0.0))
            parts.append((name, Box((long, s.width, thick)), at))
        x += 2.0 * s.ramp_length + s.gap
    if s.stairs and s.rise > 0:
        for n in range(s.stairs):  # each stair is one block under those above it
            long = (2 * (s.stairs - n) - 1) * s.tread
            stair = _block(f"stair_{n + 1}", x + n * s.tread, long, s.rise, s.width, n * s.rise)
            parts += [stair]
        x += (2 * s.stairs - 1) * s.tread + s.gap
    return _world("course", parts, x)


def rough_ground(
    kind: str = "steps",
    seed: int = 0,
    *,
    height: float = 0.02,
    cell: float = 0.25,
    size: tuple[float, float] = (4.0, 3.0),
) -> World:
    """Ground by chance: `steps` of tiles, `waves` of narrow slats, or `stones` that lie about.

    Args:
        kind: steps, waves or stones.
        seed: the same one, the same ground.
        height: of the highest point [m].
        cell: edge of a tile; of a wave four are one length; of stones the mean distance [m].
        size: along x and y [m].
    """
    UnknownName.check("kind of ground", kind, KINDS)
    if not (0 < height <= 1.0 and 0.02 <= cell <= 10.0 and all(0 < edge <= 100.0 for edge in size)):
        raise BadInput(f"rough ground needs a height up to 1 m and cells of 0.02 to 10 m, got {height} and {cell}")
    rng = np.random.default_rng(seed)
    along, across = max(1, round(size[0] / cell)), max(1, round(size[1] / cell))
    if along * across * (4 if kind == "waves" else 1) > MOST_PARTS:
        raise BadInput(f"{along} x {across} cells of rough ground are too many; use larger ones")
    parts: list[tuple[str, Geometry, SE3]] = []
    if kind == "waves":
        slat, phase = cell / 4.0, rng.uniform(0.0, 2.0 * math.pi)
        for n in range(4 * along):
            z = 0.5 * height * (1.0 + math.sin(2.0 * math.pi * n / 16.0 + phase))
            if z > 1e-3:
                parts.append(_block(f"slat_{n}", BEGIN + n * slat, slat, z, size[1]))
        return _world(f"waves_{seed}", parts, BEGIN + size[0])
    for i in range(along):
        for j in range(across):
            x, y = BEGIN + (i + 0.5) * cell, (j + 0.5) * cell - 0.5 * size[1]
            z = float(rng.uniform(0.2, 1.0)) * height
            if kind == "steps":
                parts.append((f"tile_{i}_{j}", Box((cell, cell, z)), SE3.from_xyz_rpy((x, y, 0.5 * z))))
                continue
            dx, dy = rng.uniform(-0.4, 0.4, 2) * cell
            a, b = rng.uniform(0.15, 0.35, 2) * cell
            shape = Ellipsoid((float(a), float(b), z))
            parts.append((f"stone_{i}_{j}", shape, SE3.from_xyz_rpy((x + dx, y + dy, 0.0), (0, 0, rng.uniform(0, 3)))))
    return _world(f"{kind}_{seed}", parts, BEGIN + size[0])


def _block(
    name: str, x: float, length: float, height: float, width: float, base: float = 0.0
) -> tuple[str, Geometry, SE3]:
    """A box that begins at x and stands on a height [m]."""
    return name, Box((length, width, height)), SE3.from_xyz_rpy((x + 0.5 * length, 0.0, base + 0.5 * height))


def _world(name: str, parts: list[tuple[str, Geometry, SE3]], end: float) -> World:
    plane = Plane(size=(end + 4.0, end + 4.0))
    floor = Link(
        "floor", visuals=(Visual(plane, material=FLOOR),), collisions=(Collision(plane, surface=GRIP, name="floor"),)
    )
    models = [Placement("floor", Robot("floor", (floor,)), SE3.from_xyz_rpy((0.5 * end, 0.0, 0.0)), fixed=True)]
    if parts:
        link = Link(
            "course",
            visuals=tuple(Visual(shape, pose, WOOD, f"{label}_visual") for label, shape, pose in parts),
            collisions=tuple(Collision(shape, pose, surface=GRIP, name=label) for label, shape, pose in parts),
        )
        models.append(Placement("course", Robot("course", (link,)), fixed=True))
    return World(name, tuple(models), lights=(Light("sun", direction=(-0.4, 0.25, -0.9)),))
