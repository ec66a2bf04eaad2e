"""Samplers of the package optuna: TPE and NSGA-II.

TPE fits one density to good and one to poor candidates and proposes where their ratio is greatest (Bergstra et al.,
2011; multivariate as in Falkner et al., 2018). NSGA-II keeps candidates that no other one dominates (Deb et al., 2002).
"""

from __future__ import annotations

import warnings
from bisect import insort
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from andante.errors import BadInput
from andante.search.permutation import derived_seed
from andante.search.space import Choice, Parameter, Real, Space, Value

from .base import LearningSampler, Told

NSGA_BATCH = 32
FAILED = -1e12  # value of every aim of a candidate that failed
TPE_BATCH = 16


class TpeSampler(LearningSampler):
    """Tree-structured Parzen estimator; every batch draws from its own random numbers, so asking changes nothing.

    startup: how many random candidates come first. start: one candidate that is tried first.
    memory: how many results the models hold, a quarter of them the best, the rest the newest (asking costs about
    30 us for each).
    """

    replays = False

    def __init__(
        self,
        space: Space,
        seed: int,
        batch: int,
        *,
        startup: int = 48,
        memory: int = 400,
        start: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(space, seed, batch, TPE_BATCH, start)
        if startup < 1 or memory < startup:
            raise BadInput(f"tpe needs startup >= 1 and memory >= startup, got {startup} and {memory}")
        self.startup, self.memory = startup, memory
        self._distributions = distributions_of(space)
        self._best: list[tuple[float, int, dict[str, Any]]] = []  # fitness, minus index, parameters; worst first
        self._newest: deque[tuple[float, int, dict[str, Any]]] = deque(maxlen=memory - memory // 4)

    def ask(self, generation: int) -> list[dict[str, Value]]:
        """Candidates of the present models; those of one batch keep away from each other."""
        import optuna
        from optuna.trial import create_trial

        known = {entry[1]: entry for entry in (*self._best, *self._newest)}
        with quiet():
            sampler = optuna.samplers.TPESampler(
                n_startup_trials=self.startup,
                multivariate=True,
                constant_liar=True,
                seed=derived_seed(self.seed, generation),
            )
            study = optuna.create_study(direction="maximize", sampler=sampler)
            study.add_trials(
                create_trial(params=known[key][2], distributions=self._distributions, value=known[key][0])
                for key in sorted(known, reverse=True)
            )
            candidates = [found(self.space, study.ask(self._distributions).params) for _ in range(self.batch)]
        return self.with_first(generation, candidates)

    def tell(self, results: Sequence[Told]) -> None:
        """Take the results into the models."""
        for told in results:
            entry = (told.fitness, -told.index, chosen(self.space, told.parameters))
            self._newest.append(entry)
            insort(self._best, entry, key=lambda known: known[:2])
            del self._best[: max(0, len(self._best) - self.memory // 4)]


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
        chosen[name] = kind.decode((parameters[name] + 0.5) / kind.count) if _numbered(kind) else parameters[name]
    return space.with_frozen(chosen)


def chosen(space: Space, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What optuna would have chosen to get these parameters."""
    out: dict[str, Any] = {}
    for name, kind in zip(space.names, space.free, strict=True):
        value = kind.clip(parameters[name])
        out[name] = int(kind.encode(value) * kind.count) if _numbered(kind) else value
    return out


def _numbered(kind: Parameter) -> bool:
    """Whether a parameter is searched by the number of its value."""
    return not isinstance(kind, Choice) and kind.count > 0


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


class NsgaSampler(LearningSampler):
    """A population per batch, the first one random; the objective's "objectives" are the aims, larger is better."""

    def __init__(self, space: Space, seed: int, batch: int) -> None:
        super().__init__(space, seed, batch, NSGA_BATCH)
        if self.batch < 4:
            raise BadInput(f"nsga2 needs a batch of at least 4, got {self.batch}")
        self.aims = 0  # number of objectives, known from the first results
        self._distributions = distributions_of(space)
        self._study: Any = None
        self._asked: list[Any] = []

    def ask(self, generation: int) -> list[dict[str, Value]]:
        """The next population."""
        if generation == 0:
            rng = np.random.Generator(np.random.PCG64(derived_seed(self.seed, 1)))
            return [self.space.decode(place) for place in rng.random((self.batch, self.space.dimensions))]
        with quiet():
            self._asked = [self._study.ask(self._distributions) for _ in range(self.batch)]
        return [found(self.space, trial.params) for trial in self._asked]

    def tell(self, results: Sequence[Told]) -> None:
        """Take in a whole population."""
        with quiet():
            if self._study is None:
                self._begin(results)
            for trial, told in zip(self._asked, results, strict=True):
                if not told.failed and len(told.objectives) != self.aims:
                    raise BadInput(
                        f'candidate {told.index} has {len(told.objectives)} "objectives", others {self.aims}; '
                        "nsga2 needs the same number everywhere"
                    )
                self._study.tell(trial, [FAILED] * self.aims if told.failed else list(told.objectives))

    def _begin(self, results: Sequence[Told]) -> None:
        """Hand the first population to optuna."""
        import optuna

        self.aims = max((len(told.objectives) for told in results if not told.failed), default=2)
        if self.aims < 2:
            raise BadInput('nsga2 weighs two aims or more; the objective gives them as a list "objectives"')
        sampler = optuna.samplers.NSGAIISampler(
            population_size=self.batch,
            crossover=optuna.samplers.nsgaii.SBXCrossover(),  # children lie between and beyond their parents
            seed=derived_seed(self.seed, 0),
        )
        self._study = optuna.create_study(directions=["maximize"] * self.aims, sampler=sampler)
        for told in results:
            self._study.enqueue_trial(chosen(self.space, told.parameters))
        self._asked = [self._study.ask(self._distributions) for _ in results]
        for trial in self._asked:
            _ = trial.relative_params  # makes optuna count it to the first generation
