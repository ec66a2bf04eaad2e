"""`andante experiment`: run trials with statistics, compare them with a real robot, report, identify parameters."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .command import Call, Command, in_words, keeping, merging, notices
from .options import Take, group
from .output import console, table, warn
from .words import listed, numbers_of, values_of

if TYPE_CHECKING:
    from andante.experiments import FitOutcome, Identification, Report, RunOutcome
    from andante.experiments.experiment import Experiment

app = group("experiment", "Run experiments, compare engines with each other and with real robots, and report.")

NAME = Take("NAME|FILE", about="Built-in, FILE.toml or file.py:Name.")
STANDARD = Take("S", default="real")


@dataclass(frozen=True)
class Known:
    """Experiments and references that are there."""

    experiments: list[Experiment]
    references: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        rows = [
            {"name": e.name, "title": e.title, "factors": e.factors, "engines": e.engines, "trials": e.count,
             "measures": list(e.measures), "modes": list(e.modes), "reference": e.reference or None}
            for e in self.experiments
        ]  # fmt: skip
        return {"experiments": rows, "references": self.references}


def _list(call: Call) -> Known:
    from andante.experiments import commands

    return Known([commands.load(name) for name in call.run()], commands.references())


def _list_words(known: Known, call: Call) -> None:
    rows = [[e.name, str(e.count), " x ".join(e.factors), e.title] for e in known.experiments]
    table("", ["experiment", "trials", "factors", "about"], rows)
    console().print(f"references: {', '.join(known.references)}", markup=False)


def _run_words(outcome: RunOutcome, call: Call) -> None:
    notices(outcome, call)
    in_words(outcome, call)
    parts = int(call.given.get("shard", "0/1").partition("/")[2])
    words = f"merge DIR ... --out WHOLE, of all {parts} shards" if parts > 1 else f"report {outcome.out}"
    console().print(f"next: andante experiment {words}", markup=False, style="dim")


def _report_words(made: Report, call: Call) -> None:
    notices(made, call)
    for sentence in made.verdict:
        console().print(sentence, markup=False)
    console().print(f"wrote {made.path} in {made.seconds:.1f} s", markup=False, style="dim")


def _fit_words(outcome: FitOutcome | Identification, call: Call) -> None:
    from andante.experiments import Identification

    if isinstance(outcome, Identification):
        for note in outcome.notes:
            warn(note)
        table("", ["joint or link", "parameter", "value", "95 %", "before", ""], outcome.rows())
        lines = str(outcome).splitlines()[1 + len(outcome.estimates) :]
        console().print("\n".join(lines), markup=False)
        console().print(f"wrote {outcome.file} and {outcome.out}/fit.png", markup=False, style="dim")
        return
    rows = [[words, p.measure, f"{100 * p.error:.1f} %", f"{p.inside} of {p.tests}"] for words, p in outcome.proofs]
    table("", ["tests", "measure", "error", "mean within the reference's range"], rows)
    console().print("  ".join(f"{key} {value:.4g}" for key, value in outcome.model.items()), markup=False, style="dim")
    console().print(f"wrote {outcome.out / 'model.toml'} and {outcome.report}", markup=False)


for command in (
    Command(
        "andante.experiments.commands:names",
        "Experiments and references that are there.",
        name="list",
        run=_list,
        words=_list_words,
    ),
    Command(
        "andante.experiments.commands:run",
        "Run an experiment, or go on with it: any stop is safe, also kill -9; no trial is lost or done twice.",
        {
            "name": NAME,
            "out": Take("DIR", flags="-o --out"),
            "engines": Take("E,...", listed, kind=str, default=None),
            "factors": Take("NAME=[LEVEL,...]", values_of, "--factor", "Other levels of a factor; repeat it."),
            "mode": Take("MODE"),
            "model": Take("FILE", kind=Path),
            "record": Take("DIR", about="Record every trial as MCAP there."),
        },
        run=keeping("finished trials are kept; the same command continues"),
        words=_run_words,
    ),
    merging("andante.experiments.commands:merge", "Put the shards of an experiment together.", _run_words),
    Command(
        "andante.experiments.commands:report",
        "Statistics, figures and tables of runs as one HTML page, and each as PNG, PDF, CSV and LaTeX.",
        {
            "folder": Take("DIR...", about="Folders of runs of one experiment.", kind=list[Path]),
            "out": Take("DIR", flags="-o --out"),
            "reference": Take("NAME|FILE"),
            "standard": STANDARD,
        },
        words=_report_words,
    ),
    Command(
        "andante.experiments.commands:import_trials",
        "Keep trials of a real robot as a reference; a table replaces what was there, a bag adds a trial.",
        {
            "name": Take("NAME", flags="--as", about="Name of the reference."),
            "experiment": Take("NAME|FILE"),
            "source": STANDARD,
            "factors": Take("NAME=VALUE", values_of, "--set", "Factor of the trial in a bag."),
        },
        name="import",
    ),
    Command(
        "andante.experiments.commands:fit",
        "Identify parameters: of walks by a reference, or of servos by recordings of joints (.mcap .bag .csv).",
        {
            "name": Take(
                "NAME|FILE...",
                about="Built-in, FILE.toml, file.py:Name, or recordings of joints.",
                kind=list[str],
                argument=True,
            ),
            "robot": Take("ROBOT", about="Whose joints were recorded.", kind=str, default=None, flags="--robot"),
            "joints": Take("PATTERN,...", listed, kind=str, default=None, about="Joints to identify."),
            "parameters": Take("KIND,...", listed, kind=str, default=None),
            "share": Take("PATTERN,...", listed, kind=str, default=None, about="Joints that share their parameters."),
            "tilt": Take('"R P Y"', numbers_of, kind=str, default=None),
            "recorded_on": Take("ENGINE"),
            "targets": Take("TOPIC"),
            "out": Take("DIR", flags="-o --out"),
            "mode": Take("MODE"),
            "hold_out": Take("TESTS", listed, kind=str, default=None),
            "reference": Take("NAME|FILE"),
            "standard": STANDARD,
        },
        words=_fit_words,
    ),
    Command(
        "andante.experiments.commands:excite",
        "Sweep and step the joints of a robot that hangs, simulated or real, and record them for `fit`.",
        {
            "out": Take("OUT", flags="-o --out"),
            "joints": Take("PATTERN,...", listed, kind=str, default=None),
        },
        dry="andante.experiments.commands:dry_excite",
        written=lambda result: (result.out,),
    ),
):
    command.add_to(app)
