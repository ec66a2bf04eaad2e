"""Wheels that slide go where Coulomb's forces balance: the loaded ones grip, the others give way."""

from dataclasses import replace

import numpy as np
import pytest
from tests.kinematics.wheels.samples import body, robot, wheel

from andante.description import Inertia
from andante.kinematics import find_drive
from andante.kinematics.wheels.skid import SkidSlip, skid_slip, wheel_loads

PLACES = np.array([[0.25, 0.3], [0.25, -0.3], [-0.25, 0.3], [-0.25, -0.3]])
CORNERS = [("fl", 0.15, 0.2), ("fr", 0.15, -0.2), ("bl", -0.15, 0.2), ("br", -0.15, -0.2)]


def base(center: tuple[float, float]) -> SkidSlip:
    names = ("a", "b", "c", "d")
    return SkidSlip(names, PLACES, np.full(4, 0.1), wheel_loads(PLACES, np.array(center)))


def test_loads_hold_the_center_and_none_pulls() -> None:
    loads = wheel_loads(PLACES, np.array([0.05, -0.1]))
    assert loads.sum() == pytest.approx(1.0)
    assert loads @ PLACES == pytest.approx([0.05, -0.1])
    assert wheel_loads(PLACES, np.array([0.0, 0.5])).min() >= 0.0  # beside its wheels: those lift off
    assert wheel_loads(PLACES, np.zeros(2)) == pytest.approx([0.25] * 4)


def test_an_even_base_goes_by_the_mean_of_its_wheels() -> None:
    spins = np.array([3.0, 5.0, 3.0, 5.0])
    assert base((0.0, 0.0)).velocity(spins, 0.2, np.zeros(2)) == pytest.approx([0.4, 0.0], abs=5e-3)


def test_the_loaded_side_leads_a_base_that_turns_on_the_spot() -> None:
    spins = np.array([-6.0, 6.0, -6.0, 6.0])
    ahead = base((0.0, -0.1)).velocity(spins, 0.8, np.zeros(2))
    assert ahead[0] > 0.1  # the right wheels carry more, and drive forward
    assert base((0.0, 0.1)).velocity(spins, 0.8, np.zeros(2))[0] == pytest.approx(-ahead[0], abs=1e-3)


@pytest.mark.parametrize("center", [(0.0, 0.0), (0.05, -0.08), (0.0, 0.1)])
@pytest.mark.parametrize("wanted", [(0.0, 1.0), (0.3, -0.5), (-0.2, 0.4), (0.4, 0.0)])
def test_rims_and_velocity_are_inverse(center: tuple[float, float], wanted: tuple[float, float]) -> None:
    made = base(center)
    left, right = made.sides(*wanted)
    spins = np.where(made.left, left, right) / made.radii
    assert made.velocity(spins, wanted[1], np.zeros(2))[0] == pytest.approx(wanted[0], abs=0.06)
    assert made.sides(0.0, 0.0) == (0.0, 0.0)


def test_only_skid_steer_bases_slide() -> None:
    aside = replace(body(), inertia=Inertia(5.0, (0.0, -0.05, 0.08), (0.05, 0, 0, 0.08, 0, 0.1)))
    four = robot("four", [wheel(*corner) for corner in CORNERS], base=aside)
    made = skid_slip(four, find_drive(four))
    assert made is not None
    assert made.joints == ("fl", "fr", "bl", "br")
    assert made.loads[1] > made.loads[0]
    two = robot("two", [wheel("l", 0.0, 0.2), wheel("r", 0.0, -0.2)], base=body(height=0.055))
    assert skid_slip(two, find_drive(two)) is None
