"""The camera without lens errors: pixels and rays. Cameras look along x, with y to the left and z up (REP-103)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array


@dataclass(frozen=True)
class Pinhole:
    """Size [px] and horizontal angle of view [rad] of a camera with square pixels.

    A point (x, y, z) is seen at u = w/2 - f y/x, v = h/2 - f z/x with f = w / (2 tan(fov/2)); u to the right, v down,
    (0, 0) the outer corner of the first pixel.
    """

    width: int
    height: int
    horizontal_fov: float

    def __post_init__(self) -> None:
        if self.width < 1 or self.height < 1 or not 0 < self.horizontal_fov < math.pi:
            raise BadInput(f"a camera has pixels and an angle of view below pi, got {self}")

    @property
    def focal_length(self) -> float:
        """f [px]."""
        return self.width / (2 * math.tan(self.horizontal_fov / 2))

    def rays(self, points: Array) -> Array:
        """Unit directions (..., 3) of places u, v (..., 2) in the picture."""
        places = np.asarray(points, dtype=float)
        f = self.focal_length
        across, up = (self.width / 2 - places[..., 0]) / f, (self.height / 2 - places[..., 1]) / f
        out = np.stack([np.ones_like(across), across, up], axis=-1)
        return np.asarray(out / np.linalg.norm(out, axis=-1, keepdims=True))

    def pixels(self, points: Array) -> Array:
        """Places u, v (..., 2) of points (..., 3) [m]; NaN of those behind the camera."""
        x, y, z = np.moveaxis(np.asarray(points, dtype=float), -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            f = np.where(x > 1e-9, self.focal_length / np.where(x > 1e-9, x, 1.0), np.nan)
        return np.stack([self.width / 2 - f * y, self.height / 2 - f * z], axis=-1)

    @property
    def matrix(self) -> Array:
        """K of OpenCV, whose cameras look along z with x to the right and y down."""
        f = self.focal_length
        return np.array([[f, 0.0, self.width / 2], [0.0, f, self.height / 2], [0.0, 0.0, 1.0]])


def on_plane(world_from_camera: Array, rays: Array, height: float = 0.0) -> Array:
    """Points (..., 3) where rays (..., 3) of a camera at a pose (4, 4) meet the level at a height [m]; NaN: nowhere."""
    directions = np.asarray(rays, dtype=float) @ world_from_camera[:3, :3].T
    down = directions[..., 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        far = (height - world_from_camera[2, 3]) / down
    far = np.where(np.isfinite(far) & (far > 0), far, np.nan)
    return np.asarray(world_from_camera[:3, 3] + far[..., None] * directions)
