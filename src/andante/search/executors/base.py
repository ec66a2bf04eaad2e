"""What an executor is: tasks go in while it is free, outcomes come out as they are ready, in any order."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Protocol

from andante.errors import BadInput, MissingExtra, UnknownName
from andante.extras import how_to_get
from andante.search.objective import ObjectiveSpec
from andante.search.record import Task

EXECUTORS = ("local", "ray")
MOST_WORKERS = 4096


@dataclass(frozen=True)
class Outcome:
    """What became of a task: figures as JSON holds them, or an error in words."""

    task: Task
    figures: Mapping[str, Any] | None
    error: str = ""


class Executor(Protocol):
    """Evaluates tasks. Which worker takes a task makes no difference to its figures."""

    name: str
    workers: int

    @property
    def free(self) -> int:
        """How many more tasks it takes now."""
        ...

    @property
    def busy(self) -> int:
        """How many tasks it has taken whose outcome was not given out yet."""
        ...

    def submit(self, task: Task) -> None:
        """Take a task; only while it is free."""
        ...

    def wait(self, timeout: float) -> list[Outcome]:
        """Outcomes that are ready; waits for the first up to `timeout` [s]."""
        ...

    def close(self) -> None:
        """Stop at once; tasks that are under way are dropped."""
        ...


def default_workers() -> int:
    """A worker for every processor that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def check_executor(name: str, workers: int | None = None, timeout: float | None = None) -> int:
    """How many workers there will be; AndanteError when there is no such executor."""
    if name not in EXECUTORS:
        raise UnknownName.among("executor", name, EXECUTORS)
    count = default_workers() if workers is None else workers
    if not 0 <= count <= MOST_WORKERS:
        raise BadInput(f"the number of workers lies between 0 and {MOST_WORKERS}, got {workers}")
    if timeout is not None and not 0 < timeout < 1e9:
        raise BadInput(f"the timeout of a candidate is a time > 0 s, got {timeout}")
    if name == "local" and count == 0 and timeout is not None:
        raise BadInput("a timeout needs at least one worker")
    if name == "ray" and find_spec("ray") is None:
        raise MissingExtra(f"the executor ray needs Ray: {how_to_get('ray')}")
    return count


def make_executor(
    name: str, objective: ObjectiveSpec, workers: int | None = None, timeout: float | None = None
) -> Executor:
    """The executor of that name; local with 0 workers evaluates in this process.

    timeout: how long a candidate may take before it counts as failed [s].
    """
    count = check_executor(name, workers, timeout)
    if name == "ray":
        from .cluster import RayExecutor

        return RayExecutor(objective, None if workers is None else max(1, count), timeout)
    if count == 0:
        from .evaluate import InlineExecutor

        return InlineExecutor(objective)
    from .local import LocalExecutor

    return LocalExecutor(objective, count, timeout)
