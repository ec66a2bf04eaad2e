"""What a base was told and what it did, as `an.tune` shows it."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from andante.mobile.base_fit import BaseFit, Response

from .preview import COLORS, INK
from .preview_plots import plain


def plot_tuning(fit: BaseFit, title: str = "") -> Figure:
    """Told, felt and fitted speed and turn rate over the time of the drive."""
    figure = Figure(figsize=(8.0, 5.0), layout="constrained")
    rows: tuple[tuple[int, Response, str], ...] = (
        (0, fit.along, "speed [m/s]"),
        (2, fit.turn, "turn rate [rad/s]"),
    )
    for axes, (axis, response, label) in zip(figure.subplots(2, 1, sharex=True), rows, strict=True):
        time = fit.time - fit.time[0]
        axes.plot(time, fit.told[:, axis], color=COLORS[0], linewidth=1.2, label="told")
        axes.plot(time, fit.felt[:, axis], color=COLORS[1], linewidth=1.0, label="felt")
        if np.isfinite(response.gain):
            late = response.gain * np.interp(time - response.latency, time, fit.told[:, axis])
            words = f"told, {response.latency:.2f} s late, {response.gain:.0%}"
            axes.plot(time, late, "--", color=COLORS[2], linewidth=1.0, label=words)
        axes.set_ylabel(label, fontsize=8, color=INK)
        axes.legend(fontsize=8, loc="upper right", framealpha=0.85)
        plain(axes)
        if axis == 0:
            axes.set_title(title, fontsize=9, color=INK)
    axes.set_xlabel("time [s]", fontsize=8)
    return figure
