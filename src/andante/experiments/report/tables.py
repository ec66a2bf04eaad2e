"""Tables of a report, each as CSV, LaTeX (booktabs) and HTML."""

from __future__ import annotations

import csv
import html
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .analysis import MARGIN, MOST_WANTED, NARROW, Analysis

MOST_TRIALS = 60  # trials of a test in the table of single trials
MOST_ROWS = 400  # of a table on the page; files have them all
BEYOND = f"more than {MOST_WANTED:,}"
SPECIAL = {**{letter: f"\\{letter}" for letter in "&%#_${}"}, "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
           "\\": r"\textbackslash{}"}  # fmt: skip


@dataclass(frozen=True)
class Table:
    """Columns and rows of words and numbers; NaN and None are left blank."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def csv(self) -> str:
        """With full precision."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(["" if _blank(cell) else cell for cell in row] for row in self.rows)
        return out.getvalue()

    def latex(self) -> str:
        """A tabular in a table, for the package booktabs."""
        kinds = "".join(
            "l" if any(isinstance(row[k], str) for row in self.rows) else "r" for k in range(len(self.columns))
        )
        lines = [r"\begin{table}", r"\centering", rf"\caption{{{_tex(self.title)}}}", rf"\label{{tab:{self.name}}}"]
        lines += [
            rf"\begin{{tabular}}{{{kinds}}}",
            r"\toprule",
            " & ".join(map(_tex, self.columns)) + r" \\",
            r"\midrule",
        ]
        lines += [" & ".join(_tex(shown(cell)) for cell in row) + r" \\" for row in self.rows]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])

    def html(self) -> str:
        """A table; the first rows of a long one."""
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>"
            + "".join(f"<td{'' if isinstance(c, str) else ' class=n'}>{html.escape(shown(c))}</td>" for c in row)
            + "</tr>"
            for row in self.rows[:MOST_ROWS]
        )
        more = len(self.rows) - MOST_ROWS
        note = f"<p class=note>{more} more rows in tables/{self.name}.csv</p>" if more > 0 else ""
        return f"<div class=scroll><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{note}"


def shown(cell: Any) -> str:
    """A cell for people: four digits that count."""
    if _blank(cell):
        return ""
    if isinstance(cell, bool | np.bool_):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        if cell == 0:
            return "0"
        return f"{cell:.3g}" if not 1e-3 <= abs(cell) < 1e5 else f"{cell:.4g}" if abs(cell) < 1000 else f"{cell:.0f}"
    return str(cell)


def all_tables(analysis: Analysis) -> tuple[Table, ...]:
    """Every table that has rows, in the order of the page."""
    made = (agreement_table(analysis), summary_table(analysis), comparison_table(analysis), effects_table(analysis),
            enough_table(analysis), trials_table(analysis), failure_table(analysis))  # fmt: skip
    return tuple(table for table in made if table.rows)


def agreement_table(analysis: Analysis) -> Table:
    """Every source beside the standard."""
    rows = []
    for each in analysis.standings:
        same = sum(e.equivalent for e in each.equivalent.values()) if each.equivalent else None
        error = None if math.isnan(each.error) else 100 * each.error
        rows.append(
            (analysis.label(each.source), _label(analysis, each.measure), len(each.tests), error, each.inside, same)
        )
    columns = ("source", "measure", "tests", "mean error [%]", "mean within range", f"equal within {MARGIN:.0%}")
    title = f"Distance from the {analysis.label(analysis.standard)}: |mean - mean| / commanded, averaged over the tests"
    return Table("agreement", title, columns, tuple(rows))


def summary_table(analysis: Analysis) -> Table:
    """Count, mean, deviation and interval of everything."""
    rows = []
    for measure in analysis.experiment.measures:
        for test in analysis.tests:
            told = analysis.values.commanded(test, measure)
            for source in analysis.sources:
                s = analysis.summary(source, test, measure)
                if s.count:
                    row = (_label(analysis, measure), test, analysis.label(source), told)
                    rows.append((*row, s.count, s.mean, s.deviation, s.low, s.high, s.least, s.most))
    numbers = ("n", "mean", "deviation", "95 % low", "95 % high", "least", "most")
    columns = ("measure", "test", "source", "commanded", *numbers)
    return Table("summary", "Means with bootstrap intervals (BCa, 95 %)", columns, tuple(rows))


def comparison_table(analysis: Analysis) -> Table:
    """Pairs of sources."""
    rows = tuple(
        (_label(analysis, p.measure), p.test, analysis.label(p.a), analysis.label(p.b), p.comparison.difference,
         p.comparison.low, p.comparison.high, p.p, p.comparison.rank, p.comparison.effect, p.comparison.size)
        for p in analysis.pairs
    )  # fmt: skip
    columns = ("measure", "test", "a", "b", "mean a - mean b", "95 % low", "95 % high", "p (Welch, Holm)",
               "p (Mann-Whitney)", "Hedges' g", "effect")  # fmt: skip
    return Table("comparisons", "Sources beside each other", columns, rows)


def effects_table(analysis: Analysis) -> Table:
    """What every factor has to do with every measure."""
    rows = [
        (
            _label(analysis, measure),
            analysis.label(engine),
            each.factor,
            each.fraction,
            each.statistic,
            each.p,
            each.range,
        )
        for measure in analysis.experiment.measures
        for engine in analysis.engines
        for each in analysis.factor_effects(engine, measure)
        if not math.isnan(each.fraction)
    ]
    columns = ("measure", "source", "factor", "fraction of the variation", "F", "p", "range of the means")
    return Table("effects", "Effects of the factors (linear model of main effects, type II)", columns, tuple(rows))


def enough_table(analysis: Analysis) -> Table:
    """How many trials make intervals narrow."""
    rows = []
    for measure in analysis.experiment.measures:
        for source in analysis.sources:
            found = analysis.trials_wanted(source, measure)
            counts = [analysis.summary(source, test, measure).count for test in analysis.tests]
            if found is not None:
                (deviation, wanted), least = found, min(n for n in counts if n)
                told, enough = (BEYOND, False) if wanted is None else (wanted, least >= wanted)
                rows.append((_label(analysis, measure), analysis.label(source), deviation, least, told, enough))
    columns = ("measure", "source", "widest deviation", "trials run", "trials wanted", "enough")
    words = f"Trials until every interval reaches no further than {NARROW:.0%} of what was commanded (else of the mean)"
    return Table("enough", words, columns, tuple(rows))


def trials_table(analysis: Analysis) -> Table:
    """Single trials side by side, a line per test and trial."""
    measures = [m for m in analysis.experiment.measures if m != "fallen"][:3]
    some = [
        (s, m) for m in measures for s in analysis.sources if any(len(analysis.of(s, t, m)) for t in analysis.tests)
    ]
    columns = ("test", "trial", *(f"{analysis.label(source)}: {_label(analysis, measure)}" for source, measure in some))
    return Table("trials", "Single trials", columns, tuple(_trial_rows(analysis, some)))


def _trial_rows(analysis: Analysis, some: list[tuple[str, str]]) -> Iterator[tuple[Any, ...]]:
    for test in analysis.tests:
        lists = [analysis.of(source, test, measure).tolist() for source, measure in some]
        for n in range(min(MOST_TRIALS, max(map(len, lists), default=0))):
            yield (test, n + 1, *(each[n] if n < len(each) else None for each in lists))


def failure_table(analysis: Analysis) -> Table:
    """Trials that were not carried out."""
    rows = tuple((analysis.label(row.source), row.test, row.trial + 1, row.error) for row in analysis.values.failures)
    return Table("failures", "Trials that failed", ("source", "test", "trial", "reason"), rows)


def _label(analysis: Analysis, measure: str) -> str:
    return analysis.experiment.measures[measure].title


def _blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _tex(text: str) -> str:
    return "".join(SPECIAL.get(letter, letter) for letter in str(text))
