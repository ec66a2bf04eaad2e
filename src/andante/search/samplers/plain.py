"""Samplers that do not learn: the grid in random order without repetition, and random places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from andante.errors import BadInput
from andante.search.permutation import Permutation, derived_seed
from andante.search.space import Space, Value

from .base import Sampler, Shard, Told

BATCH = 64


class GridSampler(Sampler):
    """Every combination of the grid once, in an order that the seed shuffles, in constant memory."""

    adaptive = False

    def __init__(self, space: Space, seed: int, batch: int, shard: Shard) -> None:
        super().__init__(space, seed, batch or BATCH)
        if not space.cells:
            missing = [name for name, kind in zip(space.names, space.free, strict=True) if not kind.grid]
            raise BadInput(f"the grid sampler needs a step, levels or a grid for {', '.join(missing)}")
        self.shard = shard
        self._order = Permutation(space.cells, seed)

    def ask(self, generation: int) -> list[dict[str, Value]]:
        """The next combinations; none when all have been drawn."""
        locals_ = range(generation * self.batch, (generation + 1) * self.batch)
        indices = [self.shard.index(local) for local in locals_]
        return [self.space.cell(self._order[index]) for index in indices if index < self.space.cells]

    def tell(self, results: Sequence[Told]) -> None:
        """Nothing is learnt."""


class RandomSampler(Sampler):
    """Places drawn evenly from the unit cube; candidate k depends on seed and k alone."""

    adaptive = False

    def __init__(self, space: Space, seed: int, batch: int, shard: Shard) -> None:
        super().__init__(space, seed, batch or BATCH)
        self.shard = shard

    def ask(self, generation: int) -> list[dict[str, Value]]:
        """The next places."""
        locals_ = range(generation * self.batch, (generation + 1) * self.batch)
        return [self._at(self.shard.index(local)) for local in locals_]

    def tell(self, results: Sequence[Told]) -> None:
        """Nothing is learnt."""

    def _at(self, index: int) -> dict[str, Value]:
        rng = np.random.Generator(np.random.PCG64(derived_seed(self.seed, index)))
        return self.space.decode(rng.random(self.space.dimensions))
