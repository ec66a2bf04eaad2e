"""What a trial gets to know, and the trials by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from andante.errors import BadInput, UnknownName
from andante.userfile import is_user_reference, load_user_object

from .terms import Terms
from .variation import Draw

TRIALS = {
    "walk": "andante.experiments.trials.walk:walk_trial",
    "wave": "andante.experiments.trials.wave:wave_trial",
    "localization": "andante.experiments.trials.localization:localization_trial",
    "navigation": "andante.experiments.trials.navigation:navigation_trial",
    "rover": "andante.experiments.trials.rover:rover_trial",
    "parity": "andante.experiments.trials.parity:parity_trial",
}


@dataclass(frozen=True)
class Setup:
    """One trial: where it stands in the experiment, and what it may use."""

    engine: str
    factors: Mapping[str, Any]
    trial: int  # from 0
    seed: int  # the same for all engines, so that they meet the same perturbations
    draw: Draw = field(default_factory=Draw)
    arguments: Mapping[str, Any] = field(default_factory=dict)
    model: Mapping[str, float] = field(default_factory=dict)  # identified parameters, see `fit`
    record: Path | None = None  # where to record the trial, MCAP


TrialFunction = Callable[[Setup], Mapping[str, Any]]  # measures by name; "path": rows of t, x, y, yaw


def trial_terms(name: str) -> Terms | None:
    """Settings and measures of a built-in trial; None: a user's own, which alone knows them."""
    if name not in TRIALS:
        return None
    terms: Terms = importlib.import_module(TRIALS[name].partition(":")[0]).TERMS
    return terms


def trial_function(name: str) -> TrialFunction:
    """The trial of that name, or of a user's file.py:Name."""
    if is_user_reference(name):
        found = load_user_object(name)
    else:
        if name not in TRIALS:
            raise UnknownName.among("trial", name, (*TRIALS, "file.py:Name"))
        module, _, attribute = TRIALS[name].rpartition(":")
        found = getattr(importlib.import_module(module), attribute)
    if not callable(found):
        raise BadInput(f"{name} is no function of a Setup that gives measures")
    return found
