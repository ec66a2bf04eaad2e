"""Pushes told from the ground: by what the ground can do where it presses, and in walks."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.locomotion.biped.pushes import LATELY, STRUCK, Pushes
from andante.tasks.walk import walk

RATE, CENTER, DT = 6.0, 0.27, 0.01
places = st.floats(-0.1, 0.1)


def thrown(force: float, seconds: float, p: float = 0.0) -> Pushes:
    """Pushes of a pendulum at 0.02 m over a point p that is pushed along x by a force per mass [m/s²]."""
    felt = Pushes(RATE, CENTER)
    for _ in range(round(seconds / DT)):
        felt.update((RATE * RATE * (0.02 - p) + force, 0.0), (0.02, 0.0), (p, 0.0), DT)
    return felt


@given(places)
def test_the_ground_pushes_nobody_wherever_it_presses(p: float) -> None:
    felt = thrown(0.0, 0.3, p)
    assert felt.thrown == pytest.approx((0.0, 0.0), abs=1e-12)
    assert not felt.lately


def test_a_push_throws_the_divergent_component_by_its_speed_over_the_rate() -> None:
    speed = 0.15  # [m/s], in 0.05 s
    felt = thrown(speed / 0.05, 0.05)
    assert felt.thrown[0] == pytest.approx(speed / RATE, rel=0.2)  # what was summed up fades meanwhile
    assert felt.now
    assert felt.lately
    for _ in range(math.ceil(LATELY / RATE / DT) + 40):
        felt.update((0.0, 0.0), (0.0, 0.0), (0.0, 0.0), DT)
    assert not felt.lately


def test_small_and_lasting_ones_are_none() -> None:
    assert not thrown(0.8 * STRUCK * CENTER * RATE / 0.05, 0.05).now
    felt = thrown(0.02 * RATE * RATE * 0.27, 4.0)  # load cells that see the pressure 5 mm off
    assert not felt.now


def test_a_change_of_feet_turns_what_is_seen() -> None:
    felt = thrown(3.0, 0.05)
    x = felt.thrown[0]
    felt.change_foot(math.pi / 2)
    assert felt.thrown == pytest.approx((0.0, -x))


@pytest.mark.parametrize(
    ("push", "seed"),
    [
        ((1.565, 143.1, 1.52), 84),
        pytest.param((1.267, 79.1, 1.66), 106, marks=pytest.mark.drill),
        pytest.param((0.824, -65.8, 2.036), 164, marks=pytest.mark.drill),
        pytest.param((0.723, -77.4, 1.954), 195, marks=pytest.mark.drill),
    ],
)
def test_a_push_in_a_slow_walk_is_not_taken_for_uneven_ground(push: tuple[float, float, float], seed: int) -> None:
    """Each of these ended in a fall: feet waited for ground and turned onto it while the body was being thrown."""
    assert not walk("nao", velocity=(0.15, 0.0, 0.0), seconds=4.0, push=push, seed=seed).fallen
