"""Jobs of a study on several processes; the results come in the order of the jobs."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


def processor_time() -> float:
    """CPU time of this process and of those it started that have ended [s]."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def side_by_side(work: Callable[[Job], Result], jobs: Sequence[Job], workers: int) -> Iterator[Result]:
    """What `work` makes of each job; with fewer than two workers in this process."""
    if workers < 2:
        yield from map(work, jobs)
        return
    with get_context("spawn").Pool(workers) as pool:  # a fork of a process with threads may hang
        yield from pool.imap(work, jobs, chunksize=1)
