"""An experiment as something that the search package can run: every trial is a cell of a grid; and its check."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from andante._version import __version__
from andante.errors import BadInput
from andante.physics.registry import ENGINES, version
from andante.search import ObjectiveSpec
from andante.search.permutation import derived_seed
from andante.search.record import plain
from andante.userfile import user_file_stamp

from .definition import from_dict
from .experiment import Experiment
from .setup import Setup, trial_function
from .variation import model_at

FACTORY = "andante.experiments.objective:TrialObjective"


class TrialObjective:
    """Carries trials out; its figures are measures, what was drawn, and the path.

    record: a folder for recordings of all trials, ENGINE-TEST-TRIAL.mcap.
    """

    def __init__(
        self, experiment: Mapping[str, Any], model: Mapping[str, float] | None = None, record: str | None = None
    ) -> None:
        self.experiment = from_dict(experiment).settled()
        self.space = self.experiment.space
        self.model = dict(model or {})
        self._record = None if record is None else Path(record)
        self._trial = trial_function(self.experiment.trial)

    def evaluate(self, parameters: Mapping[str, Any], seed: int = 0) -> dict[str, Any]:
        """Carry one trial out; its seed follows from the experiment, its combination of factors and its number."""
        setup = self.setup(parameters)
        told = dict(self._trial(setup))
        path = told.pop("path", None)
        measures = {name: _number(name, value) for name, value in told.items()}
        for name in self.experiment.measures:
            if name not in measures:
                raise BadInput(f"the trial gives no {name!r}; it gives {', '.join(measures) or 'nothing'}")
        figures: dict[str, Any] = {"fitness": measures.pop("success", 1.0) or 0.0, "trial_seed": setup.seed}
        figures |= {"measures": measures, **setup.draw.figures()}
        return figures if path is None else {**figures, "path": path}

    def setup(self, parameters: Mapping[str, Any]) -> Setup:
        """What the trial of a cell gets to know."""
        experiment, trial = self.experiment, int(parameters["trial"])
        factors = {name: parameters[name] for name in experiment.factors}
        seed = trial_seed(experiment, factors, trial)
        engine = str(parameters["engine"])
        record = None
        if self._record is not None:
            self._record.mkdir(parents=True, exist_ok=True)
            record = self._record / recording_name(experiment, engine, factors, trial)
        draw = experiment.vary.draw(seed)
        return Setup(engine, factors, trial, seed, draw, experiment.arguments, model_at(self.model, factors), record)

    def stamp(self) -> dict[str, Any]:
        """Versions of andante and the engines, the processor, and a hash of a user's file: what the bits depend on."""
        engines = {name: version(ENGINES[name]) for name in self.experiment.engines if name in ENGINES}
        stamp: dict[str, Any] = {"andante": __version__, "engines": engines, "cpu": processor()}
        return stamp | user_file_stamp(self.experiment.trial)


def trial_seed(experiment: Experiment, factors: Mapping[str, Any], trial: int) -> int:
    """The seed of a trial: the same for all engines, so that they get the same perturbations."""
    return derived_seed(experiment.seed, 0x7219, experiment.cell_number(factors), trial)


def recording_name(experiment: Experiment, engine: str, factors: Mapping[str, Any], trial: int) -> str:
    """The file name of a trial's recording."""
    words = f"{Path(engine).name}-{experiment.test_of(factors)}-{trial}"
    return "".join(letter if letter.isalnum() or letter in "-_=." else "_" for letter in words) + ".mcap"


def spec_of(
    experiment: Experiment, model: Mapping[str, float] | None = None, record: Path | None = None
) -> ObjectiveSpec:
    """How any process can build the objective of an experiment in its mode."""
    table = experiment.settled().as_dict()
    table.pop("fit", None)  # trials do not depend on it
    arguments: dict[str, Any] = {"experiment": table}
    if model:
        arguments["model"] = dict(model)
    if record is not None:
        arguments["record"] = str(record.resolve())
    return ObjectiveSpec(FACTORY, arguments)


def processor() -> str:
    """The name of the processor, as the system reports it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _number(name: str, value: Any) -> float | None:
    """A measure as a number: true is 1, what is not finite is missing."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise BadInput(f"the measure {name!r} must be a number, got {value!r}") from None
    return number if math.isfinite(number) else None


def check_trial(experiment: Experiment) -> list[str]:
    """Carry the first trial of the first test out twice on the first engine, and look at what comes back.

    The trial must run, give every measure as a number that JSON can hold, give the same twice, and, where it gives a
    path, rows of at least t, x, y.
    """
    objective = TrialObjective({name: entry for name, entry in experiment.as_dict().items() if name != "fit"})
    cell: dict[str, Any] = {"engine": experiment.engines[0], "trial": 0, **next(iter(experiment.cells()))}
    try:
        first, second = plain(objective.evaluate(cell)), plain(objective.evaluate(cell))
        json.dumps(first, allow_nan=False)
    except Exception as error:
        return [f"the trial fails: {type(error).__name__}: {error}"]
    problems = [
        f"measure {name} is not a finite number" for name in experiment.measures if first["measures"][name] is None
    ]
    changed = [name for name in first["measures"] if first["measures"][name] != second["measures"].get(name)]
    if changed:
        problems.append(f"the same seed gives other values the second time: {', '.join(changed)}")
    path = first.get("path")
    if path is not None and not (isinstance(path, list) and all(isinstance(r, list) and len(r) >= 3 for r in path)):
        problems.append("the path should have rows of t, x, y and where wanted yaw")
    return problems
