"""The loop of a search: candidates to the executor, results to the file, events to the listener."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from math import inf, nan
from pathlib import Path

from andante.errors import AndanteError, BadInput

from .config import StudyConfig
from .executors import Executor, Outcome, check_executor, make_executor
from .folder import StudyFolder, StudyWriter, stamp_of
from .objective import ObjectiveSpec
from .progress import Ended, Evaluated, Event, Notice, Started
from .record import IndexSet, Record, Task, candidate_seed, record_of
from .samplers import Sampler, Shard, Told

POLL = 0.5  # [s]
SUSPICIOUS = 8  # this many failures at the start are reported


class Schedule:
    """The candidates of a study up to its budget; each is handed out once, in an order that no worker's timing changes.

    Before batch g is asked for, exactly the batches 0 .. g-1-lag are told. What is known from an earlier session is
    taken in the same order, so that a study resumes as if it had never stopped.
    """

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


def search(
    path: Path | str,
    config: StudyConfig,
    *,
    workers: int | None = None,
    executor: str = "local",
    timeout: float | None = None,
    seconds: float | None = None,
    listen: Callable[[Event], None] | None = None,
) -> Ended:
    """Create a study and run it to its budget.

    Args:
        path: a folder that is empty or not there yet.
        config: objective, space, sampler, seed and budget.
        workers: number of processes; None: one per processor, 0: evaluate in this process.
        executor: "local" or "ray".
        timeout: of one candidate [s].
        seconds: time after which no more candidates are started; `resume` continues.
        listen: called with every event.

    Returns:
        The last event: number of candidates, rate and the best one.
    """
    check_executor(executor, workers, timeout)
    folder = StudyFolder.create(path, config)
    return _last(events(folder, workers=workers, executor=executor, timeout=timeout, seconds=seconds), listen)


def resume(
    path: Path | str,
    *,
    budget: int | None = None,
    workers: int | None = None,
    executor: str = "local",
    timeout: float | None = None,
    seconds: float | None = None,
    listen: Callable[[Event], None] | None = None,
) -> Ended:
    """Continue a study, to another budget if one is given, with the candidates it would have had without a stop.

    Arguments as in `search`.
    """
    folder = StudyFolder.open(path)
    return _last(
        events(folder, budget=budget, workers=workers, executor=executor, timeout=timeout, seconds=seconds), listen
    )


def events(
    folder: StudyFolder,
    *,
    budget: int | None = None,
    workers: int | None = None,
    executor: str = "local",
    timeout: float | None = None,
    seconds: float | None = None,
    make: Callable[[ObjectiveSpec], Executor] | None = None,
) -> Iterator[Event]:
    """Run a study and give its events one by one; closing the iterator ends it, nothing finished is lost.

    seconds: after which no more candidates are begun. make: gives an executor of one's own instead of the named one.
    """
    with folder.writing(budget) as writer:
        config = writer.folder.config
        schedule = Schedule(config.make_sampler(), config.shard, config.budget, config.seed)
        best: Record | None = None
        for record in writer.known():
            schedule.restore(record)
            best = better(best, record)
        if writer.torn:
            yield Notice(writer.torn)
        if schedule.drift is not None:
            yield Notice(
                f"candidate {schedule.drift} is another than {config.sampler} proposes now (other versions?); "
                "the study goes on with the recorded ones"
            )
        if schedule.done >= schedule.limit:
            yield Started(folder.path, schedule.done, schedule.limit, 0, best)
            yield Ended(schedule.done, 0, 0.0, None, best)
            return
        stamp = stamp_of(config, config.objective.build())
        pool = make(config.objective) if make else make_executor(executor, config.objective, workers, timeout)
        try:
            changed = writer.begin(stamp, pool.name, pool.workers)
            if changed:
                yield Notice(f"since the last session have changed: {', '.join(changed)}; results may differ")
            yield Started(folder.path, schedule.done, schedule.limit, pool.workers, best)
            yield from _loop(schedule, pool, writer, best, seconds)
        finally:
            pool.close()


def _loop(
    schedule: Schedule, pool: Executor, writer: StudyWriter, best: Record | None, seconds: float | None
) -> Iterator[Event]:
    started, evaluated = time.perf_counter(), 0
    first, rate, alive = started, nan, False
    until = inf if seconds is None else started + seconds
    ready: deque[Outcome] = deque()
    try:
        while True:
            _feed(schedule, pool, until)
            if not pool.busy:
                break
            ready.extend(pool.wait(POLL))
            _feed(schedule, pool, until)  # nobody idles while results are written
            while ready:
                outcome = ready.popleft()
                record = record_of(outcome.task, outcome.figures, outcome.error)
                writer.append(record)
                schedule.finish(record)
                evaluated += 1
                before, best = best, better(best, record)
                if evaluated == 1:
                    first = time.perf_counter()
                else:
                    rate = (evaluated - 1) / max(1e-9, time.perf_counter() - first)
                left = (schedule.limit - schedule.done) / rate
                alive = alive or not record.failed
                if not alive and evaluated == SUSPICIOUS:
                    yield Notice(f"the first {evaluated} evaluations of this session all failed: {record.error}")
                yield Evaluated(record, schedule.done, schedule.limit, rate, left, best, best is not before)
    except BaseException:
        for outcome in (*ready, *_finished(pool)):  # what is finished is kept
            writer.append(record_of(outcome.task, outcome.figures, outcome.error))
        raise
    seconds_taken = time.perf_counter() - started
    yield Ended(schedule.done, evaluated, seconds_taken, rate if evaluated > 1 else None, best)


def _finished(pool: Executor) -> list[Outcome]:
    """Outcomes that are ready; none when workers have died, which the error that ends the study explains."""
    try:
        return pool.wait(0.0)
    except AndanteError:
        return []


def _feed(schedule: Schedule, pool: Executor, until: float) -> None:
    while pool.free and time.perf_counter() < until:
        task = schedule.next()
        if task is None:
            return
        pool.submit(task)


def better(best: Record | None, record: Record) -> Record | None:
    """The fitter of the two, the earlier candidate when they are equal."""
    if record.fitness is None:
        return best
    if best is None or best.fitness is None:
        return record
    return max(best, record, key=lambda entry: (entry.fitness, -entry.index))


def _last(stream: Iterator[Event], listen: Callable[[Event], None] | None) -> Ended:
    ended = Ended(0, 0, 0.0, None, None)
    for event in stream:
        if listen is not None:
            listen(event)
        if isinstance(event, Ended):
            ended = event
    return ended
