"""A wave gait as a trial: open loop for some seconds on a perturbed robot."""

from __future__ import annotations

import math
from typing import Any

from andante.control.start import first_positions
from andante.description import load_robot, load_world
from andante.experiments.perturbed import perturbed_pose, perturbed_robot, perturbed_world, set_friction
from andante.experiments.setup import Setup, Terms, default_robot, friction_value, gait_values
from andante.experiments.wave.trial import WaveTrial
from andante.locomotion.wave.fitness import statistics
from andante.locomotion.wave.model import WaveParameters, default_gait

TERMS = Terms(
    "a wave gait",
    settings=("robot", "world", "variant", "seconds", "stride", "friction"),
    measures=("x", "y", "turned", "speed", "wobble", "time", "fallen"),
    gaits=True,
)


def wave_trial(setup: Setup) -> dict[str, Any]:
    """The shipped gait of a `variant` (exact, smooth) for `seconds`, its strides scaled by `stride` (smooth alone).

    `gait_T`, `gait_A_h` ... replace parameters of the gait, `friction` is the coefficient of feet and ground.
    """
    values = TERMS.values(setup)
    variant, seconds = str(values.get("variant", "smooth")), float(values.get("seconds", 6.0))
    robot, world = (
        load_robot(str(values.get("robot") or default_robot("wave"))),
        load_world(str(values.get("world", "empty"))),
    )
    draw, model = set_friction(setup.draw, friction_value(values)), setup.model
    gait = WaveParameters.of(gait_values(values), default_gait(variant).parameters)
    pose = perturbed_pose(first_positions(robot, None), draw)
    trial = WaveTrial(perturbed_robot(robot, draw, model), setup.engine, perturbed_world(world, draw, model), pose=pose)
    try:
        track = trial.run(gait, variant, seconds, None, float(values.get("stride", 1.0)))
    finally:
        trial.close()
    found = statistics(track)
    rows = [[t, p[0], p[1]] for t, p in zip(track.times.tolist(), track.poses.tolist(), strict=True)]
    return {
        "success": not found.fallen,
        "x": found.along,
        "y": found.aside,
        "turned": math.degrees(found.turned),
        "speed": found.along / found.time if found.time else 0.0,
        "wobble": found.wobble,
        "time": found.time,
        "fallen": found.fallen,
        "path": [[round(v, 4) for v in row] for row in rows[:: max(1, len(rows) // 100)]],
    }
