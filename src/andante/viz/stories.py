"""Which states were active when, as `an.behave` shows it."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from .preview import COLORS, INK
from .preview_plots import plain


def plot_story(spans: Sequence[tuple[str, float, float]], title: str = "") -> Figure:
    """States over time, one row each in the order in which they were first active.

    Args:
        spans: state, and from when to when it was active [s].
        title: above it.
    """
    rows = list(dict.fromkeys(state for state, _, _ in spans))
    figure = Figure(figsize=(8.0, 1.2 + 0.3 * max(1, len(rows))), layout="constrained")
    axes = figure.subplots()
    for state, begin, end in spans:
        row = rows.index(state)
        axes.barh(row, max(end - begin, 0.0), left=begin, height=0.6, color=COLORS[row % len(COLORS)])
    axes.set_yticks(range(len(rows)), rows, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("time [s]", fontsize=8)
    axes.set_title(title, fontsize=9, color=INK)
    plain(axes)
    return figure
