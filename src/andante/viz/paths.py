"""Ways over the floor: from above, and over time."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from andante.geometry import Array

from .preview import COLORS, GRAY
from .preview_plots import from_above, plain

TITLE_WIDTH = 110  # letters of a line of a title


def _flat(height: float, title: str) -> tuple[Figure, Any]:
    """A figure of that height [inch] with one pair of axes, and these."""
    figure = Figure(figsize=(9.0, height), layout="constrained")
    axes = figure.subplots()
    plain(axes)
    figure.suptitle(textwrap.fill(title, TITLE_WIDTH), fontsize=9)
    return figure, axes


def plot_walk(path: Array, estimated: Array, title: str = "") -> Figure:
    """The way of a walk from above beside its heading over time.

    Args:
        path: (n, 4) t [s], x, y [m], unwrapped yaw [rad].
        estimated: x, y [m] and heading [deg] that the robot itself believed at the end.
    """
    figure = Figure(figsize=(9.0, 3.4), layout="constrained")
    above, over = figure.subplots(1, 2)
    for axes in (above, over):
        plain(axes)
    above.plot(path[:, 1], path[:, 2], color=COLORS[0], label="true")
    above.plot(0.0, 0.0, "o", color=GRAY, label="start")
    above.plot(estimated[0], estimated[1], "x", color=COLORS[1], label="estimated end")
    reach = max(0.1, float(np.ptp(path[:, 1])), float(np.ptp(path[:, 2])))
    for axis, values in ((above.set_xlim, path[:, 1]), (above.set_ylim, path[:, 2])):
        middle = 0.5 * float(values.min() + values.max())
        axis(middle - 0.6 * reach, middle + 0.6 * reach)
    from_above(above)
    above.legend(fontsize=8, frameon=False)
    over.plot(path[:, 0], path[:, 3] * 180 / math.pi, color=COLORS[0], label="true")
    over.plot(path[-1, 0], estimated[2], "x", color=COLORS[1], label="estimated end")
    over.set(xlabel="time [s]", ylabel="turned [deg]")
    figure.suptitle(textwrap.fill(title, TITLE_WIDTH), fontsize=9)
    return figure


def plot_joints(
    times: Array, values: Array, names: Sequence[str], title: str = "", most: int = 6, label: str = "target [rad or m]"
) -> Figure:
    """Joint positions over time: the joints that move most.

    Args:
        times: (n,) [s].
        values: (n, joints) [rad or m].
        names: of the joints.
    """
    figure, axes = _flat(3.6, title)
    spread = np.ptp(values, axis=0) if len(values) else np.zeros(len(names))
    for k, joint in enumerate(np.argsort(-spread)[:most].tolist()):
        if spread[joint] > 1e-6 or k == 0:
            axes.plot(times, values[:, joint], color=COLORS[k % len(COLORS)], label=names[joint], linewidth=1.2)
    axes.set(xlabel="time [s]", ylabel=label)
    axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def plot_search(found: Array, title: str = "") -> Figure:
    """The fitness of the candidates of a search, and the best so far.

    Args:
        found: (n, 2) number of the candidate and its fitness, by number.
    """
    figure, axes = _flat(3.4, title)
    axes.plot(found[:, 0], found[:, 1], ".", color=GRAY, label="candidate")
    axes.step(found[:, 0], np.maximum.accumulate(found[:, 1]), where="post", color=COLORS[0], label="best so far")
    axes.set(xlabel="candidate", ylabel="fitness")
    axes.legend(fontsize=8, frameon=False)
    return figure


def plot_bars(values: Mapping[str, float], label: str, title: str = "") -> Figure:
    """A bar for every name, the first on top."""
    figure, axes = _flat(1.0 + 0.26 * len(values), title)
    axes.barh(list(values), list(values.values()), color=COLORS[0])
    axes.invert_yaxis()
    axes.set_xlabel(label)
    return figure
