"""Where candidates are evaluated: in this process, in local processes, or on a Ray cluster."""

from .base import EXECUTORS, Executor, Outcome, check_executor, make_executor

__all__ = ["EXECUTORS", "Executor", "Outcome", "check_executor", "make_executor"]
