"""Evolution: CMA-ES and MAP-Elites.

CMA-ES (Hansen 2016) by the `cmaes` library: restarts with growing populations (Auger and Hansen 2005), a margin for
parameters with steps (Hamano et al. 2022). MAP-Elites (Mouret and Clune 2015) keeps the best candidate of every cell of
a map of behaviors; children are x + s1 N(0, I) + s2 (y - x) N(0, 1) of two elites x, y (Vassiliades and Mouret 2018).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array
from andante.search.permutation import derived_seed
from andante.search.space import Space, Value

from .base import LearningSampler, Told

BATCH = 32  # of MAP-Elites
GROWTH_LIMIT = 8  # the largest population in batches


class CmaesSampler(LearningSampler):
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
        super().__init__(space, seed, batch, max(16, 2 * (4 + int(3 * log(max(1, space.dimensions))))), start)
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
        self._begin(None if self.first is None else space.encode(self.first))
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


@dataclass(frozen=True)
class Axis:
    """One axis of the map: a figure of the objective (or a parameter) from low to high in equal cells."""

    name: str
    low: float
    high: float
    cells: int

    def cell(self, told: Told) -> int | None:
        """In which cell a candidate lies; None when the figure is missing."""
        value = told.figures.get(self.name, told.parameters.get(self.name))
        if isinstance(value, str) or value is None:
            return None
        place = (float(value) - self.low) / (self.high - self.low)
        return min(self.cells - 1, max(0, int(place * self.cells)))


def parse_axes(text: str) -> tuple[Axis, ...]:
    """Axes from "name:low:high:cells,name:low:high:cells"."""
    axes = []
    for part in text.split(","):
        words = part.strip().split(":")
        try:
            name, low, high, cells = words[0], float(words[1]), float(words[2]), int(words[3])
            if len(words) != 4 or not name or not -1e12 < low < high < 1e12 or not 1 <= cells <= 10_000:
                raise ValueError
        except (ValueError, IndexError):
            raise BadInput(f"an axis of the map is name:low:high:cells, like drift:-0.2:0.2:16, got {part!r}") from None
        axes.append(Axis(name, low, high, cells))
    return tuple(axes)


class ElitesSampler(LearningSampler):
    """Random candidates first, then children of the elites.

    axes: "name:low:high:cells,..." of figures or parameters; else the first two free parameters in 16 cells each.
    startup: how many batches of random candidates come first. spread, line: s1 and s2 above.
    """

    lag = 1
    replays = False

    def __init__(
        self,
        space: Space,
        seed: int,
        batch: int,
        *,
        axes: str = "",
        startup: int = 4,
        spread: float = 0.02,
        line: float = 0.2,
        start: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(space, seed, batch, BATCH, start)
        if startup < 1 or not spread >= 0 or not line >= 0:
            raise BadInput("elites needs startup >= 1, spread >= 0 and line >= 0")
        self.axes = parse_axes(axes) if axes else ()
        self.startup, self.spread, self.line = startup, spread, line
        self.elites: dict[tuple[int, ...], Told] = {}
        self._places: list[Array] = []  # of the elites in the unit cube, in the order in which cells were found
        self._rows: dict[tuple[int, ...], int] = {}

    def ask(self, generation: int) -> list[dict[str, Value]]:
        """Random places or children of the elites."""
        rng = np.random.Generator(np.random.PCG64(derived_seed(self.seed, generation)))
        shape = (self.batch, self.space.dimensions)
        if generation < self.startup or not self._places:
            places = rng.random(shape)
        else:
            elites = np.array(self._places)
            x = elites[rng.integers(len(elites), size=self.batch)]
            y = elites[rng.integers(len(elites), size=self.batch)]
            places = (
                x + self.spread * rng.standard_normal(shape) + self.line * (y - x) * rng.standard_normal((len(x), 1))
            )
        return self.with_first(generation, [self.space.decode(place) for place in places])

    def tell(self, results: Sequence[Told]) -> None:
        """Put every candidate into its cell where it beats the one there."""
        for told in results:
            cell = self.cell(told)
            if cell is None or (cell in self.elites and self.elites[cell].fitness >= told.fitness):
                continue
            place = self.space.encode(told.parameters)
            if cell not in self._rows:
                self._rows[cell] = len(self._places)
                self._places.append(place)
            else:
                self._places[self._rows[cell]] = place
            self.elites[cell] = told

    def cell(self, told: Told) -> tuple[int, ...] | None:
        """The cell of the map in which a candidate lies; None when it failed or lacks a figure."""
        if told.failed:
            return None
        if not self.axes:
            return tuple(np.minimum(15, (self.space.encode(told.parameters)[:2] * 16).astype(int)).tolist())
        cells = [axis.cell(told) for axis in self.axes]
        return None if None in cells else tuple(cell for cell in cells if cell is not None)
