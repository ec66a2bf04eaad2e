"""The courses of the UWB car as a trial."""

from __future__ import annotations

from typing import Any

import numpy as np

from andante.errors import UnknownName
from andante.experiments.setup import Setup, Terms
from andante.mobile.rover.trials import COURSES
from andante.mobile.rover.trials import rover_trial as drive

TERMS = Terms(
    "the rover's trials",
    settings=("course", "world", "guide", "odometry", "timeout", "noise"),
    measures=("final_error", "estimate_rms", "off_line", "path_length", "seconds", "arrived", "collided"),
)


def rover_trial(setup: Setup) -> dict[str, Any]:
    """One `course`; noise and friction as drawn, the start moved by what was drawn.

    Measures: final_error, estimate_rms, off_line, path_length [m], seconds, arrived, collided, and the true path.
    """
    values = TERMS.values(setup)
    draw, name = setup.draw, str(values.pop("course", "ahead"))
    if name not in COURSES:
        raise UnknownName.among("course", name, COURSES)
    start = np.add(COURSES[name].start, (draw.x, draw.y, draw.yaw))
    factor = float(values.pop("noise", 1.0)) * (1.0 + draw.noise)
    friction = 1.0 if draw.friction is None else draw.friction
    made = drive(name, seed=setup.seed, engine=setup.engine, start=start, noise=factor, friction=friction, **values)
    rows = np.column_stack([made.times, made.truth])[:: max(1, len(made.times) // 100)]
    return {
        "success": made.arrived and not made.collided,
        "final_error": made.final_error,
        "estimate_rms": made.estimate_rms,
        "off_line": made.off_line,
        "path_length": made.path_length,
        "seconds": made.seconds,
        "arrived": made.arrived,
        "collided": bool(made.collided),
        "path": np.round(rows, 4).tolist(),
    }
