"""Local planners stand still, and say why, where no motion is safe or allowed."""

from dataclasses import replace

import numpy as np
import pytest

from andante.navigation import Dwa, Inflation, MotionState, Mppi, Path, PurePursuit, WaypointDriver

from .samples import BOX, CAR, costmap

STRAIGHT = Path.through(np.column_stack([np.linspace(1.0, 7.0, 61), np.full(61, 3.0)]))
BACKWARDS = Path(STRAIGHT.poses[::-1].copy(), np.full(61, -1, dtype=np.int8))
CONTROLLERS = [Mppi, Dwa, PurePursuit, WaypointDriver]


def free():
    return np.zeros((120, 160), dtype=np.int8)


@pytest.mark.parametrize("make", CONTROLLERS)
@pytest.mark.parametrize("vehicle", [BOX, CAR], ids=lambda v: v.drive)
def test_a_wall_too_near_to_brake_for_is_not_driven_into(make, vehicle):
    cells = free()
    front = 1.0 + float(vehicle.footprint[:, 0].max())
    cells[:, round((front + 0.1) / 0.05) :] = 100
    state = MotionState(np.array([1.0, 3.0, 0.0]), np.array([0.9, 0.0, 0.0]))
    decision = make(vehicle).plan(state, STRAIGHT, costmap(cells, vehicle, Inflation(), 0.05))
    assert not decision.feasible
    assert not decision.velocity.any()
    assert "touch" in decision.reason


@pytest.mark.parametrize("make", CONTROLLERS)
def test_the_same_way_without_the_wall_is_driven(make):
    state = MotionState(np.array([1.0, 3.0, 0.0]), np.array([0.9, 0.0, 0.0]))
    decision = make(BOX).plan(state, STRAIGHT, costmap(free(), BOX, Inflation(), 0.05))
    assert decision.feasible
    assert decision.velocity[0] > 0.2


@pytest.mark.parametrize("make", [Mppi, PurePursuit])
def test_a_car_that_does_not_reverse_says_so(make):
    forward = replace(CAR, max_reverse=0.0)
    state = MotionState(np.array([7.0, 3.0, 0.0]))
    decision = make(forward).plan(state, BACKWARDS, costmap(free(), CAR, Inflation(), 0.05))
    assert decision.reason == "the path goes backwards and this robot does not reverse"
    assert not decision.velocity.any()
