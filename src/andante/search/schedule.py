"""Which candidate comes next: batches from the sampler in a fixed order, whatever the workers' timing.

Before batch g is asked for, exactly the batches 0 .. g-1-lag are told. What is known from an earlier session is
taken in the same order, so that a study goes on as if it had never stopped.
"""

from __future__ import annotations

from collections.abc import Mapping

from andante.errors import BadInput

from .record import Record, Task, candidate_seed
from .results import IndexSet
from .samplers import Sampler, Shard, Told


class Schedule:
    """The candidates of a study up to its budget; each is handed out once."""

    def __init__(self, sampler: Sampler, shard: Shard, budget: int, seed: int) -> None:
        self.sampler, self.shard, self.seed = sampler, shard, seed
        self.limit = max(0, -(-(budget - shard.number) // shard.count))  # candidates of this shard
        self.drift: int | None = None  # first known candidate that the sampler would not propose now
        self._done = IndexSet()
        self._queue: dict[int, Task] = {}  # asked for, neither known nor handed out, by number within the shard
        self._results: dict[int, dict[int, Told]] = {}  # not told yet, by batch
        self._generation = 0  # asked for next
        self._told = 0  # told next

    @property
    def done(self) -> int:
        """How many candidates are known."""
        return len(self._done)

    def restore(self, record: Record) -> None:
        """Take in a result of an earlier session, in the order of the file."""
        local = self._take(record)
        task = self._queue.pop(local, None)
        if task is not None and not _same(task.parameters, record.parameters) and self.drift is None:
            self.drift = record.index
        if not self.sampler.adaptive:
            return
        if self.sampler.replays:
            while self._ready():
                self._ask()
        else:
            while self._complete(self._generation) and self._ready():
                self._generation += 1

    def next(self) -> Task | None:
        """The next candidate to evaluate; None when there is none until more results are known, or at all."""
        while not self._queue:
            first = self._generation * self.sampler.batch
            if first >= self.limit:
                return None
            if not self.sampler.adaptive and self._all_done(first):
                self._generation += 1
            elif self._ready():
                self._ask()
            else:
                return None
        local = next(iter(self._queue))
        if local >= self.limit:
            return None
        return self._queue.pop(local)

    def finish(self, record: Record) -> None:
        """Take in the result of a candidate that `next` gave."""
        self._take(record)

    def _take(self, record: Record) -> int:
        local = self.shard.local(record.index)
        if not self._done.add(local):
            raise BadInput(f"candidate {record.index} is known already")
        if self.sampler.adaptive:
            self._results.setdefault(local // self.sampler.batch, {})[local] = record.told()
        return local

    def _complete(self, generation: int) -> bool:
        return len(self._results.get(generation, ())) == self.sampler.batch

    def _ready(self) -> bool:
        """Tell what must be told before the next batch is asked for; False when some of it is not known yet."""
        if self.sampler.adaptive:
            while self._told < self._generation - self.sampler.lag:
                if not self._complete(self._told):
                    return False
                results = self._results.pop(self._told)
                self.sampler.tell([results[local] for local in sorted(results)])
                self._told += 1
        return True

    def _ask(self) -> None:
        first = self._generation * self.sampler.batch
        asked = self.sampler.ask(self._generation)
        if len(asked) < self.sampler.batch:
            self.limit = min(self.limit, first + len(asked))
        known = self._results.get(self._generation, {})
        for local, parameters in enumerate(asked, first):
            if local in self._done:
                told = known.get(local)
                if told is not None and not _same(parameters, told.parameters) and self.drift is None:
                    self.drift = told.index
                continue
            index = self.shard.index(local)
            self._queue[local] = Task(index, parameters, candidate_seed(self.seed, index))
        self._generation += 1

    def _all_done(self, first: int) -> bool:
        return all(local in self._done for local in range(first, min(self.limit, first + self.sampler.batch)))


def _same(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    return dict(one) == dict(other)
