"""Left arm of the NAO, each part in its link frame: x towards the hand, y left, z up at the zero pose."""

from __future__ import annotations

from functools import cache

import trimesh

from andante.description.robots._meshing import (
    Section,
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


def shoulder() -> trimesh.Trimesh:
    """The pitch drive inside the shoulder."""
    return revolve([(-0.030, 0.024), (-0.024, 0.0265), (0.006, 0.0265), (0.012, 0.022)], (0, 0, 0), (0, 1, 0))


@cache
def bicep() -> trimesh.Trimesh:
    """Round shoulder cap that tapers to the elbow."""
    return loft(
        [
            Section(-0.0494, (-0.0200, 0.0220), (-0.0330, 0.0330), 2.3),
            Section(-0.0250, (-0.0230, 0.0310), (-0.0400, 0.0400), 2.3),
            Section(0.0050, (-0.0243, 0.0350), (-0.0413, 0.0413), 2.3),
            Section(0.0350, (-0.0200, 0.0365), (-0.0360, 0.0360), 2.4),
            Section(0.0650, (-0.0110, 0.0365), (-0.0285, 0.0285), 2.5),
            Section(0.0900, (-0.0090, 0.0360), (-0.0255, 0.0255), 2.6),
            Section(0.1086, (-0.0080, 0.0350), (-0.0250, 0.0250), 2.6),
        ],
        axis="x",
        round_start=0.026,
        round_end=0.008,
        around=44,
        along=20,
        cap=7,
    )


def bicep_accent() -> trimesh.Trimesh:
    """Coloured shield on the outside of the shoulder."""
    return patch(bicep(), (0.006, 0.06, 0), (0, 1, 0), rounded(0.058, 0.050, 2.6, 40), rings=7)


def bicep_grey() -> trimesh.Trimesh:
    """Cuff at the elbow."""
    return revolve([(0.1000, 0.0195), (0.1090, 0.0205), (0.1120, 0.0185)], (0, 0.0140, 0), (1, 0, 0))


def elbow() -> trimesh.Trimesh:
    """The elbow drive."""
    return join(
        revolve([(-0.024, 0.0175), (-0.006, 0.0185), (0.004, 0.0175)], (0, 0, 0), (1, 0, 0)),
        revolve([(-0.0215, 0.015), (-0.0195, 0.0175), (0.0195, 0.0175), (0.0215, 0.015)], (0, 0, 0), (0, 0, 1)),
    )


@cache
def forearm() -> trimesh.Trimesh:
    """Bulging shell between elbow and wrist."""
    return loft(
        [
            Section(-0.0096, (-0.0195, 0.0195), (-0.0200, 0.0200), 2.4),
            Section(0.0080, (-0.0265, 0.0265), (-0.0265, 0.0265), 2.4),
            Section(0.0300, (-0.0330, 0.0330), (-0.0305, 0.0305), 2.4),
            Section(0.0450, (-0.0320, 0.0320), (-0.0300, 0.0300), 2.4),
            Section(0.0590, (-0.0270, 0.0270), (-0.0265, 0.0265), 2.3),
        ],
        axis="x",
        round_start=0.012,
        round_end=0.005,
        around=40,
        along=14,
    )


def forearm_accent() -> trimesh.Trimesh:
    """Coloured panel on the outside of the forearm."""
    return patch(forearm(), (0.027, 0.05, 0), (0, 1, 0), rounded(0.046, 0.026, 2.8, 32), rings=5)


def cuff() -> trimesh.Trimesh:
    """The turning wrist."""
    return revolve([(-0.004, 0.0215), (0.0075, 0.0215), (0.011, 0.018)], (0, 0, 0), (1, 0, 0))


@cache
def palm() -> trimesh.Trimesh:
    """Back of the hand and palm."""
    return loft(
        [
            Section(0.0050, (-0.0205, 0.0205), (-0.0190, 0.0200), 2.4),
            Section(0.0220, (-0.0300, 0.0300), (-0.0190, 0.0265), 2.6),
            Section(0.0400, (-0.0320, 0.0320), (-0.0150, 0.0265), 2.7),
            Section(0.0600, (-0.0280, 0.0280), (-0.0080, 0.0215), 2.6),
        ],
        axis="x",
        round_start=0.004,
        round_end=0.014,
        around=36,
        along=12,
    )


def palm_accent() -> trimesh.Trimesh:
    """Touch plate on the back of the hand."""
    return patch(palm(), (0.036, 0, 0.05), (0, 0, 1), rounded(0.030, 0.026, 3.0, 32), rings=5)


def fingers() -> trimesh.Trimesh:
    """Two fingers and a thumb, closing on each other."""

    def finger(side: float) -> trimesh.Trimesh:
        return tube(
            [
                (0.050, 0.0165 * side, 0.008),
                (0.064, 0.0165 * side, 0.006),
                (0.0705, 0.014 * side, -0.006),
                (0.0675, 0.010 * side, -0.019),
            ],
            [0.0085, 0.0085, 0.0078, 0.0062],
        )

    thumb = tube(
        [(0.030, 0, -0.017), (0.044, 0, -0.0245), (0.058, 0, -0.0265), (0.066, 0, -0.023)],
        [0.0085, 0.0085, 0.0078, 0.0060],
    )
    return moved(join(finger(1), finger(-1), thumb), _EYE, [-h for h in HAND])


def knuckles() -> trimesh.Trimesh:
    """Dark joints of the fingers."""

    def knuckle(side: float) -> trimesh.Trimesh:
        return ring(0.0074, 0.0016, (0.0635, 0.0165 * side, 0.0062), (1, 0, -0.3), around=16, section=6)

    thumb = ring(0.0074, 0.0016, (0.047, 0, -0.0252), (1, 0, -0.25), around=16, section=6)
    core = ellipsoid((0.054, 0, -0.008), (0.012, 0.016, 0.012), 18, 10)
    return moved(join(knuckle(1), knuckle(-1), thumb, core), _EYE, [-h for h in HAND])


_EYE = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
