"""`an.experiment`: run trials with statistics, compare them with a real robot, report, identify parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from andante.description.solver import SolverLike

from .definition import builtin_names, load_experiment
from .experiment import Experiment
from .fit import FitJob, FitOutcome, run_fit
from .importing import ImportResult, guessed_experiment
from .importing import import_trials as keep_trials
from .reference import REAL, reference_names
from .report import Report, write_report
from .runner import RunJob, RunOutcome, merge_runs, run_experiment, with_settings
from .variation import read_model


def names() -> tuple[str, ...]:
    """List the experiments.

    Returns:
        Their names: those that ship and those of installed robot packages.
    """
    return builtin_names()


def references() -> tuple[str, ...]:
    """List the references, the trials of real robots that experiments are compared with.

    Returns:
        Their names: those that ship and those that were imported.
    """
    return reference_names()


def load(name: Experiment | Path | str) -> Experiment:
    """Load an experiment.

    Args:
        name: an `Experiment`, a name, FILE.toml or `file.py:Name`.

    Returns:
        The experiment: factors, engines, trials and measures.
    """
    return name if isinstance(name, Experiment) else load_experiment(str(name))


def run(
    name: Experiment | Path | str,
    out: Path | str,
    *,
    engines: Sequence[str] = (),
    factors: Mapping[str, Sequence[Any]] | None = None,
    solver: SolverLike | None = None,
    trials: int | None = None,
    seed: int | None = None,
    workers: int | None = None,
    executor: str = "local",
    shard: str = "0/1",
    timeout: float | None = None,
    minutes: float | None = None,
    model: Mapping[str, float] | Path | str | None = None,
    record: Path | str | None = None,
    progress: bool = False,
) -> RunOutcome:
    """Run an experiment, or go on with it: any stop is safe; no trial is lost or done twice.

    Args:
        name: an `Experiment`, a name, FILE.toml or `file.py:Name`.
        out: folder for the results; goes on where it holds some.
        engines: mujoco, bullet, dart, ode, with commas between on the command line; those of the experiment by default.
        factors: other levels of some factors, such as {"distance": [0.5]}.
        solver: settings of the solver in all trials, such as {"iterations": 50}.
        trials: trials of every combination.
        seed: random seed of the experiment.
        workers: processes; None: one per processor, 0: none.
        executor: `local` or `ray`.
        shard: only part i (from 0) of n, "i/n".
        timeout: time after which a trial counts as failed [s].
        minutes: time after which nothing new is started [min].
        model: parameters from `fit`, or their file.
        record: folder to record every trial into, as MCAP.
        progress: print progress on stderr.

    Returns:
        How many trials there are; `plot` shows what they measured.
    """
    experiment = with_settings(load(name), list(engines), trials, seed, timeout, factors, solver)
    parameters = read_model(Path(model)) if isinstance(model, str | Path) else dict(model or {})
    recordings = None if record is None else Path(record)
    job = RunJob(experiment, Path(out), workers, executor, shard, minutes, recordings, parameters)
    return run_experiment(job, progress=progress)


def merge(out: Path | str, parts: Sequence[Path | str]) -> RunOutcome:
    """Merge the shards of an experiment.

    Args:
        out: new folder for the whole run.
        parts: folders of the shards.

    Returns:
        How many trials there are; `plot` shows what they measured.
    """
    return merge_runs(Path(out), [Path(part) for part in parts])


def report(
    folder: Path | str | Sequence[Path | str],
    out: Path | str | None = None,
    *,
    reference: str | None = None,
    standard: str = REAL,
) -> Report:
    """Statistics, figures and tables of runs as one HTML page, and each as PNG, PDF, CSV and LaTeX.

    Args:
        folder: of a run, or several of one experiment.
        out: folder to write; `report` in the first one by default.
        reference: another reference than that of the experiment; "none": without.
        standard: which source of the reference counts as the truth.

    Returns:
        Where the report is and what it says.
    """
    folders = [Path(folder)] if isinstance(folder, str | Path) else [Path(each) for each in folder]
    return write_report(folders, None if out is None else Path(out), reference, standard)


def import_trials(
    file: Path | str,
    name: str,
    *,
    experiment: Experiment | Path | str | None = None,
    source: str = REAL,
    factors: Mapping[str, Any] | None = None,
    odom: str = "",
) -> ImportResult:
    """Keep trials of a real robot as a reference; a table replaces what was there, a bag adds a trial.

    Args:
        file: a .csv table, a bag (.bag .db3 .mcap) or TUM lines (.txt).
        name: name of the reference.
        experiment: whose factors and measures it has; guessed by default.
        source: who was measured in a bag.
        factors: of the trial in a bag.
        odom: topic of the odometry.

    Returns:
        The reference that was written.
    """
    path, given = Path(file), dict(factors or {})
    chosen = load(experiment) if experiment else guessed_experiment(path, given)
    return keep_trials(path, name, chosen, source=source, factors=given, odom=odom)


def fit(
    name: Experiment | Path | str,
    out: Path | str,
    *,
    engine: str = "mujoco",
    hold_out: Sequence[str] = (),
    budget: int = 66,
    rounds: int = 3,
    repeats: int = 1,
    trials: int | None = None,
    sampler: str = "cmaes",
    reference: str = "",
    standard: str = REAL,
    seed: int = 0,
    workers: int | None = None,
    executor: str = "local",
    progress: bool = False,
) -> FitOutcome:
    """Identify parameters that bring an engine nearest to the reference, and prove them on tests that were left out.

    Args:
        name: an `Experiment`, a name, FILE.toml or `file.py:Name`.
        out: folder to make; goes on where it was stopped.
        engine: whose parameters are identified.
        hold_out: tests that take no part in the fit; those of the experiment by default.
        budget: candidates of the search; 0: none.
        rounds: guesses that are tried and moved first.
        repeats: trials of a test in a candidate.
        trials: trials of a test in the proof.
        sampler: grid, random, cmaes, tpe, nsga2, elites or `file.py:Name`.
        reference: another reference than that of the experiment.
        standard: which of its sources to come near.
        seed: random seed of the search.
        workers, executor, progress: as in `run`.

    Returns:
        The model, and how near it comes.
    """
    job = FitJob(
        load(name), Path(out), engine, tuple(hold_out), budget, rounds, repeats, trials, workers, executor, sampler,
        seed, reference, standard,
    )  # fmt: skip
    return run_fit(job, progress=progress)
