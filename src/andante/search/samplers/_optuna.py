"""Spaces as optuna's distributions, and optuna kept silent."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from andante.search.space import Choice, Grid, Real, Space, Value


def distributions_of(space: Space) -> dict[str, Any]:
    """One distribution per free parameter; grids whose numbers are not evenly spaced are searched by their place."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    made: dict[str, Any] = {}
    for name, kind in zip(space.names, space.free, strict=True):
        if isinstance(kind, Choice):
            made[name] = CategoricalDistribution(kind.values)
        elif isinstance(kind, Real) and not kind.count:
            made[name] = FloatDistribution(kind.low, kind.high)
        else:
            made[name] = IntDistribution(0, kind.count - 1)
    return made


def found(space: Space, parameters: Mapping[str, Any]) -> dict[str, Value]:
    """All parameters from what optuna chose for the free ones."""
    chosen: dict[str, Value] = {}
    for name, kind in zip(space.names, space.free, strict=True):
        value = parameters[name]
        discrete = isinstance(kind, Grid) or (isinstance(kind, Real) and kind.count)
        chosen[name] = kind.decode((value + 0.5) / kind.count) if discrete else value
    return {name: space.frozen[name] if name in space.frozen else chosen[name] for name in space.parameters}


def chosen(space: Space, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What optuna would have chosen to get these parameters."""
    out: dict[str, Any] = {}
    for name, kind in zip(space.names, space.free, strict=True):
        value = kind.clip(parameters[name])
        discrete = isinstance(kind, Grid) or (isinstance(kind, Real) and kind.count)
        out[name] = int(kind.encode(value) * kind.count) if discrete else value
    return out


@contextmanager
def quiet() -> Iterator[None]:
    """Neither log lines nor warnings of features that optuna calls experimental."""
    import optuna

    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        optuna.logging.set_verbosity(before)
