"""Gait search as values in, values out: what `andante gait` does. The objective is the wave gait or a user's own."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from andante.errors import AndanteError, BadInput, UnknownName
from andante.files import read_text
from andante.locomotion.io.gait_parameters import read_parameters
from andante.parsing import parse_toml
from andante.search import (
    Ended,
    Event,
    Notice,
    ObjectiveSpec,
    Record,
    Shard,
    Space,
    StudyConfig,
    StudyFolder,
    Summary,
    merge,
    resume,
    search,
    summarize,
)
from andante.search.executors.evaluate import Evaluator
from andante.search.progress import progress_line
from andante.search.record import Task, record_of
from andante.userfile import is_user_reference, load_user_object

WAVE = "andante.experiments.wave.objective:WaveObjective"
TOLD = ("distance", "drift", "time", "fallen")


@dataclass(frozen=True)
class GaitTask:
    """What is tried: a robot and how its gait is judged."""

    robot: str
    engine: str = "mujoco"
    variant: str = "smooth"
    seconds: float = 6.0
    world: str = "empty"
    fitness: str = "better"
    robust: bool = False
    objective: str = ""  # a user's file.py:Name; empty: the wave gait
    arguments: Mapping[str, Any] = field(default_factory=dict)  # more of the objective's own

    def spec(self) -> ObjectiveSpec:
        """The objective, files by their full path; a user's own gets those settings that it has arguments for."""
        ours: dict[str, Any] = {
            "robot": _full(self.robot),
            "engine": _full(self.engine),
            "variant": self.variant,
            "seconds": self.seconds,
            "world": _full(self.world),
            "fitness": _full(self.fitness),
            "robust": self.robust or None,
        }
        if not self.objective:
            return ObjectiveSpec(WAVE, _given({**ours, **self.arguments}))
        if not is_user_reference(self.objective):
            raise BadInput(f"an objective of your own is named file.py:Name, got {self.objective!r}")
        factory = load_user_object(self.objective)
        if not callable(factory):
            raise BadInput(f"{self.objective} is not a class or function that makes an objective")
        known = inspect.signature(factory).parameters
        taken = {name: value for name, value in ours.items() if name in known}
        return ObjectiveSpec(self.objective, _given({**taken, **self.arguments})).resolved()

    def default_parameters(self) -> dict[str, Any]:
        """The gait that ships for the variant; nothing for a user's objective."""
        if self.objective:
            return {}
        from andante.locomotion.io.wave_file import default_gait

        return default_gait(self.variant).parameters.symbols()


@dataclass(frozen=True)
class SearchJob:
    """A study to make and run."""

    task: GaitTask
    study: Path
    sampler: str = "cmaes"
    budget: int = 1000
    workers: int | None = None
    executor: str = "local"
    shard: str = "0/1"
    seed: int = 0
    batch: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    frozen: Mapping[str, float] = field(default_factory=dict)
    space: Path | None = None
    params: Path | None = None
    timeout: float | None = None
    minutes: float | None = None

    def config(self) -> StudyConfig:
        """The study; BadInput when its parts do not fit together."""
        spec = self.task.spec()
        space = spec.build().space
        if self.space is not None:
            space = _own_space(self.space, space)
        options = dict(self.options)
        if self.params is not None:
            given = read_parameters(self.params)
            whole = {
                **{name: value for name, value in self.task.default_parameters().items() if name in space},
                **given,
            }
            options["start"] = space.complete({**whole, **self.frozen})
        return StudyConfig(
            objective=spec,
            space=space.freeze(self.frozen),
            sampler=_full(self.sampler),
            batch=self.batch,
            options=options,
            seed=self.seed,
            budget=self.budget,
            shard=Shard.parse(self.shard),
        )


@dataclass(frozen=True)
class SearchOutcome:
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


def as_row(record: Record) -> dict[str, Any]:
    """A candidate as the command line prints it."""
    figures = {**dict.fromkeys(TOLD), **record.figures}
    return {"index": record.index, "parameters": dict(record.parameters), "fitness": record.fitness, **figures}


def evaluate_gait(task: GaitTask, parameters: Mapping[str, Any], seed: int = 0) -> dict[str, Any]:
    """The figures of one gait; parameters that are not given are those of the gait that ships."""
    spec = task.spec()
    evaluator = Evaluator(spec.build())
    space = evaluator.objective.space
    defaults = {name: value for name, value in task.default_parameters().items() if name in space}
    whole = space.complete({**defaults, **parameters})
    try:
        outcome = evaluator.result(Task(0, whole, seed))
    finally:
        evaluator.close()
    if outcome.error:
        raise BadInput(f"the trial failed: {outcome.error}")
    record = record_of(outcome.task, outcome.figures)
    row = {name: value for name, value in as_row(record).items() if name != "index"}
    return {"robot": task.robot, "engine": task.engine, "variant": task.variant, **row}


def run_search(job: SearchJob, progress: bool = False) -> SearchOutcome:
    """Make a study and run it to its budget."""
    config = job.config()
    _check_minutes(job.minutes)
    with progress_line(progress) as line:
        heard = _Heard(line)
        ended = search(
            job.study,
            config,
            workers=job.workers,
            executor=job.executor,
            timeout=job.timeout,
            seconds=None if job.minutes is None else 60.0 * job.minutes,
            listen=heard,
        )
    return _outcome(job.study, ended, heard.notices)


def run_resume(
    study: Path,
    budget: int | None = None,
    workers: int | None = None,
    executor: str = "local",
    timeout: float | None = None,
    minutes: float | None = None,
    progress: bool = False,
) -> SearchOutcome:
    """Go on with a study."""
    _check_minutes(minutes)
    with progress_line(progress) as line:
        heard = _Heard(line)
        ended = resume(
            study,
            budget=budget,
            workers=workers,
            executor=executor,
            timeout=timeout,
            seconds=None if minutes is None else 60.0 * minutes,
            listen=heard,
        )
    return _outcome(study, ended, heard.notices)


def best_of(study: Path, top: int = 1) -> SearchOutcome:
    """The best candidates of a study so far."""
    if not 1 <= top <= 100_000:
        raise BadInput(f"--top is a number from 1 to 100000, got {top}")
    summary = summarize(StudyFolder.open(study), top)
    return SearchOutcome(study, summary)


def merge_studies(out: Path, parts: Sequence[Path]) -> SearchOutcome:
    """Shards put together into one study."""
    made = merge(out, parts)
    return SearchOutcome(out, summarize(made.study), notices=made.notices)


def _outcome(study: Path, ended: Ended, notices: list[str]) -> SearchOutcome:
    summary = summarize(StudyFolder.open(study))
    return SearchOutcome(study, summary, ended.evaluated, ended.seconds, ended.rate, tuple(notices))


class _Heard:
    """Keeps the notices of a study and hands all events on."""

    def __init__(self, line: Any) -> None:
        self.notices: list[str] = []
        self._line = line

    def __call__(self, event: Event) -> None:
        if isinstance(event, Notice):
            self.notices.append(event.text)
        self._line(event)


def _own_space(path: Path, known: Space) -> Space:
    """A user's ranges for parameters of the objective; those that the file does not name stay as they are."""
    text = read_text(path)
    try:
        own = Space.from_dict(parse_toml(text))
        for name in own:
            if name not in known:
                raise UnknownName.among("parameter", name, known)
    except (AndanteError, ValueError) as error:
        raise BadInput(f"{path}: {' '.join(str(error).split())}") from None
    frozen = {name: value for name, value in known.frozen.items() if name not in own.parameters}
    return Space({**known.parameters, **own.parameters}, {**frozen, **own.frozen})


def _check_minutes(minutes: float | None) -> None:
    if minutes is not None and not 0 < minutes < 1e7:
        raise BadInput(f"--minutes is a time > 0, got {minutes}")


def _full(name: str) -> str:
    """A file by its full path, file.py:Name likewise; any other name as it is."""
    if is_user_reference(name):
        file, _, attribute = name.rpartition(":")
        return f"{Path(file).resolve()}:{attribute}"
    return str(Path(name).resolve()) if Path(name).is_file() else name


def _given(table: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in table.items() if value is not None}
