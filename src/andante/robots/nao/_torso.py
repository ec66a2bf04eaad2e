"""Torso of the NAO, in the frame torso."""

from __future__ import annotations

from functools import cache

import trimesh

from andante.description.mesh.modeling import Section, circle, join, loft, mirror, patch, revolve, ring, rounded

BUTTON = (0.07, 0.0, 0.0552)
SONARS = ((0.0341, 0.0698), (0.0416, 0.0509))  # y and z of the upper and lower transducer, left
SHOULDER = (0.0, 0.0, 0.0985)


@cache
def shell() -> trimesh.Trimesh:
    """The white trunk: deep chest, narrow waist, round shoulders."""
    return loft(
        [
            Section(-0.0860, (-0.036, 0.033), (-0.037, 0.037), 2.9),
            Section(-0.0600, (-0.0445, 0.0425), (-0.0465, 0.0465), 2.8),
            Section(-0.0200, (-0.0495, 0.0495), (-0.0540, 0.0540), 2.7),
            Section(0.0250, (-0.0520, 0.0560), (-0.0610, 0.0610), 2.6),
            Section(0.0600, (-0.0525, 0.0583), (-0.0665, 0.0665), 2.5),
            Section(0.0950, (-0.0500, 0.0540), (-0.0690, 0.0690), 2.4),
            Section(0.1325, (-0.0420, 0.0430), (-0.0640, 0.0640), 2.3),
        ],
        round_start=0.016,
        round_end=0.040,
        around=42,
        along=11,
        cap=5,
    )


def _shoulder() -> trimesh.Trimesh:
    """The flare that carries the left arm."""
    return revolve(
        [
            (0.030, 0.030),
            (0.046, 0.0330),
            (0.060, 0.0340),
            (0.072, 0.0325),
            (0.084, 0.0300),
            (0.092, 0.0280),
            (0.0961, 0.0245),
        ],
        SHOULDER,
        (0, 1, 0),
        around=26,
    )


def white() -> trimesh.Trimesh:
    """Trunk and shoulder flares."""
    return join(shell(), _shoulder(), mirror(_shoulder()))


def accent() -> trimesh.Trimesh:
    """Coloured panels on both flanks and on the belly."""
    flank = patch(shell(), (-0.002, 0.08, 0.006), (0, 1, 0), rounded(0.050, 0.090, 3.0, 28, 0.35), rings=4)
    belly = patch(shell(), (0.08, 0, -0.034), (1, 0, 0), rounded(0.050, 0.046, 2.8, 28, 0.45), rings=4)
    return join(flank, mirror(flank), belly)


def grey() -> trimesh.Trimesh:
    """Rings of the sonars, bezel of the button, collar, battery lid, hip block."""
    parts = [patch(shell(), (0.08, y, z), (1, 0.35, 0), circle(0.0085, 20), lift=0.0007, rings=2) for y, z in SONARS]
    bezel = patch(shell(), BUTTON, (1, 0, 0), circle(0.0150, 26), lift=0.0008, rings=3)
    lid = patch(shell(), (-0.08, 0, 0.026), (-1, 0, 0), rounded(0.070, 0.104, 4.0, 32, 0.12), rings=3)
    collar = revolve([(0.118, 0.031), (0.130, 0.029), (0.1333, 0.026), (0.1333, 0.020)], (0, 0, 0), (0, 0, 1))
    block = loft(
        [
            Section(-0.0965, (-0.026, 0.022), (-0.026, 0.026), 3.5),
            Section(-0.070, (-0.032, 0.028), (-0.030, 0.030), 3.5),
        ],
        round_start=0.008,
        around=28,
        along=2,
        cap=4,
    )
    seam = ring(0.0318, 0.0022, (0, 0.0740, SHOULDER[2]), (0, 1, 0))
    return join(*parts, *(mirror(part) for part in parts), bezel, lid, collar, block, seam, mirror(seam))


def dark() -> trimesh.Trimesh:
    """Transducers of the sonars, cooling slots of the back."""
    parts = [patch(shell(), (0.08, y, z), (1, 0.35, 0), circle(0.0058, 18), lift=0.0014, rings=2) for y, z in SONARS]
    slots = [
        patch(shell(), (-0.08, 0, 0.093 - 0.006 * k), (-1, 0, 0), rounded(0.040, 0.0026, 4, 16), rings=1)
        for k in range(3)
    ]
    return join(*parts, *(mirror(part) for part in parts), *slots)


def light() -> trimesh.Trimesh:
    """The chest button and its glowing ring."""
    return join(
        patch(shell(), BUTTON, (1, 0, 0), circle(0.0118, 24), lift=0.0016, hole=0.76, rings=1),
        patch(shell(), BUTTON, (1, 0, 0), circle(0.0070, 18), lift=0.0022, rings=2),
    )
