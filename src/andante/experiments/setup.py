"""What a trial gets to know, the settings and measures of trials by name, and where experiments are found.

General experiments lie in the folder `builtin`; those of one robot in its package (`RobotPackage.experiments`), which
also names the trials that only it has (`RobotPackage.trials`).
"""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from andante.description import ROBOTS, SolverSettings
from andante.description.solver import solver_settings
from andante.errors import BadInput, UnknownName
from andante.plugins import load_reference
from andante.userfile import is_user_reference, load_user_object

from .variation import Draw

GAIT = "gait_"  # begins the name of a parameter of the gait itself: gait_step_height, ...
MOST_FRICTION = 10.0
BUILTIN = Path(__file__).with_name("builtin")
DEFAULTS = Path(__file__).with_name("default_robots.toml")
TRIALS = {
    "walk": "andante.experiments.trials.walk:walk_trial",
    "localization": "andante.experiments.trials.localization:localization_trial",
    "navigation": "andante.experiments.trials.navigation:navigation_trial",
    "parity": "andante.experiments.trials.parity:parity_trial",
    "solver": "andante.experiments.trials.solver:solver_trial",
    "uwb": "andante.experiments.trials.uwb:uwb_trial",
}


@dataclass(frozen=True)
class Terms:
    """Settings are arguments or factors; those that begin with `gait_` are passed to the gait where `gaits` is true."""

    what: str  # in words, for messages: "a walk"
    settings: tuple[str, ...]
    measures: tuple[str, ...]
    gaits: bool = False

    def values(self, setup: Setup) -> dict[str, Any]:
        """Arguments and factors of a trial as one table, factors first; UnknownName where one is no setting."""
        values = {**setup.arguments, **setup.factors}
        for name in values:
            self.check_setting(name)
        return values

    def check_setting(self, name: str) -> None:
        """UnknownName unless the trial takes a setting of that name."""
        if name in self.settings or (self.gaits and name.startswith(GAIT) and name != GAIT):
            return
        raise UnknownName.among(f"setting of {self.what}", name, self.known)

    def check(
        self,
        arguments: Iterable[str],
        factors: Iterable[str],
        measures: Iterable[str],
        modes: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        """BadInput that begins with the key of the first entry that the trial does not know."""
        ways = ((f"modes.{mode}", names) for mode, names in (modes or {}).items())
        for table, names in (("arguments", arguments), ("factors", factors), *ways):
            for name in names:
                try:
                    self.check_setting(name)
                except UnknownName as error:
                    raise BadInput(f"{table}.{name}: {error}") from None
        for name in measures:
            if name not in self.measures:
                error = UnknownName.among(f"measure of {self.what}", name, self.measures)
                raise BadInput(f"measures.{name}: {error}")

    @property
    def known(self) -> tuple[str, ...]:
        """The settings in words."""
        return (*self.settings, f"{GAIT}NAME") if self.gaits else self.settings


def gait_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of the gait among settings or a model, by their own names."""
    return {name.removeprefix(GAIT): value for name, value in values.items() if name.startswith(GAIT)}


def solver_value(values: Mapping[str, Any], *names: str) -> SolverSettings:
    """The settings of the solver in `solver`, a table, and in factors or arguments of those names, which come first."""
    own = {name: values[name] for name in (names or ("dt",)) if name in values}
    return SolverSettings(**own).over(solver_settings(values.get("solver")))


def friction_value(values: Mapping[str, Any]) -> float | None:
    """The coefficient of friction that is set; None: as drawn, or as the files say."""
    mu = values.get("friction")
    if mu is None:
        return None
    if isinstance(mu, bool) or not isinstance(mu, int | float) or not 0 < mu <= MOST_FRICTION:
        raise BadInput(f"friction: a number above 0, at most {MOST_FRICTION:g}, got {mu!r}")
    return float(mu)


def shipped(folder: str, suffix: str) -> dict[str, Path]:
    """Files with a suffix in a folder of `builtin` and of all robot packages, by their names without it, sorted.

    Of two with one name the general one counts, else that of the robot whose name comes first.
    """
    packages = (ROBOTS[name].experiments for name in ROBOTS)
    places = [BUILTIN, *(each for each in packages if each is not None)]
    files = {file.stem: file for each in reversed(places) for file in (each / folder).glob(f"*{suffix}")}
    return dict(sorted(files.items()))


def trials() -> dict[str, str]:
    """Every trial that has a name: that name, and module:function."""
    return TRIALS | {name: entry for robot in ROBOTS for name, entry in ROBOTS[robot].trials.items()}


def default_robot(trial: str) -> str:
    """The robot of a trial whose experiment names none."""
    robots = tomllib.loads(DEFAULTS.read_text(encoding="utf-8"))
    if trial not in robots:
        raise BadInput(f"arguments.robot: a {trial} trial needs a robot")
    return str(robots[trial])


@dataclass(frozen=True)
class Setup:
    """One trial: where it stands in the experiment, and what it may use."""

    engine: str
    factors: Mapping[str, Any]
    trial: int  # from 0
    seed: int  # the same for all engines, so that they get the same perturbations
    draw: Draw = field(default_factory=Draw)
    arguments: Mapping[str, Any] = field(default_factory=dict)
    model: Mapping[str, float] = field(default_factory=dict)  # identified parameters, see `fit`
    record: Path | None = None  # where to record the trial, MCAP


TrialFunction = Callable[[Setup], Mapping[str, Any]]  # measures by name; "path": rows of t, x, y, yaw


def trial_terms(name: str) -> Terms | None:
    """Settings and measures of a trial; None: a user's own, which alone knows them."""
    if is_user_reference(name):
        return None
    terms: Terms | None = vars(importlib.import_module(_reference(name).partition(":")[0])).get("TERMS")
    return terms


def trial_function(name: str) -> TrialFunction:
    """The trial of that name, of an installed module:function, or of a user's file.py:Name."""
    found: Any = load_user_object(name) if is_user_reference(name) else load_reference(_reference(name))
    if not callable(found):
        raise BadInput(f"{name} is no function of a Setup that gives measures")
    trial: TrialFunction = found
    return trial


def _reference(name: str) -> str:
    """module:function of a trial that is no user's file."""
    if name in TRIALS or ":" in name:
        return TRIALS.get(name, name)
    known = trials()
    if name not in known:
        raise UnknownName.among("trial", name, (*known, "module:function", "file.py:Name"))
    return known[name]
