"""MAP-Elites: the best candidate of every cell of a map of behaviours. Mouret and Clune 2015.

Children are x + s1 N(0, I) + s2 (y - x) N(0, 1) of two elites x, y (Vassiliades and Mouret 2018).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array
from andante.search.permutation import derived_seed
from andante.search.space import Space, Value

from .base import Sampler, Told, first_candidate

BATCH = 32


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


class ElitesSampler(Sampler):
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
        if not space.dimensions:
            raise BadInput("every parameter is frozen; nothing is left to search")
        super().__init__(space, seed, batch or BATCH)
        if startup < 1 or not spread >= 0 or not line >= 0:
            raise BadInput("elites needs startup >= 1, spread >= 0 and line >= 0")
        self.axes = parse_axes(axes) if axes else ()
        self.startup, self.spread, self.line = startup, spread, line
        self._first = first_candidate(space, start)
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
        candidates = [self.space.decode(place) for place in places]
        if generation == 0 and self._first is not None:
            candidates[0] = self._first
        return candidates

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
