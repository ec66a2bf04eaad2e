"""`andante gait`: try a gait, search for better ones, go on after any stop, look at the best, export, merge shards."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from .output import console, print_json, warn
from .words import merge_of, values_of

if TYPE_CHECKING:
    from andante.tasks.gait import SearchResult

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
    from andante.tasks.gait import evaluate as run

    result = run(
        robot,
        values_of([*(values or ()), *(more or ())]),
        params=params,
        engine=engine,
        variant=variant,
        seconds=seconds,
        world=world,
        fitness=fitness,
        robust=robust,
        objective=objective,
        arguments=values_of(argument),
        seed=seed,
    )
    if json:
        print_json(result.as_dict())
    else:
        console().print(str(result), markup=False)


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
    from andante.tasks.gait import search as run

    with _kept(study):
        result = run(
            robot,
            study,
            sampler=sampler,
            budget=budget,
            workers=workers,
            executor=executor,
            shard=shard,
            freeze=values_of(freeze),
            space=space,
            params=params,
            options=values_of(option),
            batch=batch,
            engine=engine,
            variant=variant,
            seconds=seconds,
            world=world,
            fitness=fitness,
            robust=robust,
            objective=objective,
            arguments=values_of(argument),
            timeout=timeout,
            minutes=minutes,
            seed=seed,
            progress=not json,
        )
    _print_result(result, json, live=True)


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
    from andante.tasks.gait import resume as run

    with _kept(study):
        result = run(
            study,
            budget=budget,
            workers=workers,
            executor=executor,
            timeout=timeout,
            minutes=minutes,
            progress=not json,
        )
    _print_result(result, json, live=True)


@app.command("best")
def best(
    study: Study,
    top: Annotated[int, typer.Option("--top", metavar="K", help="How many.")] = 1,
    json: Json = False,
) -> None:
    """The best candidates of a study, also while it runs."""
    from andante.tasks.gait import best as run

    _print_result(run(study, top), json)


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
    from andante.tasks.gait import export as run

    result = run(study, out, rank=rank, index=index, cycles=cycles)
    if json:
        print_json(result.as_dict())
    else:
        console().print(str(result), markup=False)


@app.command("merge")
def merge(
    parts: Shards,
    out: MergedFolder = None,
    json: Json = False,
) -> None:
    """Put the shards of a study together."""
    from andante.tasks.gait import merge as run

    _print_result(run(*merge_of(out, parts)), json)


def _print_result(result: SearchResult, json: bool, live: bool = False) -> None:
    if json:
        print_json(result.as_dict())
        return
    if not (live and sys.stderr.isatty()):  # there the progress line has told them
        for notice in result.notices:
            warn(notice)
    console().print(str(result), markup=False)


@contextmanager
def _kept(study: Path) -> Iterator[None]:
    """Say after Ctrl-C how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        warn(f"finished candidates are kept; continue with: andante gait resume {study}")
        raise
