"""What a sampler is: it is asked for a batch of candidates and told how good those of a batch were.

Candidates depend on the seed and on the results told, never on timing: before batch g is asked for, exactly the batches
0 .. g-1-lag have been told, each in the order of its candidates.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from andante.errors import BadInput
from andante.search.space import Space, Value

WORST = -1e300  # fitness of candidates that failed


@dataclass(frozen=True)
class Told:
    """How good a candidate was."""

    index: int
    parameters: Mapping[str, Value]
    fitness: float  # larger is better; WORST when it failed
    failed: bool = False
    objectives: tuple[float, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Shard:
    """Part `number` (from 0) of `count` of a study: candidate k of this part is candidate k count + number of all."""

    number: int = 0
    count: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.number < self.count <= 1_000_000:
            raise BadInput(f"a shard is i/n with i from 0 to n-1, got {self.number}/{self.count}")

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard that "i/n" means."""
        first, sign, second = text.partition("/")
        if not (sign and first.strip().isdecimal() and second.strip().isdecimal()):
            raise BadInput(f"a shard is written i/n with i from 0 to n-1, got {text!r}")
        return cls(int(first), int(second))

    def index(self, local: int) -> int:
        """The number among all candidates of this part's candidate `local`."""
        return local * self.count + self.number

    def local(self, index: int) -> int:
        """The number within this part of candidate `index`; BadInput when it belongs to another part."""
        local, number = divmod(index, self.count)
        if number != self.number:
            raise BadInput(f"candidate {index} belongs to shard {number}/{self.count}, this is {self}")
        return local

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


class Sampler(ABC):
    """Proposes candidates in batches of constant size.

    adaptive: it learns; otherwise `ask` depends on the number of the batch alone and `tell` is never called.
    lag: how many batches may be asked for before the results of the first of them are told.
    replays: asking changes it, so that a study that is taken up again asks again for what is already known.
    """

    adaptive: bool = True
    lag: int = 0
    replays: bool = True

    def __init__(self, space: Space, seed: int, batch: int) -> None:
        if batch < 1:
            raise BadInput(f"a batch holds at least one candidate, got {batch}")
        self.space = space
        self.seed = seed
        self.batch = batch

    @abstractmethod
    def ask(self, generation: int) -> list[dict[str, Value]]:
        """The candidates of batch `generation` (from 0); fewer than `batch` only where there are no more."""

    @abstractmethod
    def tell(self, results: Sequence[Told]) -> None:
        """Take in the results of one batch."""


class LearningSampler(Sampler):
    """A sampler of our own that learns, and may begin with a candidate that is known to be good.

    usual: size of a batch where none is asked for. start: parameters of the first candidate, moved into the space.
    """

    def __init__(self, space: Space, seed: int, batch: int, usual: int, start: Mapping[str, Any] | None = None) -> None:
        if not space.dimensions:
            raise BadInput("every parameter is frozen; nothing is left to search")
        super().__init__(space, seed, batch or usual)
        if start is not None and not isinstance(start, Mapping):
            raise BadInput("start is a table of parameters")
        self.first = None if start is None else space.clip({**start, **space.frozen})

    def with_first(self, generation: int, candidates: list[dict[str, Value]]) -> list[dict[str, Value]]:
        """The candidates of a batch; in the first one the first candidate goes ahead."""
        return [self.first, *candidates[1:]] if generation == 0 and self.first is not None else candidates
