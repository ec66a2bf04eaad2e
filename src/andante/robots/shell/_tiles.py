"""Pieces of the sphere: tiles with thickness, the ribs that carry them, and their convex collision hulls.

All are made in the gore frame (see `ball_frames`) and moved to the frame of their link. The figures are the plain
numbers of shell_variables.xacro.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

import numpy as np
import trimesh

from andante.description.mesh.modeling import closed, moved
from andante.geometry import SE3, Array

VARIABLES = Path(__file__).resolve().parent / "shell_variables.xacro"


@cache
def figures() -> dict[str, float]:
    """Every property of shell_variables.xacro that is one plain number, by name."""
    found = {}
    for element in ElementTree.parse(VARIABLES).getroot():
        try:
            found[element.attrib["name"]] = float(element.attrib["value"])
        except (KeyError, ValueError):
            continue  # an expression or a color
    return found


def dh(alpha: float, d: float, theta: float, r: float) -> Array:
    """Tz(d) Rz(theta) Tx(r) Rx(alpha), the Denavit-Hartenberg transform (4, 4)."""
    c, s, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
    return np.array([[c, -s * ca, s * sa, r * c], [s, c * ca, -c * sa, r * s], [0, sa, ca, d], [0, 0, 0, 1.0]])


def lower_frames(fold: float, yaw: float, femur: float, tibia: float) -> dict[str, Array]:
    """Link frames of the lower leg at azimuth 0 in the frame of the body, root_from_link (4, 4)."""
    f = figures()
    coxa = dh(0, f["lower_z"], 0, f["lower_root"]) @ dh(0, 0, fold, 0)
    hip = coxa @ dh(0, f["coxa_drop"], 0, f["coxa_length"]) @ dh(0, 0, yaw, 0)
    upper = hip @ dh(math.pi / 2, 0, 0, f["hip_length"]) @ dh(0, f["hip_side"], femur, 0)
    shin = upper @ dh(0, 0, 0, f["femur_length"]) @ dh(0, 0, tibia - math.pi / 2, 0)
    foot = shin @ dh(0, 0, 0, f["tibia_length"])
    return {"coxa": coxa, "hip": hip, "femur": upper, "tibia": shin, "foot": foot}


def upper_frames(thigh: float, petal: float) -> dict[str, Array]:
    """Link frames of the upper leg at azimuth 0 in the frame of the body, root_from_link (4, 4)."""
    f = figures()
    first = dh(math.pi / 2, f["upper_z"], 0, f["upper_root"]) @ dh(0, 0, thigh, 0)
    second = first @ dh(0, 0, 0, f["thigh_length"]) @ dh(0, 0, petal + math.pi / 2, 0)
    tip = second @ dh(0, 0, 0, f["petal_length"])
    return {"thigh": first, "petal": second, "tip": tip}


@cache
def ball_frames() -> dict[str, Array]:
    """link_from_gore (4, 4) of every leg link in the closed ball.

    The gore frame has its origin at the center of the sphere, z up, and x in the middle of the leg's sixth of the ball;
    that of a lower leg lies one sixth further than its root.
    """
    f = figures()
    lower = lower_frames(f["ball_fold"], f["ball_yaw"], f["ball_femur"], f["ball_tibia"])
    turn = dh(0, 0, f["ball_fold"] + f["ball_yaw"], 0)
    upper = upper_frames(f["ball_thigh"], f["ball_petal"])
    out = {name: SE3(frame).inverse().matrix @ turn for name, frame in lower.items()}
    return out | {name: SE3(frame).inverse().matrix for name, frame in upper.items()}


Point: TypeAlias = Sequence[float]  # x, y in the frame of a link [m]
SIXTH = math.pi / 6  # half the width of a gore [rad]


def to_link(mesh: trimesh.Trimesh, link: str) -> trimesh.Trimesh:
    """A mesh of the gore frame told in the frame of a leg's link."""
    pose = ball_frames()[link]
    return moved(mesh, pose[:3, :3], pose[:3, 3])


def tile(
    low: float,
    high: float,
    outer: float,
    thickness: float,
    inset: float = 0.0,
    right: float | None = None,
    left: float | None = None,
    step: float = 3.0,
) -> trimesh.Trimesh:
    """A plate on the sphere between two latitudes [deg], as wide as a sixth of it, in the gore frame.

    `outer` is the radius of its outside [m], `inset` what is left free at every edge beyond the seam [m]. `right` and
    `left` cut it at distances y across the gore [m] instead of at its meridians.
    """
    top = surface(low, high, outer, inset, right, left, step)
    return _plate(top, top * ((outer - thickness) / outer))


def surface(
    low: float,
    high: float,
    radius: float,
    inset: float = 0.0,
    right: float | None = None,
    left: float | None = None,
    step: float = 3.0,
) -> Array:
    """Points (rows, columns, 3) of a piece of the sphere; arguments as for `tile`."""
    edge = (figures()["tile_gap"] + inset) / radius
    rows = max(2, math.ceil((high - low) / step) + 1)
    latitude = np.linspace(math.radians(low) + edge, math.radians(high) - edge, rows)
    ring = radius * np.cos(latitude)
    reach = SIXTH - np.minimum((figures()["tile_gap"] + inset) / ring, SIXTH * 0.8)
    first = -reach if right is None else np.arcsin(np.clip((right + inset) / ring, -1, 1))
    last = reach if left is None else np.arcsin(np.clip((left - inset) / ring, -1, 1))
    columns = max(2, math.ceil(float(np.degrees((last - first).max())) / step) + 1)
    azimuth = first[:, None] + (last - first)[:, None] * np.linspace(0, 1, columns)
    return np.stack(
        [
            ring[:, None] * np.cos(azimuth),
            ring[:, None] * np.sin(azimuth),
            np.broadcast_to(radius * np.sin(latitude)[:, None], azimuth.shape),
        ],
        axis=-1,
    )


def rib(low: float, high: float, across: float, start: Point, end: Point, link: str, width: float) -> trimesh.Trimesh:
    """A web from an arm to the tile in a plane beside the leg, in the frame of a link.

    It joins the arc between two latitudes [deg], `across` [m] from the middle of the gore, to the line from `start` to
    `end` (x, y in the frame of the link) [m]; `width` is its thickness [m].
    """
    f = figures()
    radius = f["ball_radius"] - f["tile_thickness"] * 0.7
    latitude = np.radians(np.linspace(low, high, 10))
    flat = math.sqrt(radius**2 - across**2)
    arc = np.column_stack([flat * np.cos(latitude), np.full(10, across), flat * np.sin(latitude)])
    pose = ball_frames()[link]
    arc = arc @ pose[:3, :3].T + pose[:3, 3]
    line = np.linspace([*start, 0.0], [*end, 0.0], 10)
    line[:, 2] = arc[:, 2]
    shift = np.array([0, 0, width / 2])
    top = np.stack([arc + shift, (arc + line) / 2 + shift, line + shift])
    return _plate(top, np.stack([arc - shift, (arc + line) / 2 - shift, line - shift]))


def hull_of(points: Array, link: str, depth: float) -> trimesh.Trimesh:
    """Convex hull of a piece of the sphere and of its rim sunk by `depth` [m], in the frame of a link."""
    flat = points.reshape(-1, 3)
    corners = points[[0, 0, -1, -1], [0, -1, 0, -1]]
    sunk = corners * (1 - depth / np.linalg.norm(corners, axis=1, keepdims=True))
    body = trimesh.convex.convex_hull(np.concatenate([flat, sunk]))
    return to_link(closed(np.asarray(body.vertices), np.asarray(body.faces)), link)


def _plate(top: Array, bottom: Array) -> trimesh.Trimesh:
    """A closed plate between two grids of points (rows, columns, 3)."""
    rows, columns = top.shape[:2]
    index = np.arange(rows * columns).reshape(rows, columns)
    other = index + rows * columns
    faces = [_quads(index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1])]
    faces.append(_quads(other[:-1, :-1], other[1:, :-1], other[1:, 1:], other[:-1, 1:]))
    rim = np.concatenate([index[0, :-1], index[:-1, -1], index[-1, :0:-1], index[:0:-1, 0]])
    after = np.roll(rim, -1)
    shift = rows * columns
    faces.append(_quads(rim, rim + shift, after + shift, after))
    return closed(np.concatenate([top.reshape(-1, 3), bottom.reshape(-1, 3)]), np.concatenate(faces))


def _quads(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    a, b, c, d = a.ravel(), b.ravel(), c.ravel(), d.ravel()
    return np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
