"""Samplers by name and options: those that learn, those that do not (grid, random), and users' own (file.py:Name)."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any

import numpy as np

from andante.errors import BadInput, UnknownName
from andante.search.permutation import Permutation, derived_seed
from andante.search.space import Space, Value
from andante.userfile import is_user_reference, load_user_object

from .base import Sampler, Shard, Told
from .evolution import CmaesSampler, ElitesSampler
from .optuna import NsgaSampler, TpeSampler

__all__ = ["SAMPLERS", "Sampler", "Shard", "Told", "make_sampler"]

LEARNING: dict[str, Callable[..., Sampler]] = {
    "cmaes": CmaesSampler,
    "tpe": TpeSampler,
    "nsga2": NsgaSampler,
    "elites": ElitesSampler,
}
SAMPLERS = ("grid", "random", *LEARNING)
USER_BATCH = 16
BATCH = 64


class FixedSampler(Sampler):
    """Learns nothing: candidate k depends on seed and k alone; a shard is a slice of the whole."""

    adaptive = False

    def __init__(self, space: Space, seed: int, batch: int, shard: Shard) -> None:
        super().__init__(space, seed, batch or BATCH)
        self.shard = shard
        self.count = inf  # of all candidates

    def ask(self, generation: int) -> list[dict[str, Value]]:
        """The next candidates; none when all have been drawn."""
        locals_ = range(generation * self.batch, (generation + 1) * self.batch)
        return [self.candidate(index) for index in map(self.shard.index, locals_) if index < self.count]

    def tell(self, results: Sequence[Told]) -> None:
        """Nothing is learned."""

    @abstractmethod
    def candidate(self, index: int) -> dict[str, Value]:
        """The candidate of that number."""


class GridSampler(FixedSampler):
    """Every combination of the grid once, in an order that the seed shuffles, in constant memory."""

    def __init__(self, space: Space, seed: int, batch: int, shard: Shard) -> None:
        super().__init__(space, seed, batch, shard)
        if not space.cells:
            missing = [name for name, kind in zip(space.names, space.free, strict=True) if not kind.grid]
            raise BadInput(f"the grid sampler needs a step, levels or a grid for {', '.join(missing)}")
        self.count = space.cells
        self._order = Permutation(space.cells, seed)

    def candidate(self, index: int) -> dict[str, Value]:
        """A combination."""
        return self.space.cell(self._order[index])


class RandomSampler(FixedSampler):
    """Places drawn evenly from the unit cube."""

    def candidate(self, index: int) -> dict[str, Value]:
        """A place."""
        rng = np.random.Generator(np.random.PCG64(derived_seed(self.seed, index)))
        return self.space.decode(rng.random(self.space.dimensions))


class UserSampler(Sampler):
    """A user's class with `ask(generation)` and `tell(results)`, made by Name(space, seed, batch, **options).

    The attributes adaptive, lag and replays are taken over where the class has them.
    """

    def __init__(
        self, reference: str, space: Space, seed: int, batch: int, shard: Shard, options: Mapping[str, Any]
    ) -> None:
        super().__init__(space, seed, batch or USER_BATCH)
        factory = load_user_object(reference)
        try:
            self.inner = factory(space, seed, self.batch, **options)
        except TypeError as error:
            raise BadInput(
                f"{reference} cannot be made with (space, seed, batch) and {dict(options)}: {error}"
            ) from error
        if not callable(getattr(self.inner, "ask", None)) or not callable(getattr(self.inner, "tell", None)):
            raise BadInput(f"{reference} needs ask(generation) and tell(results)")
        self.reference = reference
        self.adaptive = bool(getattr(self.inner, "adaptive", True))
        self.lag = int(getattr(self.inner, "lag", 0))
        self.replays = bool(getattr(self.inner, "replays", True))

    def ask(self, generation: int) -> list[dict[str, Value]]:
        """What the user's class proposes, moved into the space."""
        asked = self.inner.ask(generation)
        if not isinstance(asked, Sequence) or not all(isinstance(entry, Mapping) for entry in asked):
            raise BadInput(f"{self.reference}: ask gives a list of tables of parameters, got {type(asked).__name__}")
        if len(asked) > self.batch:
            raise BadInput(f"{self.reference}: ask gives at most {self.batch} candidates, got {len(asked)}")
        return [self.space.clip({**entry, **self.space.frozen}) for entry in asked]

    def tell(self, results: Sequence[Told]) -> None:
        """Hand the results on."""
        self.inner.tell(results)


def make_sampler(
    name: str,
    space: Space,
    seed: int,
    batch: int = 0,
    shard: Shard = Shard(),  # noqa: B008 (a frozen value)
    options: Mapping[str, Any] | None = None,
) -> Sampler:
    """The sampler of that name (grid, random, cmaes, tpe, nsga2, elites) or of a user's file.py:Name.

    batch: candidates that are asked for together; 0: the sampler's own choice. A shard of grid or random is a slice of
    the whole; a shard of one that learns is an island with a seed of its own.
    """
    chosen = dict(options or {})
    island = seed if shard.count == 1 else derived_seed(seed, shard.number, shard.count)
    if is_user_reference(name):
        return UserSampler(name, space, island, batch, shard, chosen)
    if name in ("grid", "random"):
        if chosen:
            raise BadInput(f"the sampler {name} has no options, got {', '.join(chosen)}")
        return (GridSampler if name == "grid" else RandomSampler)(space, seed, batch, shard)
    if name not in LEARNING:
        raise UnknownName.among("sampler", name, (*SAMPLERS, "file.py:Name"))
    kind = LEARNING[name]
    known = [key for key, entry in inspect.signature(kind).parameters.items() if entry.kind is entry.KEYWORD_ONLY]
    for key in chosen:
        if key not in known:
            raise UnknownName.among(f"option of {name}", key, known)
    try:
        return kind(space, island, batch, **chosen)
    except TypeError as error:
        raise BadInput(f"options of the sampler {name}: {error}") from None
