"""Left arm of the NAO, each part in its link frame: x towards the hand, y left, z up at the zero pose."""

from __future__ import annotations

from functools import cache

import numpy as np
import trimesh

from andante.description.mesh.modeling import (
    Section,
    circle,
    ellipsoid,
    join,
    loft,
    moved,
    patch,
    revolve,
    ring,
    rounded,
    tube,
)

HAND = (0.05775, 0.0, -0.01231)  # finger joint in the wrist link [m]
# Finger bones in the wrist link [m]: from knuckle to middle joint, from there to the tip.
FINGER = (
    ((0.050, 0.0165, 0.0085), (0.058, 0.0170, 0.0080), (0.0665, 0.0165, 0.0030)),
    ((0.0690, 0.0158, -0.0010), (0.0695, 0.0140, -0.0085), (0.0665, 0.0115, -0.0165)),
)
THUMB = (
    ((0.028, 0.0, -0.0155), (0.038, 0.0, -0.0225), (0.047, 0.0, -0.0255)),
    ((0.0515, 0.0, -0.0262), (0.059, 0.0, -0.0262), (0.0665, 0.0, -0.0235)),
)


def shoulder() -> trimesh.Trimesh:
    """The pitch drive inside the shoulder."""
    return revolve([(-0.028, 0.0265), (0.006, 0.0265)], (0, 0, 0), (0, 1, 0), around=20)


@cache
def bicep() -> trimesh.Trimesh:
    """Round shoulder cap that tapers to the elbow."""
    return loft(
        [
            Section(-0.0494, (-0.0200, 0.0240), (-0.0350, 0.0350), 2.2),
            Section(-0.0250, (-0.0235, 0.0320), (-0.0405, 0.0405), 2.2),
            Section(0.0020, (-0.0243, 0.0350), (-0.0413, 0.0413), 2.2),
            Section(0.0280, (-0.0210, 0.0360), (-0.0370, 0.0370), 2.3),
            Section(0.0500, (-0.0120, 0.0365), (-0.0290, 0.0290), 2.4),
            Section(0.0700, (-0.0090, 0.0360), (-0.0250, 0.0250), 2.5),
            Section(0.0920, (-0.0085, 0.0360), (-0.0245, 0.0245), 2.5),
            Section(0.1086, (-0.0080, 0.0350), (-0.0235, 0.0235), 2.5),
        ],
        axis="x",
        round_start=0.028,
        round_end=0.006,
        around=28,
        along=11,
        cap=4,
    )


def bicep_accent() -> trimesh.Trimesh:
    """Coloured disc on the outside of the shoulder, panel along the upper arm."""
    return join(
        patch(bicep(), (0.000, 0.06, 0), (0, 1, 0), circle(0.0275, 30), rings=4),
        patch(bicep(), (0.074, 0.06, 0), (0, 1, 0), rounded(0.040, 0.026, 3.0, 24), rings=3),
    )


def bicep_grey() -> trimesh.Trimesh:
    """Cuff at the elbow, cap of the shoulder screw."""
    return join(
        revolve([(0.1000, 0.0180), (0.1085, 0.0180), (0.1105, 0.0160)], (0, 0.0140, 0), (1, 0, 0), around=24),
        patch(bicep(), (0.000, 0.06, 0), (0, 1, 0), circle(0.0095, 20), lift=0.0014, rings=2),
    )


def elbow() -> trimesh.Trimesh:
    """The elbow drive."""
    return join(
        revolve([(-0.024, 0.0165), (-0.004, 0.0165)], (0, 0, 0), (1, 0, 0), around=20),
        ellipsoid((0, 0, 0), (0.0205, 0.0205, 0.0225), 20, 10),
    )


@cache
def forearm() -> trimesh.Trimesh:
    """Bulging shell between elbow and wrist."""
    return loft(
        [
            Section(-0.0096, (-0.0190, 0.0190), (-0.0195, 0.0195), 2.3),
            Section(0.0080, (-0.0260, 0.0260), (-0.0260, 0.0260), 2.3),
            Section(0.0300, (-0.0325, 0.0325), (-0.0305, 0.0305), 2.3),
            Section(0.0450, (-0.0315, 0.0315), (-0.0300, 0.0300), 2.3),
            Section(0.0590, (-0.0265, 0.0265), (-0.0260, 0.0260), 2.2),
        ],
        axis="x",
        round_start=0.012,
        round_end=0.005,
        around=26,
        along=9,
        cap=4,
    )


def forearm_accent() -> trimesh.Trimesh:
    """Coloured panel on the outside of the forearm."""
    return patch(forearm(), (0.027, 0.05, 0), (0, 1, 0), rounded(0.044, 0.026, 2.8, 26), rings=3)


def cuff() -> trimesh.Trimesh:
    """The turning wrist."""
    return revolve([(-0.004, 0.0215), (0.0075, 0.0215), (0.011, 0.018)], (0, 0, 0), (1, 0, 0))


@cache
def palm() -> trimesh.Trimesh:
    """Back of the hand and palm."""
    return loft(
        [
            Section(0.0050, (-0.0205, 0.0205), (-0.0190, 0.0200), 2.4),
            Section(0.0220, (-0.0300, 0.0300), (-0.0190, 0.0262), 2.5),
            Section(0.0400, (-0.0320, 0.0320), (-0.0150, 0.0260), 2.6),
            Section(0.0580, (-0.0270, 0.0270), (-0.0080, 0.0210), 2.5),
        ],
        axis="x",
        round_start=0.004,
        round_end=0.016,
        around=26,
        along=7,
        cap=4,
    )


def palm_accent() -> trimesh.Trimesh:
    """Touch plate on the back of the hand."""
    return patch(palm(), (0.034, 0, 0.05), (0, 0, 1), rounded(0.030, 0.026, 2.6, 26), rings=3)


def _in_gripper(*meshes: trimesh.Trimesh) -> trimesh.Trimesh:
    """Parts told in the wrist link, in the frame of the finger joint."""
    return moved(join(*meshes), np.eye(3), [-value for value in HAND])


def fingers() -> trimesh.Trimesh:
    """Two fingers and a thumb, each of two bones, closing on each other."""
    bones = []
    for near, far in (FINGER, [[(x, -y, z) for x, y, z in bone] for bone in FINGER], THUMB):
        bones.append(tube(near, [0.0086, 0.0086, 0.0080], around=10, along=5))
        bones.append(tube(far, [0.0078, 0.0074, 0.0060], around=10, along=5))
    return _in_gripper(*bones)


def grip() -> trimesh.Trimesh:
    """The dark pad that the fingers close around."""
    return _in_gripper(ellipsoid((0.050, 0, -0.006), (0.013, 0.020, 0.012), 16, 8))


def wrist_ring() -> trimesh.Trimesh:
    """Coloured ring where the hand meets the wrist."""
    return ring(0.0205, 0.0016, (0.0085, 0, 0), (1, 0, 0))
