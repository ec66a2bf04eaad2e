"""The plain numbers of shell_variables.xacro, and the frames of one leg in the closed ball."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from functools import cache
from pathlib import Path

import numpy as np

from andante.geometry import Array

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
    out = {name: _inverse(frame) @ turn for name, frame in lower.items()}
    return out | {name: _inverse(frame) for name, frame in upper.items()}


def _inverse(frame: Array) -> Array:
    """Inverse of a rigid transform (4, 4)."""
    out = np.eye(4)
    out[:3, :3] = frame[:3, :3].T
    out[:3, 3] = -frame[:3, :3].T @ frame[:3, 3]
    return out
