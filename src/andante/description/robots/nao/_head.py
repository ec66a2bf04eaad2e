"""Head and neck of the NAO, in the frames Head and Neck (x forward, y left, z up)."""

from __future__ import annotations

from functools import cache

import trimesh

from andante.description.robots._meshing import Section, circle, join, loft, mirror, patch, revolve, ring, rounded

EYE = (0.06, 0.0257, 0.0475)
EAR = (-0.004, 0.0, 0.046)


@cache
def helmet() -> trimesh.Trimesh:
    """The white skull: broad at the cheeks, flatter in front, closing smoothly over the top."""
    return loft(
        [
            Section(-0.0028, (-0.034, 0.040), (-0.036, 0.036), 2.3),
            Section(0.012, (-0.045, 0.0490), (-0.047, 0.047), 2.3),
            Section(0.034, (-0.056, 0.0555), (-0.0565, 0.0565), 2.25),
            Section(0.058, (-0.0607, 0.0578), (-0.0600, 0.0600), 2.2),
            Section(0.080, (-0.058, 0.0545), (-0.0575, 0.0575), 2.15),
            Section(0.1136, (-0.050, 0.0450), (-0.0500, 0.0500), 2.1),
        ],
        round_start=0.012,
        round_end=0.036,
        around=56,
        along=18,
        cap=10,
    )


def white() -> trimesh.Trimesh:
    """Skull and the rims of the ears."""
    x, _, z = EAR
    rim = revolve(
        [(0.045, 0.027), (0.056, 0.0268), (0.061, 0.0255), (0.0632, 0.0235), (0.0632, 0.019)], (x, 0, z), (0, 1, 0)
    )
    return join(helmet(), rim, mirror(rim))


def accent() -> trimesh.Trimesh:
    """Coloured ear rings and the crest over the top of the head."""
    x, _, z = EAR
    ear = ring(0.0205, 0.0022, (x, 0.0628, z), (0, 1, 0), around=36)
    return join(ear, mirror(ear))


def grey() -> trimesh.Trimesh:
    """Mouth panel, touch strips on top, ear loudspeakers, neck vent at the back."""
    x, _, z = EAR
    speaker = revolve(
        [(0.055, 0.0195), (0.0615, 0.0195), (0.0622, 0.018), (0.0625, 0.011), (0.0655, 0.0095), (0.0664, 0.006)],
        (x, 0, z),
        (0, 1, 0),
    )
    strips = [
        patch(helmet(), (0.0285, 0, 0.12), (0, 0, 1), rounded(0.020, 0.017, 3.2, 24)),
        patch(helmet(), (0.002, 0, 0.12), (0, 0, 1), rounded(0.022, 0.025, 3.2, 24)),
        patch(helmet(), (-0.0245, 0, 0.12), (0, 0, 1), rounded(0.020, 0.017, 3.2, 24)),
    ]
    vent = [
        patch(helmet(), (-0.07, 0, 0.05 - 0.008 * k), (-1, 0, 0), rounded(0.034 - 0.004 * k, 0.0035, 4, 20))
        for k in range(4)
    ]
    return join(speaker, mirror(speaker), *strips, *vent)


def dark() -> trimesh.Trimesh:
    """Eye sockets, both camera windows, microphones, holes of the loudspeakers."""
    eye = patch(helmet(), EYE, (1, 0.30, 0), circle(0.0148), lift=0.0005)
    pupil = patch(helmet(), EYE, (1, 0.30, 0), circle(0.0058, 18), lift=0.0014, rings=3)
    brow = patch(helmet(), (0.07, 0, 0.0665), (1, 0, 0.08), rounded(0.013, 0.013, 2.4, 24), lift=0.0008)
    mouth = patch(helmet(), (0.07, 0, 0.0185), (1, 0, -0.25), rounded(0.022, 0.011, 2.6, 28), lift=0.0008)
    microphone = patch(helmet(), (0.041, 0, 0.12), (0.5, 0, 1), circle(0.0022, 12), rings=2)
    x, _, z = EAR
    hole = revolve([(0.060, 0.0125), (0.0634, 0.0125), (0.0636, 0.0105)], (x, 0, z), (0, 1, 0))
    return join(eye, mirror(eye), pupil, mirror(pupil), brow, mouth, microphone, hole, mirror(hole))


def light() -> trimesh.Trimesh:
    """Glowing rings of the eyes, lenses of the cameras."""
    eye = patch(helmet(), EYE, (1, 0.30, 0), circle(0.0122), lift=0.0013, hole=0.58, rings=3)
    return join(eye, mirror(eye))


def lens() -> trimesh.Trimesh:
    """Camera lenses."""
    top = patch(helmet(), (0.07, 0, 0.0665), (1, 0, 0.08), circle(0.0034, 18), lift=0.0018, rings=3)
    low = patch(helmet(), (0.07, 0, 0.0185), (1, 0, -0.25), circle(0.0034, 18), lift=0.0018, rings=3)
    return join(top, low)


def neck() -> trimesh.Trimesh:
    """The collar under the head."""
    return revolve(
        [(-0.030, 0.020), (-0.012, 0.0215), (-0.002, 0.0235), (0.004, 0.023), (0.009, 0.018)], (0, 0, 0), (0, 0, 1)
    )
