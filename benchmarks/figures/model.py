"""A figure, what is asked of it, and the run that measures it: plain frozen data."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Output = Any  # the JSON that a command printed
Reader = Callable[[Output], float]

Sign = Literal[">=", "<=", "<", ">", "="]
Kind = Literal["speed", "shown"]  # the "Speed and scale" or the "Shown by" part of a request
State = Literal["met", "short", "told", "missing"]

COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge, "<=": operator.le, "<": operator.lt, ">": operator.gt, "=": operator.eq,
}  # fmt: skip
SIGNS = {">=": "≥", "<=": "≤", "<": "<", ">": ">", "=": "="}


@dataclass(frozen=True)
class Asked:
    """A bound: the value has to stand in this relation to it."""

    sign: Sign
    bound: float
    unit: str = ""

    def met(self, value: float) -> bool:
        """Whether a value keeps the bound; NaN never does."""
        return not math.isnan(value) and COMPARISONS[self.sign](value, self.bound)

    def __str__(self) -> str:
        return f"{SIGNS[self.sign]} {number(self.bound, self.unit)}"


@dataclass(frozen=True)
class Figure:
    """One figure. Without `asked` it is only told; with `tests` those have to pass, and nothing is read."""

    key: str  # unique
    kind: Kind
    what: str
    asked: Asked | None = None
    read: Reader | None = None
    unit: str = ""  # of a value that is only told
    reason: str = ""  # a sentence for the case that it falls short
    tests: tuple[str, ...] = ()  # file::function
    issue: int = 0  # 0: that of its run

    @property
    def asked_words(self) -> str:
        """What is asked, for a table."""
        if self.tests:
            return "tests pass"
        return str(self.asked) if self.asked is not None else "to be told"


@dataclass(frozen=True)
class Run:
    """One command that feeds figures of one capability.

    command: words; `$OUT` becomes a new empty folder. Without any the tests of the figures are run.
    minutes: about, on two quiet cores; a run is given up after four times that and three minutes more.
    """

    name: str
    issue: int
    command: tuple[str, ...]
    minutes: float
    figures: tuple[Figure, ...]
    long: bool = False  # only with --long
    keep: tuple[str, ...] = ()  # entries of the output that are stored; all when none is named

    @property
    def tests(self) -> tuple[str, ...]:
        """All tests of its figures, each once."""
        return tuple(dict.fromkeys(test for figure in self.figures for test in figure.tests))

    @property
    def shown(self) -> str:
        """The command as a reader would type it."""
        if not self.command:
            return "python -m pytest"
        return " ".join(quoted(word) for word in self.command if word != "--json")


@dataclass(frozen=True)
class Verdict:
    """A figure with the value of today."""

    figure: Figure
    state: State
    words: str  # the value, for a table
    note: str = ""  # why it is missing or falls short


def quoted(word: str) -> str:
    """A word of a command line, in quotation marks where a shell needs them."""
    return f"'{word}'" if set(word) & set(" ;*?[]") else word


def number(value: float, unit: str = "") -> str:
    """A number with four digits that count, and its unit."""
    if math.isnan(value):
        return "not a number"
    if value == int(value) and abs(value) < 1e6:
        text = str(int(value))
    else:
        digits = max(0, 3 - math.floor(math.log10(abs(value)))) if abs(value) < 1e4 else 0
        text = f"{value:.{min(digits, 6)}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{text} {unit}".rstrip()


def judge(figure: Figure, output: Output | None, failure: str = "", load: float = 0.0) -> Verdict:
    """What a stored output says of a figure.

    output: None when nothing is stored. failure: why the run gave nothing. load: of the machine before the run.
    """
    if failure:
        return Verdict(figure, "missing", "failed", failure)
    if output is None:
        return Verdict(figure, "missing", "not measured", "the run has not been made")
    if figure.tests:
        return _judge_tests(figure, output)
    assert figure.read is not None
    try:
        value = float(figure.read(output))
    except (KeyError, IndexError, TypeError, ValueError) as error:
        return Verdict(figure, "missing", "not found", f"no such value in the output ({type(error).__name__}: {error})")
    if figure.asked is None:
        return Verdict(figure, "told", number(value, figure.unit))
    words = number(value, figure.asked.unit)
    if figure.asked.met(value):
        return Verdict(figure, "met", words)
    busy = f"the load was {load:.1f} before the run" if load > 1.0 else ""
    return Verdict(figure, "short", words, "; ".join(part for part in (figure.reason, busy) if part))


def _judge_tests(figure: Figure, output: Output) -> Verdict:
    """Tests: all of them there, none failed, none skipped."""
    counts = [output.get(test, {}) for test in figure.tests]
    passed, failed, skipped = (sum(count.get(name, 0) for count in counts) for name in ("passed", "failed", "skipped"))
    words = ", ".join(f"{n} {name}" for n, name in ((passed, "passed"), (failed, "failed"), (skipped, "skipped")) if n)
    gone = [test for test, count in zip(figure.tests, counts, strict=True) if not count]
    if gone:
        return Verdict(figure, "missing", words or "not run", f"not run: {', '.join(gone)}")
    if failed or skipped:
        return Verdict(figure, "short", words, figure.reason or "see the output of the tests")
    return Verdict(figure, "met", words)
