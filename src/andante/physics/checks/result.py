"""Result of a check of an engine, and the record in which a check collects its measurements."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TypeAlias

from andante.physics.engine import Engine


@dataclass(frozen=True)
class CheckResult:
    """One check of one engine: the failed measurement, or the one that came nearest to failing."""

    name: str
    passed: bool
    message: str  # one line
    measured: float = math.nan
    expected: float = math.nan
    tolerance: float = math.nan

    def __str__(self) -> str:
        return f"{'pass' if self.passed else 'FAIL'} {self.name}: {self.message}"


Check: TypeAlias = Callable[[type[Engine]], CheckResult]


class Findings:
    """Measurements of one check, in order."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._rows: list[tuple[str, float, float, float]] = []

    def close(self, what: str, measured: float, expected: float, tolerance: float) -> None:
        """`measured` must lie within the tolerance of `expected`."""
        self._rows.append((what, float(measured), float(expected), float(tolerance)))

    def at_most(self, what: str, measured: float, bound: float) -> None:
        """The size of `measured` must not exceed the bound."""
        self.close(what, abs(float(measured)), 0.0, bound)

    def true(self, what: str, condition: bool) -> None:
        """The condition must hold."""
        self.close(what, 1.0 if condition else 0.0, 1.0, 0.5)

    def result(self) -> CheckResult:
        """The first measurement that failed (NaN fails too), else the one that used most of its tolerance."""

        def strain(row: tuple[str, float, float, float]) -> float:
            _, measured, expected, tolerance = row
            off = abs(measured - expected)
            if off == 0:
                return 0.0
            return off / tolerance if tolerance > 0 else math.inf

        failed = [row for row in self._rows if not abs(row[1] - row[2]) <= row[3]]
        what, measured, expected, tolerance = failed[0] if failed else max(self._rows, key=strain)
        message = f"{what}: measured {measured:.6g}, expected {expected:.6g} within {tolerance:.3g}"
        return CheckResult(self.name, not failed, message, measured, expected, tolerance)


class Checks(dict[str, Check]):
    """Checks by name, in order."""

    def add(self, measure: Callable[[type[Engine], Findings], None]) -> Check:
        """Take in a function that measures an engine, as a check of its name; decorates it."""

        @wraps(measure)
        def check(engine: type[Engine]) -> CheckResult:
            found = Findings(measure.__name__)
            measure(engine, found)
            return found.result()

        self[measure.__name__] = check
        return check
