"""Results as rows of one schema, simulated and real alike: streamed from the store, written as CSV and Parquet."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from andante.errors import BadInput, MissingExtra, one_line
from andante.extras import how_to_get
from andante.geometry import Array
from andante.search import Record, StudyFolder

from .experiment import Experiment

BATCH = 2048  # rows that are held at once
FIRST = ("source", "test", "trial", "seed", "ok", "error")


@dataclass(frozen=True)
class Row:
    """One trial. source: the engine, or the name of what was measured (real, odometry, ...)."""

    source: str
    test: str
    factors: Mapping[str, Any]
    trial: int
    measures: Mapping[str, float | None]
    seed: int | None = None
    error: str = ""
    drawn: Mapping[str, float] = field(default_factory=dict)
    path: Sequence[Sequence[float]] = ()

    @property
    def ok(self) -> bool:
        """Whether the trial was carried out; a fall is a result, an error is none."""
        return not self.error


def rows_of(folder: Path | str, experiment: Experiment) -> Iterator[Row]:
    """The trials of a folder, one at a time, in the order in which they ended."""
    for record in StudyFolder.open(folder).records():
        yield row_of(record, experiment)


def row_of(record: Record, experiment: Experiment) -> Row:
    """The row of one record; BadInput when it is none of the experiment."""
    try:
        return _row(record, experiment)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        told = one_line(error)[:120]
        raise BadInput(
            f"trial {record.index} in the results is none of {experiment.name} ({type(error).__name__}: {told}); "
            "is study.toml the one it was made with?"
        ) from None


def _row(record: Record, experiment: Experiment) -> Row:
    factors = {name: record.parameters[name] for name in experiment.factors}
    figures = record.figures
    return Row(
        source=str(record.parameters["engine"]),
        test=experiment.test_of(factors),
        factors=factors,
        trial=int(record.parameters["trial"]),
        measures={name: _measured(value) for name, value in figures.get("measures", {}).items()},
        seed=figures.get("trial_seed"),
        error=record.error,
        drawn={name: value for name, value in figures.items() if name.startswith("drawn_")},
        path=np.asarray(figures["path"], dtype=float).tolist() if "path" in figures else (),
    )


def _measured(value: Any) -> float | None:
    """A measure as a number; true and false as 1 and 0."""
    return None if value is None else float(value)


class Values:
    """Measures of many trials by source and test: numbers only, so that many thousand trials fit into memory."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self._cells: dict[tuple[str, str], dict[str, list[float]]] = {}
        self.failures: list[Row] = []
        self.counts: dict[tuple[str, str], int] = {}
        self.paths: dict[tuple[str, str], list[Array]] = {}

    def add(self, row: Row, most_paths: int = 14) -> None:
        """Take in a row; errors are kept apart, and only some paths of a cell are kept."""
        key = (row.source, row.test)
        self.counts[key] = self.counts.get(key, 0) + 1
        if row.error:
            self.failures.append(row)
            return
        cell = self._cells.setdefault(key, {})
        for name in self.experiment.measures:
            value = row.measures.get(name)
            if value is not None and math.isfinite(value):
                cell.setdefault(name, []).append(float(value))
        kept = self.paths.setdefault(key, [])
        if len(row.path) and len(kept) < most_paths:
            kept.append(np.asarray(row.path, dtype=float))

    @classmethod
    def of(cls, experiment: Experiment, rows: Iterable[Row]) -> Values:
        """The values of rows."""
        made = cls(experiment)
        for row in rows:
            made.add(row)
        return made

    @property
    def sources(self) -> tuple[str, ...]:
        """Who gave values: engines in the order of the experiment, then others in the order in which they came."""
        there = dict.fromkeys(source for source, _ in self.counts)
        return tuple(dict.fromkeys((*(name for name in self.experiment.engines if name in there), *there)))

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests in the order of the experiment, then any others."""
        there = {test for _, test in self.counts}
        return tuple(test for test in dict.fromkeys((*self.cells, *sorted(there))) if test in there)

    @cached_property
    def cells(self) -> dict[str, dict[str, Any]]:
        """Combinations of factors by the name of their test."""
        return {self.experiment.test_of(cell): dict(cell) for cell in self.experiment.cells()}

    def get(self, source: str, test: str, measure: str) -> Array:
        """All values (n,) of a measure; empty when there are none."""
        return np.array(self._cells.get((source, test), {}).get(measure, ()), dtype=float)

    def commanded(self, test: str, measure: str) -> float | None:
        """What a measure was told to be in a test."""
        factor = self.experiment.measures[measure].commanded
        if not factor:
            return None
        value = self.cells.get(test, {}).get(factor)
        return float(value) if isinstance(value, int | float) else None


def columns_of(experiment: Experiment) -> tuple[str, ...]:
    """The columns of the table of an experiment."""
    return (*FIRST, *experiment.factors, *experiment.measures)


def flat(row: Row, experiment: Experiment) -> dict[str, Any]:
    """A row as a table of its columns."""
    table: dict[str, Any] = {name: getattr(row, name) for name in FIRST}
    table |= {name: row.factors.get(name) for name in experiment.factors}
    return table | {name: row.measures.get(name) for name in experiment.measures}


def write_csv(path: Path, experiment: Experiment, rows: Iterable[Row]) -> int:
    """Write rows as they come; how many there were."""
    count = 0
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns_of(experiment), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({name: "" if value is None else value for name, value in flat(row, experiment).items()})
            count += 1
    return count


def write_parquet(path: Path, experiment: Experiment, rows: Iterable[Row]) -> int:
    """Write rows as Parquet, some at a time; how many there were. Needs the extra `report`."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtra(f"Parquet needs pyarrow: {how_to_get('report')}") from None
    kinds: dict[str, Any] = {
        "source": pa.string(), "test": pa.string(), "trial": pa.int64(), "seed": pa.int64(), "ok": pa.bool_(),
        "error": pa.string(),
    }  # fmt: skip
    for name, levels in experiment.factors.items():
        numbers = all(isinstance(level, int | float) and not isinstance(level, bool) for level in levels)
        kinds[name] = pa.float64() if numbers else pa.string()
    kinds |= {name: pa.float64() for name in experiment.measures}
    schema = pa.schema(kinds.items())
    count, batch = 0, []
    with pq.ParquetWriter(path, schema) as writer:
        for row in rows:
            table = flat(row, experiment)
            for name in experiment.factors:
                if kinds[name] == pa.string():
                    table[name] = str(table[name])
                elif table[name] is not None:
                    table[name] = float(table[name])
            batch.append(table)
            count += 1
            if len(batch) >= BATCH:
                writer.write_table(pa.Table.from_pylist(batch, schema))
                batch = []
        writer.write_table(pa.Table.from_pylist(batch, schema))
    return count
