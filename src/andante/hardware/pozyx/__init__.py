"""Pozyx UWB tags at serial ports: the protocol as pure functions, and a reader that gives ranges to anchors."""

from .protocol import Answers, Ranged, function_request, ranged, read_request
from .reader import PozyxTags, TagRanges

__all__ = ["Answers", "PozyxTags", "Ranged", "TagRanges", "function_request", "ranged", "read_request"]
