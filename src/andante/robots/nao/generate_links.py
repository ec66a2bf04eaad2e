"""Writes nao_links*.xacro from the mass tables of the versions, links*.csv: tensors moved to the centers of mass.

The tables give tensors about the link origins; URDF wants them about the center of mass, which is the
parallel-axis theorem, I_c = I_o - m (c·c E - c cᵀ). Three choices make the model whole:

- Right side: the mirror image of the left one (y of the center, ixy and iyz negated). The published right-side tensors
  pair symmetric centers with unsymmetric origin tensors.
- Links on the middle line: ixy and iyz are dropped (at most 3.1 % of the largest moment), so that the robot is its own
  mirror image.
- Hands: the table has one solid for hand and fingers. FINGERS are cut off it as a solid ellipsoid, and the rest stays
  with the wrist link, so that both together have the official mass, center and tensor when the hand is closed.

Run it as `python -m andante.robots.nao.generate_links`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from andante.description.inertia import Inertia, from_origin_tensor
from andante.geometry import SE3

from .tables import rows

VERSIONS = {"V4": "links", "V3.3": "links_v33", "V5": "links_v5"}  # table of each; V6: that of the V5

FINGER_MASS = 0.02  # the three fingers of one hand [kg], an estimate
FINGER_CENTER = (0.066, 0.0, -0.008)  # in the wrist link [m]
FINGER_RADII = (0.018, 0.020, 0.020)  # half axes of the ellipsoid [m]

# left or middle link -> macro with its looks and collision shapes
SHAPES = {
    "torso": "torso",
    "Neck": "neck",
    "Head": "head",
    "LShoulder": "shoulder",
    "LBicep": "bicep",
    "LElbow": "elbow",
    "LForeArm": "forearm",
    "l_wrist": "wrist",
    "l_gripper": "gripper",
    "LPelvis": "pelvis",
    "LHip": "hip",
    "LThigh": "thigh",
    "LTibia": "tibia",
    "LAnklePitch": "ankle",
    "l_ankle": "foot",
}
MIDDLE = ("torso", "Neck", "Head")


def output(version: str = "V4") -> Path:
    """The file that a version's links are in."""
    return Path(__file__).resolve().parent / f"nao_{VERSIONS[version]}.xacro"


def official(version: str = "V4") -> dict[str, Inertia]:
    """Inertias of a version's table, about the centers of mass."""
    table = {}
    for row in rows(VERSIONS[version]):
        xx, xy, xz, yy, yz, zz = (float(row[key]) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        com = [float(row[f"com_{axis}"]) for axis in "xyz"]
        table[row["link"]] = from_origin_tensor(float(row["mass"]), com, tensor)
    return table


def mirrored(inertia: Inertia) -> Inertia:
    """The mirror image of a body at the plane y = 0."""
    x, y, z = inertia.com
    xx, xy, xz, yy, yz, zz = inertia.moments
    return Inertia(inertia.mass, (x, -y, z), (xx, -xy, xz, yy, -yz, zz))


def symmetric(inertia: Inertia) -> Inertia:
    """The mean of a body and its mirror image: no ixy, no iyz, center on the middle plane."""
    x, _, z = inertia.com
    xx, _, xz, yy, _, zz = inertia.moments
    return Inertia(inertia.mass, (x, 0.0, z), (xx, 0.0, xz, yy, 0.0, zz))


def fingers() -> Inertia:
    """The fingers of one closed hand in the wrist link: a solid ellipsoid, I_xx = m (b^2 + c^2) / 5."""
    a, b, c = FINGER_RADII
    moments = np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) * FINGER_MASS / 5
    return Inertia.from_matrix(FINGER_MASS, FINGER_CENTER, moments)


def without(whole: Inertia, part: Inertia) -> Inertia:
    """What is left of a body when a part of it, told in the same frame, is taken off."""
    mass = whole.mass - part.mass
    com = (whole.mass * np.asarray(whole.com) - part.mass * np.asarray(part.com)) / mass
    return from_origin_tensor(mass, com, whole.about_origin() - part.about_origin())


def hand_origin(side: str) -> np.ndarray:
    """Origin of the finger joint LHand or RHand in the wrist link [m]."""
    row = next(row for row in rows("joints") if row["joint"] == f"{side}Hand")
    return np.array([float(row[axis]) for axis in "xyz"])


def links(version: str = "V4") -> Iterator[tuple[str, str, Inertia]]:
    """Name, shape macro call and inertia of every link with a mass, in file order."""
    table = official(version)
    for name in MIDDLE:
        yield name, f"<xacro:{SHAPES[name]}_shapes/>", symmetric(table[name])
    left = {name: inertia for name, inertia in table.items() if name not in MIDDLE}
    closed = fingers()
    left["l_wrist"] = without(left["l_wrist"], closed)
    for side, letter, sign in (("L", "l", 1), ("R", "r", -1)):
        for name, macro in SHAPES.items():
            if name in MIDDLE:
                continue
            if name == "l_gripper":  # told in the wrist link, so both hands are mirror images though RHand sits higher
                moved = closed if sign > 0 else mirrored(closed)
                inertia = moved.transformed(SE3.from_parts(np.eye(3), -hand_origin(side)))
            else:
                inertia = left[name] if sign > 0 else mirrored(left[name])
            call = f'<xacro:{macro}_shapes s="{letter}" side="{sign}"/>'
            yield (side if name[0] == "L" else letter) + name[1:], call, inertia


def text(version: str = "V4") -> str:
    """Contents of nao_links*.xacro; the hand's moving part is less where bones of fingers are cut off it."""
    out = [
        '<?xml version="1.0"?>',
        f"<!-- Generated from {VERSIONS[version]}.csv by generate_links.py; change those and run it again. Masses",
        "     [kg], centers of mass [m], tensors about the center of mass along the link axes [kg m^2]. -->",
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro">',
    ]
    for name, call, inertia in links(version):
        share = " * hand_share" if name.endswith("_gripper") else ""
        com = " ".join(_figure(value) for value in inertia.com)
        keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        moments = [f'{key}="{_figure(value, share)}"' for key, value in zip(keys, inertia.moments, strict=True)]
        out += [
            f'  <xacro:part name="{name}" mass="{_figure(inertia.mass, share)}" com="{com}"',
            f"              {' '.join(moments[:3])}",
            f"              {' '.join(moments[3:])}>",
            f"    <shapes>{call}</shapes>",
            "  </xacro:part>",
        ]
    return "\n".join([*out, "</robot>", ""])


def _figure(value: float, share: str = "") -> str:
    """Nine significant digits, no minus zero; times a property of the xacro, if any."""
    figure = f"{0.0 if abs(value) < 1e-15 else value:.9g}"
    return f"${{{figure}{share}}}" if share else figure


if __name__ == "__main__":
    for each in VERSIONS:
        output(each).write_text(text(each), encoding="utf-8")
