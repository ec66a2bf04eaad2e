"""A check of users' own experiments: what is wrong with a trial, in words; empty when all is well."""

from __future__ import annotations

import json
from typing import Any

from andante.search.record import plain

from .experiment import Experiment
from .objective import TrialObjective


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
