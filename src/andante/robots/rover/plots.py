"""Drawings of rover trials: the way on the map with its estimates, their errors over time, pulse widths."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from andante.errors import BadInput
from andante.files import check_outputs
from andante.viz.preview import COLORS, GRAY, INK, PALE
from andante.viz.preview_plots import plain

from .trials import COURSES, RoverTrial

PICTURES = (".png", ".svg", ".pdf", ".jpg", ".jpeg")
ROOM, LEAST = 0.6, 4.4  # of the map around the way, and altogether [m]
LABELS = {"uwb": "UWB and AHRS", "odometry": "wheels and gyro", "amcl": "AMCL"}
LINES = {"uwb": COLORS[1], "odometry": COLORS[2], "amcl": COLORS[3]}
TARGET_FINAL, TARGET_RMS = 0.10, 0.05  # [m]


def plot_rover_trial(trial: RoverTrial, file: Path | str) -> None:
    """Write a picture of one trial: way and estimates on the map, errors of the estimates, pulse widths."""
    figure = Figure(figsize=(10.5, 6.4), layout="constrained")
    layout = figure.add_gridspec(2, 2, width_ratios=(1.25, 1.0))
    draw_way(figure.add_subplot(layout[:, 0]), trial)
    errors = figure.add_subplot(layout[0, 1])
    pulses = figure.add_subplot(layout[1, 1], sharex=errors)
    draw_errors(errors, trial)
    draw_pulses(pulses, trial)
    pulses.set_xlabel("time [s]", fontsize=8, color=INK)
    figure.suptitle(
        f"{COURSES[trial.name].words}, {trial.engine}, seed {trial.seed}: {100 * trial.final_error:.1f} cm from the "
        f"waypoint after {trial.seconds:.1f} s, estimate {100 * trial.estimate_rms:.1f} cm rms",
        fontsize=10,
        color=INK,
    )
    _save(figure, file)


def plot_rover_study(trials: Sequence[RoverTrial], file: Path | str) -> None:
    """Write a picture of many trials: all true ways on the map, and final error and estimate error of each."""
    if not trials:
        raise BadInput("a picture of rover trials needs at least one trial")
    names = list(dict.fromkeys(trial.name for trial in trials))
    figure = Figure(figsize=(10.5, 5.0), layout="constrained")
    way, spread = figure.subplots(1, 2, width_ratios=(1.35, 1.0))
    _draw_map(way, trials)
    for trial in trials:
        color = COLORS[names.index(trial.name) % len(COLORS)]
        way.plot(*trial.truth[:, :2].T, color=color, linewidth=1.0, alpha=0.8)
        way.plot(*trial.waypoint, marker="x", color=INK, markersize=6, markeredgewidth=1.4, zorder=5)
    for row, name in enumerate(names):
        these = [trial for trial in trials if trial.name == name]
        color = COLORS[row % len(COLORS)]
        ends, estimates = [100 * t.final_error for t in these], [100 * t.estimate_rms for t in these]
        spread.plot(ends, [row - 0.12] * len(these), "o", color=color, markersize=5)
        spread.plot(estimates, [row + 0.12] * len(these), "D", color=color, markersize=4)
    for value, style, words in ((TARGET_RMS, "D", "estimate, rms"), (TARGET_FINAL, "o", "distance to the waypoint")):
        spread.axvline(100 * value, color=GRAY, linewidth=1.0, linestyle="--")
        spread.plot([], [], style, color=GRAY, markersize=5, label=f"{words}, target {100 * value:.0f} cm")
    spread.legend(fontsize=7, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    spread.set_yticks(range(len(names)), [COURSES[name].words for name in names])
    spread.set_ylim(len(names) - 0.4, -0.6)
    spread.set_xlim(left=0.0)
    spread.set_xlabel("error [cm]", fontsize=8, color=INK)
    plain(spread)
    _save(figure, file)


def draw_way(axes: Any, trial: RoverTrial) -> None:
    """The true way, the estimates and the waypoint on the map."""
    _draw_map(axes, [trial])
    for name, poses in trial.estimates.items():
        axes.plot(*poses[:, :2].T, color=LINES[name], linewidth=1.1, label=LABELS[name], zorder=3)
    axes.plot(*trial.truth[:, :2].T, color=INK, linewidth=2.0, label="truth", zorder=2)
    x, y, yaw = trial.start
    arrow = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.6, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (x + 0.25 * np.cos(yaw), y + 0.25 * np.sin(yaw)), (x, y), arrowprops=arrow, zorder=4)
    axes.plot(*trial.waypoint, marker="x", color=COLORS[0], markersize=9, markeredgewidth=2.0, label="waypoint")
    axes.legend(fontsize=7, frameon=True, framealpha=0.9, edgecolor=PALE, loc="upper left")


def draw_errors(axes: Any, trial: RoverTrial) -> None:
    """Position error of each estimate over time [m], the target dashed."""
    for name in trial.estimates:
        told = f"{LABELS[name]}: {100 * trial.rms[name]:.1f} cm rms"
        axes.plot(trial.times, trial.error(name), color=LINES[name], linewidth=1.3, label=told)
    axes.axhline(TARGET_RMS, color=GRAY, linewidth=1.0, linestyle="--")
    _pushed(axes, trial)
    axes.set_ylabel("error of the estimate [m]", fontsize=8, color=INK)
    axes.set_ylim(bottom=0.0)
    axes.legend(fontsize=7, frameon=False, loc="best")
    plain(axes)


def draw_pulses(axes: Any, trial: RoverTrial) -> None:
    """Pulse widths of throttle and steering that the firmware told [µs]."""
    axes.plot(trial.times, trial.telemetry.throttle, color=COLORS[0], linewidth=1.3, label="throttle")
    axes.plot(trial.times, trial.telemetry.steering, color=COLORS[4], linewidth=1.3, label="steering, left up")
    _pushed(axes, trial)
    axes.set_ylabel("pulse width [µs]", fontsize=8, color=INK)
    axes.legend(fontsize=7, frameon=False, loc="best")
    plain(axes)


def _pushed(axes: Any, trial: RoverTrial) -> None:
    for event in trial.events:
        if event.who == "world":
            axes.axvline(event.time, color=INK, linewidth=1.0, linestyle=":")
            axes.annotate("push", (event.time, 1.0), (3, -9), xycoords=("data", "axes fraction"),
                          textcoords="offset points", fontsize=7, color=INK)  # fmt: skip


def _draw_map(axes: Any, trials: Sequence[RoverTrial]) -> None:
    """Walls of the map around the ways, to scale."""
    grid = trials[0].grid
    rows, cols = np.nonzero(grid.occupied())
    points = grid.point_of(np.column_stack([rows, cols]).astype(float))
    axes.plot(points[:, 0], points[:, 1], linestyle="", marker="s", markersize=1.6, color=GRAY, zorder=1)
    ways = np.concatenate([t.truth[:, :2] for t in trials] + [np.atleast_2d(t.waypoint) for t in trials])
    middle = (ways.min(axis=0) + ways.max(axis=0)) / 2
    half = np.maximum(np.ptp(ways, axis=0) + 2 * ROOM, LEAST) / 2
    low, high = middle - half, middle + half
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_aspect("equal", adjustable="box")
    axes.set_xlabel("x [m]", fontsize=8, color=INK)
    axes.set_ylabel("y [m]", fontsize=8, color=INK)
    plain(axes)


def _save(figure: Figure, file: Path | str) -> None:
    path = Path(file)
    check_outputs({"pictures": (path, PICTURES)})
    figure.savefig(path, dpi=140)
