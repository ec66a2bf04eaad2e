"""What a fit aims at and searches: parameters in, how far trials are from the reference out; and a first guess.

Targets are means of the reference by test and measure, each with the scale of its errors.

The guess takes the walking robot for a point on an arc: odometry that counts d means a way of s = stride d; the heading
is aim + curl s, so that the end lies in the direction of aim + h with h = curl s / 2, as far away as the chord
s sin(h) / h.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from andante.errors import BadInput, UnknownName
from andante.experiments.definition import from_dict
from andante.experiments.experiment import Experiment
from andante.experiments.objective import TrialObjective
from andante.experiments.perturbed import BODY, STEPS
from andante.experiments.table import Values
from andante.experiments.variation import level_key, model_at
from andante.geometry import Array
from andante.search import Space

REMAIN = 0.01  # how strongly parameters that the end positions do not determine stay where they are
STAY = 0.02  # price of a parameter at the other end of its range, in parts of what was commanded
FALL = 1.0  # price of a fall
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


# ---- a first guess -------------------------------------------------------------------------------
def usual_values(space: Space) -> dict[str, float]:
    """What parameters are when nothing is identified: no error at all, else the middle of the range."""
    known = {**BODY, **STEPS}
    middle = space.decode([0.5] * space.dimensions)
    return {name: known.get(name.partition("@")[0], float(middle[name])) for name in space}


def end_of_arc(distance: float, stride: float, curl: float, aim: float) -> tuple[float, float]:
    """End (x, y) [m] of a walk on an arc whose odometry counts `distance` [m]."""
    s = stride * distance
    half = 0.5 * curl * s
    chord = s * float(np.sinc(half / math.pi))
    return chord * math.cos(aim + half), chord * math.sin(aim + half)


def predicted(model: Mapping[str, float], factors: Mapping[str, Any]) -> dict[str, float]:
    """Measures of a walk by the arc alone."""
    here = model_at(model, factors)
    if "turn" in factors:
        turn = float(factors["turn"])
        return {"turned": turn * here.get("turn_left" if turn > 0 else "turn_right", 1.0)}
    stride, curl, aim = (here.get(name, STEPS[name]) for name in ("stride", "curl", "aim"))
    x, y = end_of_arc(float(factors["distance"]), stride, curl, aim)
    return {"x": x, "y": y, "planar": math.hypot(x, y)}


def can_guess(experiment: Experiment) -> bool:
    """Whether the arc model applies to an experiment."""
    return experiment.trial == "walk" and bool({"distance", "turn"} & set(experiment.factors))


def guess(space: Space, targets: Targets, start: Mapping[str, float]) -> dict[str, float]:
    """Parameters of steps that the arc needs to come to the targets, by least squares; the others stay as they are."""
    names = [name for name in space.names if name.partition("@")[0] in STEPS]
    if not names:
        return dict(start)
    low = np.array([float(getattr(space.parameters[name], "low", -math.inf)) for name in names])
    high = np.array([float(getattr(space.parameters[name], "high", math.inf)) for name in names])
    first = np.clip([start[name] for name in names], low + 1e-9, high - 1e-9)

    def left(x: Array) -> Array:
        model = {**start, **dict(zip(names, x.tolist(), strict=True))}
        gaps = []
        for test, means in targets.means.items():
            told = predicted(model, targets.factors[test])
            gaps += [(told[m] - mean) / targets.scales[test] for m, mean in means.items() if m in told]
        return np.array([*gaps, *(REMAIN * (x - first))])

    found = least_squares(left, first, bounds=(low, high)).x
    return {**start, **dict(zip(names, found.tolist(), strict=True))}


def moved(aim: Targets, real: Targets, reached: Mapping[str, Mapping[str, float]]) -> Targets:
    """Targets for the next guess: the aim moved by as much as what was reached misses the real targets."""
    means = {
        test: {m: value + real.means[test][m] - reached[test][m] for m, value in entry.items()}
        for test, entry in aim.means.items()
    }
    return Targets(means, real.scales, real.factors)


# ---- the objective -------------------------------------------------------------------------------
class FitObjective:
    """An `Objective`: minus the mean error over tests and measures, |mean - target| / commanded, and a small price for
    parameters far from their usual values, so that those which the trials do not determine stay there.

    repeats: trials of every test, with the perturbations of the experiment.
    """

    def __init__(
        self, experiment: Mapping[str, Any], engine: str, targets: Mapping[str, Any], repeats: int = 1
    ) -> None:
        self.experiment = from_dict(experiment)
        self.engine, self.repeats = engine, repeats
        self.targets = Targets.from_dict(targets)
        self.space: Space = fit_space(self.experiment, self.targets)
        self._usual = self.space.encode(usual_values(self.space))
        self._table = {key: value for key, value in self.experiment.as_dict().items() if key != "fit"}

    def evaluate(self, parameters: Mapping[str, Any], seed: int = 0) -> dict[str, Any]:
        """The fitness of a model, and what every test came to."""
        reached, falls = self.reached(parameters)
        errors = self.errors(reached)
        away = float(np.mean((self.space.encode(parameters) - self._usual) ** 2))
        price = sum(map(sum, (each.values() for each in errors.values()))) / len(errors)
        fitness = -(price + FALL * falls / max(1, len(errors) * self.repeats) + STAY * away)
        return {"fitness": fitness, "error": price, "falls": falls, "reached": reached}

    def reached(self, model: Mapping[str, Any]) -> tuple[dict[str, dict[str, float]], int]:
        """Means by test and measure under a model, and how many trials fell."""
        trials = TrialObjective(self._table, {name: float(value) for name, value in model.items()})
        means: dict[str, dict[str, float]] = {}
        falls = 0
        for test, factors in self.targets.factors.items():
            told = []
            for trial in range(self.repeats):
                done = trials.evaluate({"engine": self.engine, "trial": trial, **factors})["measures"]
                falls += bool(done.get("fallen"))
                told.append([float(done[measure]) for measure in self.targets.means[test]])
            means[test] = dict(zip(self.targets.means[test], np.mean(told, axis=0).tolist(), strict=True))
        return means, falls

    def errors(self, reached: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """|reached - target| / commanded by test and measure."""
        return {
            test: {m: abs(reached[test][m] - mean) / self.targets.scales[test] for m, mean in means.items()}
            for test, means in self.targets.means.items()
        }

    def stamp(self) -> dict[str, Any]:
        """What the trials themselves depend on."""
        return {**TrialObjective(self._table).stamp(), "engine": self.engine, "repeats": self.repeats}
