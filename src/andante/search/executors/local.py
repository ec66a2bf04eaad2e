"""Evaluation in processes on this machine. A worker that dies is replaced, its task tried once more, then given up."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from andante.errors import BadInput
from andante.search.objective import ObjectiveSpec
from andante.search.record import Task

from .base import Outcome, task_text

LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA")
SINGLE_THREAD = {**{f"{name}_NUM_THREADS": "1" for name in LIBRARIES}, "VECLIB_MAXIMUM_THREADS": "1"}
OVERDUE_EVERY = 0.25  # how often candidates without end are looked for [s]
PATIENCE = 5.0  # for workers to end [s]


class _Worker:
    """One process, the thread that listens to it, and the task that it has."""

    def __init__(self, spec: str, answers: queue.SimpleQueue[tuple[_Worker, dict[str, Any] | None]]) -> None:
        root = str(Path(__file__).resolve().parents[3])  # where andante lies
        paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
        more: dict[str, Any] = (
            {"creationflags": 0x00000200} if sys.platform == "win32" else {"start_new_session": True}
        )  # Ctrl-C is for the study, which ends its workers
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "andante.search.executors.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **SINGLE_THREAD, "PYTHONHASHSEED": "0", "PYTHONPATH": os.pathsep.join(paths)},
            **more,
        )
        self.task: Task | None = None
        self.since = 0.0
        self.ready = False
        self.overdue = False
        self._answers = answers
        try:
            self._send(spec)
            threading.Thread(target=self._listen, daemon=True).start()
        except BaseException:  # no pool knows of it yet
            self._abandon()
            raise

    def start(self, task: Task) -> None:
        self.task, self.since = task, time.monotonic()
        self._send(task_text(task))

    def end(self) -> None:
        try:
            if self.process.stdin is not None:
                self.process.stdin.close()
        except OSError:
            pass

    def _abandon(self) -> None:
        self.process.kill()
        self.end()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self.process.wait()

    def _send(self, text: str) -> None:
        try:
            if self.process.stdin is not None:
                self.process.stdin.write(text.encode() + b"\n")
                self.process.stdin.flush()
        except OSError:
            pass  # it died; the listener reports it

    def _listen(self) -> None:
        stdout: Any = self.process.stdout
        with suppress(ValueError), stdout:  # closed before this thread began, by Ctrl-C; or an answer that is none
            for line in stdout:
                if not line.endswith(b"\n"):
                    break  # it died while it wrote
                self._answers.put((self, json.loads(line)))
        self._answers.put((self, None))


class LocalExecutor:
    """`workers` processes, each with an objective of its own and a single thread for numerical libraries."""

    name = "local"

    def __init__(self, objective: ObjectiveSpec, workers: int, timeout: float | None = None) -> None:
        self.workers = workers
        self.timeout = timeout
        self._spec = json.dumps(objective.as_dict())
        self._answers: queue.SimpleQueue[tuple[_Worker, dict[str, Any] | None]] = queue.SimpleQueue()
        self._pool: list[_Worker] = []
        self._tried: set[int] = set()  # tasks that lost a worker
        try:
            for _ in range(workers):
                self._hire()
        except BaseException:
            self.close()
            raise

    @property
    def free(self) -> int:
        """Workers without a task."""
        return sum(worker.task is None for worker in self._pool)

    @property
    def busy(self) -> int:
        """Tasks under way."""
        return sum(worker.task is not None for worker in self._pool)

    def submit(self, task: Task) -> None:
        """Give the task to a free worker."""
        next(worker for worker in self._pool if worker.task is None).start(task)

    def wait(self, timeout: float) -> list[Outcome]:
        """Answers of workers that are ready; waits for the first."""
        outcomes: list[Outcome] = []
        deadline = time.monotonic() + timeout
        while True:
            left = 0.0 if outcomes else max(0.0, deadline - time.monotonic())
            try:
                worker, answer = self._answers.get(left > 0, min(left, OVERDUE_EVERY))
            except queue.Empty:
                self._end_overdue()
                if left <= 0:
                    return outcomes
                continue
            if answer is None:
                outcomes += self._died(worker)
            elif "refused" in answer:
                raise BadInput(answer["refused"])
            elif "ready" in answer:
                worker.ready = True
                worker.since = time.monotonic()
            elif worker.task is not None:
                outcomes.append(Outcome(worker.task, answer["figures"], answer.get("error", "")))
                self._tried.discard(worker.task.index)
                worker.task = None

    def close(self) -> None:
        """End every worker, by force where it does not listen."""
        for worker in self._pool:
            worker.end()
        deadline = time.monotonic() + PATIENCE
        for worker in self._pool:
            try:
                worker.process.wait(max(0.05, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
        self._pool = []

    def _hire(self) -> _Worker:
        worker = _Worker(self._spec, self._answers)
        self._pool.append(worker)
        return worker

    def _died(self, worker: _Worker) -> list[Outcome]:
        """Replace a dead worker; its task is tried once more, and given up after that."""
        if worker not in self._pool:
            return []
        self._pool.remove(worker)
        worker.end()
        code = worker.process.wait()
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        if not worker.ready:
            raise BadInput(f"a worker process could not start ({how}); see its error above")
        task = worker.task
        if task is None:
            self._hire()
            return []
        if worker.overdue or task.index in self._tried:
            self._tried.discard(task.index)
            self._hire()
            late = f"took longer than {self.timeout:g} s" if worker.overdue else f"the worker died twice ({how})"
            return [Outcome(task, None, late)]
        self._tried.add(task.index)
        self._hire().start(task)
        return []

    def _end_overdue(self) -> None:
        if self.timeout is None:
            return
        for worker in self._pool:
            if worker.task is not None and worker.ready and time.monotonic() - worker.since > self.timeout:
                worker.overdue = True
                worker.process.kill()
