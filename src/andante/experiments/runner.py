"""Running an experiment: on all processors, on Ray, in shards; it goes on after any end, each trial counts once.

Progress is a moving line on a terminal, a plain line now and then elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from andante.description.solver import SolverLike, solver_settings
from andante.errors import BadInput, MissingFile, UnknownName
from andante.physics.registry import engine_class
from andante.physics.solver import check_settings
from andante.search import Evaluated, Event, Notice, Shard, Started, StudyConfig, StudyFolder, merge, resume, search
from andante.search.executors import check_executor
from andante.search.folder import CONFIG
from andante.search.progress import clock, progress_line
from andante.tasks.result import Result

from .definition import from_dict
from .experiment import Experiment
from .objective import FACTORY, spec_of
from .setup import trial_terms

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@contextmanager
def trial_line(name: str, wanted: bool) -> Iterator[Callable[[Event], None]]:
    """A listener of events that keeps the line; without a terminal it writes one now and then; silent unless wanted."""
    failed = 0

    def told(event: Started | Evaluated) -> str:
        return words(event, failed) if isinstance(event, Evaluated) else ""

    with progress_line(wanted, name, told, lambda event: plain(name, event, failed)) as line:

        def listen(event: Event) -> None:
            nonlocal failed
            failed += isinstance(event, Evaluated) and event.record.failed
            line(event)

        yield listen


def plain(name: str, event: Evaluated, failed: int) -> str:
    """ "walk: 12 of 40 trials, 2.0 a second, 0:14 left"."""
    return ", ".join(filter(None, [f"{name}: {event.done} of {event.budget} trials", words(event, failed)]))


def words(event: Evaluated, failed: int) -> str:
    """Rate, time left and failures of this session."""
    parts = []
    if isfinite(event.rate):
        speed = f"{event.rate:.1f} a second" if event.rate >= 1 else f"{60 * event.rate:.1f} a minute"
        parts = [speed, f"{clock(event.left)} left"]
    return ", ".join([*parts, *([f"{failed} failed"] if failed else [])])


@dataclass(frozen=True)
class RunJob:
    """What to run, and how. The folder may hold a part of it already: then it goes on."""

    experiment: Experiment
    out: Path
    workers: int | None = None
    executor: str = "local"
    shard: str = "0/1"
    minutes: float | None = None  # after which no trial is begun
    record: Path | None = None  # folder for recordings
    model: Mapping[str, float] = field(default_factory=dict)

    def config(self) -> StudyConfig:
        """The study that the trials are: a grid in a random order, so that any part of it is balanced."""
        spec = spec_of(self.experiment, self.model, self.record)
        return StudyConfig(
            objective=spec,
            space=self.experiment.space,
            sampler="grid",
            seed=self.experiment.seed,
            budget=self.experiment.count,
            shard=Shard.parse(self.shard),
        )


@dataclass(frozen=True)
class RunOutcome(Result):
    """What came of a run; `evaluated` and `seconds` count this session."""

    out: Path
    experiment: Experiment
    trials: int  # in the folder
    wanted: int  # of this shard
    failed: int  # that ended in an error or ran out of time
    evaluated: int = 0
    seconds: float = 0.0
    notices: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The outcome as a table."""
        table: dict[str, Any] = {"out": str(self.out), "experiment": self.experiment.name}
        for name in ("trials", "wanted", "failed", "evaluated", "seconds"):
            table[name] = getattr(self, name)
        return {**table, "complete": self.trials >= self.wanted, "notices": list(self.notices)}

    def __str__(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        spent = f"; {self.evaluated} in {self.seconds:.1f} s now" if self.evaluated else ""
        return f"{self.out}: {self.trials} of {self.wanted} trials{failed}{spent}"

    def plot(self) -> Figure:
        """The first figure of the report: paths where trials have them, else the first measure by factor."""
        from .report.write import analysis_of, first_figure

        return first_figure(analysis_of([self.out]))


def run_experiment(job: RunJob, progress: bool = False, listen: Callable[[Event], None] | None = None) -> RunOutcome:
    """Run an experiment, or go on with it; what is finished is in the folder whatever happens."""
    if job.minutes is not None and not 0 < job.minutes < 1e7:
        raise BadInput(f"minutes is a time > 0, got {job.minutes}")
    timeout = job.experiment.timeout if job.executor != "local" or job.workers != 0 else None
    check_executor(job.executor, job.workers, timeout)
    seconds = None if job.minutes is None else 60.0 * job.minutes
    config = job.config()
    known = _known(job.out, config)
    notices: list[str] = []
    with trial_line(job.experiment.name, progress) as line:

        def on_event(event: Event) -> None:
            if isinstance(event, Notice):
                notices.append(event.text)
            line(event)
            if listen is not None:
                listen(event)

        how: dict[str, Any] = {"workers": job.workers, "executor": job.executor, "timeout": timeout}
        how |= {"seconds": seconds, "listen": on_event}
        ended = resume(job.out, **how) if known else search(job.out, config, **how)
    trials, failed = _counts(StudyFolder.open(job.out))
    shard = config.shard
    wanted = max(0, -(-(job.experiment.count - shard.number) // shard.count))
    return RunOutcome(job.out, job.experiment, trials, wanted, failed, ended.evaluated, ended.seconds, tuple(notices))


def merge_runs(out: Path, parts: Sequence[Path]) -> RunOutcome:
    """Put shards of one experiment together into a new folder."""
    for part in parts:
        experiment_of(part)
    made = merge(out, parts)
    experiment = experiment_of(out)
    trials, failed = _counts(made.study)
    return RunOutcome(out, experiment, trials, experiment.count, failed, notices=made.notices)


def experiment_of(folder: Path | str) -> Experiment:
    """The experiment whose results a folder holds."""
    return from_dict(arguments_of(folder)["experiment"])


def arguments_of(folder: Path | str) -> Mapping[str, Any]:
    """What a run was made with: experiment, model, record."""
    folder = Path(folder)
    if not (folder / CONFIG).is_file():
        raise MissingFile(f"{folder}: no experiment was run there; `andante experiment run NAME --out {folder}` does")
    objective = StudyFolder.open(folder).config.objective
    if objective.factory != FACTORY:
        raise BadInput(f"{folder} holds a search, no experiment; look at it with `andante gait best {folder}`")
    return objective.arguments


def _known(out: Path, config: StudyConfig) -> bool:
    """Whether the folder holds a part of this very experiment; BadInput when it holds another."""
    if not (out / CONFIG).exists():
        return False
    there = StudyFolder.open(out).config
    if _trials(there) != _trials(config.settled()) or str(there.shard) != str(config.shard):
        raise BadInput(
            f"{out} holds another experiment, or the same with other settings (see study.toml); give a new folder"
        )
    return True


def _trials(config: StudyConfig) -> str:
    """The fingerprint of what trials depend on: which of their measures a report shows is not among it."""
    arguments = dict(config.objective.arguments)
    if isinstance(arguments.get("experiment"), Mapping):
        arguments["experiment"] = {k: v for k, v in arguments["experiment"].items() if k not in ("measures", "title")}
    return replace(config, objective=replace(config.objective, arguments=arguments)).fingerprint


def _counts(folder: StudyFolder) -> tuple[int, int]:
    """Trials in the file, and how many of them failed."""
    trials = failed = 0
    for record in folder.records():
        trials += 1
        failed += record.failed
    return trials, failed


def with_settings(
    experiment: Experiment,
    engines: Sequence[str] | None = None,
    trials: int | None = None,
    seed: int | None = None,
    timeout: float | None = None,
    factors: Mapping[str, Sequence[Any]] | None = None,
    solver: SolverLike | None = None,
    mode: str = "",
) -> Experiment:
    """The experiment with some settings replaced; with other levels of factors it has only tests that are left."""
    changes: dict[str, Any] = {}
    if mode:
        UnknownName.check("mode", mode, experiment.modes, f"experiment {experiment.name!r}")
        changes["mode"] = mode
    asked = solver_settings(solver)
    if asked.stated:
        terms = trial_terms(experiment.trial)
        if terms is not None:
            terms.check_setting("solver")
        given_before = solver_settings(experiment.arguments.get("solver"))
        changes["arguments"] = {**experiment.arguments, "solver": asked.over(given_before).stated}
    if factors:
        for name in factors:
            if name not in experiment.factors:
                raise UnknownName.among("factor", name, experiment.factors)
        levels = {**experiment.factors, **{name: tuple(values) for name, values in factors.items()}}
        left = {
            name: cell
            for name, cell in experiment.tests.items()
            if all(value in levels[factor] for factor, value in cell.items())
        }
        changes |= {"factors": levels, "tests": left, "fit": {}}
    given = {"engines": tuple(engines or ()) or None, "trials": trials, "seed": seed, "timeout": timeout}
    changes |= {name: value for name, value in given.items() if value is not None}
    made = replace(experiment, **changes)
    for engine in made.engines if engines else ():
        if engine != "none":
            engine_class(engine)  # says what is missing
    for engine in made.engines if asked.stated else ():
        if engine != "none":
            check_settings(engine_class(engine), asked)
    return made
