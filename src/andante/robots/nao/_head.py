"""Head and neck of the NAO, in the frames Head and Neck (x forward, y left, z up)."""

from __future__ import annotations

from functools import cache

import trimesh

from andante.description.mesh.modeling import Section, circle, join, loft, mirror, patch, revolve, ring, rounded

EYE = (0.06, 0.0257, 0.0475)
EYE_NORMAL = (1, 0.30, 0)
EAR = (-0.004, 0.0, 0.047)
BROW = ((0.07, 0, 0.0665), (1, 0, 0.08))  # upper camera: a point before it and the way it faces
MOUTH = ((0.07, 0, 0.0185), (1, 0, -0.25))  # lower camera


@cache
def helmet() -> trimesh.Trimesh:
    """The white skull: broad at the cheeks, flatter in front, closing smoothly over the top."""
    return loft(
        [
            Section(-0.0028, (-0.034, 0.0400), (-0.037, 0.037), 2.3),
            Section(0.012, (-0.045, 0.0495), (-0.048, 0.048), 2.35),
            Section(0.034, (-0.056, 0.0560), (-0.0570, 0.0570), 2.3),
            Section(0.058, (-0.0607, 0.0580), (-0.0605, 0.0605), 2.2),
            Section(0.080, (-0.0585, 0.0545), (-0.0580, 0.0580), 2.15),
            Section(0.1136, (-0.050, 0.0440), (-0.0500, 0.0500), 2.1),
        ],
        round_start=0.012,
        round_end=0.038,
        around=42,
        along=9,
        cap=6,
    )


def white() -> trimesh.Trimesh:
    """Skull and the rims of the ears."""
    x, _, z = EAR
    rim = revolve(
        [(0.045, 0.0270), (0.056, 0.0268), (0.061, 0.0255), (0.0632, 0.0235), (0.0632, 0.019)], (x, 0, z), (0, 1, 0)
    )
    return join(helmet(), rim, mirror(rim))


def accent() -> trimesh.Trimesh:
    """Coloured rings of the ears."""
    x, _, z = EAR
    ear = ring(0.0208, 0.0022, (x, 0.0628, z), (0, 1, 0), around=28)
    return join(ear, mirror(ear))


def grey() -> trimesh.Trimesh:
    """Touch strips on top, loudspeakers in the ears, seam of the face, vents at the back."""
    x, _, z = EAR
    speaker = revolve(
        [(0.055, 0.0190), (0.0618, 0.0190), (0.0625, 0.0175), (0.0625, 0.011), (0.0655, 0.0095), (0.0664, 0.006)],
        (x, 0, z),
        (0, 1, 0),
        around=24,
    )
    strips = [
        patch(helmet(), (0.0280, 0, 0.12), (0, 0, 1), rounded(0.019, 0.017, 3.2, 20), rings=3),
        patch(helmet(), (0.0010, 0, 0.12), (0, 0, 1), rounded(0.021, 0.026, 3.2, 20), rings=3),
        patch(helmet(), (-0.0257, 0, 0.12), (0, 0, 1), rounded(0.019, 0.017, 3.2, 20), rings=3),
    ]
    seam = patch(
        helmet(), (0.07, 0, 0.047), (1, 0, 0), rounded(0.100, 0.082, 2.6, 52), lift=0.0003, hole=0.975, rings=1
    )
    vents = [
        patch(helmet(), (-0.07, 0, 0.05 - 0.008 * k), (-1, 0, 0), rounded(0.034 - 0.004 * k, 0.0035, 4, 16), rings=2)
        for k in range(4)
    ]
    return join(speaker, mirror(speaker), *strips, seam, *vents)


def dark() -> trimesh.Trimesh:
    """Eye sockets and pupils, camera windows, microphone, mesh of the loudspeakers."""
    eye = patch(helmet(), EYE, EYE_NORMAL, circle(0.0150, 30), lift=0.0005, rings=3)
    pupil = patch(helmet(), EYE, EYE_NORMAL, circle(0.0058, 16), lift=0.0014, rings=2)
    brow = patch(helmet(), *BROW, rounded(0.013, 0.0125, 2.4, 22), lift=0.0008, rings=2)
    mouth = patch(helmet(), *MOUTH, rounded(0.022, 0.011, 2.6, 24), lift=0.0008, rings=3)
    microphone = patch(helmet(), (0.041, 0, 0.091), (0.7, 0, 1), circle(0.0022, 12), rings=1)
    x, _, z = EAR
    hole = revolve([(0.060, 0.0125), (0.0634, 0.0125), (0.0636, 0.0105)], (x, 0, z), (0, 1, 0), around=24)
    return join(eye, mirror(eye), pupil, mirror(pupil), brow, mouth, microphone, hole, mirror(hole))


def light() -> trimesh.Trimesh:
    """Glowing rings of eyes and ears."""
    eye = patch(helmet(), EYE, EYE_NORMAL, circle(0.0124, 30), lift=0.0013, hole=0.58, rings=2)
    x, _, z = EAR
    ear = ring(0.0160, 0.0011, (x, 0.0628, z), (0, 1, 0), around=24)
    return join(eye, mirror(eye), ear, mirror(ear))


def lens() -> trimesh.Trimesh:
    """Lenses of the cameras."""
    return join(
        patch(helmet(), *BROW, circle(0.0036, 16), lift=0.0018, rings=1),
        patch(helmet(), *MOUTH, circle(0.0036, 16), lift=0.0018, rings=1),
    )


def neck() -> trimesh.Trimesh:
    """The collar under the head."""
    return revolve(
        [(-0.030, 0.020), (-0.012, 0.0215), (-0.002, 0.0235), (0.004, 0.023), (0.009, 0.018)], (0, 0, 0), (0, 0, 1)
    )
