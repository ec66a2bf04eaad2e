"""Where an element was read from, and problems that a reader or `check` finds in it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True)
class Source:
    """File and line that an element came from; line 0 means unknown."""

    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class Severity(StrEnum):
    """How much a problem matters: an error must be fixed, a warning should be, an info is for information."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class Problem:
    """One finding: what is wrong, where, and what to do about it, in one line."""

    severity: Severity
    message: str
    source: Source = Source()

    def __str__(self) -> str:
        place = f"{self.source}: " if str(self.source) else ""
        return f"{place}{self.severity}: {self.message}"

    def as_dict(self) -> dict[str, str]:
        """The finding as JSON carries it: severity, where (file:line), message."""
        return {"severity": str(self.severity), "where": str(self.source), "message": self.message}
