"""`an.gait`: try a gait, search for better ones, go on after any stop, look at the best, export, merge shards.

The objective is the wave gait or a user's own.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.control.start import first_positions
from andante.description import ROBOTS, load_robot
from andante.errors import AndanteError, BadInput, MissingFile, UnknownName
from andante.files import read_text
from andante.locomotion.io.gait_parameters import read_parameters
from andante.locomotion.wave.gait import wave_keyframes
from andante.locomotion.wave.model import WaveModel, WaveParameters, default_gait
from andante.motion.io.library import write_keyframes_toml
from andante.parsing import parse_toml
from andante.plugins import load_reference
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
    summarize,
)
from andante.search import merge as merge_studies
from andante.search import resume as resume_study
from andante.search import search as run_study
from andante.search.executors.base import Evaluator
from andante.search.progress import progress_line
from andante.search.record import Task, record_of
from andante.search.tables import toml_text, write_whole
from andante.userfile import is_user_reference, load_user_object

from .inputs import RobotLike, WorldLike, file_of
from .result import HIDDEN, Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
            return ObjectiveSpec(_objective_of(self.robot), _given({**ours, **self.arguments}))
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
        return default_gait(self.variant).parameters.symbols()


def _objective_of(robot: str) -> str:
    """The objective that the package of a robot names; for other robots the first that any package names."""
    known = _objectives()
    return known.get(robot, next(iter(known.values())))


def _objectives() -> dict[str, str]:
    """The objectives that robot packages name, by robot."""
    return {name: ROBOTS[name].objective for name in ROBOTS if ROBOTS[name].objective}


def _is_gait(factory: str) -> bool:
    """Whether an objective is one of a robot package, be it by a name that it had in an earlier version."""
    ours = [load_reference(each) for each in _objectives().values()]
    return not is_user_reference(factory) and load_reference(factory) in ours


@dataclass(frozen=True)
class SearchJob:
    """A study to make."""

    task: GaitTask
    study: Path
    sampler: str = "cmaes"
    budget: int = 1000
    shard: str = "0/1"
    seed: int = 0
    batch: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    frozen: Mapping[str, float] = field(default_factory=dict)
    space: Path | None = None
    params: Path | None = None

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
            lines.append(f"{len(self.summary.front)} candidates on the Pareto front (--json lists them)")
        return "\n".join(lines)

    def plot(self) -> Figure:
        """The fitness of every candidate, and the best so far."""
        from andante.viz.paths import plot_search

        records = [record for record in StudyFolder.open(self.study).records() if record.fitness is not None]
        records.sort(key=lambda record: record.index)
        found = np.array([[record.index, record.fitness] for record in records], dtype=float).reshape(-1, 2)
        return plot_search(found, f"{self.study.name}: {self.summary.candidates} candidates")


def as_row(record: Record) -> dict[str, Any]:
    """One candidate as the command line prints it.

    Args:
        record: the candidate, as the study keeps it.

    Returns:
        Index, parameters, fitness, distance and drift [m], time [s] and whether it fell; None where not measured.
    """
    figures = {**dict.fromkeys(TOLD), **record.figures}
    return {"index": record.index, "parameters": dict(record.parameters), "fitness": record.fitness, **figures}


def row_words(row: Mapping[str, Any]) -> str:
    """The figures of a candidate, as `as_row` returns them, as one line of text."""
    text = "failed" if row["fitness"] is None else f"fitness {row['fitness']:.5g}"
    if row["distance"] is not None:
        text += f", {row['distance']:.3f} m ahead"
    if row["drift"] is not None:
        text += f", {row['drift']:+.3f} m aside"
    if row["time"] is not None:
        text += f" in {row['time']:.2f} s"
    return text if row["fallen"] is None else f"{text}, {'fallen' if row['fallen'] else 'up'}"


def parameter_words(parameters: Mapping[str, Any]) -> str:
    """The parameters of a candidate, name to value, as one line of text."""
    return "  ".join(f"{name} {_short(value)}" for name, value in parameters.items())


def _short(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


# ---- the functions of an.gait --------------------------------------------------------------------
def evaluate(
    robot: RobotLike,
    parameters: Mapping[str, Any] | None = None,
    *,
    params: Path | str | None = None,
    engine: str = "mujoco",
    variant: str = "smooth",
    seconds: float = 6.0,
    world: WorldLike = "empty",
    fitness: str = "better",
    robust: bool = False,
    objective: str = "",
    arguments: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> GaitResult:
    """Try one gait.

    Args:
        robot: a `Robot` that has a file, a name or a path.
        parameters: parameters of the gait, such as {"T": 0.6}; those left out are those of the gait that ships.
        params: a TOML or JSON file with parameters; `parameters` go before it.
        engine: mujoco, bullet, dart, ode, or `file.py:Name`.
        variant: exact (as published) or smooth.
        seconds: how long a trial lasts [s].
        world: a `World` that has a file, a name or a path.
        fitness: better, source or `file.py:Name`.
        robust: several trials each: friction, masses, pose and pushes vary.
        objective: one of your own, `file.py:Name`; empty: the wave gait.
        arguments: more arguments of the objective.
        seed: random seed of all noise.

    Returns:
        The figures of the gait.
    """
    task = GaitTask(
        file_of(robot), engine, variant, seconds, file_of(world), fitness, robust, objective, dict(arguments or {})
    )
    given = {**(read_parameters(Path(params)) if params is not None else {}), **(parameters or {})}
    evaluator = Evaluator(task.spec().build())
    space = evaluator.objective.space
    defaults = {name: value for name, value in task.default_parameters().items() if name in space}
    whole = space.complete({**defaults, **given})
    try:
        outcome = evaluator.result(Task(0, whole, seed))
    finally:
        evaluator.close()
    if outcome.error:
        raise BadInput(f"the trial failed: {outcome.error}")
    return GaitResult(task.robot, task.engine, task.variant, record_of(outcome.task, outcome.figures))


def search(
    robot: RobotLike,
    study: Path | str,
    *,
    sampler: str = "cmaes",
    budget: int = 1000,
    workers: int | None = None,
    executor: str = "local",
    shard: str = "0/1",
    freeze: Mapping[str, float] | None = None,
    space: Path | str | None = None,
    params: Path | str | None = None,
    options: Mapping[str, Any] | None = None,
    batch: int = 0,
    engine: str = "mujoco",
    variant: str = "smooth",
    seconds: float = 6.0,
    world: WorldLike = "empty",
    fitness: str = "better",
    robust: bool = False,
    objective: str = "",
    arguments: Mapping[str, Any] | None = None,
    timeout: float | None = None,
    minutes: float | None = None,
    seed: int = 0,
    progress: bool = False,
) -> SearchResult:
    """Make a study and search for better gaits; any stop is safe, `resume` goes on.

    Args:
        robot: a `Robot` that has a file, a name or a path.
        study: folder to make for the study.
        sampler: grid, random, cmaes, tpe, nsga2, elites or `file.py:Name`.
        budget: number of candidates.
        workers: processes; None: one per processor, 0: none.
        executor: local or ray.
        shard: only part i (from 0) of n, "i/n".
        freeze: parameters to keep fixed, name to value.
        space: a TOML file with ranges of your own.
        params: a file with parameters to start from (cmaes, tpe, elites).
        options: options of the sampler, such as {"sigma": 0.1}.
        batch: candidates asked for together; 0: as the sampler likes it.
        engine, variant, seconds, world, fitness, robust, objective, arguments: as in `evaluate`.
        timeout: time after which a candidate counts as failed [s].
        minutes: time after which nothing new is started [min].
        seed: random seed of the search and of all noise.
        progress: print progress on stderr.

    Returns:
        What the study has come to.
    """
    job = SearchJob(
        task=GaitTask(
            file_of(robot), engine, variant, seconds, file_of(world), fitness, robust, objective, dict(arguments or {})
        ),
        study=Path(study),
        sampler=sampler,
        budget=budget,
        shard=shard,
        seed=seed,
        batch=batch,
        options=dict(options or {}),
        frozen=dict(freeze or {}),
        space=None if space is None else Path(space),
        params=None if params is None else Path(params),
    )
    config, limit = job.config(), _seconds(minutes)
    with progress_line(progress) as line:
        heard = _Heard(line)
        ended = run_study(
            job.study, config, workers=workers, executor=executor, timeout=timeout, seconds=limit, listen=heard
        )
    return _result(job.study, ended, heard.notices)


def resume(
    study: Path | str,
    *,
    budget: int | None = None,
    workers: int | None = None,
    executor: str = "local",
    timeout: float | None = None,
    minutes: float | None = None,
    progress: bool = False,
) -> SearchResult:
    """Go on with a study as if it had never stopped.

    Args:
        study: its folder.
        budget: a new number of candidates; None: as it was.
        workers, executor, timeout, minutes, progress: as in `search`.

    Returns:
        What the study has come to.
    """
    folder, limit = Path(study), _seconds(minutes)
    with progress_line(progress) as line:
        heard = _Heard(line)
        ended = resume_study(
            folder, budget=budget, workers=workers, executor=executor, timeout=timeout, seconds=limit, listen=heard
        )
    return _result(folder, ended, heard.notices)


def best(study: Path | str, top: int = 1) -> SearchResult:
    """Read the best candidates of a study, also while it runs.

    Args:
        study: its folder.
        top: number of candidates, 1 to 100000.

    Returns:
        What the study has come to, the best candidates first.
    """
    if not 1 <= top <= 100_000:
        raise BadInput(f"top is a number from 1 to 100000, got {top}")
    return SearchResult(Path(study), summarize(StudyFolder.open(Path(study)), top))


def merge(out: Path | str, parts: Sequence[Path | str]) -> SearchResult:
    """Merge the shards of a study.

    Args:
        out: new folder for the whole study.
        parts: folders of the shards.

    Returns:
        What the study has come to.
    """
    made = merge_studies(Path(out), [Path(part) for part in parts])
    return SearchResult(Path(out), summarize(made.study), notices=made.notices)


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


def export(
    study: Path | str, out: Path | str, *, rank: int = 1, index: int | None = None, cycles: int = 8
) -> ExportResult:
    """Write OUT.toml (parameters, as `params` takes them) and OUT.motion.toml (the key-frames that `an.play` replays).

    Args:
        study: its folder.
        out: files to write, without suffix.
        rank: 1 is the best candidate, 2 the next.
        index: a candidate by its number instead.
        cycles: steps of the motion, in full cycles.

    Returns:
        The files that were written.
    """
    study, out = Path(study), Path(out)
    folder = StudyFolder.open(study)
    record = _chosen(folder, rank, index)
    stem = out.with_suffix("") if out.suffix == ".toml" else out
    if not stem.name or not stem.absolute().parent.is_dir():
        raise MissingFile(f"{out}: the folder does not exist; make it first")
    parameters, motion = stem.with_name(f"{stem.name}.toml"), stem.with_name(f"{stem.name}.motion.toml")
    for path in (parameters, motion):
        if path.is_dir():
            raise BadInput(f"{path} is a folder; give another name")
    played = _wave_motion(folder, record, cycles, stem.name) if _is_gait(folder.config.objective.factory) else None
    fitness = "failed" if record.fitness is None else f"fitness {record.fitness:.6g}"
    head = f"# candidate {record.index} of the study {study.name}: {fitness}\n"
    write_whole(parameters, head + toml_text(dict(record.parameters)))
    if played is None:
        return ExportResult(record, parameters, None)
    write_keyframes_toml(played, motion)
    return ExportResult(record, parameters, motion)


def _wave_motion(folder: StudyFolder, record: Record, cycles: int, name: str) -> Any:
    """The wave gait of a candidate as key-frames, from the pose in which its trial began."""
    arguments = folder.config.objective.arguments
    robot = load_robot(arguments.get("robot", "nao"))
    model = WaveModel(robot, WaveParameters.of(record.parameters), arguments.get("variant", "smooth"))
    first = first_positions(robot, arguments.get("pose"))
    start = np.array([first.get(joint, 0.0) for joint in robot.joint_names])
    return wave_keyframes(model, start, cycles, name)


def _chosen(folder: StudyFolder, rank: int, index: int | None) -> Record:
    if index is not None:
        for record in folder.records():
            if record.index == index:
                return record
        raise BadInput(f"{folder.path} has no candidate {index}")
    if not 1 <= rank <= 100_000:
        raise BadInput(f"rank is a number from 1 on, got {rank}")
    best = summarize(folder, rank).best
    if len(best) < rank:
        raise BadInput(f"{folder.path} has {len(best)} candidates with a fitness; rank {rank} is not among them")
    return best[rank - 1]


def _result(study: Path, ended: Ended, notices: list[str]) -> SearchResult:
    summary = summarize(StudyFolder.open(study))
    return SearchResult(study, summary, ended.evaluated, ended.seconds, ended.rate, tuple(notices))


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


def _seconds(minutes: float | None) -> float | None:
    """A time limit [min] in seconds."""
    if minutes is not None and not 0 < minutes < 1e7:
        raise BadInput(f"minutes is a time > 0, got {minutes}")
    return None if minutes is None else 60.0 * minutes


def _full(name: str) -> str:
    """A file by its full path, file.py:Name likewise; any other name as it is."""
    if is_user_reference(name):
        file, _, attribute = name.rpartition(":")
        return f"{Path(file).resolve()}:{attribute}"
    return str(Path(name).resolve()) if Path(name).is_file() else name


def _given(table: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in table.items() if value is not None}
