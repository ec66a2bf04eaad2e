"""A first guess of a walk's parameters from where trials ended: the robot as a point that goes along an arc.

Somebody who counts d goes s = stride d; the heading is aim + curl s, so that the end lies in the direction of
aim + h with h = curl s / 2, as far away as the chord s sin(h) / h.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from andante.experiments.experiment import Experiment
from andante.experiments.model import model_at
from andante.experiments.perturbed import BODY, STEPS
from andante.geometry import Array
from andante.search import Space

from .targets import Targets

STAY = 0.01  # how strongly parameters that the ends do not tell stay where they are


def usual_values(space: Space) -> dict[str, float]:
    """What parameters are when nothing is identified: no error at all, else the middle of the range."""
    known = {**BODY, **STEPS}
    middle = space.decode([0.5] * space.dimensions)
    return {name: known.get(name.partition("@")[0], float(middle[name])) for name in space}


def end_of_arc(distance: float, stride: float, curl: float, aim: float) -> tuple[float, float]:
    """Where somebody ends who counts `distance` [m]."""
    s = stride * distance
    half = 0.5 * curl * s
    chord = s * float(np.sinc(half / math.pi))
    return chord * math.cos(aim + half), chord * math.sin(aim + half)


def predicted(model: Mapping[str, float], factors: Mapping[str, Any]) -> dict[str, float]:
    """Measures of a walk by the arc alone."""
    here = model_at(model, factors)
    if "turn" in factors:
        turn = float(factors["turn"])
        return {"turned": turn * here.get("turn_left" if turn > 0 else "turn_right", 1.0)}
    stride, curl, aim = (here.get(name, STEPS[name]) for name in ("stride", "curl", "aim"))
    x, y = end_of_arc(float(factors["distance"]), stride, curl, aim)
    return {"x": x, "y": y, "planar": math.hypot(x, y)}


def can_guess(experiment: Experiment) -> bool:
    """Whether the arc tells something of an experiment."""
    return experiment.trial == "walk" and bool({"distance", "turn"} & set(experiment.factors))


def guess(space: Space, targets: Targets, start: Mapping[str, float]) -> dict[str, float]:
    """Parameters of steps that the arc needs to come to the targets, by least squares; the others stay as they are."""
    names = [name for name in space.names if name.partition("@")[0] in STEPS]
    if not names:
        return dict(start)
    low = np.array([float(getattr(space.parameters[name], "low", -math.inf)) for name in names])
    high = np.array([float(getattr(space.parameters[name], "high", math.inf)) for name in names])
    first = np.clip([start[name] for name in names], low + 1e-9, high - 1e-9)

    def left(x: Array) -> Array:
        model = {**start, **dict(zip(names, x.tolist(), strict=True))}
        gaps = []
        for test, means in targets.means.items():
            told = predicted(model, targets.factors[test])
            gaps += [(told[m] - mean) / targets.scales[test] for m, mean in means.items() if m in told]
        return np.array([*gaps, *(STAY * (x - first))])

    found = least_squares(left, first, bounds=(low, high)).x
    return {**start, **dict(zip(names, found.tolist(), strict=True))}


def moved(aim: Targets, real: Targets, reached: Mapping[str, Mapping[str, float]]) -> Targets:
    """What to tell the arc next: the aim moved by as much as what was reached misses the real targets."""
    means = {
        test: {m: value + real.means[test][m] - reached[test][m] for m, value in entry.items()}
        for test, entry in aim.means.items()
    }
    return Targets(means, real.scales, real.factors)
