"""What a fit aims at: means of the reference by test and measure, each with the scale of its errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from andante.errors import BadInput, UnknownName
from andante.experiments.experiment import Experiment
from andante.experiments.table import Values
from andante.experiments.variation import level_key
from andante.search import Space

ENTRIES = ("per", "own", "hold_out", "compare", "space")


@dataclass(frozen=True)
class Targets:
    """Means by test and measure; scale: what was commanded in a test, in whose parts all its errors count."""

    means: Mapping[str, Mapping[str, float]]
    scales: Mapping[str, float]
    factors: Mapping[str, Mapping[str, Any]]

    def only(self, tests: Sequence[str]) -> Targets:
        """The targets of some tests."""
        return Targets(
            {test: self.means[test] for test in tests},
            {test: self.scales[test] for test in tests},
            {test: self.factors[test] for test in tests},
        )

    def as_dict(self) -> dict[str, Any]:
        """The targets as a table."""
        return {
            test: {"means": dict(self.means[test]), "scale": self.scales[test], "factors": dict(self.factors[test])}
            for test in self.means
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Targets:
        """The targets of a table as `as_dict` gives it."""
        return cls(
            {test: dict(entry["means"]) for test, entry in table.items()},
            {test: float(entry["scale"]) for test, entry in table.items()},
            {test: dict(entry["factors"]) for test, entry in table.items()},
        )


def compared(experiment: Experiment) -> tuple[str, ...]:
    """Measures that a fit compares: those of its table, else those with a command."""
    named = experiment.fit.get("compare") or [n for n, m in experiment.measures.items() if m.commanded]
    for name in named:
        if name not in experiment.measures:
            raise UnknownName.among("measure", str(name), experiment.measures, "fit.compare")
    if not named:
        raise BadInput("fit.compare: no measure to compare; name some")
    return tuple(named)


def targets_of(experiment: Experiment, reference: Values, standard: str) -> Targets:
    """Targets of every test that the reference has; errors count in parts of the first commanded measure."""
    if standard not in reference.sources:
        raise UnknownName.among("source", standard, reference.sources, f"reference {experiment.reference!r}")
    leading = next((name for name, measure in experiment.measures.items() if measure.commanded), None)
    means: dict[str, dict[str, float]] = {}
    scales: dict[str, float] = {}
    factors: dict[str, dict[str, Any]] = {}
    for cell in experiment.cells():
        test = experiment.test_of(cell)
        found = {m: reference.get(standard, test, m) for m in compared(experiment)}
        if any(len(values) == 0 for values in found.values()):
            continue
        commanded = None if leading is None else reference.commanded(test, leading)
        means[test] = {measure: float(values.mean()) for measure, values in found.items()}
        scales[test] = abs(commanded) if commanded else 1.0
        factors[test] = dict(cell)
    if not means:
        raise BadInput(f"the reference {experiment.reference!r} has no trial of {experiment.name}")
    return Targets(means, scales, factors)


def split(targets: Targets, held_out: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Tests to fit and tests that are left out."""
    for test in held_out:
        if test not in targets.means:
            raise UnknownName.among("test", test, targets.means, "the reference")
    fitted = tuple(test for test in targets.means if test not in held_out)
    if not fitted:
        raise BadInput("all tests are left out; leave some to fit")
    return fitted, tuple(dict.fromkeys(held_out))


def fit_space(experiment: Experiment, targets: Targets) -> Space:
    """The parameters to identify; those in `own` once for every level of the factor `per` among the targets."""
    table = experiment.fit
    for key in table:
        if key not in ENTRIES:
            raise BadInput(f"fit.{key}: no such entry; entries: {', '.join(ENTRIES)}")
    ranges = table.get("space")
    if not ranges:
        raise BadInput(f"fit.space: experiment {experiment.name!r} names no parameters to identify")
    per, own = str(table.get("per", "")), table.get("own", [])
    if own and per not in experiment.factors:
        raise BadInput(f"fit.per: must be a factor ({', '.join(experiment.factors)}), got {per!r}")
    for name in own:
        if name not in ranges:
            raise UnknownName.among("parameter", str(name), ranges, "fit.own")
    levels = dict.fromkeys(cell[per] for cell in targets.factors.values()) if own else {}
    spread: dict[str, Any] = {}
    for name, entry in ranges.items():
        if name in own:
            spread |= {level_key(name, per, level): entry for level in levels}
        else:
            spread[name] = entry
    try:
        return Space.from_dict(spread)
    except BadInput as error:
        raise BadInput(f"fit.space: {error}") from None
