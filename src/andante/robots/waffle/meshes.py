"""The meshes of the waffle by part name, one per link and color. Own design after the robot's published dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import trimesh

from andante.description.mesh.modeling import join, moved, prism, revolve, rounded, rounded_box

BODY_X = -0.064  # middle of the body [m], base_link frame
PLATES = (0.004, 0.036, 0.066, 0.096)  # lower faces of the four decks [m]
THICK = 0.003
SIZE = 0.266


def _deck(low: float, size: float = SIZE) -> trimesh.Trimesh:
    outline = rounded(size, size, power=7.0, points=72) + np.array([BODY_X, 0.0])
    return prism(outline, low, low + THICK, bevel=0.0006)


def plates() -> trimesh.Trimesh:
    """Four decks."""
    return join(*(_deck(z) for z in PLATES))


def pillars() -> trimesh.Trimesh:
    """Brass posts between the decks."""
    posts = []
    for x in (-0.105, 0.0, 0.105):
        for y in (-0.105, 0.105):
            for low, high in pairwise(PLATES):
                profile = [[low + THICK, 0.0032], [high, 0.0032]]
                posts.append(revolve(profile, (BODY_X + x, y, 0.0), (0, 0, 1), around=12))
    return join(*posts)


def boards() -> trimesh.Trimesh:
    """Controller board and single-board computer."""
    return join(
        rounded_box((BODY_X + 0.02, 0.03, PLATES[1] + 0.009), (0.105, 0.075, 0.006), 0.002),
        rounded_box((BODY_X - 0.03, -0.03, PLATES[2] + 0.009), (0.086, 0.056, 0.008), 0.002),
    )


def battery() -> trimesh.Trimesh:
    """Battery between the lower decks."""
    return rounded_box((BODY_X - 0.03, 0.0, PLATES[0] + 0.017), (0.09, 0.05, 0.024), 0.004)


def motors() -> trimesh.Trimesh:
    """The two wheel actuators."""
    return join(*(rounded_box((0.0, side * 0.105, 0.021), (0.046, 0.05, 0.028), 0.003) for side in (-1, 1)))


def casters() -> trimesh.Trimesh:
    """Ball casters and their sockets."""
    parts = []
    for y in (-0.064, 0.064):
        angle = np.linspace(-math.pi / 2, 0.9, 10)
        ball = np.column_stack([0.010 * np.sin(angle), np.maximum(0.010 * np.cos(angle), 1e-5)])
        parts.append(revolve(ball, (-0.177, y, 0.0), (0, 0, 1), around=20))
        parts.append(revolve([[-0.003, 0.012], [0.006, 0.012]], (-0.177, y, 0.0), (0, 0, 1), around=20))
    return join(*parts)


def lidar() -> trimesh.Trimesh:
    """The laser scanner: a foot, a waist and a turning head."""
    profile = [
        [0.099, 0.034],
        [0.108, 0.034],
        [0.1085, 0.028],
        [0.112, 0.028],
        [0.1125, 0.035],
        [0.126, 0.035],
        [0.130, 0.031],
    ]
    foot = rounded_box((BODY_X, 0.0, 0.101), (0.07, 0.095, 0.006), 0.002)
    return join(revolve(profile, (BODY_X, 0.0, 0.0), (0, 0, 1), around=40), foot)


def camera() -> trimesh.Trimesh:
    """The front camera."""
    lens = [[0.0, 0.004], [0.004, 0.004]]
    return join(
        rounded_box((0.060, -0.005, 0.107), (0.010, 0.102, 0.016), 0.003),
        *(revolve(lens, (0.064, y, 0.107), (1, 0, 0), around=16) for y in (-0.047, -0.01, 0.03)),
    )


def tyre() -> trimesh.Trimesh:
    """A wheel's rubber, with a groove along the tread."""
    half, radius = 0.009, 0.033
    profile = [
        [-half, 0.022],
        [-half, radius - 0.003],
        [-half + 0.002, radius],
        [-0.002, radius],
        [-0.0015, radius - 0.0012],
    ]
    profile += [[-v, r] for v, r in reversed(profile)]
    return revolve(profile, (0, 0, 0), (0, 1, 0), around=48)


def hub() -> trimesh.Trimesh:
    """A wheel's rim with five holes' worth of relief."""
    rim = revolve([[-0.0093, 0.0215], [0.0093, 0.0215]], (0, 0, 0), (0, 1, 0), around=40)
    cap = revolve([[-0.0115, 0.008], [0.0115, 0.008]], (0, 0, 0), (0, 1, 0), around=24)
    bolts = []
    for k in range(5):
        a = 2 * math.pi * k / 5
        center = (0.0145 * math.cos(a), 0.0, 0.0145 * math.sin(a))
        bolts.append(revolve([[-0.0105, 0.0028], [0.0105, 0.0028]], center, (0, 1, 0), around=10))
    return join(moved(rim, np.eye(3), (0, 0, 0)), cap, *bolts)


MESHES: dict[str, Callable[[], trimesh.Trimesh]] = {
    make.__name__: make for make in (plates, pillars, boards, battery, motors, casters, lidar, camera, tyre, hub)
}
