"""What a fit searches: parameters in, how far the trials are from the reference out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from andante.experiments.definition import from_dict
from andante.experiments.objective import TrialObjective
from andante.search import Space

from .guess import usual_values
from .targets import Targets, fit_space

STAY = 0.02  # price of a parameter at the other end of its range, in parts of what was commanded
FALL = 1.0  # price of a fall


class FitObjective:
    """An `Objective`: minus the mean error over tests and measures, |mean - target| / commanded, and a small price for
    parameters far from their usual values, so that those which the trials do not tell stay there.

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
