"""Ground that slopes: planes, what a resting foot tells, and walks on slopes that only gravity and feet can tell."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.control.loop import ControlLoop
from andante.description import load_robot, load_world
from andante.locomotion import Command
from andante.locomotion.biped.ground import FLAT, Ground, Plane
from andante.locomotion.gaits import Request, prepare
from andante.simulation.simulation import simulate

slopes = st.floats(-0.2, 0.2)
angles = st.floats(-3.0, 3.0)


@given(slopes, slopes)
def test_a_sole_on_a_plane_has_its_normal(x: float, y: float) -> None:
    plane = Plane(x, y)
    normal = np.array([-x, -y, 1.0]) / math.sqrt(1.0 + x * x + y * y)
    assert plane.tilt @ [0.0, 0.0, 1.0] == pytest.approx(normal, abs=1e-12)
    assert plane.height(0.3, -0.1) == pytest.approx(0.3 * x - 0.1 * y)


@given(slopes, slopes, angles, angles)
def test_who_turns_sees_the_same_ground(x: float, y: float, yaw: float, bearing: float) -> None:
    """The rise toward one direction is the same, whoever names the direction."""
    plane = Plane(x, y)
    there, seen = bearing, bearing - yaw
    rise = plane.seen(yaw).height(math.cos(seen), math.sin(seen))
    assert rise == pytest.approx(plane.height(math.cos(there), math.sin(there)), abs=1e-12)


def feel(ground: Ground, plane: Plane, seconds: float, rests: bool = True) -> None:
    for _ in range(round(seconds / 0.01)):
        ground.update(plane.roll, plane.pitch, rests, 0.01)


def test_a_resting_foot_tells_the_slope_and_one_in_the_air_does_not() -> None:
    ground, slope = Ground(6.0), Plane(0.08, -0.05)
    feel(ground, slope, 3.0, rests=False)
    assert (ground.felt, ground.under) == (FLAT, FLAT)
    feel(ground, slope, 3.0)
    size = math.hypot(slope.x, slope.y)
    left = (size - ground.settings.flat) / size  # what is flat enough is left out
    for found in (ground.felt, ground.under):
        assert (found.x, found.y) == pytest.approx((left * slope.x, left * slope.y), abs=2e-3)
    ground.change_foot(0.5 * math.pi)
    assert (ground.under.x, ground.under.y) == pytest.approx((left * slope.y, -left * slope.x), abs=2e-3)


def test_a_foot_that_tips_over_its_edge_is_no_slope() -> None:
    ground = Ground(6.0)
    for i in range(40):
        ground.update(0.0, 0.03 * i, True, 0.01)  # 3 rad/s
    assert ground.felt == FLAT


def test_nearly_flat_is_flat() -> None:
    ground = Ground(6.0)
    feel(ground, Plane(0.008, -0.005), 2.0)
    assert (ground.felt, ground.under) == (FLAT, FLAT)


CASES = [(5.0, 0.0), (5.0, 180.0), (5.0, 90.0)]
STEEP = [pytest.param(7.0, 45.0 * k, marks=pytest.mark.drill) for k in range(8)]


@pytest.mark.parametrize(("degrees", "way"), [*CASES, *STEEP])
def test_a_nao_walks_on_a_slope_that_it_feels(degrees: float, way: float) -> None:
    """Gravity is turned instead of the ground: the slope goes on for ever, and rises toward `way`."""
    a, d = math.radians(degrees), math.radians(way)
    down = (-math.sin(a) * math.cos(d), -math.sin(a) * math.sin(d), -math.cos(a))
    world = replace(load_world("empty"), gravity=tuple(9.81 * each for each in down))
    ready = prepare(load_robot("nao"), Request("walk"))
    sim = simulate(ready.robot, world, pose=ready.pose, sensors=True, seed=round(way))
    made = ready.walker
    loop = ControlLoop(sim, made, command=lambda state: Command(vx=0.14 if 0.7 < state.time < 6.0 else 0.0))
    lowest = 1.0
    while sim.time < 8.0:
        loop.step()
        _, _, _, x, y, z, w = sim.base_pose
        up = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
        lowest = min(lowest, float(-up @ down))
    slope = made.ground.felt.seen(-made.odometry.foot[2])
    sim.close()
    assert lowest > math.cos(math.radians(20.0))
    assert made.standing
    assert sim.base_pose[0] == pytest.approx(0.14 * 5.3, rel=0.12)
    rise = math.tan(a) - made.ground.settings.flat
    assert (slope.x, slope.y) == pytest.approx((rise * math.cos(d), rise * math.sin(d)), abs=0.02)
