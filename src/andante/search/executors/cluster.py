"""Evaluation on a Ray cluster: an actor per worker, each with an objective of its own. Needs the extra `ray`.

A running cluster is used when the program is connected to it or RAY_ADDRESS names it; else one is started on this
machine for the time of the study. Users' files must lie at the same place on every node.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any

from andante.errors import AndanteError, BadInput
from andante.search.objective import ObjectiveSpec
from andante.search.record import Task

from .base import Evaluator, Outcome, default_workers, task_text

OBJECT_STORE = 100 * 1024 * 1024  # [bytes]; a local cluster passes short texts only


class RayExecutor:
    """`workers` actors of one processor each (None: one per processor of the cluster).

    Actors take tasks as soon as they have started; where the cluster is too small for all of them, the others wait. One
    that dies is replaced, its task tried once more, then given up.
    """

    name = "ray"

    def __init__(self, objective: ObjectiveSpec, workers: int | None, timeout: float | None = None) -> None:
        import ray as library

        ray: Any = library
        self._ray = ray
        self.timeout = timeout
        self._spec = objective.as_dict()
        self._started = not ray.is_initialized()
        if self._started:
            _start(ray, workers)
        self.workers = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._actor_class = ray.remote(num_cpus=1)(_Actor)
        self._starting: dict[Any, Any] = {}  # reference of its first word -> actor
        self._idle: list[Any] = []
        self._running: dict[Any, tuple[Any, Task, float]] = {}  # reference -> actor, task, since
        self._again: list[Task] = []  # whose actor died
        self._tried: set[int] = set()
        try:
            for _ in range(self.workers):
                self._hire()
            self._await_one()
        except BaseException:
            self.close()
            raise

    @property
    def free(self) -> int:
        """Actors without a task."""
        return max(0, len(self._idle) - len(self._again))

    @property
    def busy(self) -> int:
        """Tasks under way."""
        return len(self._running) + len(self._again)

    def submit(self, task: Task) -> None:
        """Give the task to a free actor."""
        actor = self._idle.pop(0)
        self._running[actor.evaluate.remote(task_text(task))] = (actor, task, time.monotonic())

    def wait(self, timeout: float) -> list[Outcome]:
        """Answers of actors that are ready; waits for the first."""
        outcomes: list[Outcome] = []
        for reference in self._ready([*self._running, *self._starting], timeout):
            if reference in self._starting:
                self._welcome(reference)
                continue
            actor, task, _ = self._running.pop(reference)
            try:
                answer = json.loads(self._ray.get(reference))
            except self._ray.exceptions.RayError:
                outcomes += self._died(task)
                continue
            self._tried.discard(task.index)
            self._idle.append(actor)
            outcomes.append(Outcome(task, answer["figures"], answer.get("error", "")))
        outcomes += self._overdue()
        if self._again or not (self._idle or self._running):
            self._await_one()
        while self._again and self._idle:
            self.submit(self._again.pop(0))
        return outcomes

    def close(self) -> None:
        """End the actors, and the cluster where this executor started it."""
        if self._ray.is_initialized():
            for actor in (*self._idle, *self._starting.values(), *(entry[0] for entry in self._running.values())):
                self._ray.kill(actor, no_restart=True)
            if self._started:
                self._ray.shutdown()
        self._idle, self._starting, self._running, self._again = [], {}, {}, []

    def _ready(self, references: list[Any], timeout: float) -> list[Any]:
        """References whose values are there; waits for the first."""
        if not references:
            return []
        self._ray.wait(references, num_returns=1, timeout=timeout)
        return list(self._ray.wait(references, num_returns=len(references), timeout=0)[0])

    def _hire(self) -> None:
        actor: Any = self._actor_class.remote(self._spec)
        self._starting[actor.refusal.remote()] = actor

    def _welcome(self, reference: Any) -> None:
        actor = self._starting.pop(reference)
        try:
            refusal = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            raise BadInput(f"an actor could not start: {str(error).splitlines()[0]}") from None
        if refusal:
            raise BadInput(refusal)
        self._idle.append(actor)

    def _await_one(self) -> None:
        """Wait until an actor is there to take a task."""
        while not self._idle and self._starting:
            for reference in self._ready(list(self._starting), 1.0):
                self._welcome(reference)

    def _died(self, task: Task) -> list[Outcome]:
        self._hire()
        if task.index in self._tried:
            self._tried.discard(task.index)
            return [Outcome(task, None, "the worker died twice")]
        self._tried.add(task.index)
        self._again.append(task)
        return []

    def _overdue(self) -> list[Outcome]:
        if self.timeout is None:
            return []
        late = [entry for entry in self._running.items() if time.monotonic() - entry[1][2] > self.timeout]
        outcomes = []
        for reference, (actor, task, _) in late:
            del self._running[reference]
            self._ray.kill(actor, no_restart=True)
            self._hire()
            outcomes.append(Outcome(task, None, f"took longer than {self.timeout:g} s"))
        return outcomes


class _Actor:
    """Holds an evaluator on a node."""

    def __init__(self, spec: dict[str, Any]) -> None:
        self._evaluator: Evaluator | None = None
        self._refusal = ""
        try:
            self._evaluator = Evaluator.of(spec)
        except AndanteError as error:
            self._refusal = str(error)

    def refusal(self) -> str:
        """Why the objective could not be built; empty when it could."""
        return self._refusal

    def evaluate(self, task: str) -> str:
        """The answer to a task."""
        if self._evaluator is None:
            raise RuntimeError(self._refusal)
        return self._evaluator.evaluate(task)


def _start(ray: Any, workers: int | None) -> None:
    """Connect to the cluster that RAY_ADDRESS names, else start a small one here."""
    import logging

    quiet = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": True}
    if os.environ.get("RAY_ADDRESS"):
        ray.init(address="auto", **quiet)
        return
    ray.init(num_cpus=workers or default_workers(), include_dashboard=False, object_store_memory=OBJECT_STORE, **quiet)
