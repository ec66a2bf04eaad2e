"""TPE by `optuna`: models of good and of bad candidates, and the places where the first most exceeds the second.

Bergstra et al. 2011; multivariate as in Falkner et al. 2018.
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from andante.errors import BadInput
from andante.search.permutation import derived_seed
from andante.search.space import Space, Value

from ._optuna import chosen, distributions_of, found, quiet
from .base import Sampler, Told, first_candidate

BATCH = 16


class TpeSampler(Sampler):
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
        if not space.dimensions:
            raise BadInput("every parameter is frozen; nothing is left to search")
        super().__init__(space, seed, batch or BATCH)
        if startup < 1 or memory < startup:
            raise BadInput(f"tpe needs startup >= 1 and memory >= startup, got {startup} and {memory}")
        self.startup, self.memory = startup, memory
        self._first = first_candidate(space, start)
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
        if generation == 0 and self._first is not None:
            candidates[0] = self._first
        return candidates

    def tell(self, results: Sequence[Told]) -> None:
        """Take the results into the models."""
        for told in results:
            entry = (told.fitness, -told.index, chosen(self.space, told.parameters))
            self._newest.append(entry)
            insort(self._best, entry, key=lambda known: known[:2])
            del self._best[: max(0, len(self._best) - self.memory // 4)]
