"""The loop of a search: candidates to the executor, results to the file, events to whoever listens."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from math import inf, nan
from pathlib import Path

from andante.errors import AndanteError

from .config import StudyConfig
from .event import Ended, Evaluated, Event, Notice, Started
from .executors import Executor, Outcome, check_executor, make_executor
from .folder import StudyFolder, StudyWriter
from .objective import ObjectiveSpec
from .record import Record, record_of
from .schedule import Schedule
from .stamps import stamp_of

POLL = 0.5  # [s]
SUSPICIOUS = 8  # so many failures at the start are said


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
    """Make a study and run it to its budget; `listen` gets every event.

    workers: processes (None: one per processor; 0: this process). timeout: of a candidate [s]. seconds: after which no
    more candidates are begun; `resume` goes on with the next.
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
    """Go on with a study, to another budget if one is given, with the candidates it would have had without a stop."""
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
