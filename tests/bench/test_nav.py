"""The sensor rows of `andante bench nav`, with little time."""

from __future__ import annotations

import pytest

from andante.bench.nav import OBSTACLES, ROWS, lidar_row, obstacle_world, sensor_rows
from andante.physics import engine_class
from andante.physics.registry import ENGINES, installed


@pytest.mark.parametrize("engine", [name for name, entry in ENGINES.items() if installed(entry)])
def test_a_row_tells_both_costs(engine):
    row = lidar_row(engine_class(engine), 0.01)
    assert engine in row.case
    assert f"{OBSTACLES} obstacles" in row.case
    assert row.unit == "% of real time"
    assert row.andante > 0
    assert row.baseline > 0


def test_the_rows_belong_to_the_benchmark():
    assert sensor_rows in ROWS


def test_the_field_leaves_room_for_the_robot():
    world = obstacle_world()
    places = [model.pose.translation[:2] for model in world.models if model.name.startswith("obstacle")]
    assert len(places) == OBSTACLES
    assert min(float(x**2 + y**2) for x, y in places) > 1.0
