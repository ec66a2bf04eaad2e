"""What an executor is: tasks go in while it is free, outcomes come out as they are ready, in any order."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from andante.search.record import Task


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
