"""Figures of a report: trajectories, measures over the factors with intervals, sources beside the reference."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.experiments.experiment import Experiment
from andante.geometry import Array

from .analysis import Analysis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = {"mujoco": "#1668b8", "bullet": "#d9541e", "dart": "#3a923a", "ode": "#8a4fbf", "none": "#1668b8"}
REAL, SPARE = "#111111", ("#c02d7a", "#0f9a9a", "#8c6d1f", "#5b6770")
OTHERS = ("#7f8c96", "#b08d57", "#7fa06e", "#9b82b0", "#a8a8a8")
MARKS = ("o", "s", "^", "D", "v", "P", "X")
MOST_LETTERS = 100  # of the levels of a factor along a row of panels; more stand upright
LETTER = 0.065  # width of one [in]
MOST_PANELS = 16
MOST_MEASURES = 4
WIDE = 10.0  # [in]
TOP, BOTTOM, RIGHT, GAP = 0.32, 1.0, 0.12, 0.76  # margins, and between rows of panels [in]


def color_of(analysis: Analysis, source: str) -> str:
    """The color of a source, the same in all figures: the standard black, engines strong, others pale."""
    if source == analysis.standard:
        return REAL
    if source in analysis.others:
        return OTHERS[analysis.others.index(source) % len(OTHERS)]
    return COLORS.get(source, SPARE[analysis.engines.index(source) % len(SPARE)])


def all_figures(analysis: Analysis, most: int | None = None) -> dict[str, tuple[str, Figure]]:
    """Name to caption and figure, in the order of the page; only the first `most` of them."""
    return dict(islice(_figures(analysis), most))


def _figures(analysis: Analysis) -> Iterator[tuple[str, tuple[str, Figure]]]:
    standard = analysis.label(analysis.standard)
    if any(analysis.values.paths.values()):
        turning = any(analysis.experiment.measures[m].commanded for m in analysis.experiment.measures if m == "turned")
        yield "trajectories", headings(analysis) if turning else trajectories(analysis)
    for measure in _shown_measures(analysis):
        title = analysis.experiment.measures[measure].label or measure
        dotted = "; dotted: commanded" if analysis.experiment.measures[measure].commanded else ""
        panels = math.prod(len(levels) for levels in list(analysis.experiment.factors.values())[1:])
        words = f"{title[:1].upper()}{title[1:]}: means with 95 % bootstrap intervals{dotted}.{_cut(panels, 'panels')}"
        yield f"{measure}_by_factor", (words, over_factors(analysis, measure))
    for measure in analysis.commanded_measures:
        if any(s.measure == measure and not math.isnan(s.error) for s in analysis.standings):
            words = f"Distance from the {standard}: |mean - mean| / commanded of every test, and their mean."
            yield f"{measure}_agreement", (words, beside_reference(analysis, measure))


def _shown_measures(analysis: Analysis) -> list[str]:
    """Measures worth a figure: not flags, and with some spread or a command."""
    found = []
    for name in analysis.experiment.measures:
        values = np.concatenate([analysis.of(e, t, name) for e in analysis.engines for t in analysis.tests] or [[]])
        if len(values) and not set(np.unique(values).tolist()) <= {0.0, 1.0} and not name.startswith("believed"):
            found.append(name)
    return found[:MOST_MEASURES]


def _grid(count: int, columns: int, high: float, left: float = 0.74, below: float = 0.0) -> tuple[Any, list[Axes]]:
    """A figure with `count` panels, margins in inches so that nothing has to be measured.

    high: of a panel [in]; below: more room under each, for labels that stand upright [in].
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = max(1, min(columns, count))
    rows = max(1, math.ceil(count / columns))
    gap, bottom = GAP + below, BOTTOM + below
    wide, tall = min(WIDE, 1.2 + 3.2 * columns), TOP + rows * high + (rows - 1) * gap + bottom
    panel = (wide - left - RIGHT - (columns - 1) * left) / columns
    figure = Figure(figsize=(wide, tall), dpi=110)
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    figure.subplots_adjust(left / wide, bottom / tall, 1 - RIGHT / wide, 1 - TOP / tall, left / panel, gap / high)
    for unused in axes[count:]:
        unused.set_axis_off()
    for each in axes[:count]:
        each.tick_params(labelsize=8)
        each.grid(True, color="#e6e6e6", linewidth=0.6)
        each.set_axisbelow(True)
        for side in ("top", "right"):
            each.spines[side].set_visible(False)
    return figure, axes


def _columns(experiment: Experiment, count: int) -> int:
    """As many columns as the last factor has levels, where that is a good number."""
    last = len(list(experiment.factors.values())[-1])
    if 3 <= last <= 4 and count % last == 0:
        return last
    return min(4, count) if count > 4 else max(1, math.ceil(math.sqrt(count)))


def _legend(figure: Any, axes: Sequence[Axes]) -> None:
    handles: dict[str, Any] = {}
    for each in axes:
        for handle, label in zip(*each.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    if handles:
        columns = min(4 if sum(map(len, handles)) > 90 else 6, len(handles))
        figure.legend(handles.values(), handles.keys(), loc="lower center", ncol=columns, fontsize=8, frameon=False)


def trajectories(analysis: Analysis) -> tuple[str, Any]:
    """Paths of the trials, a panel per test, and where the trials of the reference ended."""
    has_ends = {"x", "y"} <= set(analysis.experiment.measures)

    def ends(ax: Axes, test: str) -> None:
        for k, source in enumerate((*analysis.others, *((analysis.standard,) if analysis.standard else ()))):
            x, y = (analysis.of(source, test, name) if has_ends else () for name in "xy")
            if len(x) and len(x) == len(y):
                ax.scatter(x, y, s=14, linewidths=0, zorder=3, label=f"{analysis.label(source)}, ends", alpha=0.85,
                           color=color_of(analysis, source), marker=MARKS[k % len(MARKS)])  # fmt: skip
        ax.set_aspect("equal", adjustable="datalim")

    figure = _by_test(analysis, 1.9, ("x [m]", "y [m]"), ends, lambda path: (path[:, 1], path[:, 2]), end_mark=".")
    words = " Marks: where the trials of the reference ended." if has_ends and analysis.standard else ""
    return f"Trajectories, a line per trial.{words}{_cut(len(analysis.tests), 'tests')}", figure


def headings(analysis: Analysis) -> tuple[str, Any]:
    """Heading over time, a panel per test; lines at what was commanded, a band where the standard ended."""

    def commanded(ax: Axes, test: str) -> None:
        told = analysis.values.commanded(test, "turned")
        if told is not None:
            ax.axhline(told, color="#666666", linewidth=0.8, linestyle=":", label="commanded")
        real = analysis.of(analysis.standard, test, "turned") if analysis.standard else ()
        if len(real):
            label = f"{analysis.label(analysis.standard)}, range"
            ax.axhspan(min(real), max(real), color=REAL, alpha=0.18, linewidth=0, label=label)

    def turned(path: Array) -> tuple[Array, Array]:
        heading = np.degrees(np.unwrap(path[:, 3]))
        return path[:, 0], heading - heading[0]

    figure = _by_test(analysis, 1.5, ("time [s]", "turned [deg]"), commanded, turned)
    words = "Heading of the trials over time by the simulator's truth; band: where the reference ended."
    return words + _cut(len(analysis.tests), "tests"), figure


def _by_test(
    analysis: Analysis,
    high: float,
    labels: tuple[str, str],
    draw: Callable[[Axes, str], None],
    line: Callable[[Array], tuple[Array, Array]],
    end_mark: str = "",
) -> Any:
    """A panel per test: what `draw` shows of the reference there, and the `line` (x, y) of every path of an engine."""
    tests = analysis.tests[:MOST_PANELS]
    figure, axes = _grid(len(tests), _columns(analysis.experiment, len(tests)), high)
    for ax, test in zip(axes, tests, strict=False):
        draw(ax, test)
        for source in analysis.engines:
            for n, path in enumerate(analysis.values.paths.get((source, test), ())):
                ax.plot(*line(path), color=color_of(analysis, source), linewidth=0.9, alpha=0.7, zorder=2,
                        marker=end_mark, markevery=[len(path) - 1], markersize=4,
                        label=analysis.label(source) if n == 0 else None)  # fmt: skip
        _title(ax, _test_title(analysis, test))
        ax.set_xlabel(labels[0], fontsize=8)
        ax.set_ylabel(labels[1], fontsize=8)
    _legend(figure, axes)
    return figure


def over_factors(analysis: Analysis, measure: str) -> Any:
    """Means with intervals over the first factor, a panel per combination of the others."""
    experiment = analysis.experiment
    first, *rest = experiment.factors
    panels: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for cell in experiment.cells():
        if experiment.test_of(cell) in analysis.tests:
            panels.setdefault(tuple(cell[name] for name in rest), []).append(dict(cell))
    shown = list(panels.items())[:MOST_PANELS]
    levels = list(experiment.factors[first])
    names = [_word(level) for level in levels]
    numbers = all(isinstance(level, int | float) and not isinstance(level, bool) for level in levels)
    upright = not numbers and min(4, len(shown)) * sum(map(len, names)) > MOST_LETTERS
    room = LETTER * max(map(len, names)) if upright else 0.0
    figure, axes = _grid(len(shown), min(4, len(shown)), 2.2, below=room)
    place: Callable[[Any], float] = (lambda v: float(v)) if numbers else (lambda v: float(levels.index(v)))
    span = (max(map(place, levels)) - min(map(place, levels))) or 1.0
    sources = [s for s in analysis.sources if any(len(analysis.of(s, t, measure)) for t in analysis.tests)]
    gap = span * min(0.025, 0.3 / max(1, len(levels) * len(sources))) if numbers else 0.5 / max(4, len(sources))
    for ax, (key, cells) in zip(axes, shown, strict=False):
        told = [(place(cell[first]), analysis.values.commanded(experiment.test_of(cell), measure)) for cell in cells]
        known = [(at, value) for at, value in told if value is not None]
        if known:
            ax.plot(*zip(*known, strict=True), ":", color="#666666", linewidth=1, label="commanded")
        for k, source in enumerate(sources):
            all_points = [(place(c[first]), analysis.summary(source, experiment.test_of(c), measure)) for c in cells]
            points = [(x, s) for x, s in all_points if s.count]
            if not points:
                continue
            x = np.array([p for p, _ in points]) + (k - 0.5 * (len(sources) - 1)) * gap
            mean = np.array([s.mean for _, s in points])
            low = np.array([s.mean if math.isnan(s.low) else s.low for _, s in points])
            high = np.array([s.mean if math.isnan(s.high) else s.high for _, s in points])
            own = source == analysis.standard or source in analysis.engines
            ax.errorbar(x, mean, yerr=[np.maximum(mean - low, 0), np.maximum(high - mean, 0)],
                        label=analysis.label(source), color=color_of(analysis, source), marker=MARKS[k % len(MARKS)],
                        markersize=4 if own else 3, linewidth=1.2 if own else 0.8, capsize=2, zorder=3 if own else 2,
                        linestyle="-" if numbers else "none")  # fmt: skip
        if rest:
            _title(ax, ", ".join(f"{name} {_word(value)}" for name, value in zip(rest, key, strict=True)))
        ax.set_xticks([place(level) for level in levels], names)
        if upright:
            ax.tick_params(axis="x", rotation=90)
        if experiment.measures[measure].scale == "log":
            ax.set_yscale("log", nonpositive="clip")
        ax.set_xlabel(first, fontsize=8)
        ax.set_ylabel(experiment.measures[measure].title, fontsize=8)
        if not numbers:
            ax.set_xlim(-0.5, len(levels) - 0.5)
    _same_height(axes[: len(shown)])
    _legend(figure, axes)
    return figure


def _same_height(axes: Sequence[Axes]) -> None:
    """The same range of values in all panels, where none of them would be squeezed by it."""
    lows, highs = zip(*(ax.get_ylim() for ax in axes), strict=True)
    if max(highs) - min(lows) < 3.0 * min(high - low for low, high in zip(lows, highs, strict=True)):
        for ax in axes:
            ax.set_ylim(min(lows), max(highs))


def beside_reference(analysis: Analysis, measure: str) -> Any:
    """Errors of every source beside the standard, nearest first."""
    standings = [s for s in analysis.standings if s.measure == measure and not math.isnan(s.error)]
    standings.sort(key=lambda s: -s.error)
    figure, axes = _grid(1, 1, 0.42 * len(standings), 2.0)
    high = 0.7 + 0.42 * len(standings)
    figure.set_size_inches(7.5, high)
    figure.subplots_adjust(2.0 / 7.5, 0.5 / high, 0.97, 1 - 0.1 / high)
    ax = axes[0]
    for k, standing in enumerate(standings):
        alpha = 0.45 if standing.source in analysis.others else 0.75
        ax.barh(k, 100 * standing.error, color=color_of(analysis, standing.source), alpha=alpha, height=0.62)
        errors = [100 * each.error for each in standing.tests]
        offsets = np.linspace(-0.2, 0.2, len(errors)) if len(errors) > 1 else [0.0]
        ax.scatter(errors, k + np.asarray(offsets), s=11, color="#333333", zorder=3, linewidths=0)
        ax.annotate(f"{100 * standing.error:.1f} %", (max([*errors, 100 * standing.error]), k), xytext=(6, 0),
                    textcoords="offset points", va="center", fontsize=8)  # fmt: skip
    ax.set_yticks(range(len(standings)), [analysis.label(s.source) for s in standings], fontsize=9)
    ax.set_xlabel(
        f"error of the {analysis.experiment.measures[measure].label or measure} [% of what was commanded]", fontsize=9
    )
    ax.margins(x=0.12)
    ax.set_xlim(left=0)
    ax.grid(False, axis="y")
    return figure


def _title(ax: Axes, words: str) -> None:
    """The title of a panel, in two smaller lines where it is long; a place of its own saves the time to find one."""
    size = 9.0 if len(words) <= 28 else 8.0 if len(words) <= 33 else 7.0
    if size == 7.0:
        gaps = [k for k, letter in enumerate(words) if letter == " "]
        if gaps:
            middle = min(gaps, key=lambda k: abs(k - len(words) / 2))
            words = f"{words[:middle]}\n{words[middle + 1 :]}"
    ax.set_title(words, fontsize=size, y=1.0, pad=3)


def _cut(count: int, what: str) -> str:
    """What a caption says where not everything is shown."""
    return f" The first {MOST_PANELS} of {count} {what}." if count > MOST_PANELS else ""


def _test_title(analysis: Analysis, test: str) -> str:
    experiment = analysis.experiment
    if test not in experiment.tests:
        return test
    levels = ", ".join(f"{name} {_word(value)}" for name, value in experiment.tests[test].items())
    return f"{test}: {levels}"


def _word(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
