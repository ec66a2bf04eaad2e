"""Evaluation on a Ray cluster: an actor per worker, each with an objective of its own. Needs the extra `ray`.

A running cluster is used when the program is connected to it or RAY_ADDRESS names it; else one is started on this
machine for the time of the study. Users' files must lie at the same place on every node.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any

from andante.errors import BadInput
from andante.search.objective import ObjectiveSpec
from andante.search.record import Task

from .base import Outcome
from .evaluate import Evaluator, task_text

OBJECT_STORE = 100 * 1024 * 1024  # [bytes]; a local cluster passes short texts only


class RayExecutor:
    """`workers` actors of one processor each; one that dies is replaced, its task tried once more, then given up."""

    name = "ray"

    def __init__(self, objective: ObjectiveSpec, workers: int, timeout: float | None = None) -> None:
        import ray

        self._ray: Any = ray
        self.workers = workers
        self.timeout = timeout
        self._spec = objective.as_dict()
        self._started = not ray.is_initialized()
        if self._started:
            _start(ray, workers)
        self._actor_class = ray.remote(num_cpus=1)(_Actor)
        self._actors: list[Any] = []
        self._running: dict[Any, tuple[Any, Task, float]] = {}  # reference -> actor, task, since
        self._tried: set[int] = set()
        try:
            self._actors = [self._actor_class.remote(self._spec) for _ in range(workers)]
            for text in ray.get([actor.refusal.remote() for actor in self._actors]):
                if text:
                    raise BadInput(text)
        except BaseException:
            self.close()
            raise

    @property
    def free(self) -> int:
        """Actors without a task."""
        return len(self._actors) - len(self._running)

    @property
    def busy(self) -> int:
        """Tasks under way."""
        return len(self._running)

    def submit(self, task: Task) -> None:
        """Give the task to a free actor."""
        taken = {id(actor) for actor, _, _ in self._running.values()}
        self._start_on(next(actor for actor in self._actors if id(actor) not in taken), task)

    def wait(self, timeout: float) -> list[Outcome]:
        """Answers of actors that are ready; waits for the first."""
        if not self._running:
            return []
        ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=timeout)
        more, _ = self._ray.wait(list(self._running), num_returns=len(self._running), timeout=0)
        outcomes: list[Outcome] = []
        for reference in dict.fromkeys((*ready, *more)):
            actor, task, _ = self._running.pop(reference)
            try:
                answer = json.loads(self._ray.get(reference))
            except self._ray.exceptions.RayActorError:
                outcomes += self._died(actor, task)
                continue
            self._tried.discard(task.index)
            outcomes.append(Outcome(task, answer["figures"], answer.get("error", "")))
        return outcomes + self._overdue()

    def close(self) -> None:
        """End the actors, and the cluster where this executor started it."""
        if self._ray.is_initialized():
            for actor in self._actors:
                self._ray.kill(actor, no_restart=True)
            if self._started:
                self._ray.shutdown()
        self._actors, self._running = [], {}

    def _start_on(self, actor: Any, task: Task) -> None:
        self._running[actor.evaluate.remote(task_text(task))] = (actor, task, time.monotonic())

    def _replace(self, actor: Any) -> Any:
        self._actors = [other for other in self._actors if other is not actor]
        self._actors.append(self._actor_class.remote(self._spec))
        return self._actors[-1]

    def _died(self, actor: Any, task: Task) -> list[Outcome]:
        fresh = self._replace(actor)
        if task.index in self._tried:
            self._tried.discard(task.index)
            return [Outcome(task, None, "the worker died twice")]
        self._tried.add(task.index)
        self._start_on(fresh, task)
        return []

    def _overdue(self) -> list[Outcome]:
        if self.timeout is None:
            return []
        late = [entry for entry in self._running.items() if time.monotonic() - entry[1][2] > self.timeout]
        outcomes = []
        for reference, (actor, task, _) in late:
            del self._running[reference]
            self._ray.kill(actor, no_restart=True)
            self._replace(actor)
            outcomes.append(Outcome(task, None, f"took longer than {self.timeout:g} s"))
        return outcomes


class _Actor:
    """Holds an evaluator on a node."""

    def __init__(self, spec: dict[str, Any]) -> None:
        from andante.errors import AndanteError

        self._evaluator: Evaluator | None = None
        self._refusal = ""
        try:
            self._evaluator = Evaluator(spec)
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


def _start(ray: Any, workers: int) -> None:
    """Connect to the cluster that RAY_ADDRESS names, else start a small one here."""
    import logging

    quiet = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": True}
    if os.environ.get("RAY_ADDRESS"):
        ray.init(address="auto", **quiet)
        return
    ray.init(num_cpus=workers, include_dashboard=False, object_store_memory=OBJECT_STORE, **quiet)
