"""`andante experiment`: run trials with statistics, compare them with a real robot, report, identify parameters."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import (
    EngineName,
    Executor,
    Json,
    MergedFolder,
    Minutes,
    OdometryTopic,
    Sampler,
    Seed,
    Shard,
    Shards,
    TrialTimeout,
    Workers,
    group,
)
from .output import console, print_json, table, warn
from .words import listed, merge_of, values_of

if TYPE_CHECKING:
    from andante.experiments import RunOutcome

app = group("Run experiments, compare engines with each other and with real robots, and report.")

Name = Annotated[str, typer.Argument(metavar="NAME|FILE", help="Built-in, FILE.toml or file.py:Name.")]
Values = Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Factor of the trial in a bag.")]


@app.command("list")
def list_experiments(json: Json = False) -> None:
    """Experiments and references that are there."""
    from andante.experiments import commands

    made = [commands.load(name) for name in commands.names()]
    if json:
        rows = [
            {"name": e.name, "title": e.title, "factors": e.factors, "engines": e.engines, "trials": e.count,
             "measures": list(e.measures), "reference": e.reference or None}
            for e in made
        ]  # fmt: skip
        print_json({"experiments": rows, "references": commands.references()})
        return
    table("", ["experiment", "trials", "factors", "about"],
          [[e.name, str(e.count), " x ".join(e.factors), e.title] for e in made])  # fmt: skip
    console().print(f"references: {', '.join(commands.references())}", markup=False)


@app.command("run")
def run(
    name: Name,
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="DIR", help="Folder for the results; continues where it holds some.")
    ],
    engines: Annotated[
        str, typer.Option("--engines", metavar="E,...", help="mujoco, bullet, dart, ode; with commas between.")
    ] = "",
    trials: Annotated[int | None, typer.Option("--trials", metavar="N", help="Trials of every combination.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", help="Seed of the experiment.")] = None,
    workers: Workers = None,
    executor: Executor = "local",
    shard: Shard = "0/1",
    timeout: TrialTimeout = None,
    minutes: Minutes = None,
    model: Annotated[
        Path | None, typer.Option("--model", metavar="FILE", help="Parameters from `experiment fit`.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="DIR", help="Record every trial as MCAP there.")
    ] = None,
    json: Json = False,
) -> None:
    """Run an experiment, or go on with it: any stop is safe, also kill -9; no trial is lost or done twice."""
    from andante.experiments.commands import run as carry_out

    try:
        outcome = carry_out(
            name,
            out,
            engines=listed(engines),
            trials=trials,
            seed=seed,
            workers=workers,
            executor=executor,
            shard=shard,
            timeout=timeout,
            minutes=minutes,
            model=model,
            record=record,
            progress=not json,
        )
    except KeyboardInterrupt:
        warn("finished trials are kept; the same command continues")
        raise
    _print_result(outcome, json, live=True, parts=int(shard.partition("/")[2]))


@app.command("merge")
def merge(
    parts: Shards,
    out: MergedFolder = None,
    json: Json = False,
) -> None:
    """Put the shards of an experiment together."""
    from andante.experiments.commands import merge as run

    _print_result(run(*merge_of(out, parts)), json)


@app.command("report")
def report(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Folders of runs of one experiment.")],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="DIR", help="Folder to write; by default `report` in the first DIR."),
    ] = None,
    reference: Annotated[
        str | None, typer.Option("--reference", metavar="NAME|FILE", help="Another reference, or none.")
    ] = None,
    standard: Annotated[
        str, typer.Option("--standard", metavar="S", help="Which source of the reference counts as the truth.")
    ] = "real",
    json: Json = False,
) -> None:
    """Statistics, figures and tables of runs as one HTML page, and each as PNG, PDF, CSV and LaTeX."""
    from andante.experiments.commands import report as run

    made = run(folders, out, reference=reference, standard=standard)
    if json:
        print_json(made.as_dict())
        return
    for notice in made.notices:
        warn(notice)
    for sentence in made.verdict:
        console().print(sentence, markup=False)
    console().print(f"wrote {made.path} in {made.seconds:.1f} s", markup=False, style="dim")


@app.command("import")
def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A .csv table, a bag (.bag .db3 .mcap) or TUM lines (.txt).")
    ],
    name: Annotated[str, typer.Option("--as", metavar="NAME", help="Name of the reference.")],
    experiment: Annotated[
        str, typer.Option("--experiment", metavar="NAME|FILE", help="Whose factors and measures it has; else guessed.")
    ] = "",
    source: Annotated[str, typer.Option("--source", metavar="S", help="Who was measured in a bag.")] = "real",
    values: Values = None,
    odom: OdometryTopic = "",
    json: Json = False,
) -> None:
    """Keep trials of a real robot as a reference; a table replaces what was there, a bag adds a trial."""
    from andante.experiments.commands import import_trials

    made = import_trials(file, name, experiment=experiment, source=source, factors=values_of(values), odom=odom)
    if json:
        print_json(made.as_dict())
    else:
        console().print(str(made), markup=False)


def _print_result(outcome: RunOutcome, json: bool, live: bool = False, parts: int = 1) -> None:
    if json:
        print_json(outcome.as_dict())
        return
    if not (live and sys.stderr.isatty()):
        for notice in outcome.notices:
            warn(notice)
    out = console()
    out.print(str(outcome), markup=False)
    words = f"merge DIR ... --out WHOLE, of all {parts} shards" if parts > 1 else f"report {outcome.out}"
    out.print(f"next: andante experiment {words}", markup=False, style="dim")


@app.command("fit")
def fit(
    name: Name,
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="DIR", help="Folder to make; continues where it was stopped.")
    ],
    engine: EngineName = "mujoco",
    hold_out: Annotated[
        str, typer.Option("--hold-out", metavar="TESTS", help="Tests that take no part in the fit, A,B,...")
    ] = "",
    budget: Annotated[int, typer.Option("--budget", metavar="N", help="Candidates of the search; 0: none.")] = 66,
    rounds: Annotated[int, typer.Option("--rounds", metavar="N", help="Guesses that are tried and moved first.")] = 3,
    repeats: Annotated[int, typer.Option("--repeats", metavar="N", help="Trials of a test in a candidate.")] = 1,
    trials: Annotated[int | None, typer.Option("--trials", metavar="N", help="Trials of a test in the proof.")] = None,
    sampler: Sampler = "cmaes",
    reference: Annotated[str, typer.Option("--reference", metavar="NAME|FILE", help="Another reference.")] = "",
    standard: Annotated[
        str, typer.Option("--standard", metavar="S", help="Which of its sources to come near.")
    ] = "real",
    seed: Seed = 0,
    workers: Workers = None,
    executor: Executor = "local",
    json: Json = False,
) -> None:
    """Identify parameters that bring an engine nearest to the reference, and prove them on tests that were left out."""
    from andante.experiments.commands import fit as run

    outcome = run(
        name,
        out,
        engine=engine,
        hold_out=listed(hold_out),
        budget=budget,
        rounds=rounds,
        repeats=repeats,
        trials=trials,
        sampler=sampler,
        reference=reference,
        standard=standard,
        seed=seed,
        workers=workers,
        executor=executor,
        progress=not json,
    )
    if json:
        print_json(outcome.as_dict())
        return
    rows = [[words, p.measure, f"{100 * p.error:.1f} %", f"{p.inside} of {p.tests}"] for words, p in outcome.proofs]
    table("", ["tests", "measure", "error", "mean within the reference's range"], rows)
    console().print("  ".join(f"{key} {value:.4g}" for key, value in outcome.model.items()), markup=False, style="dim")
    console().print(f"wrote {outcome.out / 'model.toml'} and {outcome.report}", markup=False)
