"""UWB filters as a trial: one made-up drive among anchors, outliers and walls, followed by one filter."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from andante.experiments.setup import Setup, Terms
from andante.localization.compared import FILTERS, filtered_log
from andante.localization.synthetic import WALLS, UwbNoise, uwb_drive

TERMS = Terms(
    "UWB filters",
    settings=("filter", "outliers", "range_noise", "walls", "seconds"),
    measures=("mean_error", "rms", "worst", "roughness", "lag"),
)
SETTLED = 5.0  # errors count from here on [s]
SHIFTS = np.arange(0.0, 1.51, 0.05)  # delays that are tried [s]


def uwb_trial(setup: Setup) -> dict[str, Any]:
    """Follow the first tag by `filter`; the drive depends on the seed alone, so all filters get the same logs.

    range_noise: deviation of a range [m]; outliers: fraction; walls: whether two stand in the hall. Measures: mean,
    root mean square and largest error [m], roughness (rms of the second differences of the way [m]) and lag, the delay
    of the truth that fits the way best [s].
    """
    values = TERMS.values(setup)
    name = str(values.get("filter", next(iter(FILTERS))))
    usual = UwbNoise()
    noise = replace(
        usual,
        outliers=float(values.get("outliers", usual.outliers)),
        range_sigma=float(values.get("range_noise", usual.range_sigma)) * (1.0 + setup.draw.noise),
    )
    walls = WALLS if values.get("walls", True) else ()
    made = uwb_drive(setup.seed, float(values.get("seconds", 60.0)), noise, walls=walls)
    way = filtered_log(name, made.log, made.setup)
    late = way.times > way.times[0] + SETTLED
    times, places = way.times[late], way.poses[late, :2]
    gaps = np.linalg.norm(places - made.truth.at(times)[:, :2], axis=1)
    by_shift = [np.nanmean(np.linalg.norm(places - made.truth.at(times - d)[:, :2], axis=1)) for d in SHIFTS]
    rows = np.column_stack([way.times, way.poses])[:: max(1, len(way.times) // 200)]
    return {
        "success": bool(np.isfinite(gaps).all()),
        "mean_error": float(gaps.mean()),
        "rms": float(np.sqrt(np.mean(gaps**2))),
        "worst": float(gaps.max()),
        "roughness": float(np.sqrt(np.mean(np.sum(np.diff(places, 2, axis=0) ** 2, axis=1)))),
        "lag": float(SHIFTS[int(np.argmin(by_shift))]),
        "path": np.round(rows, 4).tolist(),
    }
