"""Color segmentation: the pixels of a range of hue, saturation and value, and the connected pieces of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from andante.errors import BadInput


@dataclass(frozen=True)
class ColorRange:
    """Hue [deg], where low may lie above high (over 0), saturation and value, 0 to 1."""

    hue: tuple[float, float] = (0.0, 360.0)
    saturation: tuple[float, float] = (0.0, 1.0)
    value: tuple[float, float] = (0.0, 1.0)

    def __post_init__(self) -> None:
        for name, most in (("hue", 360.0), ("saturation", 1.0), ("value", 1.0)):
            if not all(0 <= v <= most for v in getattr(self, name)):
                raise BadInput(f"{name} of a color lies between 0 and {most:g}, got {getattr(self, name)}")


RED = ColorRange((340.0, 18.0), (0.45, 1.0), (0.20, 1.0))
YELLOW = ColorRange((38.0, 70.0), (0.50, 1.0), (0.25, 1.0))
BLUE = ColorRange((200.0, 250.0), (0.45, 1.0), (0.15, 1.0))
GREEN = ColorRange((85.0, 170.0), (0.30, 1.0), (0.08, 1.0))
WHITE = ColorRange((0.0, 360.0), (0.0, 0.22), (0.45, 1.0))


@dataclass(frozen=True)
class Blob:
    """A connected piece of a mask."""

    area: float  # [px]
    center: tuple[float, float]  # u, v of its centroid [px]
    box: tuple[int, int, int, int]  # left, top, width, height [px]


def checked(image: np.ndarray) -> np.ndarray:
    """The picture, once it is one."""
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
        raise BadInput(f"a picture is (height, width, 3) uint8, got {image.shape} {image.dtype}")
    return np.ascontiguousarray(image)


def hsv_of(image: np.ndarray) -> np.ndarray:
    """Hue (0 to 180), saturation and value (0 to 255) as OpenCV has them."""
    import cv2

    return np.asarray(cv2.cvtColor(checked(image), cv2.COLOR_RGB2HSV))


def segment(hsv: np.ndarray, color: ColorRange) -> np.ndarray:
    """Mask (height, width) uint8, 255 where a picture of `hsv_of` has the color."""
    import cv2

    low, high = (v / 2 for v in color.hue)
    s, v = color.saturation, color.value
    parts = [(low, high)] if low <= high else [(low, 180.0), (0.0, high)]
    mask = np.zeros(hsv.shape[:2], dtype=np.uint8)
    for first, last in parts:
        lower = np.array([first, 255 * s[0], 255 * v[0]])
        upper = np.array([last, 255 * s[1], 255 * v[1]])
        mask |= np.asarray(cv2.inRange(hsv, lower, upper), dtype=np.uint8)
    return mask


def blobs(mask: np.ndarray, least: float = 1.0) -> tuple[Blob, ...]:
    """Connected pieces of at least so many pixels, the largest first."""
    import cv2

    count, _, stats, centers = cv2.connectedComponentsWithStats(mask, connectivity=8)
    found = [
        Blob(float(row[4]), (float(center[0]) + 0.5, float(center[1]) + 0.5), _box(row))
        for row, center in zip(stats[1:count], centers[1:count], strict=True)
        if row[4] >= least
    ]
    return tuple(sorted(found, key=lambda blob: -blob.area))


def _box(row: Any) -> tuple[int, int, int, int]:
    return int(row[0]), int(row[1]), int(row[2]), int(row[3])
