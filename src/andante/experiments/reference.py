"""Reference data: trials of a real robot (or of another simulator) as a CSV table in the schema of the results.

Columns: the factors (or `test`), the measures, and where wanted `source` (else "real") and `trial`. Lines that begin
with # are passed over, but for `# label SOURCE: words`, which says what reports call a source.
"""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from andante.errors import BadInput, UnknownName
from andante.files import read_text

from .experiment import Experiment
from .setup import shipped, trial_terms
from .table import Row

REAL = "real"
LABEL = re.compile(r"#\s*label\s+([^:]+?)\s*:\s*(.+?)\s*$")
MOST_TABLE = 64 * 1024 * 1024  # [bytes]


def reference_folder() -> Path:
    """Where imported references are kept: $ANDANTE_REFERENCES, else .andante/references in the home folder."""
    folder = os.environ.get("ANDANTE_REFERENCES")
    return Path(folder) if folder else Path.home() / ".andante" / "references"


def reference_names() -> tuple[str, ...]:
    """References that ship, then those that were imported."""
    own = {file.stem for file in reference_folder().glob("*.csv")}
    return tuple(sorted({*shipped("reference", ".csv"), *own}))


def read_reference(name: str, experiment: Experiment) -> tuple[Row, ...]:
    """The trials of a reference, by name or as a CSV file, for an experiment."""
    text, where = _reference_text(name)
    return tuple(parse_reference(text, experiment, where))


def read_labels(name: str) -> dict[str, str]:
    """What the sources of a reference are called in reports, by its lines `# label SOURCE: words`."""
    return parse_labels(_reference_text(name)[0])


def parse_labels(text: str) -> dict[str, str]:
    """Source to label of the lines `# label SOURCE: words` of a CSV text."""
    found = (LABEL.match(line) for line in text.splitlines())
    return {match[1]: match[2] for match in found if match}


def _reference_text(name: str) -> tuple[str, str]:
    """The text of a reference and how messages call it."""
    own = reference_folder() / f"{name}.csv"
    if name.endswith(".csv"):
        return read_table_text(Path(name)), name
    if own.is_file():
        return read_table_text(own), str(own)
    builtin = shipped("reference", ".csv")
    if name not in builtin:
        raise UnknownName.among("reference", name, (*reference_names(), "FILE.csv"))
    return builtin[name].read_text("utf-8"), f"{name}.csv"


def parse_reference(text: str, experiment: Experiment, where: str = "reference") -> Iterator[Row]:
    """The trials of a CSV text; BadInput names the line and the column."""
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]
    if not lines:
        raise BadInput(f"{where}: the table is empty; its first line names the columns")
    try:
        rows = list(csv.reader(line for _, line in lines))
    except csv.Error as error:
        raise BadInput(f"{where}: not a table ({error})") from None
    if len(rows) != len(lines):
        raise BadInput(f"{where}: a quoted cell runs over several lines; write each trial on one line")
    head = [name.strip() for name in rows[0]]
    known = {"source", "test", "trial", "seed", "ok", "error", *experiment.factors, *experiment.measures}
    terms = trial_terms(experiment.trial)
    more = terms.measures if terms is not None else ()  # that the trial gives though the experiment does not ask
    for name in head:
        if name not in known and name not in more:
            raise BadInput(f"{where}:{lines[0][0]}: column {name!r} is not known; columns: {', '.join(sorted(known))}")
    if "test" not in head and not set(experiment.factors) <= set(head):
        raise BadInput(f"{where}:{lines[0][0]}: columns for {', '.join(experiment.factors)} are needed, or `test`")
    if not set(experiment.measures) & set(head):
        raise BadInput(f"{where}:{lines[0][0]}: no measure among the columns; {', '.join(experiment.measures)}")
    counts: dict[tuple[str, str], int] = {}
    for (number, _), values in zip(lines[1:], rows[1:], strict=True):
        place = f"{where}:{number}"
        if len(values) != len(head):
            raise BadInput(f"{place}: {len(values)} values for {len(head)} columns")
        yield _row(dict(zip(head, values, strict=True)), experiment, place, counts)


def _row(entry: Mapping[str, str], experiment: Experiment, place: str, counts: dict[tuple[str, str], int]) -> Row:
    factors = _factors(entry, experiment, place)
    source, test = (entry.get("source") or REAL).strip(), experiment.test_of(factors)
    trial = counts.get((source, test), 0)
    counts[source, test] = trial + 1
    measures: dict[str, float | None] = {}
    for name in experiment.measures:
        word = entry.get(name, "").strip()
        if not word:
            continue
        measures[name] = _number(word, f"{place}: column {name!r}")
    return Row(source, test, factors, trial, measures, error=entry.get("error", "").strip())


def _factors(entry: Mapping[str, str], experiment: Experiment, place: str) -> dict[str, Any]:
    """The combination of factors of a line; those that are no level of the experiment are kept as they are."""
    if not set(experiment.factors) <= set(entry):
        test = entry["test"].strip()
        if test not in experiment.tests:
            raise BadInput(f"{place}: no test {test!r}; tests: {', '.join(experiment.tests) or 'none have names'}")
        return dict(experiment.tests[test])
    found: dict[str, Any] = {}
    for name, levels in experiment.factors.items():
        word = entry[name].strip()
        same = [level for level in levels if str(level) == word or _equal(level, word)]
        if same:
            found[name] = same[0]
        else:
            numbers = all(isinstance(level, int | float) for level in levels)
            found[name] = _number(word, f"{place}: column {name!r}") if numbers else word
    return found


def _equal(level: Any, word: str) -> bool:
    try:
        return not isinstance(level, str | bool) and float(word) == float(level)
    except ValueError:
        return False


def _number(word: str, place: str) -> float:
    lower = word.lower()
    if lower in ("true", "false"):
        return float(lower == "true")
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadInput(f"{place} needs a number, got {word!r}")
    return value


def read_table_text(path: Path) -> str:
    """The text of a table; BadInput when it is none."""
    return read_text(path, MOST_TABLE)
