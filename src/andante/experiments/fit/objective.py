"""What a fit searches: parameters in, how far the trials are from the reference out; and a first guess of them.

The guess takes the walking robot for a point on an arc: odometry that counts d means a way of s = stride d; the heading
is aim + curl s, so that the end lies in the direction of aim + h with h = curl s / 2, as far away as the chord
s sin(h) / h.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from andante.experiments.definition import from_dict
from andante.experiments.experiment import Experiment
from andante.experiments.objective import TrialObjective
from andante.experiments.perturbed import BODY, STEPS
from andante.experiments.variation import model_at
from andante.geometry import Array
from andante.search import Space

from .targets import Targets, fit_space

REMAIN = 0.01  # how strongly parameters that the end positions do not determine stay where they are


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


STAY = 0.02  # price of a parameter at the other end of its range, in parts of what was commanded
FALL = 1.0  # price of a fall


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
