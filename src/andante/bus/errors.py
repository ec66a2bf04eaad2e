"""Errors of the bus."""

from __future__ import annotations

from andante.errors import AndanteError


class BusError(AndanteError):
    """A call, goal or parameter was refused or failed; the message says which and why."""


class TfError(AndanteError):
    """A transform cannot be told: unknown frame, frames that do not hang together, or a time without data."""


class GoalFailed(AndanteError):
    """Raised by the work of an action to end its goal as aborted; `result` may say more."""

    def __init__(self, text: str, result: object = None) -> None:
        super().__init__(text)
        self.result = result
