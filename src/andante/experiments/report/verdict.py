"""The outcome of an experiment in three sentences."""

from __future__ import annotations

import math
from collections import Counter

from .analysis import MARGIN, Analysis


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
