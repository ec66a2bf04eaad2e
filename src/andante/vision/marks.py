"""Square marks, ArUco and AprilTag, with their number and, where their size is known, their pose."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from andante.errors import UnknownName
from andante.geometry import Array

from .colors import checked
from .pinhole import Pinhole

FAMILIES = {
    "aruco_4x4": "DICT_4X4_50", "aruco_5x5": "DICT_5X5_100", "aruco_6x6": "DICT_6X6_250",
    "apriltag_16h5": "DICT_APRILTAG_16h5", "apriltag_25h9": "DICT_APRILTAG_25h9",
    "apriltag_36h11": "DICT_APRILTAG_36h11",
}  # fmt: skip
OURS_FROM_OPENCV = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])  # axes of the camera


@dataclass(frozen=True)
class Mark:
    """A mark in a picture."""

    number: int
    corners: Array  # (4, 2) u, v, clockwise from its upper left one [px]
    direction: Array  # (3,) unit vector to its middle, in the camera
    pose: Array | None = None  # camera_from_mark (4, 4): x out of the mark, y to its left, z up; None: size not known


@lru_cache(maxsize=8)
def _detector(family: str) -> Any:
    import cv2

    if family not in FAMILIES:
        raise UnknownName.among("family of marks", family, FAMILIES)
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, FAMILIES[family])), settings)


def mark_picture(number: int, family: str = "aruco_4x4", pixels: int = 200, border: int = 1) -> np.ndarray:
    """A mark to print or to put on a box, (n, n, 3) RGB, with a white border of so many squares."""
    import cv2

    detector = _detector(family)
    dictionary = detector.getDictionary()
    squares = int(dictionary.markerSize) + 2
    inner = squares * max(1, pixels // (squares + 2 * border))
    drawn = cv2.aruco.generateImageMarker(dictionary, number, inner)
    edge = border * inner // squares
    return np.asarray(cv2.cvtColor(np.pad(drawn, edge, constant_values=255), cv2.COLOR_GRAY2RGB))


def find_marks(
    image: np.ndarray, camera: Pinhole, family: str = "aruco_4x4", size: float | None = None
) -> tuple[Mark, ...]:
    """Marks of a family in a picture, by number. size: edge of the black square [m], for their poses."""
    import cv2

    corners, numbers, _ = _detector(family).detectMarkers(cv2.cvtColor(checked(image), cv2.COLOR_RGB2GRAY))
    found = []
    for square, number in zip(corners, [] if numbers is None else numbers.ravel().tolist(), strict=True):
        places = np.asarray(square, dtype=float).reshape(4, 2) + 0.5  # OpenCV counts from the middle of pixels
        pose = None if size is None else _pose(places, camera, size)
        ray = camera.rays(_middle(places)) if pose is None else pose[:3, 3] / np.linalg.norm(pose[:3, 3])
        found.append(Mark(int(number), places, ray, pose))
    return tuple(sorted(found, key=lambda mark: mark.number))


def _middle(places: Array) -> Array:
    """Where the diagonals of a square meet in the picture: its middle, whatever the perspective."""
    a, b, c, d = (np.append(place, 1.0) for place in places)
    meet = np.cross(np.cross(a, c), np.cross(b, d))
    return np.asarray(meet[:2] / meet[2])


def _pose(places: Array, camera: Pinhole, size: float) -> Array | None:
    """By the four corners (IPPE, Collins and Bartoli 2014)."""
    import cv2

    half = size / 2
    square = np.array([[-half, half, 0.0], [half, half, 0.0], [half, -half, 0.0], [-half, -half, 0.0]])
    done, turn, way = cv2.solvePnP(square, places, camera.matrix, None, flags=cv2.SOLVEPNP_IPPE_SQUARE)
    if not done:
        return None
    rotation, _ = cv2.Rodrigues(turn)
    out = np.eye(4)
    # of the mark of OpenCV (x right, y up, z out) to ours (x out, y left, z up)
    out[:3, :3] = OURS_FROM_OPENCV @ rotation @ np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    out[:3, 3] = OURS_FROM_OPENCV @ np.asarray(way).ravel()
    return out
