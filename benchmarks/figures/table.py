"""All runs, capability by capability."""

from __future__ import annotations

from . import descriptions, experiments, kinematics, live, naoqi, navigation, starts, walking
from .model import Figure, Run

RUNS: tuple[Run, ...] = (
    *descriptions.RUNS, *kinematics.RUNS, *walking.RUNS, *navigation.RUNS, *live.RUNS, *naoqi.RUNS,
    *experiments.RUNS, *starts.RUNS,
)  # fmt: skip
FIGURES: tuple[Figure, ...] = tuple(figure for run in RUNS for figure in run.figures)
