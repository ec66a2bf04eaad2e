"""What is in a picture: colors, balls, marks, lines and goals, as plain values. Pictures are (height, width, 3) RGB.

OpenCV comes with the extra `vision`; it is imported when something is looked for.
"""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from .ball import Ball, BallSettings, find_ball, find_balls
    from .colors import Blob, ColorRange, blobs, segment
    from .marks import Mark, find_marks
    from .memory import Seen, TargetMemory
    from .pinhole import Pinhole, on_plane
    from .pitch import Goal, GoalSettings, Line, LineSettings, find_goal, find_lines

__all__ = [
    "Ball", "BallSettings", "Blob", "ColorRange", "Goal", "GoalSettings", "Line", "LineSettings", "Mark", "Pinhole",
    "Seen", "TargetMemory", "blobs", "find_ball", "find_balls", "find_goal", "find_lines", "find_marks", "on_plane",
    "segment",
]  # fmt: skip

__getattr__ = lazy_names(__name__)
