"""What the functions of `an.gait` return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from andante import viz
from andante.search import Record, StudyFolder, Summary
from andante.tasks.result import HIDDEN, Result

TOLD = ("distance", "drift", "time", "fallen")


@dataclass(frozen=True)
class GaitResult(Result):
    """The figures of one gait."""

    robot: str
    engine: str
    variant: str
    record: Record = field(metadata=HIDDEN, repr=False)

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters of the gait."""
        return dict(self.record.parameters)

    @property
    def fitness(self) -> float | None:
        """None where the trial has none."""
        return self.record.fitness

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract."""
        row = {name: value for name, value in as_row(self.record).items() if name != "index"}
        return {**super().as_dict(), **row}

    def __str__(self) -> str:
        return f"{self.robot} on {self.engine}: {row_words(as_row(self.record))}\n{parameter_words(self.parameters)}"


@dataclass(frozen=True)
class SearchResult(Result):
    """What a study has come to. `evaluated` and `seconds` count this session."""

    study: Path
    summary: Summary
    evaluated: int = 0
    seconds: float = 0.0
    session_rate: float | None = None
    notices: tuple[str, ...] = ()

    @property
    def rate(self) -> float | None:
        """Candidates/s of this session, else of all."""
        return self.summary.rate if self.session_rate is None else self.session_rate

    @property
    def best(self) -> Record | None:
        """The fittest candidate; None where none has a fitness."""
        return self.summary.best[0] if self.summary.best else None

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract."""
        best = self.summary.best
        table: dict[str, Any] = {
            "study": str(self.study),
            "candidates": self.summary.candidates,
            "failed": self.summary.failed,
            "evaluated": self.evaluated,
            "seconds": self.seconds,
            "rate": self.rate,
            "best": as_row(best[0]) if best else None,
            "notices": list(self.notices),
        }
        if len(best) > 1:
            table["top"] = [as_row(record) for record in best]
        if self.summary.front:
            table["front"] = [as_row(record) for record in self.summary.front]
        return table

    def __str__(self) -> str:
        rate = "" if self.rate is None else f", {self.rate:.3g} a second"
        failed = f", {self.summary.failed} failed" if self.summary.failed else ""
        lines = [f"{self.study}: {self.summary.candidates} candidates{failed}{rate}"]
        if not self.summary.best:
            lines.append("none with a fitness yet")
        for record in self.summary.best:
            lines.append(f"candidate {record.index}: {row_words(as_row(record))}")
            lines.append(parameter_words(record.parameters))
        if self.summary.front:
            lines.append(f"{len(self.summary.front)} candidates on the Pareto front (`front` in the JSON)")
        return "\n".join(lines)

    def plot(self) -> viz.Figure:
        """The fitness of every candidate, and the best so far."""
        records = [record for record in StudyFolder.open(self.study).records() if record.fitness is not None]
        records.sort(key=lambda record: record.index)
        found = np.array([[record.index, record.fitness] for record in records], dtype=float).reshape(-1, 2)
        return viz.plot_search(found, f"{self.study.name}: {self.summary.candidates} candidates")


def as_row(record: Record) -> dict[str, Any]:
    """A candidate as the command line prints it."""
    figures = {**dict.fromkeys(TOLD), **record.figures}
    return {"index": record.index, "parameters": dict(record.parameters), "fitness": record.fitness, **figures}


def row_words(row: Mapping[str, Any]) -> str:
    """The figures of a candidate in a line."""
    text = "failed" if row["fitness"] is None else f"fitness {row['fitness']:.5g}"
    if row["distance"] is not None:
        text += f", {row['distance']:.3f} m ahead"
    if row["drift"] is not None:
        text += f", {row['drift']:+.3f} m aside"
    if row["time"] is not None:
        text += f" in {row['time']:.2f} s"
    return text if row["fallen"] is None else f"{text}, {'fallen' if row['fallen'] else 'up'}"


def parameter_words(parameters: Mapping[str, Any]) -> str:
    """The parameters of a candidate in a line."""
    return "  ".join(f"{name} {_short(value)}" for name, value in parameters.items())


def _short(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class ExportResult(Result):
    """The files that were written; `motion` is None for objectives other than the wave gait."""

    record: Record = field(repr=False)
    parameters: Path
    motion: Path | None

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract."""
        motion = None if self.motion is None else str(self.motion)
        return {"candidate": as_row(self.record), "parameters": str(self.parameters), "motion": motion}

    def __str__(self) -> str:
        files = [self.parameters, *([self.motion] if self.motion is not None else [])]
        return "\n".join(f"wrote {file}" for file in files)
