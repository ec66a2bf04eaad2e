"""The meshes of the rover by part name, one per link and color. Own design of a 1:10 car."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import trimesh

from andante.description.mesh.modeling import (
    Section,
    join,
    loft,
    moved,
    prism,
    revolve,
    ring,
    rounded,
    rounded_box,
    tube,
)
from andante.geometry import so3

AXLE = 0.055  # height of base_link over the ground [m]; below, z is told over base_link
WHEELBASE, TRACK = 0.33, 0.25
RADIUS, WIDTH = 0.055, 0.045
TAG0, TAG1, TAG_Z = 0.33, -0.03, 0.24 - AXLE
LASER, LASER_Z = 0.20, 0.165 - AXLE
DECK = 0.072  # top of the upper deck [m]


def tub() -> trimesh.Trimesh:
    """The body: a low wedge, lofted along x."""
    rows = [  # x, lower and upper edge over base_link, width [m]
        (-0.055, -0.012, 0.042, 0.13),
        (0.0, -0.020, 0.056, 0.165),
        (0.08, -0.020, 0.060, 0.172),
        (0.2, -0.020, 0.060, 0.172),
        (0.3, -0.020, 0.046, 0.166),
        (0.37, -0.016, 0.024, 0.15),
        (0.395, -0.012, 0.012, 0.13),
    ]
    sections = [Section(x, (-width / 2, width / 2), (low, high), 4.5) for x, low, high, width in rows]
    return loft(sections, axis="x", round_start=0.02, round_end=0.012, around=48, along=32)


def window() -> trimesh.Trimesh:
    """A dark windscreen band on the slope of the nose."""
    return rounded_box((0.315, 0.0, 0.040), (0.035, 0.120, 0.020), 0.006)


def deck() -> trimesh.Trimesh:
    """The upper deck that carries the sensors, on four posts."""
    plate = prism(rounded(0.30, 0.13, power=5.0, points=60) + np.array([0.14, 0.0]), DECK - 0.004, DECK, bevel=0.001)
    posts = [
        revolve([[0.045, 0.004], [DECK - 0.003, 0.004]], (x, y, 0.0), (0, 0, 1), around=12)
        for x in (0.02, 0.26)
        for y in (-0.05, 0.05)
    ]
    return join(plate, rounded_box((0.075, 0.0, DECK + 0.014), (0.10, 0.075, 0.028), 0.005), *posts)


def bumpers() -> trimesh.Trimesh:
    """Front and rear bumper bars."""
    front = tube(
        [(0.375, -0.09, -0.01), (0.415, -0.045, -0.012), (0.415, 0.045, -0.012), (0.375, 0.09, -0.01)], [0.008] * 4
    )
    rear = tube([(-0.045, -0.07, 0.0), (-0.075, -0.035, 0.0), (-0.075, 0.035, 0.0), (-0.045, 0.07, 0.0)], [0.007] * 4)
    return join(front, rear)


def axles() -> trimesh.Trimesh:
    """Rear axle, front cross member and shock absorbers."""
    half = TRACK / 2
    parts = [revolve([[-half, 0.006], [half, 0.006]], (x, 0.0, 0.0), (0, 1, 0), around=14) for x in (0.0, WHEELBASE)]
    for x in (0.03, WHEELBASE - 0.03):
        parts += [tube([(x, side * 0.098, 0.0), (x, side * 0.07, 0.055)], [0.007, 0.007]) for side in (-1, 1)]
    return join(*parts)


def masts() -> trimesh.Trimesh:
    """Posts of the two UWB tags."""
    return join(
        *(revolve([[0.0, 0.0035], [TAG_Z - 0.003, 0.0035]], (x, 0.0, 0.0), (0, 0, 1), around=12) for x in (TAG0, TAG1))
    )


def tags() -> trimesh.Trimesh:
    """The two UWB tags: upright boards with an antenna."""
    boards = []
    for x in (TAG0, TAG1):
        boards.append(rounded_box((x, 0.0, TAG_Z), (0.006, 0.053, 0.036), 0.002))
        boards.append(rounded_box((x, 0.0, TAG_Z + 0.026), (0.004, 0.022, 0.016), 0.002))
    return join(*boards)


def lidar() -> trimesh.Trimesh:
    """The laser scanner: base, gap and turning head."""
    low = LASER_Z - 0.0255
    profile = [
        [low - (low - DECK), 0.030],
        [low, 0.036],
        [low + 0.018, 0.038],
        [low + 0.0185, 0.032],
        [low + 0.021, 0.032],
        [low + 0.0215, 0.038],
        [low + 0.037, 0.038],
        [low + 0.041, 0.034],
    ]
    return revolve(profile, (LASER, 0.0, 0.0), (0, 0, 1), around=48)


def lamps() -> trimesh.Trimesh:
    """Head lamps."""
    return join(*(rounded_box((0.383, side * 0.048, 0.006), (0.018, 0.024, 0.011), 0.003) for side in (-1, 1)))


def knuckle() -> trimesh.Trimesh:
    """A steering knuckle with its king pin."""
    pin = revolve([[-0.022, 0.006], [0.022, 0.006]], (0, 0, 0), (0, 0, 1), around=14)
    return join(pin, rounded_box((0.0, 0.0, 0.0), (0.024, 0.018, 0.03), 0.004))


def tyre() -> trimesh.Trimesh:
    """A tyre with blocks of tread."""
    half = WIDTH / 2
    profile = [[-half, 0.034], [-half, RADIUS - 0.010], [-half + 0.006, RADIUS - 0.003], [half - 0.006, RADIUS - 0.003]]
    profile += [[half, RADIUS - 0.010], [half, 0.034]]
    carcass = revolve(profile, (0, 0, 0), (0, 1, 0), around=48)
    blocks = []
    for k in range(20):
        a = 2 * math.pi * k / 20
        rotation = np.array([[math.cos(a), 0, math.sin(a)], [0, 1, 0], [-math.sin(a), 0, math.cos(a)]])
        for side in (-1, 1):
            block = rounded_box((0.0, side * 0.0105, RADIUS - 0.0035), (0.010, 0.017, 0.007), 0.0012)
            blocks.append(moved(block, rotation @ so3.exp((0.0, 0.0, 0.12 * side)), (0.0, 0.0, 0.0)))
    return join(carcass, *blocks)


def rim() -> trimesh.Trimesh:
    """A rim with six spokes on either side, standing out of the tyre's flanks."""
    half = WIDTH / 2
    parts = []
    for y in (-half, half):
        parts.append(ring(0.031, 0.0035, (0.0, y, 0.0), (0, 1, 0), around=36, section=8))
        parts.append(revolve([[y - 0.004, 0.010], [y + 0.004, 0.010]], (0, 0, 0), (0, 1, 0), around=20))
        for k in range(6):
            a = 2 * math.pi * k / 6
            end = (0.030 * math.cos(a), y, 0.030 * math.sin(a))
            parts.append(tube([(0.0, y, 0.0), end], [0.0042, 0.0034]))
    return join(*parts)


MESHES: dict[str, Callable[[], trimesh.Trimesh]] = {
    make.__name__: make for make in (tub, window, deck, bumpers, axles, masts, tags, lidar, lamps, knuckle, tyre, rim)
}
