"""Soft ground, told by soles that turn with the pressure, and walks over it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from andante.control.walking import WalkGoal
from andante.description import Robot, load_robot, load_world
from andante.description.link import Collision, Link, Surface
from andante.description.shapes import Box
from andante.description.world import Placement
from andante.geometry import SE3
from andante.locomotion.biped.softness import FIRST, FORGETS, SURE, Softness
from andante.locomotion.gaits import Request, prepare
from andante.simulation.simulation import simulate
from andante.tasks.walk import WalkResult, lead

RATE, CENTER, DT = 6.0, 0.265, 0.01
STEP = 0.28  # [s]


def step(felt: Softness, gives: float, level: float = 0.0, sways: float = 0.01, rim: bool = False) -> None:
    """A step in which the pressure sways to the right and back [m] and the sole gives way to it [rad/m]."""
    felt.change_foot()
    late = 0.0
    for n in range(round(STEP / DT)):
        y = -sways * math.sin(math.pi * n * DT / STEP)
        late = late + DT / (DT + 0.03) * (y - late) if n * DT >= FIRST / RATE else y
        felt.fade(DT)
        felt.update((level - gives * late, 0.0), (0.0, y), (0.0, 0.01 if rim else 0.0), n * DT, DT)
    felt.change_foot()


def test_a_sole_that_turns_with_the_pressure_tells_soft_ground() -> None:
    felt = Softness(RATE, CENTER)
    step(felt, 2.5)
    assert felt.known
    assert not felt.too_soft
    for _ in range(round(FORGETS / RATE / STEP)):
        step(felt, 0.15)
    assert not felt.known


def test_hard_ground_and_what_a_sole_tips_over_is_not_soft() -> None:
    felt = Softness(RATE, CENTER)
    step(felt, 0.15)  # hard ground and soles give way by so much
    step(felt, 20.0, sways=0.002)  # a bar: the sole turns while the pressure stays
    step(felt, 2.5, level=-0.1)  # a sole that leans on something
    step(felt, 2.5, rim=True)  # it is not known where a sole is pressed beyond its load cells
    assert not felt.known


def test_ground_that_no_sole_can_stand_alone_on_is_too_soft() -> None:
    felt = Softness(RATE, CENTER)
    for _ in range(SURE):
        assert not felt.too_soft
        step(felt, 10.0, level=-0.05, sways=0.006)
    assert felt.too_soft


def walked(stiffness: float, seed: int) -> WalkResult:
    """A NAO walks 0.6 m at 40 % on ground of a stiffness at every point of contact [N/m]."""
    soft = Surface(kp=stiffness, kd=0.02 * stiffness, mu=0.9)
    block = Collision(Box((8.0, 4.0, 0.5)), SE3.from_xyz_rpy((0.0, 0.0, -0.25)), soft)
    placed = Placement("ground", Robot("ground", (Link("ground", collisions=(block,)),)), fixed=True)
    ready = prepare(load_robot("nao"), Request("walk"))
    world = replace(load_world("empty"), models=(placed,))
    sim = simulate(ready.robot, world, pose=ready.pose, sensors=True, seed=seed)
    told = lead(sim, ready, WalkGoal(distance=0.6, speed=40.0))
    sim.close()
    return told


@pytest.mark.parametrize("seed", [1, 2])
def test_a_nao_walks_on_ground_that_sinks_in(seed: int) -> None:
    told = walked(3000.0, seed)
    assert not told.fallen
    assert told.arrived
    assert told.notice == "soft ground"


def test_it_stops_with_a_word_where_the_ground_is_too_soft() -> None:
    told = walked(2000.0, 1)
    assert not told.fallen
    assert "too soft" in told.notice
