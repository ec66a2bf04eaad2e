"""`run_fit`: from reference trials to a model and its proof, all in one folder that survives any stop.

1. rounds: the arc's guess is tried in the engine and moved by what it missed (iterative learning).
2. search: the search package goes on from the best of them, over all parameters.
3. before, after: the whole experiment without and with the model, perturbed, for the report. Tests that were left out
   take no part in 1 and 2.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from andante import viz
from andante.errors import BadInput
from andante.experiments.experiment import Experiment
from andante.experiments.reference import REAL, read_reference
from andante.experiments.report import write_report
from andante.experiments.report.analysis import FITTED, Analysis
from andante.experiments.runner import RunJob, arguments_of, run_experiment, with_settings
from andante.experiments.statistics import mean_error
from andante.experiments.table import Values
from andante.experiments.variation import write_model
from andante.files import write_whole
from andante.search import ObjectiveSpec, StudyConfig, StudyFolder, resume, search, summarize
from andante.search.folder import CONFIG
from andante.search.progress import progress_line
from andante.tasks.result import Result

from .objective import FitObjective, can_guess, compared, guess, moved, split, targets_of, usual_values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FACTORY = "andante.experiments.fit.objective:FitObjective"
SIGMA = 0.03  # of a search after rounds, which have come near, in widths of the ranges


@dataclass(frozen=True)
class FitJob:
    """What to identify, and with how much effort."""

    experiment: Experiment
    out: Path
    engine: str = "mujoco"
    hold_out: tuple[str, ...] = ()  # empty: those of the experiment
    budget: int = 66  # candidates of the search
    rounds: int = 3
    repeats: int = 1  # trials of a test in a candidate
    trials: int | None = None  # of a test in the proof; None: as the experiment says
    workers: int | None = None
    executor: str = "local"
    sampler: str = "cmaes"
    seed: int = 0
    reference: str = ""
    standard: str = REAL


@dataclass(frozen=True)
class Proof:
    """One measure over some tests: mean error in parts of what was commanded, means within the reference's range."""

    measure: str
    error: float
    inside: int
    tests: int


@dataclass(frozen=True)
class FitOutcome(Result):
    """The model, and how near it comes in tests that were fitted and in those that were left out."""

    out: Path
    engine: str
    model: Mapping[str, float]
    fitted_tests: tuple[str, ...]
    held_out_tests: tuple[str, ...]
    before: tuple[Proof, ...]  # held-out tests without the model
    held_out: tuple[Proof, ...]
    fitted: tuple[Proof, ...]
    candidates: int
    report: Path

    def as_dict(self) -> dict[str, Any]:
        """The outcome as a table."""
        proofs = {name: [vars(each) for each in getattr(self, name)] for name in ("before", "held_out", "fitted")}
        return {
            "out": str(self.out), "engine": self.engine, "model": dict(self.model), "candidates": self.candidates,
            "fitted_tests": list(self.fitted_tests), "held_out_tests": list(self.held_out_tests), **proofs,
            "report": str(self.report),
        }  # fmt: skip

    @property
    def proofs(self) -> tuple[tuple[str, Proof], ...]:
        """Every proof with the tests that it is about, in words."""
        groups = (("left out, before", self.before), ("left out", self.held_out), ("fitted", self.fitted))
        return tuple((words, proof) for words, proofs in groups for proof in proofs)

    def __str__(self) -> str:
        lines = [
            f"{words}: {p.measure} {100 * p.error:.1f} % off, {p.inside} of {p.tests} within the reference's range"
            for words, p in self.proofs
        ]
        return "\n".join([*lines, "  ".join(f"{key} {value:.4g}" for key, value in self.model.items())])

    def plot(self) -> Figure:
        """The errors of all proofs."""
        bars = {f"{words}: {proof.measure}": 100 * proof.error for words, proof in self.proofs}
        return viz.plot_bars(bars, "error [% of what was commanded]", f"{self.engine}, {self.candidates} candidates")


def run_fit(job: FitJob, progress: bool = False) -> FitOutcome:
    """Identify a model and prove it; the same job in the same folder goes on where it stopped."""
    reference = job.reference or job.experiment.reference
    if not reference:
        raise BadInput(f"experiment {job.experiment.name!r} has no reference; name one with `reference`")
    if job.rounds < 0 or job.repeats < 1:
        raise BadInput(f"a fit has rounds >= 0 and repeats >= 1, got {job.rounds} and {job.repeats}")
    experiment = replace(with_settings(job.experiment, [job.engine], job.trials).settled(), reference=reference)
    values = Values.of(experiment, read_reference(reference, experiment))
    targets = targets_of(experiment, values, job.standard)
    fitted, held_out = split(targets, job.hold_out or tuple(experiment.fit.get("hold_out", ())))
    table = experiment.as_dict()
    aims = targets.only(fitted).as_dict()
    spec = ObjectiveSpec(FACTORY, {"experiment": table, "engine": job.engine, "targets": aims, "repeats": job.repeats})
    job.out.mkdir(parents=True, exist_ok=True)
    start, fitness = _rounds(job, FitObjective(table, job.engine, aims, job.repeats))
    found, candidates = _search(job, spec, start, fitness, progress)
    about = {"experiment": experiment.name, "engine": job.engine, "reference": reference, "fitted": list(fitted),
             "held_out": list(held_out)}  # fmt: skip
    write_model(job.out / "model.toml", found, about)
    plain = replace(experiment, fit={})
    how: dict[str, Any] = {"workers": job.workers, "executor": job.executor}
    run_experiment(RunJob(plain, job.out / "before", **how), progress)
    _put_aside(job.out / "after", found)
    run_experiment(RunJob(plain, job.out / "after", model=found, **how), progress)
    report = write_report([job.out / "before", job.out / "after"], job.out / "report", reference, job.standard)
    analysis, measures = report.analysis, compared(experiment)
    outcome = FitOutcome(
        job.out, job.engine, found, fitted, held_out,
        before=_proofs(analysis, job.engine, measures, held_out),
        held_out=_proofs(analysis, job.engine + FITTED, measures, held_out),
        fitted=_proofs(analysis, job.engine + FITTED, measures, fitted),
        candidates=candidates,
        report=report.path,
    )  # fmt: skip
    write_whole(job.out / "fit.json", json.dumps(outcome.as_dict(), indent=1) + "\n")
    return outcome


def _rounds(job: FitJob, objective: FitObjective) -> tuple[dict[str, float], float]:
    """The best of the guesses and its fitness; what was tried is kept in rounds.json and not tried again."""
    usual = usual_values(objective.space)
    if not can_guess(objective.experiment) or job.rounds == 0:
        return usual, -math.inf
    file = job.out / "rounds.json"
    try:
        kept: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
        reached = [each["reached"] for each in kept]
        told = [(float(each["fitness"]), {n: float(v) for n, v in each["model"].items()}) for each in kept]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BadInput(f"{file}: not what a fit has written; remove it to guess anew") from None
    aim = objective.targets
    for number in range(job.rounds):
        if number >= len(kept):
            model = objective.space.clip(guess(objective.space, aim, usual))
            kept.append({"model": model, **objective.evaluate(model)})
            reached.append(kept[number]["reached"])
            told.append((float(kept[number]["fitness"]), {n: float(v) for n, v in model.items()}))
            write_whole(file, json.dumps(kept, indent=1) + "\n")
        aim = moved(aim, objective.targets, reached[number])
    fitness, best = max(told, key=lambda each: each[0])
    return best, fitness


def _search(
    job: FitJob, spec: ObjectiveSpec, start: Mapping[str, float], fitness: float, progress: bool
) -> tuple[dict[str, float], int]:
    """Go on from the start by the search package; the best model of all and how many candidates there were."""
    if job.budget == 0:
        return dict(start), 0
    folder = job.out / "search"
    options: dict[str, Any] = {}
    if job.sampler == "cmaes":
        options = {"start": dict(start), **({"sigma": SIGMA} if fitness > -math.inf else {})}
    with progress_line(progress) as line:
        how: dict[str, Any] = {"workers": job.workers, "executor": job.executor, "listen": line}
        if (folder / CONFIG).exists():
            resume(folder, budget=job.budget, **how)
        else:
            space = spec.build().space
            config = StudyConfig(spec, space, sampler=job.sampler, options=options, seed=job.seed, budget=job.budget)
            search(folder, config, **how)
    summary = summarize(StudyFolder.open(folder))
    best = summary.best[0] if summary.best else None
    if best is None and fitness == -math.inf:
        raise BadInput(f"{folder}: no candidate could be evaluated; see its results.jsonl")
    if best is None or (best.fitness or 0.0) <= fitness:
        return dict(start), summary.candidates
    return {name: float(value) for name, value in best.parameters.items()}, summary.candidates


def _put_aside(folder: Path, model: Mapping[str, float]) -> None:
    """Move the proof of an earlier model out of the way, to after-1, after-2, ..."""
    if not (folder / CONFIG).exists() or dict(arguments_of(folder).get("model", {})) == dict(model):
        return
    number = 1
    while (aside := folder.with_name(f"{folder.name}-{number}")).exists():
        number += 1
    folder.rename(aside)


def _proofs(analysis: Analysis, source: str, measures: Sequence[str], tests: Sequence[str]) -> tuple[Proof, ...]:
    """How near a source comes to the standard in some tests; errors of measures without a command count in the
    command of the first that has one, and where nothing was commanded in what the reference came to."""
    leading = next((name for name in analysis.commanded_measures), None)
    found = []
    for standing in analysis.standings:
        if standing.source != source or standing.measure not in measures:
            continue
        some = [each for each in standing.tests if each.test in tests]
        if leading is not None and standing.measure not in analysis.commanded_measures:
            told = {each.test: analysis.values.commanded(each.test, leading) for each in some}
            some = [replace(e, error=abs(e.mean - e.reference) / abs(told[e.test] or 1.0)) for e in some]
        elif leading is None:
            some = [replace(e, error=abs(e.mean - e.reference) / (abs(e.reference) or 1.0)) for e in some]
        found.append(Proof(standing.measure, mean_error(some), sum(e.inside for e in some), len(some)))
    return tuple(found)
