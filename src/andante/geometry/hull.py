"""Convex hulls; scipy's, which is imported when the first one is made since that takes a fifth of a second."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._types import Array

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull


def convex_hull(points: Array) -> ConvexHull | None:
    """The hull of points (n, 2) or (n, 3); None where they are too few, lie flat or are not finite."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return ConvexHull(points)
    except (QhullError, ValueError):
        return None
