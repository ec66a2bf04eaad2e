"""A ball by its color and roundness, and how far it is by its size."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from andante.geometry import Array

from .colors import RED, ColorRange, blobs, hsv_of, segment
from .pinhole import Pinhole


@dataclass(frozen=True)
class BallSettings:
    """What counts as a ball."""

    radius: float = 0.04  # [m]
    color: ColorRange = field(default=RED)
    least_area: float = 10.0  # [px]
    least_fill: float = 0.6  # of the ellipse in its box that a ball fills
    most_stretch: float = 1.7  # of its box, longer by shorter edge


@dataclass(frozen=True)
class Ball:
    """A ball in a picture."""

    center: tuple[float, float]  # u, v [px]
    radius: float  # angular [rad]
    distance: float  # to its center, by its size [m]
    direction: Array  # (3,) unit vector in the camera
    whole: bool  # no edge of the picture cuts it: its size can be trusted


def find_ball(image: np.ndarray, camera: Pinhole, settings: BallSettings | None = None) -> Ball | None:
    """The largest round piece of the color; None: there is none."""
    return next(iter(find_balls(image, camera, settings)), None)


def find_balls(image: np.ndarray, camera: Pinhole, settings: BallSettings | None = None) -> tuple[Ball, ...]:
    """Round pieces of the color, the largest first.

    A small piece of the picture of area A at an angle theta off the axis is a solid angle
    Omega = A cos^3(theta) / f^2; a sphere with angular radius alpha has Omega = 2 pi (1 - cos alpha), and a ball of
    radius R is R / sin(alpha) away.
    """
    settings = settings or BallSettings()
    mask = segment(hsv_of(image), settings.color)
    height, width = mask.shape
    found = []
    for blob in blobs(mask, settings.least_area):
        left, top, across, up = blob.box
        cut = left == 0 or top == 0 or left + across == width or top + up == height
        if max(across, up) > settings.most_stretch * min(across, up):  # a part of the robot itself, or half a ball
            continue
        if blob.area < settings.least_fill * math.pi / 4 * across * up:
            continue
        ray = camera.rays(np.array(blob.center))
        solid = blob.area * float(ray[0]) ** 3 / camera.focal_length**2
        angle = math.acos(max(-1.0, 1.0 - solid / (2 * math.pi)))
        found.append(Ball(blob.center, angle, settings.radius / math.sin(max(angle, 1e-6)), ray, not cut))
    return tuple(found)
