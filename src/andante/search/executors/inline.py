"""Evaluation in this process, one task at a time: for debugging, small machines and objectives in notebooks."""

from __future__ import annotations

from andante.search.objective import ObjectiveSpec
from andante.search.record import Task

from .base import Outcome
from .evaluate import Evaluator


class InlineExecutor:
    """No workers: `wait` evaluates the task that was submitted."""

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
