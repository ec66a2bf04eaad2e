"""NSGA-II by `optuna`: several aims at once, candidates that none other beats in all of them. Deb et al. 2002."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from andante.errors import BadInput
from andante.search.permutation import derived_seed
from andante.search.space import Space, Value

from ._optuna import chosen, distributions_of, found, quiet
from .base import Sampler, Told

BATCH = 32
FAILED = -1e12  # value of every aim of a candidate that failed


class NsgaSampler(Sampler):
    """A population per batch, the first one random; the objective's "objectives" are the aims, larger is better."""

    def __init__(self, space: Space, seed: int, batch: int) -> None:
        if not space.dimensions:
            raise BadInput("every parameter is frozen; nothing is left to search")
        super().__init__(space, seed, batch or BATCH)
        if self.batch < 4:
            raise BadInput(f"nsga2 needs a batch of at least 4, got {self.batch}")
        self.aims = 0  # how many there are; the first results tell
        self._distributions = distributions_of(space)
        self._study: Any = None
        self._asked: list[Any] = []

    def ask(self, generation: int) -> list[dict[str, Value]]:
        """The next population."""
        if generation == 0:
            rng = np.random.Generator(np.random.PCG64(derived_seed(self.seed, 1)))
            return [self.space.decode(place) for place in rng.random((self.batch, self.space.dimensions))]
        with quiet():
            self._asked = [self._study.ask(self._distributions) for _ in range(self.batch)]
        return [found(self.space, trial.params) for trial in self._asked]

    def tell(self, results: Sequence[Told]) -> None:
        """Take in a whole population."""
        with quiet():
            if self._study is None:
                self._begin(results)
            for trial, told in zip(self._asked, results, strict=True):
                if not told.failed and len(told.objectives) != self.aims:
                    raise BadInput(
                        f'candidate {told.index} has {len(told.objectives)} "objectives", others {self.aims}; '
                        "nsga2 needs the same number everywhere"
                    )
                self._study.tell(trial, [FAILED] * self.aims if told.failed else list(told.objectives))

    def _begin(self, results: Sequence[Told]) -> None:
        """Hand the first population to optuna."""
        import optuna

        self.aims = max((len(told.objectives) for told in results if not told.failed), default=2)
        if self.aims < 2:
            raise BadInput('nsga2 weighs two aims or more; the objective gives them as a list "objectives"')
        sampler = optuna.samplers.NSGAIISampler(
            population_size=self.batch,
            crossover=optuna.samplers.nsgaii.SBXCrossover(),  # children lie between and beyond their parents
            seed=derived_seed(self.seed, 0),
        )
        self._study = optuna.create_study(directions=["maximize"] * self.aims, sampler=sampler)
        for told in results:
            self._study.enqueue_trial(chosen(self.space, told.parameters))
        self._asked = [self._study.ask(self._distributions) for _ in results]
        for trial in self._asked:
            _ = trial.relative_params  # makes optuna count it to the first generation
