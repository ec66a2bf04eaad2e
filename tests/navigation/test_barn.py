"""The five BARN worlds in the flat world: no map, 0.42 x 0.33 m, up to 2 m/s, 270 degrees of lidar."""

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest

from andante.navigation import GoalChecker, LayerSettings, Navigator, NavigatorSettings, Vehicle, rectangle

from .world2d import World, drive

DATASETS = Path(os.environ.get("ANDANTE_DATASETS") or Path(__file__).parents[3] / "shared" / "datasets")
JACKAL = Vehicle(rectangle(0.42, 0.33), "differential", 2.0, 2.0, max_acceleration=2.0, max_turn_acceleration=6.0)


@pytest.mark.dataset
@pytest.mark.parametrize("number", range(5))
def test_arrives_without_collision(number):
    file = DATASETS / "barn" / "worlds.json"
    if not file.is_file():
        pytest.skip(f"the BARN worlds are not in {file.parent}; set ANDANTE_DATASETS")
    data = json.loads(file.read_text())[number]
    navigator = Navigator(JACKAL, settings=NavigatorSettings(layers=LayerSettings(resolution=0.04, window=24.0)))
    navigator.set_goal([*data["goal"], math.nan], GoalChecker(1.0))
    run = drive(
        navigator,
        World(np.array(data["cylinders"], dtype=float)),
        data["start"],
        timeout=100,
        beams=720,
        field_of_view=math.radians(270),
        seed=number,
        pose_noise=0.005,
    )
    best = data["optimal_time"]
    assert run.success, (run.collided, run.last.reason, run.events[-5:])
    assert best / np.clip(run.time, 2 * best, 8 * best) >= 0.25
