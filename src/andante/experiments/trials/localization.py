"""Localization as a trial: a synthetic drive with noise, tracked, started globally, or carried elsewhere on the way."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from andante.errors import UnknownName
from andante.experiments.setup import Setup, Terms
from andante.geometry import Array, se2
from andante.localization import LikelihoodField, MonteCarloLocalizer
from andante.localization.synthetic import map_of_walls
from andante.mapping.records import odometry_at_scans
from andante.mapping.synthetic import DriveNoise, drive, rooms, smooth_path

TERMS = Terms(
    "localization",
    settings=("range_noise", "odometry_noise", "start"),
    measures=("mean_error", "worst", "scans_until_right", "right"),
)
STARTS = ("known", "global", "kidnapped")
GOOD = 0.5  # an estimate within this is right [m]
OUTLINE = ((0, 0), (12, 0), (12, 9), (0, 9))
BOXES = ((3, 3, 6, 3), (0, 6.5, 1.5, 0.3), (5, 0, 0.4, 1.2), (10.6, 5, 1.4, 0.2), (8, 7.5, 0.5, 1.5))
WAY = ((1.5, 1.6), (10.3, 1.6), (10.5, 7.0), (1.8, 7.6), (1.6, 2.4))


def localization_trial(setup: Setup) -> dict[str, Any]:
    """Localize on a drive around a hall; `start` is known, global or kidnapped (carried to another place half way).

    range_noise: of the lidar [m]; odometry_noise: factor on the errors of the wheels. Measures: mean and largest error
    over the last half [m], scans until the estimate is right for good, and whether it is right at the end.
    """
    values = TERMS.values(setup)
    start = str(values.get("start", "known"))
    if start not in STARTS:
        raise UnknownName.among("start", start, STARTS)
    rng, factor = np.random.default_rng((0x10C, setup.seed)), float(values.get("odometry_noise", 1.0))
    walls, field = _hall()
    noise = DriveNoise(
        range_sigma=float(values.get("range_noise", 0.02)) * (1.0 + setup.draw.noise),
        way_scale=1.0 + 0.03 * factor * float(rng.uniform(-1, 1)),
        turn_scale=1.0 + 0.03 * factor * float(rng.uniform(-1, 1)),
        drift=0.02 * factor * float(rng.uniform(-1, 1)),
        step_sigma=0.003 * factor,
        turn_sigma=0.002 * factor,
    )
    run = drive(walls, smooth_path(WAY, 0.15), seed=setup.seed, noise=noise)
    truth, wheels, scans = run.truth.poses, odometry_at_scans(run.log), run.log.scans
    order, begin = _order(start, len(scans), rng)
    localizer = MonteCarloLocalizer(field, seed=setup.seed)
    if start == "global":
        localizer.start_anywhere(scans[order[0]])
    else:
        localizer.start_at(truth[order[0]])
    gaps, poses, jump = [], [], np.zeros(3)
    for n, k in enumerate(order):
        if n and k != order[n - 1] + 1:  # it was carried: the wheels did not turn
            last = se2.compose(jump, wheels[order[n - 1]])
            jump = se2.compose(last, se2.inverse(wheels[k]))
        made = localizer.update(scans[k], se2.compose(jump, wheels[k]))
        gaps.append(float(np.hypot(*(made.pose[:2] - truth[k, :2]))))
        poses.append([round(0.2 * n, 2), *(round(float(v), 3) for v in made.pose)])
    gap = np.array(gaps)
    wrong = np.flatnonzero(gap[begin:] >= GOOD)
    late = gap[begin + (len(gap) - begin) // 2 :]
    return {
        "success": bool(gap[-1] < GOOD),
        "mean_error": float(late.mean()),
        "worst": float(late.max()),
        "scans_until_right": int(wrong.max(initial=-1)) + 1,
        "right": bool(gap[-1] < GOOD),
        "path": poses[:: max(1, len(poses) // 100)],
    }


def _order(start: str, count: int, rng: np.random.Generator) -> tuple[list[int], int]:
    """Numbers of the scans that are seen, in order, and from which of them on the estimate is judged."""
    if start != "kidnapped":
        return list(range(count)), 0
    lifted, put = int(rng.integers(count // 8, count // 4)), int(rng.integers(count // 2, 5 * count // 8))
    return [*range(lifted), *range(put, count)], lifted


@cache
def _hall() -> tuple[Array, LikelihoodField]:
    walls = rooms(OUTLINE, *BOXES)
    return walls, LikelihoodField(map_of_walls(walls))
