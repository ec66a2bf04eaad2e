"""Expressions of strangers' files (xacro, actions, state machines), evaluated over an allow-list of syntax."""

from .evaluator import evaluate, parsed

__all__ = ["evaluate", "parsed"]
