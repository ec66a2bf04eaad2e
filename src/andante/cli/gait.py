"""`andante gait`: try a gait, search for better ones, go on after any stop, look at the best, export, merge shards."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import (
    EngineName,
    Executor,
    GaitParameters,
    Json,
    MergedFolder,
    Minutes,
    RobotName,
    Sampler,
    Seed,
    Shard,
    Shards,
    TrialTimeout,
    Workers,
    WorldName,
    group,
)
from .output import console, print_json, tell_written, warn
from .words import merge_of, values_of

if TYPE_CHECKING:
    from andante.tasks.gait import GaitTask, SearchOutcome

app = group("Try gaits, and search for better ones.")

Study = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a study.")]
Variant = Annotated[str, typer.Option("--variant", metavar="V", help="exact (as published) or smooth.")]
Seconds = Annotated[float, typer.Option("--seconds", metavar="S", help="How long a trial lasts.")]
Fitness = Annotated[str, typer.Option("--fitness", metavar="F", help="better, source or file.py:Name.")]
Robust = Annotated[bool, typer.Option("--robust", help="Several trials each: friction, masses, pose and pushes vary.")]
Own = Annotated[str, typer.Option("--objective", metavar="FILE:NAME", help="An objective of your own, file.py:Name.")]
Arguments = Annotated[
    list[str] | None, typer.Option("--argument", metavar="NAME=VALUE", help="More for the objective, as in TOML.")
]


@app.command("eval")
def evaluate(
    robot: RobotName,
    params: GaitParameters = None,
    values: Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE ...", help="Parameters.")] = None,
    more: Annotated[list[str] | None, typer.Argument(metavar="[NAME=VALUE ...]", help="More parameters.")] = None,
    variant: Variant = "smooth",
    engine: EngineName = "mujoco",
    world: WorldName = "empty",
    seconds: Seconds = 6.0,
    fitness: Fitness = "better",
    robust: Robust = False,
    objective: Own = "",
    argument: Arguments = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Try one gait. Parameters that are not given are those of the gait that ships."""
    from andante.locomotion.io.gait_parameters import read_parameters
    from andante.tasks.gait import evaluate_gait

    task = _task(robot, engine, variant, seconds, world, fitness, robust, objective, argument)
    given = {**(read_parameters(params) if params is not None else {}), **values_of([*(values or ()), *(more or ())])}
    told = evaluate_gait(task, given, seed)
    if json:
        print_json(told)
        return
    out = console()
    out.print(f"{told['robot']} on {told['engine']}: {_words(told)}", markup=False)
    out.print("  ".join(f"{name} {value:.5g}" for name, value in told["parameters"].items()), markup=False, style="dim")


@app.command("search")
def search(
    robot: RobotName,
    study: Annotated[Path, typer.Option("--study", metavar="DIR", help="Folder to make for the study.")],
    sampler: Sampler = "cmaes",
    budget: Annotated[int, typer.Option("--budget", metavar="N", help="How many candidates.")] = 1000,
    workers: Workers = None,
    executor: Executor = "local",
    shard: Shard = "0/1",
    freeze: Annotated[
        list[str] | None, typer.Option("--freeze", metavar="NAME=VALUE", help="Hold a parameter.")
    ] = None,
    space: Annotated[Path | None, typer.Option("--space", metavar="FILE", help="Ranges of your own, .toml.")] = None,
    params: Annotated[
        Path | None, typer.Option("--params", metavar="FILE", help="Parameters to start from (cmaes, tpe, elites).")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="Of the sampler, such as sigma=0.1.")
    ] = None,
    batch: Annotated[int, typer.Option("--batch", metavar="N", help="Candidates asked for together.")] = 0,
    variant: Variant = "smooth",
    engine: EngineName = "mujoco",
    world: WorldName = "empty",
    seconds: Seconds = 6.0,
    fitness: Fitness = "better",
    robust: Robust = False,
    objective: Own = "",
    argument: Arguments = None,
    timeout: TrialTimeout = None,
    minutes: Minutes = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Make a study and search; any stop is safe, `gait resume` goes on."""
    from andante.tasks.gait import SearchJob, run_search

    job = SearchJob(
        task=_task(robot, engine, variant, seconds, world, fitness, robust, objective, argument),
        study=study,
        sampler=sampler,
        budget=budget,
        workers=workers,
        executor=executor,
        shard=shard,
        seed=seed,
        batch=batch,
        options=values_of(option),
        frozen=values_of(freeze),
        space=space,
        params=params,
        timeout=timeout,
        minutes=minutes,
    )
    try:
        outcome = run_search(job, progress=not json)
    except KeyboardInterrupt:
        _kept(study)
        raise
    _tell(outcome, json, live=True)


@app.command("resume")
def resume(
    study: Study,
    budget: Annotated[int | None, typer.Option("--budget", metavar="N", help="A new number of candidates.")] = None,
    workers: Workers = None,
    executor: Executor = "local",
    timeout: TrialTimeout = None,
    minutes: Minutes = None,
    json: Json = False,
) -> None:
    """Go on with a study as if it had never stopped."""
    from andante.tasks.gait import run_resume

    try:
        outcome = run_resume(study, budget, workers, executor, timeout, minutes, progress=not json)
    except KeyboardInterrupt:
        _kept(study)
        raise
    _tell(outcome, json, live=True)


@app.command("best")
def best(
    study: Study,
    top: Annotated[int, typer.Option("--top", metavar="K", help="How many.")] = 1,
    json: Json = False,
) -> None:
    """The best candidates of a study, also while it runs."""
    from andante.tasks.gait import best_of

    _tell(best_of(study, top), json)


@app.command("export")
def export(
    study: Study,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Writes OUT.toml and OUT.motion.toml.")],
    rank: Annotated[int, typer.Option("--rank", metavar="K", help="1: the best.")] = 1,
    index: Annotated[int | None, typer.Option("--index", metavar="N", help="A candidate by its number.")] = None,
    cycles: Annotated[int, typer.Option("--cycles", metavar="N", help="Steps of the motion, in full cycles.")] = 8,
    json: Json = False,
) -> None:
    """Write a gait's parameters, and the key-frames that `andante play` replays."""
    from andante.tasks.gait import as_row
    from andante.tasks.gait_export import export_gait

    done = export_gait(study, out, rank, index, cycles)
    if json:
        motion = None if done.motion is None else str(done.motion)
        print_json({"candidate": as_row(done.record), "parameters": str(done.parameters), "motion": motion})
        return
    tell_written(done.parameters, done.motion)


@app.command("merge")
def merge(
    parts: Shards,
    out: MergedFolder = None,
    json: Json = False,
) -> None:
    """Put the shards of a study together."""
    from andante.tasks.gait import merge_studies

    _tell(merge_studies(*merge_of(out, parts)), json)


def _task(
    robot: str,
    engine: str,
    variant: str,
    seconds: float,
    world: str,
    fitness: str,
    robust: bool,
    objective: str,
    argument: list[str] | None,
) -> GaitTask:
    from andante.tasks.gait import GaitTask

    return GaitTask(robot, engine, variant, seconds, world, fitness, robust, objective, values_of(argument))


def _tell(outcome: SearchOutcome, json: bool, live: bool = False) -> None:
    if json:
        print_json(outcome.as_dict())
        return
    if not (live and sys.stderr.isatty()):  # there the progress line has told them
        for notice in outcome.notices:
            warn(notice)
    out = console()
    rate = "" if outcome.rate is None else f", {outcome.rate:.3g} a second"
    failed = f", {outcome.summary.failed} failed" if outcome.summary.failed else ""
    out.print(f"{outcome.study}: {outcome.summary.candidates} candidates{failed}{rate}", markup=False)
    if not outcome.summary.best:
        out.print("none with a fitness yet", markup=False)
    from andante.tasks.gait import as_row

    for record in outcome.summary.best:
        row = as_row(record)
        out.print(f"candidate {record.index}: {_words(row)}", markup=False)
        numbers = [f"{name} {_short(value)}" for name, value in record.parameters.items()]
        out.print("  ".join(numbers), markup=False, style="dim")
    if outcome.summary.front:
        out.print(f"{len(outcome.summary.front)} candidates on the Pareto front (--json lists them)")


def _words(row: dict[str, Any]) -> str:
    text = "failed" if row["fitness"] is None else f"fitness {row['fitness']:.5g}"
    if row["distance"] is not None:
        text += f", {row['distance']:.3f} m ahead"
    if row["drift"] is not None:
        text += f", {row['drift']:+.3f} m aside"
    if row["time"] is not None:
        text += f" in {row['time']:.2f} s"
    return text if row["fallen"] is None else f"{text}, {'fallen' if row['fallen'] else 'up'}"


def _short(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _kept(study: Path) -> None:
    warn(f"finished candidates are kept; continue with: andante gait resume {study}")
