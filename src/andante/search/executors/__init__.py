"""Where candidates are evaluated: in this process, in local processes, or on a Ray cluster."""

from __future__ import annotations

from importlib.util import find_spec

from andante.errors import BadInput, MissingExtra, UnknownName
from andante.extras import how_to_get
from andante.search.objective import ObjectiveSpec

from .base import Executor, InlineExecutor, Outcome, default_workers
from .cluster import RayExecutor
from .local import LocalExecutor

__all__ = ["EXECUTORS", "Executor", "Outcome", "check_executor", "make_executor"]

EXECUTORS = ("local", "ray")
MOST_WORKERS = 4096


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
        return RayExecutor(objective, None if workers is None else max(1, count), timeout)
    if count == 0:
        return InlineExecutor(objective)
    return LocalExecutor(objective, count, timeout)
