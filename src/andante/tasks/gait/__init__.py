"""`an.gait`: try a gait, search for better ones, go on after any stop, look at the best, export, merge shards.

The objective is the wave gait or a user's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from andante.control.start import first_positions
from andante.description import load_robot
from andante.description.solver import SolverLike, solver_settings
from andante.errors import BadInput, MissingFile
from andante.files import write_whole
from andante.locomotion.io.gait_parameters import read_parameters
from andante.locomotion.wave.gait import wave_keyframes
from andante.locomotion.wave.model import WaveModel, WaveParameters
from andante.motion.io.library import write_keyframes_toml
from andante.parsing import toml_text
from andante.search import Ended, Event, Notice, Record, StudyFolder, summarize
from andante.search import merge as merge_studies
from andante.search import resume as resume_study
from andante.search import search as run_study
from andante.search.executors.base import Evaluator
from andante.search.progress import progress_line
from andante.search.record import Task, record_of
from andante.settings import DEFAULT_ROBOT
from andante.tasks.inputs import RobotLike, WorldLike, file_of

from .results import ExportResult, GaitResult, SearchResult
from .study import GaitTask, is_gait, study_config

__all__ = [
    "ExportResult", "GaitResult", "GaitTask", "SearchResult", "best", "evaluate", "export", "merge", "resume", "search",
    "study_config",
]  # fmt: skip


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
    solver: SolverLike | None = None,
    seed: int = 0,
) -> GaitResult:
    """Try one gait.

    Args:
        robot: a `Robot` that has a file, a name or a path.
        parameters: parameters of the gait, such as {"T": 0.6}; those left out are those of the gait that ships.
        params: a TOML or JSON file with parameters; those that are given apart go before it.
        engine: mujoco, bullet, dart, ode, or `file.py:Name`.
        variant: `exact` (as published) or `smooth`.
        seconds: how long a trial lasts [s].
        world: a `World` that has a file, a name or a path.
        fitness: better, source or `file.py:Name`.
        robust: several trials each: friction, masses, pose and pushes vary.
        objective: an objective of your own, `file.py:Name`; empty: the wave gait.
        arguments: more arguments of the objective.
        solver: settings of the solver, such as {"iterations": 50}, before those of the world.
        seed: random seed of all noise.

    Returns:
        The figures of the gait.
    """
    task = GaitTask(
        file_of(robot), engine, variant, seconds, file_of(world), fitness, robust, objective, dict(arguments or {}),
        solver_settings(solver).stated,
    )  # fmt: skip
    given = {**(read_parameters(Path(params)) if params is not None else {}), **(parameters or {})}
    with closing(Evaluator(task.spec().build())) as evaluator:
        outcome = evaluator.result(Task(0, task.complete(evaluator.objective.space, given), seed))
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
    solver: SolverLike | None = None,
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
        executor: `local` or `ray`.
        shard: only part i (from 0) of n, "i/n".
        freeze: parameters to keep fixed, name to value.
        space: a TOML file with ranges of your own.
        params: a file with parameters to start from (cmaes, tpe, elites).
        options: options of the sampler, such as {"sigma": 0.1}.
        batch: candidates asked for together; 0: as the sampler likes it.
        engine, variant, seconds, world, fitness, robust, objective, arguments, solver: as in `evaluate`.
        timeout: time after which a candidate counts as failed [s].
        minutes: time after which nothing new is started [min].
        seed: random seed of the search and of all noise.
        progress: print progress on stderr.

    Returns:
        What the study has come to.
    """
    task = GaitTask(
        file_of(robot), engine, variant, seconds, file_of(world), fitness, robust, objective, dict(arguments or {}),
        solver_settings(solver).stated,
    )  # fmt: skip
    config = study_config(
        task, sampler, budget, shard=shard, seed=seed, batch=batch, options=options, frozen=freeze, space=space,
        params=params,
    )  # fmt: skip
    run = partial(run_study, Path(study), config, workers=workers, executor=executor, timeout=timeout)
    return _searched(Path(study), progress, partial(run, seconds=_seconds(minutes)))


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
    run = partial(resume_study, Path(study), budget=budget, workers=workers, executor=executor, timeout=timeout)
    return _searched(Path(study), progress, partial(run, seconds=_seconds(minutes)))


def _searched(study: Path, progress: bool, run: Callable[..., Ended]) -> SearchResult:
    """What a study has come to after a session of it, with the notices that were told on the way."""
    notices: list[str] = []
    with progress_line(progress) as line:

        def listen(event: Event) -> None:
            if isinstance(event, Notice):
                notices.append(event.text)
            line(event)

        ended = run(listen=listen)
    summary = summarize(StudyFolder.open(study))
    return SearchResult(study, summary, ended.evaluated, ended.seconds, ended.rate, tuple(notices))


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
    played = _wave_motion(folder, record, cycles, stem.name) if is_gait(folder.config.objective.factory) else None
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
    robot = load_robot(arguments.get("robot", DEFAULT_ROBOT))
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


def _seconds(minutes: float | None) -> float | None:
    """A time limit [min] in seconds."""
    if minutes is not None and not 0 < minutes < 1e7:
        raise BadInput(f"minutes is a time > 0, got {minutes}")
    return None if minutes is None else 60.0 * minutes
