"""CMA-ES by the `cmaes` library: restarts with growing populations, a margin for parameters with steps.

Hansen 2016; restarts of Auger and Hansen 2005; margin of Hamano et al. 2022.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array
from andante.search.permutation import derived_seed
from andante.search.space import Space, Value

from .base import Sampler, Told, first_candidate

GROWTH_LIMIT = 8  # the largest population in batches


class CmaesSampler(Sampler):
    """A normal distribution that moves and shapes itself toward the better candidates, in the unit cube.

    sigma: first standard deviation, as a fraction of each range.
    start: where the first run starts; else in the middle.
    growth: by how much the population grows with every restart.
    """

    def __init__(
        self,
        space: Space,
        seed: int,
        batch: int,
        *,
        sigma: float = 0.25,
        start: Mapping[str, Any] | None = None,
        growth: int = 2,
    ) -> None:
        if not space.dimensions:
            raise BadInput("every parameter is frozen; nothing is left to search")
        super().__init__(space, seed, batch or max(16, 2 * (4 + int(3 * log(space.dimensions)))))
        if not 0 < sigma <= 1:
            raise BadInput(f"sigma is a fraction of the ranges between 0 and 1, got {sigma}")
        if growth < 1:
            raise BadInput(f"growth is a factor of 1 or more, got {growth}")
        if self.batch < 4:
            raise BadInput(f"cmaes needs a batch of at least 4, got {self.batch}")
        self.sigma, self.growth = sigma, growth
        self.restarts = 0
        counts = np.array([kind.count for kind in space.free] + [0] * (space.dimensions == 1))
        self._discrete = bool((counts > 1).any())
        self._steps = np.where(counts > 1, 1.0 / np.maximum(counts, 1), 0.0)
        self._bounds = np.stack([0.5 * self._steps, 1.0 - 0.5 * self._steps], axis=-1)
        first = first_candidate(space, start)
        self._begin(None if first is None else space.encode(first))
        self._asked: dict[int, list[Array]] = {}
        self._results: list[tuple[Array, float]] = []
        self._generation = 0  # that is told next

    def ask(self, generation: int) -> list[dict[str, Value]]:
        """Candidates of the present distribution."""
        drawn = [self._draw() for _ in range(self.batch)]
        self._asked[generation] = [raw for _, raw in drawn]
        return [self.space.decode(x[: self.space.dimensions]) for x, _ in drawn]

    def tell(self, results: Sequence[Told]) -> None:
        """Move the distribution when a whole population is known; restart when it no longer moves."""
        raw = self._asked.pop(self._generation)
        self._generation += 1
        self._results += [(x, -told.fitness) for x, told in zip(raw, results, strict=True)]
        if len(self._results) < self._optimizer.population_size:
            return
        self._optimizer.tell(self._results)
        self._results = []
        if self._optimizer.should_stop():
            self.restarts += 1
            self._begin(None)

    def _draw(self) -> tuple[Array, Array]:
        if self._discrete:
            pair: tuple[Array, Array] = self._optimizer.ask()
            return pair
        x = self._optimizer.ask()
        return x, x

    def _begin(self, mean: Array | None) -> None:
        from cmaes import CMA, CMAwM

        size = len(self._steps)
        seed = derived_seed(self.seed, self.restarts)
        if mean is not None:
            mean = np.concatenate([mean, np.full(size - len(mean), 0.5)])
        elif self.restarts == 0:
            mean = np.full(size, 0.5)
        else:
            mean = np.random.Generator(np.random.PCG64(seed)).random(size)
        mean = np.clip(mean, self._bounds[:, 0], self._bounds[:, 1])
        population = self.batch * min(GROWTH_LIMIT, self.growth**self.restarts)
        more = {"bounds": self._bounds, "seed": seed, "population_size": population}
        self._optimizer: Any = (
            CMAwM(mean, self.sigma, steps=self._steps, **more) if self._discrete else CMA(mean, self.sigma, **more)
        )
