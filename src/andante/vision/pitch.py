"""A small pitch: its white lines, and a goal of two colored posts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from andante.geometry import Array

from .colors import GREEN, WHITE, YELLOW, Blob, ColorRange, blobs, hsv_of, segment
from .pinhole import Pinhole, on_plane


@dataclass(frozen=True)
class GoalSettings:
    """What counts as a goal."""

    color: ColorRange = field(default=YELLOW)
    width: float = 0.9  # between the middles of its posts [m]
    tolerance: float = 0.35  # by which a width on the ground may be wrong
    least_area: float = 30.0  # of a post [px]
    least_slender: float = 1.5  # height of a post by its width
    band: float = 0.12  # lowest part of the color that shows the feet of posts, of the height of the picture


@dataclass(frozen=True)
class Goal:
    """A goal on the ground: the feet of its posts and its middle, x, y [m] in the frame of the camera's pose."""

    left: tuple[float, float]
    right: tuple[float, float]

    @property
    def middle(self) -> tuple[float, float]:
        """Between the posts."""
        return (self.left[0] + self.right[0]) / 2, (self.left[1] + self.right[1]) / 2

    @property
    def width(self) -> float:
        """Between the posts [m]."""
        return math.dist(self.left, self.right)


def find_goal(
    image: np.ndarray, camera: Pinhole, world_from_camera: Array, settings: GoalSettings | None = None
) -> Goal | None:
    """The goal whose posts stand at their distance; None: fewer than two posts are seen whole.

    The foot of a post is where its lowest pixels meet the ground.
    """
    settings = settings or GoalSettings()
    feet = _feet(segment(hsv_of(image), settings.color), settings)
    places = [on_plane(world_from_camera, camera.rays(np.array(foot)))[:2] for foot in feet]
    best: tuple[float, Goal] | None = None
    for k, first in enumerate(places):
        for second in places[k + 1 :]:
            if not (np.isfinite(first).all() and np.isfinite(second).all()):
                continue
            off = abs(float(np.linalg.norm(first - second)) - settings.width) / settings.width
            if off <= settings.tolerance and (best is None or off < best[0]):
                a, b = (float(first[0]), float(first[1])), (float(second[0]), float(second[1]))
                best = (off, Goal(a, b))  # feet come from left to right
    return None if best is None else best[1]


def _feet(mask: np.ndarray, settings: GoalSettings) -> list[tuple[float, float]]:
    """Feet u, v of slender upright pieces, from left to right; those at the lower edge are cut and left out."""
    height = mask.shape[0]
    found = []
    for blob in blobs(mask, settings.least_area):
        feet = _lowest(mask, blob, max(4, round(settings.band * height)), settings)
        found += [foot for foot in feet if foot[1] < height - 1]
    return sorted(found)


def _lowest(mask: np.ndarray, blob: Blob, band: int, settings: GoalSettings) -> list[tuple[float, float]]:
    """Feet of one piece: posts and bar may be one; each run of columns that reaches far down is a post."""
    left, top, across, up = blob.box
    part = mask[top : top + up, left : left + across] > 0
    depth = np.where(part.any(axis=0), up - np.argmax(part[::-1], axis=0), 0)  # lowest row of every column
    tall = part.sum(axis=0) >= max(0.45 * up, 3)  # a bar is thin
    found, start = [], None
    for column in range(across + 1):
        on = column < across and bool(tall[column])
        if on and start is None:
            start = column
        elif not on and start is not None:
            wide, low = column - start, int(depth[start:column].max())
            if up >= settings.least_slender * wide and wide >= 2 and low >= min(up, band):
                found.append((left + (start + column) / 2, float(top + low)))
            start = None
    return found


@dataclass(frozen=True)
class LineSettings:
    """What counts as a line."""

    line: ColorRange = field(default=WHITE)
    field: ColorRange = field(default=GREEN)
    least_length: float = 0.3  # [m]
    farthest: float = 4.0  # [m]
    votes: int = 25  # of the Hough transform [px]
    gap: int = 8  # that one line may have [px]


@dataclass(frozen=True)
class Line:
    """A piece of a line on the ground, x, y [m] of its ends."""

    start: tuple[float, float]
    end: tuple[float, float]

    @property
    def length(self) -> float:
        """[m]."""
        return math.dist(self.start, self.end)


def find_lines(
    image: np.ndarray, camera: Pinhole, world_from_camera: Array, settings: LineSettings | None = None
) -> tuple[Line, ...]:
    """Edges of white lines within the green, on the ground; the longest first.

    White pixels count where green is close on two opposite sides of them, so that goals and walls do not.
    """
    import cv2

    settings = settings or LineSettings()
    hsv = hsv_of(image)
    white, green = segment(hsv, settings.line), segment(hsv, settings.field)
    reach = max(3, image.shape[0] // 8)
    upright, level = np.ones((reach, 1), dtype=np.uint8), np.ones((1, reach), dtype=np.uint8)
    above, below = (np.asarray(cv2.dilate(green, upright, anchor=(0, end))) > 0 for end in (0, reach - 1))
    left, right = (np.asarray(cv2.dilate(green, level, anchor=(end, 0))) > 0 for end in (0, reach - 1))
    mask = np.where((above & below) | (left & right), white, 0).astype(np.uint8)
    edges = cv2.Canny(mask, 50, 150)
    pieces = cv2.HoughLinesP(
        edges, 1, np.pi / 360, settings.votes, minLineLength=settings.votes, maxLineGap=settings.gap
    )
    found = []
    for piece in () if pieces is None else np.asarray(pieces, dtype=float).reshape(-1, 2, 2):
        ends = on_plane(world_from_camera, camera.rays(piece + 0.5))
        far = np.linalg.norm(ends - world_from_camera[:3, 3], axis=1)
        if not np.isfinite(ends).all() or far.max() > settings.farthest:
            continue
        (ax, ay), (bx, by) = ends[:, :2].tolist()
        line = Line((ax, ay), (bx, by))
        if line.length >= settings.least_length:
            found.append(line)
    return tuple(sorted(found, key=lambda line: -line.length))
