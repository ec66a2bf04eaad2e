"""Left arm and left leg of the NAO, each part in its link frame.

Arm: x towards the hand, y left, z up at the zero pose. Leg: x forward, y left (outwards), z up.
"""

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
    prism,
    revolve,
    ring,
    rounded,
    rounded_box,
    tube,
)
from andante.geometry import Array

from . import tables

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


def shoulder_grey() -> trimesh.Trimesh:
    """The pitch drive inside the shoulder."""
    return revolve([(-0.028, 0.0265), (0.006, 0.0265)], (0, 0, 0), (0, 1, 0), around=20)


@cache
def bicep_white() -> trimesh.Trimesh:
    """Round shoulder cap that tapers to the elbow."""
    sections = [
        Section(-0.0494, (-0.0200, 0.0240), (-0.0350, 0.0350), 2.2),
        Section(-0.0250, (-0.0235, 0.0320), (-0.0405, 0.0405), 2.2),
        Section(0.0020, (-0.0243, 0.0350), (-0.0413, 0.0413), 2.2),
        Section(0.0280, (-0.0210, 0.0360), (-0.0370, 0.0370), 2.3),
        Section(0.0500, (-0.0120, 0.0365), (-0.0290, 0.0290), 2.4),
        Section(0.0700, (-0.0090, 0.0360), (-0.0250, 0.0250), 2.5),
        Section(0.0920, (-0.0085, 0.0360), (-0.0245, 0.0245), 2.5),
        Section(0.1086, (-0.0080, 0.0350), (-0.0235, 0.0235), 2.5),
    ]
    return loft(sections, axis="x", round_start=0.028, round_end=0.006, around=28, along=11, cap=4)


def bicep_accent() -> trimesh.Trimesh:
    """Coloured disc on the outside of the shoulder, panel along the upper arm."""
    return join(
        patch(bicep_white(), (0.000, 0.06, 0), (0, 1, 0), circle(0.0275, 30), rings=4),
        patch(bicep_white(), (0.074, 0.06, 0), (0, 1, 0), rounded(0.040, 0.026, 3.0, 24), rings=3),
    )


def bicep_grey() -> trimesh.Trimesh:
    """Cuff at the elbow, cap of the shoulder screw."""
    return join(
        revolve([(0.1000, 0.0180), (0.1085, 0.0180), (0.1105, 0.0160)], (0, 0.0140, 0), (1, 0, 0), around=24),
        patch(bicep_white(), (0.000, 0.06, 0), (0, 1, 0), circle(0.0095, 20), lift=0.0014, rings=2),
    )


def elbow_grey() -> trimesh.Trimesh:
    """The elbow drive."""
    return join(
        revolve([(-0.024, 0.0165), (-0.004, 0.0165)], (0, 0, 0), (1, 0, 0), around=20),
        ellipsoid((0, 0, 0), (0.0205, 0.0205, 0.0225), 20, 10),
    )


@cache
def forearm_white() -> trimesh.Trimesh:
    """Bulging shell between elbow and wrist."""
    sections = [
        Section(-0.0096, (-0.0190, 0.0190), (-0.0195, 0.0195), 2.3),
        Section(0.0080, (-0.0260, 0.0260), (-0.0260, 0.0260), 2.3),
        Section(0.0300, (-0.0325, 0.0325), (-0.0305, 0.0305), 2.3),
        Section(0.0450, (-0.0315, 0.0315), (-0.0300, 0.0300), 2.3),
        Section(0.0590, (-0.0265, 0.0265), (-0.0260, 0.0260), 2.2),
    ]
    return loft(sections, axis="x", round_start=0.012, round_end=0.005, around=26, along=9, cap=4)


def forearm_accent() -> trimesh.Trimesh:
    """Coloured panel on the outside of the forearm."""
    return patch(forearm_white(), (0.027, 0.05, 0), (0, 1, 0), rounded(0.044, 0.026, 2.8, 26), rings=3)


def hand_grey() -> trimesh.Trimesh:
    """The turning wrist."""
    return revolve([(-0.004, 0.0215), (0.0075, 0.0215), (0.011, 0.018)], (0, 0, 0), (1, 0, 0))


@cache
def hand_white() -> trimesh.Trimesh:
    """Back of the hand and palm."""
    sections = [
        Section(0.0050, (-0.0205, 0.0205), (-0.0190, 0.0200), 2.4),
        Section(0.0220, (-0.0300, 0.0300), (-0.0190, 0.0262), 2.5),
        Section(0.0400, (-0.0320, 0.0320), (-0.0150, 0.0260), 2.6),
        Section(0.0580, (-0.0270, 0.0270), (-0.0080, 0.0210), 2.5),
    ]
    return loft(sections, axis="x", round_start=0.004, round_end=0.016, around=26, along=7, cap=4)


def hand_accent() -> trimesh.Trimesh:
    """Touch plate on the back of the hand."""
    return patch(hand_white(), (0.034, 0, 0.05), (0, 0, 1), rounded(0.030, 0.026, 2.6, 26), rings=3)


def _in_gripper(*meshes: trimesh.Trimesh) -> trimesh.Trimesh:
    """Parts told in the wrist link, in the frame of the finger joint."""
    return moved(join(*meshes), np.eye(3), [-value for value in HAND])


def fingers_white() -> trimesh.Trimesh:
    """Two fingers and a thumb, each of two bones, closing on each other."""
    bones = []
    for near, far in (FINGER, [[(x, -y, z) for x, y, z in bone] for bone in FINGER], THUMB):
        bones.append(tube(near, [0.0086, 0.0086, 0.0080], around=10, along=5))
        bones.append(tube(far, [0.0078, 0.0074, 0.0060], around=10, along=5))
    return _in_gripper(*bones)


def fingers_dark() -> trimesh.Trimesh:
    """The dark pad that the fingers close around."""
    return _in_gripper(ellipsoid((0.050, 0, -0.006), (0.013, 0.020, 0.012), 16, 8))


def hand_ring() -> trimesh.Trimesh:
    """Coloured ring where the hand meets the wrist."""
    return ring(0.0205, 0.0016, (0.0085, 0, 0), (1, 0, 0))


SOLE = -0.04511  # height of the ground below the ankle axes [m]
SOLE_THICKNESS = 0.03  # of the collision hull: sole and shoe up to the instep [m]


def pelvis_grey() -> trimesh.Trimesh:
    """The drive along the slanted hip axis."""
    return revolve(
        [(-0.040, 0.012), (-0.036, 0.0155), (0.004, 0.0165), (0.010, 0.0150), (0.013, 0.011)],
        (0, 0, 0),
        (0, 0.7071, -0.7071),
        around=22,
    )


def pelvis_white() -> trimesh.Trimesh:
    """The housing behind the drive."""
    sections = [
        Section(-0.0591, (-0.0320, 0.0060), (-0.0060, 0.0340), 4.0),
        Section(-0.0400, (-0.0350, 0.0110), (-0.0120, 0.0420), 3.6),
        Section(0.0000, (-0.0350, 0.0110), (-0.0120, 0.0420), 3.6),
        Section(0.0100, (-0.0330, 0.0060), (-0.0080, 0.0380), 3.6),
    ]
    return loft(sections, axis="x", round_start=0.008, round_end=0.008, around=24, along=4, cap=3)


def hip_grey() -> trimesh.Trimesh:
    """The block between hip roll and hip pitch."""
    return join(
        revolve([(-0.032, 0.011), (-0.028, 0.0140), (0.020, 0.0140), (0.024, 0.011)], (0, 0, 0), (1, 0, 0), around=20),
        revolve([(-0.024, 0.013), (-0.020, 0.0160), (0.020, 0.0160), (0.024, 0.013)], (0, 0, 0), (0, 1, 0), around=20),
    )


@cache
def thigh_white() -> trimesh.Trimesh:
    """Full in front and outside, drawn in at the knee."""
    sections = [
        Section(-0.1233, (-0.0240, 0.0300), (-0.0300, 0.0360), 2.4),
        Section(-0.1000, (-0.0290, 0.0345), (-0.0350, 0.0420), 2.4),
        Section(-0.0700, (-0.0385, 0.0430), (-0.0400, 0.0470), 2.5),
        Section(-0.0350, (-0.0442, 0.0510), (-0.0408, 0.0488), 2.5),
        Section(-0.0080, (-0.0425, 0.0500), (-0.0350, 0.0485), 2.5),
        Section(0.0197, (-0.0350, 0.0430), (-0.0280, 0.0450), 2.4),
    ]
    return loft(sections, round_start=0.020, round_end=0.026, around=28, along=11, cap=4)


def thigh_accent() -> trimesh.Trimesh:
    """Coloured panel along the outside of the thigh."""
    return patch(thigh_white(), (0.004, 0.08, -0.045), (0, 1, 0), rounded(0.052, 0.084, 2.8, 28, 0.30), rings=4)


def thigh_grey() -> trimesh.Trimesh:
    """Caps on the knee axis and the hip axis."""
    outer = revolve([(0.030, 0.020), (0.0430, 0.0190), (0.0465, 0.0165), (0.0475, 0.012)], (0, 0, -0.1), (0, 1, 0))
    inner = revolve([(-0.0405, 0.012), (-0.0395, 0.0165), (-0.0370, 0.0190), (-0.024, 0.020)], (0, 0, -0.1), (0, 1, 0))
    return join(outer, inner)


@cache
def tibia_white() -> trimesh.Trimesh:
    """Shin: narrow below the knee, full calf, flare over the ankle."""
    sections = [
        Section(-0.1257, (-0.0330, 0.0410), (-0.0385, 0.0490), 2.7),
        Section(-0.1100, (-0.0330, 0.0410), (-0.0395, 0.0505), 2.6),
        Section(-0.0800, (-0.0375, 0.0460), (-0.0412, 0.0524), 2.5),
        Section(-0.0450, (-0.0397, 0.0511), (-0.0405, 0.0515), 2.5),
        Section(-0.0150, (-0.0320, 0.0460), (-0.0350, 0.0450), 2.4),
        Section(0.0215, (-0.0220, 0.0340), (-0.0290, 0.0380), 2.3),
    ]
    return loft(sections, round_start=0.008, round_end=0.026, around=28, along=12, cap=4)


def tibia_accent() -> trimesh.Trimesh:
    """Coloured panel on the outside of the calf."""
    return patch(tibia_white(), (0.004, 0.08, -0.062), (0, 1, 0), rounded(0.046, 0.070, 2.8, 28, -0.15), rings=3)


def tibia_grey() -> trimesh.Trimesh:
    """Knee pad, and the dark opening around the ankle."""
    pad = patch(tibia_white(), (0.08, 0.005, -0.008), (1, 0, 0.12), rounded(0.036, 0.026, 2.6, 26), rings=3)
    sections = [
        Section(-0.1275, (-0.030, 0.036), (-0.031, 0.041), 2.8),
        Section(-0.110, (-0.030, 0.036), (-0.031, 0.041), 2.8),
    ]
    opening = loft(sections, around=28, along=2)
    return join(pad, opening)


def ankle_grey() -> trimesh.Trimesh:
    """The block with both ankle drives."""
    return join(
        rounded_box((0.002, 0, 0.012), (0.056, 0.0285, 0.050), 0.008, 4.0),
        revolve([(-0.0415, 0.012), (-0.038, 0.0155), (0.034, 0.0155), (0.0373, 0.012)], (0, 0, 0), (1, 0, 0)),
    )


@cache
def foot_white() -> trimesh.Trimesh:
    """The shoe: high over the ankle, low and round at the toe."""
    sections = [
        Section(-0.0590, (-0.0240, 0.0350), (-0.0415, -0.0020), 2.8),
        Section(-0.0400, (-0.0330, 0.0450), (-0.0415, 0.0120), 2.8),
        Section(-0.0100, (-0.0365, 0.0495), (-0.0415, 0.0194), 2.7),
        Section(0.0250, (-0.0388, 0.0500), (-0.0415, 0.0130), 2.6),
        Section(0.0600, (-0.0388, 0.0480), (-0.0415, -0.0060), 2.6),
        Section(0.0850, (-0.0340, 0.0415), (-0.0415, -0.0165), 2.6),
        Section(0.1020, (-0.0250, 0.0290), (-0.0415, -0.0220), 2.5),
    ]
    return loft(sections, axis="x", round_start=0.018, round_end=0.026, around=30, along=12, cap=4)


def foot_grey() -> trimesh.Trimesh:
    """Sole plate and the two halves of the bumper."""
    bumpers = [
        patch(foot_white(), (0.12, y, -0.0325), (1, turn, 0), rounded(0.026, 0.0085, 3.0, 22), rings=3)
        for y, turn in ((0.019, 0.3), (-0.014, -0.3))
    ]
    return join(prism(_softened(tables.sole_outline()), SOLE, SOLE + 0.006, 0.0012), *bumpers)


def _softened(outline: Array) -> Array:
    """An outline with its corners cut twice at a quarter of each edge (Chaikin)."""
    for _ in range(2):
        following = np.roll(outline, -1, axis=0)
        corners = (0.75 * outline + 0.25 * following, 0.25 * outline + 0.75 * following)
        outline = np.stack(corners, axis=1).reshape(-1, 2)
    return outline


def foot_accent() -> trimesh.Trimesh:
    """Coloured instep."""
    return patch(foot_white(), (0.060, 0.0055, 0.03), (0.25, 0, 1), rounded(0.050, 0.036, 2.5, 28), rings=4)


def foot_dark() -> trimesh.Trimesh:
    """The opening that the ankle stands in."""
    return patch(foot_white(), (-0.004, 0.004, 0.04), (0, 0, 1), rounded(0.050, 0.062, 2.8, 28), lift=0.0004, rings=4)


def sole_hull() -> trimesh.Trimesh:
    """Collision body of the foot: an exact prism over the sole outline."""
    return prism(tables.sole_outline(), SOLE, SOLE + SOLE_THICKNESS)


def thigh_ring() -> trimesh.Trimesh:
    """Coloured ring around the knee cap."""
    return join(*(ring(0.0165, 0.0016, (0, y, -0.1), (0, 1, 0)) for y in np.array([0.0462, -0.0395])))
