"""Head, neck and torso of the NAO, each in the frame of its link (x forward, y left, z up)."""

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
    sections = [
        Section(-0.0028, (-0.034, 0.0400), (-0.037, 0.037), 2.3),
        Section(0.012, (-0.045, 0.0495), (-0.048, 0.048), 2.35),
        Section(0.034, (-0.056, 0.0560), (-0.0570, 0.0570), 2.3),
        Section(0.058, (-0.0607, 0.0580), (-0.0605, 0.0605), 2.2),
        Section(0.080, (-0.0585, 0.0545), (-0.0580, 0.0580), 2.15),
        Section(0.1136, (-0.050, 0.0440), (-0.0500, 0.0500), 2.1),
    ]
    return loft(sections, round_start=0.012, round_end=0.038, around=42, along=9, cap=6)


def head_white() -> trimesh.Trimesh:
    """Skull and the rims of the ears."""
    x, _, z = EAR
    rim = revolve(
        [(0.045, 0.0270), (0.056, 0.0268), (0.061, 0.0255), (0.0632, 0.0235), (0.0632, 0.019)], (x, 0, z), (0, 1, 0)
    )
    return join(helmet(), rim, mirror(rim))


def head_accent() -> trimesh.Trimesh:
    """Coloured rings of the ears."""
    x, _, z = EAR
    ear = ring(0.0208, 0.0022, (x, 0.0628, z), (0, 1, 0), around=28)
    return join(ear, mirror(ear))


def head_grey() -> trimesh.Trimesh:
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


def head_dark() -> trimesh.Trimesh:
    """Eye sockets and pupils, camera windows, microphone, mesh of the loudspeakers."""
    eye = patch(helmet(), EYE, EYE_NORMAL, circle(0.0150, 30), lift=0.0005, rings=3)
    pupil = patch(helmet(), EYE, EYE_NORMAL, circle(0.0058, 16), lift=0.0014, rings=2)
    brow = patch(helmet(), *BROW, rounded(0.013, 0.0125, 2.4, 22), lift=0.0008, rings=2)
    mouth = patch(helmet(), *MOUTH, rounded(0.022, 0.011, 2.6, 24), lift=0.0008, rings=3)
    microphone = patch(helmet(), (0.041, 0, 0.091), (0.7, 0, 1), circle(0.0022, 12), rings=1)
    x, _, z = EAR
    hole = revolve([(0.060, 0.0125), (0.0634, 0.0125), (0.0636, 0.0105)], (x, 0, z), (0, 1, 0), around=24)
    return join(eye, mirror(eye), pupil, mirror(pupil), brow, mouth, microphone, hole, mirror(hole))


def head_light() -> trimesh.Trimesh:
    """Glowing rings of eyes and ears."""
    eye = patch(helmet(), EYE, EYE_NORMAL, circle(0.0124, 30), lift=0.0013, hole=0.58, rings=2)
    x, _, z = EAR
    ear = ring(0.0160, 0.0011, (x, 0.0628, z), (0, 1, 0), around=24)
    return join(eye, mirror(eye), ear, mirror(ear))


def head_lens() -> trimesh.Trimesh:
    """Lenses of the cameras."""
    return join(
        patch(helmet(), *BROW, circle(0.0036, 16), lift=0.0018, rings=1),
        patch(helmet(), *MOUTH, circle(0.0036, 16), lift=0.0018, rings=1),
    )


def neck_dark() -> trimesh.Trimesh:
    """The collar under the head."""
    return revolve(
        [(-0.030, 0.020), (-0.012, 0.0215), (-0.002, 0.0235), (0.004, 0.023), (0.009, 0.018)], (0, 0, 0), (0, 0, 1)
    )


BUTTON = (0.07, 0.0, 0.0552)
SONARS = ((0.0341, 0.0698), (0.0416, 0.0509))  # y and z of the upper and lower transducer, left
SHOULDER = (0.0, 0.0, 0.0985)


@cache
def trunk() -> trimesh.Trimesh:
    """The white trunk: deep chest, narrow waist, round shoulders."""
    sections = [
        Section(-0.0860, (-0.036, 0.033), (-0.037, 0.037), 2.9),
        Section(-0.0600, (-0.0445, 0.0425), (-0.0465, 0.0465), 2.8),
        Section(-0.0200, (-0.0495, 0.0495), (-0.0540, 0.0540), 2.7),
        Section(0.0250, (-0.0520, 0.0560), (-0.0610, 0.0610), 2.6),
        Section(0.0600, (-0.0525, 0.0583), (-0.0665, 0.0665), 2.5),
        Section(0.0950, (-0.0500, 0.0540), (-0.0690, 0.0690), 2.4),
        Section(0.1325, (-0.0420, 0.0430), (-0.0640, 0.0640), 2.3),
    ]
    return loft(sections, round_start=0.016, round_end=0.040, around=42, along=11, cap=5)


def _shoulder() -> trimesh.Trimesh:
    """The flare that carries the left arm."""
    profile = [
        (0.030, 0.030),
        (0.046, 0.0330),
        (0.060, 0.0340),
        (0.072, 0.0325),
        (0.084, 0.0300),
        (0.092, 0.0280),
        (0.0961, 0.0245),
    ]
    return revolve(profile, SHOULDER, (0, 1, 0), around=26)


def torso_white() -> trimesh.Trimesh:
    """Trunk and shoulder flares."""
    return join(trunk(), _shoulder(), mirror(_shoulder()))


def torso_accent() -> trimesh.Trimesh:
    """Coloured panels on both flanks and on the belly."""
    flank = patch(trunk(), (-0.002, 0.08, 0.006), (0, 1, 0), rounded(0.050, 0.090, 3.0, 28, 0.35), rings=4)
    belly = patch(trunk(), (0.08, 0, -0.034), (1, 0, 0), rounded(0.050, 0.046, 2.8, 28, 0.45), rings=4)
    return join(flank, mirror(flank), belly)


def torso_grey() -> trimesh.Trimesh:
    """Rings of the sonars, bezel of the button, collar, battery lid, hip block."""
    parts = [patch(trunk(), (0.08, y, z), (1, 0.35, 0), circle(0.0085, 20), lift=0.0007, rings=2) for y, z in SONARS]
    bezel = patch(trunk(), BUTTON, (1, 0, 0), circle(0.0150, 26), lift=0.0008, rings=3)
    lid = patch(trunk(), (-0.08, 0, 0.026), (-1, 0, 0), rounded(0.070, 0.104, 4.0, 32, 0.12), rings=3)
    collar = revolve([(0.118, 0.031), (0.130, 0.029), (0.1333, 0.026), (0.1333, 0.020)], (0, 0, 0), (0, 0, 1))
    sections = [
        Section(-0.0965, (-0.026, 0.022), (-0.026, 0.026), 3.5),
        Section(-0.070, (-0.032, 0.028), (-0.030, 0.030), 3.5),
    ]
    block = loft(sections, round_start=0.008, around=28, along=2, cap=4)
    seam = ring(0.0318, 0.0022, (0, 0.0740, SHOULDER[2]), (0, 1, 0))
    return join(*parts, *(mirror(part) for part in parts), bezel, lid, collar, block, seam, mirror(seam))


def torso_dark() -> trimesh.Trimesh:
    """Transducers of the sonars, cooling slots of the back."""
    parts = [patch(trunk(), (0.08, y, z), (1, 0.35, 0), circle(0.0058, 18), lift=0.0014, rings=2) for y, z in SONARS]
    slots = [
        patch(trunk(), (-0.08, 0, 0.093 - 0.006 * k), (-1, 0, 0), rounded(0.040, 0.0026, 4, 16), rings=1)
        for k in range(3)
    ]
    return join(*parts, *(mirror(part) for part in parts), *slots)


def torso_light() -> trimesh.Trimesh:
    """The chest button and its glowing ring."""
    return join(
        patch(trunk(), BUTTON, (1, 0, 0), circle(0.0118, 24), lift=0.0016, hole=0.76, rings=1),
        patch(trunk(), BUTTON, (1, 0, 0), circle(0.0070, 18), lift=0.0022, rings=2),
    )
