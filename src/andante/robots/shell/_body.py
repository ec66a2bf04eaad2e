"""Looks of the body, in its frame: the origin is the center of the sphere, z up."""

from __future__ import annotations

import math

import numpy as np
import trimesh

from andante.description.mesh.modeling import join, prism, revolve, ring, rounded_box, tube

from ._tiles import figures

F = figures()
SIXTHS = [k * math.pi / 3 for k in range(6)]


def _hexagon(radius: float, turn: float = math.pi / 6, blunt: float = 0.25) -> np.ndarray:
    """Outline of a hexagon with cut corners; `radius` to its corners [m]."""
    corners = [radius * np.array([math.cos(a + turn), math.sin(a + turn)]) for a in SIXTHS]
    points = []
    for i, corner in enumerate(corners):
        before, after = corners[i - 1], corners[(i + 1) % 6]
        points += [corner + blunt * (before - corner), corner + blunt * (after - corner)]
    return np.array(points)


def body_frame() -> trimesh.Trimesh:
    """Two plates that hold the folding axes, the hub of the upper legs and the mast of the lid."""
    upper = prism(_hexagon(0.088, 0.0), -0.0275, -0.0235, bevel=0.0008)
    lower = prism(_hexagon(0.085, 0.0), -0.0525, -0.0490, bevel=0.0008)
    hub = revolve([[-0.024, 0.034], [0.010, 0.030], [0.028, 0.016], [0.060, 0.0085]], (0, 0, 0), (0, 0, 1), around=36)
    mast = revolve([[0.06, 0.005], [0.185, 0.004], [0.196, 0.016]], (0, 0, 0), (0, 0, 1))
    posts = [
        revolve(
            [[-0.0525, 0.005], [-0.0235, 0.005]],
            (F["lower_root"] * math.cos(a), F["lower_root"] * math.sin(a), 0),
            (0, 0, 1),
        )
        for a in SIXTHS
    ]
    return join(upper, lower, hub, mast, *posts)


def body_steel() -> trimesh.Trimesh:
    """Axles of the upper legs and heads of the folding axes."""
    axles, heads = [], []
    for a in SIXTHS:
        side = np.array([-math.sin(a), math.cos(a), 0])
        place = np.array([F["upper_root"] * math.cos(a), F["upper_root"] * math.sin(a), F["upper_z"]])
        axles.append(tube([place - 0.0085 * side, place + 0.0085 * side], [0.0022, 0.0022]))
        at = (F["lower_root"] * math.cos(a), F["lower_root"] * math.sin(a), 0)
        heads += [revolve([[z, 0.0065], [z + 0.0025, 0.0055]], at, (0, 0, 1)) for z in (-0.0235, -0.0550)]
    return join(*axles, *heads)


def body_fan() -> trimesh.Trimesh:
    """The ring that turns the six folding arms together, with its marks."""
    return join(
        ring(0.046, 0.0030, (0, 0, -0.0215), (0, 0, 1), around=48, section=8),
        *(
            rounded_box((0.046 * math.cos(a + 0.3), 0.046 * math.sin(a + 0.3), -0.0205), (0.009, 0.009, 0.006), 0.001)
            for a in SIXTHS
        ),
    )


def body_battery() -> trimesh.Trimesh:
    """The battery in two packs on the upper plate, beside the hub: high up, which balances the ball."""
    return join(*(rounded_box((0, side * 0.047, -0.0060), (0.072, 0.024, 0.034), 0.003, power=8) for side in (-1, 1)))


def body_boards() -> trimesh.Trimesh:
    """Computer and servo board below the lower plate."""
    return join(
        rounded_box((0, 0, -0.0560), (0.078, 0.056, 0.006), 0.001),
        rounded_box((0.006, 0.004, -0.0600), (0.020, 0.020, 0.005), 0.001),
    )


def body_camera() -> trimesh.Trimesh:
    """The camera's arm and housing."""
    x, y, z = F["camera_x"], F["camera_y"], F["camera_z"]
    return join(
        tube([(0.060, 0.034, -0.0225), (0.100, 0.058, -0.020), (x - 0.012, y, z)], [0.005, 0.0042, 0.0045], along=10),
        rounded_box((x - 0.009, y, z), (0.015, 0.022, 0.015), 0.003, power=5),
    )


def body_lens() -> trimesh.Trimesh:
    """The camera's lens."""
    return revolve(
        [[-0.004, 0.0062], [0.0, 0.0058], [0.0008, 0.003]],
        (F["camera_x"] - 0.001, F["camera_y"], F["camera_z"]),
        (1, 0, 0),
    )
