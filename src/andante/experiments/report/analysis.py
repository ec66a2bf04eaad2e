"""All numbers of a report: every source beside what was commanded, the reference and the others; and its verdict."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from andante.experiments import statistics as stats
from andante.experiments.experiment import Experiment
from andante.experiments.reference import REAL
from andante.experiments.table import Values
from andante.geometry import Array

MARGIN = 0.05  # of what was commanded: differences below this do not matter
NARROW = 0.02  # how narrow an interval should be, in parts of what was commanded
LEVEL = 0.95
FITTED = " fitted"  # added to the name of an engine that runs with an identified model
MODE = ", "  # between the name of an engine and that of a mode, where runs of several modes stand side by side
LABELS = {"mujoco": "MuJoCo", "bullet": "Bullet", "dart": "DART", "ode": "ODE", REAL: "real robot",
          "odometry": "the robot's odometry", "none": "simulation"}  # fmt: skip
MOST_WANTED = 10_000  # trials that a report asks for; beyond, the mean is too near zero for fractions of it


@dataclass(frozen=True)
class Pair:
    """Two sources in one test of one measure; `p` is corrected for the number of pairs of that measure."""

    measure: str
    test: str
    a: str
    b: str
    comparison: stats.Comparison
    p: float


@dataclass(frozen=True)
class Standing:
    """A source beside the reference in one measure, over all tests."""

    source: str
    measure: str
    tests: tuple[stats.Agreement, ...]
    equivalent: Mapping[str, stats.Equivalence]

    @property
    def error(self) -> float:
        """|mean - reference mean| / |commanded|, averaged over the tests; NaN where nothing is commanded."""
        return stats.mean_error(self.tests)

    @property
    def inside(self) -> int:
        """In how many tests the mean lies within the range of the reference."""
        return sum(each.inside for each in self.tests)


class Analysis:
    """The numbers of an experiment. values: of the trials that were run; reference: what they are compared with.

    standard: the source of the reference that counts as the truth. labels: what reports call sources, by their names.
    """

    def __init__(
        self,
        experiment: Experiment,
        values: Values,
        reference: Values,
        standard: str = REAL,
        labels: Mapping[str, str] | None = None,
    ) -> None:
        self.experiment, self.values, self.reference = experiment, values, reference
        self.standard = standard if standard in reference.sources else ""
        self.engines = values.sources
        self._labels = {**LABELS, **(labels or {})}
        others = tuple(source for source in reference.sources if source != self.standard)
        self.others = others  # what the reference itself compares with its standard
        self.tests = tuple(dict.fromkeys((*values.tests, *(t for t in reference.tests if t in values.tests))))
        self._summaries: dict[tuple[str, str, str], stats.Summary] = {}

    @property
    def sources(self) -> tuple[str, ...]:
        """The standard, the others of the reference, and the engines."""
        return (*((self.standard,) if self.standard else ()), *self.others, *self.engines)

    def label(self, source: str) -> str:
        """What a report calls a source."""
        engine, fitted, _ = source.partition(FITTED)
        engine, mode, way = engine.partition(MODE)
        return self._labels.get(engine, engine) + mode + way + fitted

    def of(self, source: str, test: str, measure: str) -> Any:
        """All values (n,) of a source, engines before the reference."""
        if source in self.engines:
            return self.values.get(source, test, measure)
        return self.reference.get(source, test, measure)

    def summary(self, source: str, test: str, measure: str) -> stats.Summary:
        """Mean, spread and interval; computed once."""
        key = (source, test, measure)
        if key not in self._summaries:
            self._summaries[key] = stats.summarize(self.of(*key), LEVEL)
        return self._summaries[key]

    @property
    def commanded_measures(self) -> tuple[str, ...]:
        """Measures of which it is known what they should be."""
        return tuple(name for name, each in self.experiment.measures.items() if each.commanded)

    @property
    def compared_measures(self) -> tuple[str, ...]:
        """Measures that both the trials and the standard have."""
        if not self.standard:
            return ()
        return tuple(
            name for name in self.experiment.measures
            if any(len(self.of(self.standard, test, name)) and len(self.of(e, test, name))
                   for test in self.tests for e in self.engines)
        )  # fmt: skip

    def commanded_error(self, source: str, measure: str) -> dict[str, float]:
        """|mean - commanded| / |commanded| by test."""
        found = {}
        for test in self.tests:
            told, mean = self.values.commanded(test, measure), self.summary(source, test, measure).mean
            if told and not math.isnan(mean):
                found[test] = abs(mean - told) / abs(told)
        return found

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """Every source beside the standard, in every measure that both have."""
        found = []
        for measure in self.compared_measures:
            commanded = {test: self.values.commanded(test, measure) for test in self.tests}
            real = {test: self.of(self.standard, test, measure) for test in self.tests}
            for source in (*self.others, *self.engines):
                ours = {test: self.of(source, test, measure) for test in self.tests}
                tests = stats.agreement(ours, real, commanded)
                same = {
                    test: stats.equivalence(ours[test], real[test], MARGIN * abs(told))
                    for test in (each.test for each in tests)
                    if (told := commanded[test])
                }
                if tests:
                    found.append(Standing(source, measure, tests, same))
        return tuple(found)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Every pair of engines, and every engine with the standard, in every test; corrected by Holm per measure."""
        found: list[Pair] = []
        couples = [*combinations(self.engines, 2), *((e, self.standard) for e in self.engines if self.standard)]
        for measure in self.experiment.measures:
            made = []
            for test in self.tests:
                for a, b in couples:
                    x, y = self.of(a, test, measure), self.of(b, test, measure)
                    if len(x) > 1 and len(y) > 1:
                        made.append((test, a, b, stats.compare(x, y, LEVEL)))
            corrected: Array = stats.holm([each[3].welch for each in made])
            found += [Pair(measure, t, a, b, c, float(p)) for (t, a, b, c), p in zip(made, corrected, strict=True)]
        return tuple(found)

    def factor_effects(self, source: str, measure: str) -> tuple[stats.Effect, ...]:
        """How much every factor has to do with a measure of one source."""
        values: list[float] = []
        levels: dict[str, list[Any]] = {name: [] for name, given in self.experiment.factors.items() if len(given) > 1}
        for cell in self.experiment.cells():
            got = self.of(source, self.experiment.test_of(cell), measure).tolist()
            values += got
            for name in levels:
                levels[name] += [cell[name]] * len(got)
        return stats.effects(values, levels) if len(values) > 2 and levels else ()

    def trials_wanted(self, source: str, measure: str) -> tuple[float, int | None] | None:
        """The widest spread over the tests, and how many trials make its interval narrow; None: unknown.

        The number is None where it is more than `MOST_WANTED`.
        """
        widest = (-1.0, 0.0)  # fraction of the scale, deviation
        for test in self.tests:
            each, told = self.summary(source, test, measure), self.values.commanded(test, measure)
            scale = abs(told) if told else abs(each.mean)
            if each.count > 1 and scale > 0:
                widest = max(widest, (each.deviation / scale, each.deviation))
        if widest[0] < 0:
            return None
        wanted = stats.trials_for_width(widest[0], NARROW, LEVEL)
        return widest[1], wanted if wanted <= MOST_WANTED else None

    def falls(self, source: str) -> tuple[int, int]:
        """Trials that fell, and trials that were carried out."""
        given = [self.values.get(source, test, "fallen") for test in self.tests]
        if "fallen" not in self.experiment.measures:
            return 0, 0
        return int(sum(float(np.sum(each)) for each in given)), sum(len(each) for each in given)


# ---- the outcome in three sentences --------------------------------------------------------------
def verdict(analysis: Analysis) -> tuple[str, str, str]:
    """What was run, how near it came to what was commanded (or what mattered), and how near to the reference."""
    if not any(len(analysis.values.get(e, t, m)) for e in analysis.engines for t in analysis.tests
               for m in analysis.experiment.measures):  # fmt: skip
        return _run(analysis), _all_failed(analysis), "There is nothing to compare; fix that and run it again."
    return _run(analysis), _commanded(analysis), _reference(analysis)


def _all_failed(analysis: Analysis) -> str:
    """The most common error, where no trial gave a measure."""
    told = Counter(row.error for row in analysis.values.failures if row.error)
    if not told:
        return "No trial gave a measure."
    words, count = told.most_common(1)[0]
    return f"No trial gave a measure; {count} of them ended with: {words}"


def _run(analysis: Analysis) -> str:
    parts = []
    for engine in analysis.engines:
        count = sum(n for (source, _), n in analysis.values.counts.items() if source == engine)
        failed = sum(row.source == engine for row in analysis.values.failures)
        fell, told = analysis.falls(engine)
        words = f"{count} trials on {analysis.label(engine)}"
        notes = ([f"{failed} failed"] if failed else []) + (
            [f"{fell} of {told} fell" if fell else "none fell"] if told else []
        )
        parts.append(f"{words} ({', '.join(notes)})" if notes else words)
    tests = len(analysis.tests)
    return (
        f"{_listed(parts)} were carried out in {tests} test{'s' if tests != 1 else ''}, each perturbed by its own seed."
    )


def _commanded(analysis: Analysis) -> str:
    if not analysis.commanded_measures:
        return _what_matters(analysis)
    measure = analysis.commanded_measures[0]
    label = analysis.experiment.measures[measure].label or measure
    parts = []
    for engine in analysis.engines:
        errors = analysis.commanded_error(engine, measure)
        if errors:
            worst = max(errors, key=lambda test: errors[test])
            mean = sum(errors.values()) / len(errors)
            told = f"{_percent(mean)} on average and {_percent(errors[worst])} at worst (test {worst})"
            parts.append(f"by {told} on {analysis.label(engine)}")
    if not parts:
        return f"Nothing could be measured of the {label}."
    return f"Beside what was commanded, the {label} is off {_listed(parts)}."


def _what_matters(analysis: Analysis) -> str:
    """The factor that explains most of the first measure."""
    measure = next(iter(analysis.experiment.measures))
    label = analysis.experiment.measures[measure].label or measure
    parts = []
    for engine in analysis.engines:
        known = [each for each in analysis.factor_effects(engine, measure) if not math.isnan(each.fraction)]
        if known:
            top = max(known, key=lambda each: each.fraction)
            parts.append(
                f"on {analysis.label(engine)} {top.factor} explains {_percent(top.fraction, 0)} of its variation"
            )
    if not parts:
        return f"The {label} does not vary enough to name a factor that matters."
    return f"Of the {label}, {'; '.join(parts)}."


def _reference(analysis: Analysis) -> str:
    if not analysis.standard:
        return _between(analysis)
    commanded = [m for m in analysis.compared_measures if m in analysis.commanded_measures]
    if not commanded:
        return _beside(analysis)
    measure = commanded[0]
    errors = {s.source: s for s in analysis.standings if s.measure == measure}
    ours = []
    for engine in analysis.engines:
        if engine in errors:
            standing = errors[engine]
            same = sum(each.equivalent for each in standing.equivalent.values())
            ours.append(f"{analysis.label(engine)} is {_percent(standing.error)} away (equal within {MARGIN:.0%} in "
                        f"{same} of {len(standing.tests)} tests)")  # fmt: skip
    theirs = [f"{analysis.label(name)} {_percent(errors[name].error)}" for name in analysis.others if name in errors]
    standard = analysis.label(analysis.standard)
    words = f"From the {standard}, by |mean - mean| / commanded averaged over the tests, {_listed(ours)}"
    return f"{words}; of the others, {_listed(theirs)}." if theirs else f"{words}."


def _beside(analysis: Analysis) -> str:
    """How far engines are from the reference in the first measure that both have, where nothing was commanded."""
    if not analysis.compared_measures:
        return "The reference has no measure of this experiment."
    measure = analysis.experiment.measures[analysis.compared_measures[0]]
    parts = []
    for standing in analysis.standings:
        if standing.measure == measure.name and standing.source in analysis.engines:
            away = sum(abs(each.mean - each.reference) for each in standing.tests) / len(standing.tests)
            inside = sum(each.inside for each in standing.tests)
            unit = f" {measure.unit}" if measure.unit else ""
            parts.append(
                f"by {away:.3g}{unit} on {analysis.label(standing.source)} (within the range of those trials in "
                f"{inside} of {len(standing.tests)} tests)"
            )
    words = f"Beside the {analysis.label(analysis.standard)}, the {measure.label or measure.name} is off"
    return f"{words} {_listed(parts)}, on average over the tests."


def _between(analysis: Analysis) -> str:
    if len(analysis.engines) < 2:
        return "There is no reference to compare with; `experiment import` keeps trials of a real robot as one."
    known = [pair for pair in analysis.pairs if not math.isnan(pair.p)]
    if not known:
        return "One trial of each test is too few to compare engines."
    apart = [pair for pair in known if pair.p < 0.05]
    return (
        f"Between engines, {len(apart)} of {len(known)} differences of means are beyond chance (Welch's t test, 5 %, "
        f"corrected by Holm)."
    )


def _percent(fraction: float, digits: int = 1) -> str:
    return f"{100 * fraction:.{digits}f} %"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else "no trials"
