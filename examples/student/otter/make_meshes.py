"""Otter's printed parts as STL files in millimeters, as a CAD program exports them: python make_meshes.py."""

from pathlib import Path

import numpy as np
import trimesh

folder = Path(__file__).parent / "meshes"
folder.mkdir(exist_ok=True)


def rounded(length: float, width: float, height: float, radius: float) -> trimesh.Trimesh:
    """A box with round edges [mm], centred: the hull of eight balls."""
    corners = np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T
    places = corners * (np.array([length, width, height]) / 2 - radius)
    ball = trimesh.creation.icosphere(subdivisions=2, radius=radius).vertices
    return trimesh.convex.convex_hull((places[:, None] + ball).reshape(-1, 3))


rounded(280, 120, 70, 20).export(folder / "body.stl")

upper = trimesh.creation.icosphere(subdivisions=2, radius=20).vertices * (1, 0.7, 1)
lower = trimesh.creation.icosphere(subdivisions=2, radius=13).vertices * (1, 0.8, 1) + (0, 0, -120)
trimesh.convex.convex_hull(np.vstack([upper, lower])).export(folder / "thigh.stl")
