"""NSGA-II by `optuna`: several aims at once, candidates that none other beats in all of them. Deb et al. 2002."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from andante.errors import BadInput
from andante.search.permutation import derived_seed
from andante.search.space import Space, Value

from ._optuna import distributions_of, found, quiet
from .base import Sampler, Told

BATCH = 32
FAILED = -1e12  # value of every aim of a candidate that failed


class NsgaSampler(Sampler):
    """A population per batch; the objective's "objectives" are the aims, larger is better.

    aims: how many there are.
    """

    def __init__(self, space: Space, seed: int, batch: int, *, aims: int = 2) -> None:
        if not space.dimensions:
            raise BadInput("every parameter is frozen; nothing is left to search")
        super().__init__(space, seed, batch or BATCH)
        if aims < 2:
            raise BadInput(f"nsga2 weighs two aims or more, got {aims}")
        if self.batch < 4:
            raise BadInput(f"nsga2 needs a batch of at least 4, got {self.batch}")
        import optuna

        self.aims = aims
        self._distributions = distributions_of(space)
        with quiet():
            sampler = optuna.samplers.NSGAIISampler(population_size=self.batch, seed=derived_seed(seed, 0))
            self._study = optuna.create_study(directions=["maximize"] * aims, sampler=sampler)
        self._asked: list[Any] = []

    def ask(self, generation: int) -> list[dict[str, Value]]:
        """The next population."""
        with quiet():
            self._asked = [self._study.ask(self._distributions) for _ in range(self.batch)]
        return [found(self.space, trial.params) for trial in self._asked]

    def tell(self, results: Sequence[Told]) -> None:
        """Take in a whole population."""
        with quiet():
            for trial, told in zip(self._asked, results, strict=True):
                if not told.failed and len(told.objectives) != self.aims:
                    raise BadInput(
                        f"nsga2 weighs {self.aims} aims, the objective gave {len(told.objectives)} in its "
                        '"objectives"; set the option aims, or take another sampler'
                    )
                self._study.tell(trial, [FAILED] * self.aims if told.failed else list(told.objectives))
