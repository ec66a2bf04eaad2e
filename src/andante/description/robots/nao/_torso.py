"""Torso of the NAO, in the frame torso."""

from __future__ import annotations

from functools import cache

import trimesh

from andante.description.robots._meshing import Section, circle, join, loft, mirror, patch, revolve, ring, rounded

BUTTON = (0.07, 0.0, 0.0552)
SONARS = ((0.0341, 0.0698), (0.0416, 0.0509))  # y and z of the upper and lower transducer, left


@cache
def shell() -> trimesh.Trimesh:
    """The white trunk: deep chest, narrow waist, rounded collar."""
    return loft(
        [
            Section(-0.0860, (-0.034, 0.030), (-0.034, 0.034), 3.0),
            Section(-0.0600, (-0.044, 0.040), (-0.0445, 0.0445), 2.9),
            Section(-0.0200, (-0.0495, 0.0485), (-0.0535, 0.0535), 2.8),
            Section(0.0250, (-0.0520, 0.0555), (-0.0600, 0.0600), 2.7),
            Section(0.0600, (-0.0525, 0.0583), (-0.0650, 0.0650), 2.6),
            Section(0.0950, (-0.0500, 0.0540), (-0.0670, 0.0670), 2.5),
            Section(0.1330, (-0.0410, 0.0420), (-0.0600, 0.0600), 2.4),
        ],
        round_start=0.014,
        round_end=0.030,
        around=56,
        along=24,
        cap=8,
    )


def _shoulder() -> trimesh.Trimesh:
    """The flare that carries the left arm."""
    return revolve(
        [
            (0.035, 0.030),
            (0.050, 0.0330),
            (0.060, 0.0335),
            (0.072, 0.0320),
            (0.084, 0.0300),
            (0.092, 0.0280),
            (0.0955, 0.0255),
            (0.0961, 0.020),
        ],
        (0.0, 0.0, 0.0985),
        (0, 1, 0),
        around=36,
    )


def white() -> trimesh.Trimesh:
    """Trunk and shoulder flares."""
    return join(shell(), _shoulder(), mirror(_shoulder()))


def accent() -> trimesh.Trimesh:
    """Coloured panels on both flanks and on the belly."""
    flank = patch(shell(), (-0.002, 0.08, 0.010), (0, 1, 0), rounded(0.050, 0.092, 3.0, 40, 0.35), rings=8)
    belly = patch(shell(), (0.08, 0, -0.030), (1, 0, 0), rounded(0.046, 0.050, 3.0, 36, 0.40), rings=6)
    return join(flank, mirror(flank), belly)


def grey() -> trimesh.Trimesh:
    """Sonar rings, bezel of the button, collar, battery lid, hip block."""
    parts = [patch(shell(), (0.08, y, z), (1, 0.35, 0), circle(0.0085, 24), lift=0.0007, rings=3) for y, z in SONARS]
    bezel = patch(shell(), BUTTON, (1, 0, 0), circle(0.0145), lift=0.0008, rings=4)
    lid = patch(shell(), (-0.08, 0, 0.030), (-1, 0, 0), rounded(0.070, 0.110, 4.0, 40, 0.12), rings=8)
    collar = revolve([(0.118, 0.031), (0.130, 0.029), (0.1333, 0.026), (0.1333, 0.020)], (0, 0, 0), (0, 0, 1))
    block = loft(
        [
            Section(-0.0965, (-0.026, 0.022), (-0.026, 0.026), 3.5),
            Section(-0.070, (-0.032, 0.028), (-0.030, 0.030), 3.5),
        ],
        round_start=0.008,
        along=4,
    )
    return join(*parts, *(mirror(p) for p in parts), bezel, lid, collar, block)


def dark() -> trimesh.Trimesh:
    """Transducers of the sonars, seams of the back."""
    parts = [patch(shell(), (0.08, y, z), (1, 0.35, 0), circle(0.0058, 20), lift=0.0014, rings=3) for y, z in SONARS]
    slots = [
        patch(shell(), (-0.08, 0, 0.093 - 0.006 * k), (-1, 0, 0), rounded(0.040, 0.0026, 4, 20), rings=2)
        for k in range(3)
    ]
    return join(*parts, *(mirror(p) for p in parts), *slots)


def light() -> trimesh.Trimesh:
    """The chest button and its glowing ring."""
    return join(
        patch(shell(), BUTTON, (1, 0, 0), circle(0.0112), lift=0.0016, hole=0.72, rings=2),
        patch(shell(), BUTTON, (1, 0, 0), circle(0.0066), lift=0.0020, rings=3),
    )


def seam() -> trimesh.Trimesh:
    """Rings where the arms meet the shoulders."""
    left = ring(0.0315, 0.0022, (0, 0.0725, 0.0985), (0, 1, 0))
    return join(left, mirror(left))
