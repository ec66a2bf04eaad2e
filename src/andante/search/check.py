"""Checks of users' own objectives and samplers: what is wrong, in words; empty when all is well."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping

from .executors.base import Evaluator
from .objective import Objective
from .permutation import derived_seed
from .record import plain
from .samplers import Sampler, Told
from .space import Space, Value


def check_objective(objective: Objective, seed: int = 0) -> list[str]:
    """Evaluate the middle of the space twice and look at what comes back."""
    problems = []
    if not isinstance(getattr(objective, "space", None), Space):
        return ["`space` is missing or no andante Space"]
    try:
        json.dumps(plain(dict(objective.stamp())))
    except Exception as error:
        problems.append(f"stamp() fails: {type(error).__name__}: {error}")
    middle = objective.space.decode([0.5] * objective.space.dimensions)
    evaluator = Evaluator(objective)
    task = json.dumps({"index": 0, "seed": seed, "parameters": middle})
    first, second = (json.loads(evaluator.evaluate(task)) for _ in range(2))
    if first.get("error"):
        return [*problems, f"evaluate fails in the middle of the space: {first['error']}"]
    figures = first["figures"]
    fitness = figures.get("fitness")
    if isinstance(fitness, bool) or not isinstance(fitness, int | float) or not math.isfinite(fitness):
        problems.append('evaluate gives no finite number as "fitness"')
    if first != second:
        changed = [name for name in figures if figures[name] != (second["figures"] or {}).get(name)]
        problems.append(f"the same parameters and seed give other figures the second time: {', '.join(changed)}")
    return problems


def check_sampler(
    make: Callable[[Space, int, int], Sampler],
    space: Space,
    *,
    batch: int = 16,
    generations: int = 6,
    fitness: Callable[[Mapping[str, Value]], float] | None = None,
) -> list[str]:
    """Run a sampler on a hidden fitness: batches of the right size, inside the space, the same twice for one seed."""
    measure = fitness or (lambda parameters: -float(((space.encode(parameters) - 0.3) ** 2).sum()))
    problems: list[str] = []
    runs = [_candidates(make(space, 1, batch), space, generations, measure, problems) for _ in range(2)]
    if runs[0] != runs[1]:
        problems.append("two samplers with the same seed and results propose different candidates")
    return list(dict.fromkeys(problems))


def _candidates(
    sampler: Sampler,
    space: Space,
    generations: int,
    measure: Callable[[Mapping[str, Value]], float],
    problems: list[str],
) -> list[list[dict[str, Value]]]:
    waiting: list[list[Told]] = []
    proposed: list[list[dict[str, Value]]] = []
    lag = getattr(sampler, "lag", 0)
    for generation in range(generations):
        if getattr(sampler, "adaptive", True) and len(waiting) > lag:
            sampler.tell(waiting.pop(0))
        asked = [dict(candidate) for candidate in sampler.ask(generation)]
        if len(asked) > sampler.batch:
            problems.append(f"ask gives {len(asked)} candidates, more than the batch of {sampler.batch}")
        for candidate in asked:
            if set(candidate) != set(space.parameters):
                problems.append(f"a candidate has the parameters {', '.join(candidate)}, not those of the space")
            elif not _inside(space, candidate):
                problems.append(f"a candidate lies outside of the space: {candidate}")
        if problems:
            break
        first = generation * sampler.batch
        waiting.append(
            [
                Told(first + k, candidate, measure(candidate), failed=derived_seed(0, first + k) % 17 == 0)
                for k, candidate in enumerate(asked)
            ]
        )
        proposed.append(asked)
    return proposed


def _inside(space: Space, candidate: Mapping[str, Value]) -> bool:
    nearest = space.clip(candidate)
    for name, value in candidate.items():
        near = nearest[name]
        if isinstance(value, float) and isinstance(near, float):
            if not math.isclose(value, near, rel_tol=1e-9, abs_tol=1e-9):
                return False
        elif value != near:
            return False
    return True
