"""What an executor is: tasks go in while it is free, outcomes come out as they are ready, in any order.

`Evaluator` is one evaluation, the same in every executor, errors caught; `InlineExecutor` evaluates in this process.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from andante.search.objective import Objective, ObjectiveSpec
from andante.search.record import Task, plain

LONGEST_ERROR = 500


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

    @property
    def busy(self) -> int:
        """How many tasks it has taken whose outcome was not given out yet."""

    def submit(self, task: Task) -> None:
        """Take a task; only while it is free."""

    def wait(self, timeout: float) -> list[Outcome]:
        """Outcomes that are ready; waits for the first up to `timeout` [s]."""

    def close(self) -> None:
        """Stop at once; tasks that are under way are dropped."""


def default_workers() -> int:
    """A worker for every processor that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


class Evaluator:
    """An objective that evaluates tasks."""

    def __init__(self, objective: Objective) -> None:
        self.objective = objective

    @classmethod
    def of(cls, spec: Mapping[str, Any]) -> Evaluator:
        """One with the objective of a table, built here."""
        return cls(ObjectiveSpec.from_dict(spec).build())

    def result(self, task: Task) -> Outcome:
        """What becomes of a task."""
        answer = json.loads(self.evaluate(task_text(task)))
        return Outcome(task, answer["figures"], answer.get("error", ""))

    def close(self) -> None:
        """Let the objective free what it holds, where it has a `close`."""
        close = getattr(self.objective, "close", None)
        if callable(close):
            close()

    def evaluate(self, task: str) -> str:
        """The figures of a task, or what went wrong."""
        table = json.loads(task)
        try:
            figures = plain(self.objective.evaluate(table["parameters"], table["seed"]))
            if not isinstance(figures, dict):
                raise TypeError(f"evaluate gives a table of figures, got {type(figures).__name__}")
            answer = {"index": table["index"], "figures": figures}
        except (Exception, SystemExit) as error:
            words = " ".join(f"{type(error).__name__}: {error}".split())
            answer = {"index": table["index"], "figures": None, "error": words[:LONGEST_ERROR]}
        return json.dumps(answer, allow_nan=False)


def task_text(task: Task) -> str:
    """The task as one line of JSON."""
    return json.dumps({"index": task.index, "seed": task.seed, "parameters": dict(task.parameters)})


class InlineExecutor:
    """No workers: `wait` evaluates the submitted task here; for debugging, small machines and notebooks."""

    name = "local"
    workers = 0

    def __init__(self, objective: ObjectiveSpec) -> None:
        self._evaluator = Evaluator(objective.build())
        self._task: Task | None = None

    @property
    def free(self) -> int:
        """One task at a time."""
        return 0 if self._task else 1

    @property
    def busy(self) -> int:
        """One task at a time."""
        return 1 if self._task else 0

    def submit(self, task: Task) -> None:
        """Take the task."""
        self._task = task

    def wait(self, timeout: float) -> list[Outcome]:
        """Evaluate the task; without time for it (0 s) nothing is done."""
        task = self._task
        if task is None or timeout <= 0:
            return []
        outcome = self._evaluator.result(task)
        self._task = None
        return [outcome]

    def close(self) -> None:
        """Let the objective free what it holds."""
        self._task = None
        self._evaluator.close()
