"""`SolverSettings`: step and solver that a world file, a command line or a program asks for; and how they are read.

Every value may be left out (None): then the next one in the row counts: an explicit value, the world's, the engine's
own. Which engine has which setting is said by `Engine.solver`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any

from andante.errors import BadInput, UnknownName
from andante.parsing import parse_toml

METHODS = ("newton", "cg", "pgs", "quick", "world", "dantzig")
CONES = ("elliptic", "pyramidal")
INTEGRATORS = ("implicitfast", "implicit", "euler", "rk4")
PREFIX = "solver."  # of a setting on the command line


def _number(about: str, low: float, high: float, unit: str = "") -> Any:
    return field(default=None, metadata={"about": about, "range": (low, high), "unit": unit})


def _count(about: str, low: int = 1) -> Any:
    return field(default=None, metadata={"about": about, "range": (low, 100_000), "whole": True})


def _word(about: str, choices: tuple[str, ...]) -> Any:
    return field(default=None, metadata={"about": about, "choices": choices})


@dataclass(frozen=True)
class SolverSettings:
    """Step and solver; None: not stated."""

    dt: float | None = _number("physics step", 1e-6, 1.0, "s")
    iterations: int | None = _count("iterations of the solver in a step, at most")
    cfm: float | None = _number("constraint force mixing: how soft constraints are", 0.0, 1e6)
    erp: float | None = _number("error reduction: part of an error that a step takes back", 0.0, 1.0)
    friction: float | None = _number("Coulomb coefficient where a surface names none", 0.0, 1e6)
    method: str | None = _word("how constraints are solved", METHODS)
    tolerance: float | None = _number("residual at which the solver ends", 0.0, 1.0)
    sor: float | None = _number("over-relaxation of the sweeps", 0.01, 2.0)
    max_correcting_velocity: float | None = _number("fastest that overlapping bodies are parted", 0.0, 1e9, "m/s")
    surface_layer: float | None = _number("depth of contacts that is left alone", 0.0, 1.0, "m")
    cone: str | None = _word("form of the friction cone", CONES)
    impratio: float | None = _number("friction stiffness over normal stiffness", 1e-3, 1e6)
    integrator: str | None = _word("how velocities are integrated", INTEGRATORS)
    ls_iterations: int | None = _count("iterations of the line search, at most")
    ls_tolerance: float | None = _number("where the line search ends", 0.0, 1.0)
    noslip_iterations: int | None = _count("sweeps that take slip away after the solver", 0)

    def __post_init__(self) -> None:
        for name, value in self.stated.items():
            object.__setattr__(self, name, _checked(name, value))

    @property
    def stated(self) -> dict[str, Any]:
        """What is not None, by name."""
        return {name: value for name, value in vars(self).items() if value is not None}

    def over(self, other: SolverSettings) -> SolverSettings:
        """These settings before others.

        Args:
            other: what counts where these state nothing.

        Returns:
            Both together.
        """
        return replace(self, **{k: v for k, v in other.stated.items() if getattr(self, k) is None})


KNOWN: dict[str, Mapping[str, Any]] = {each.name: each.metadata for each in fields(SolverSettings)}
SolverLike = SolverSettings | Mapping[str, Any]


def _checked(name: str, value: Any) -> Any:
    """A value in its type and range; BadInput says what is wanted."""
    known = KNOWN[name]
    if "choices" in known:
        word = value.strip().lower() if isinstance(value, str) else value
        if word not in known["choices"]:
            raise BadInput(f"{PREFIX}{name} is one of {', '.join(known['choices'])}, got {value!r}")
        return word
    low, high = known["range"]
    wanted = "a whole number" if known.get("whole") else "a number"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadInput(f"{PREFIX}{name} is {wanted}, got {value!r}")
    if not (math.isfinite(value) and low <= value <= high):
        unit = f" {known['unit']}" if known.get("unit") else ""
        raise BadInput(f"{PREFIX}{name} must lie between {low:g} and {high:g}{unit}, got {value:g}")
    if known.get("whole"):
        if not float(value).is_integer():
            raise BadInput(f"{PREFIX}{name} is a whole number, got {value:g}")
        return int(value)
    return float(value)


def solver_settings(given: SolverLike | None) -> SolverSettings:
    """Settings of a table like {"iterations": 50, "erp": 0.3}; names may begin with `solver.`, as on a command line."""
    if given is None:
        return SolverSettings()
    if isinstance(given, SolverSettings):
        return given
    values: dict[str, Any] = {}
    for word, value in given.items():
        name = word.removeprefix(PREFIX)
        if name not in KNOWN:
            raise unknown_setting(word)
        values[name] = value
    return SolverSettings(**values)


def parse_settings(text: str) -> SolverSettings:
    """Settings of a line like "erp=0.3, iterations=20"; empty: none."""
    given: dict[str, Any] = {}
    for word in text.split(",") if text.strip() else ():
        name, sign, value = (part.strip() for part in word.partition("="))
        if not (name and sign and value):
            raise BadInput(f"settings look like 'erp=0.3, iterations=20', got {text!r}")
        try:
            given[name] = parse_toml(f"value = {value}")["value"]
        except ValueError:
            given[name] = value
    return solver_settings(given)


def unknown_setting(word: str) -> UnknownName:
    """The error of a setting that there is not, with the one that was likely meant."""
    near = get_close_matches(word.rpartition(".")[2], KNOWN, 1, 0.6)
    meant = f"; did you mean {PREFIX}{near[0]}?" if near else ""
    return UnknownName(f"no setting {word!r}{meant}{'' if meant else ';'} choices: {', '.join(listed(KNOWN))}")


def listed(names: Iterable[str]) -> list[str]:
    """Settings as they are typed."""
    return [f"{PREFIX}{name}" for name in names]
