"""Footprints, covering discs and vehicles from robot files."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from tests.kinematics.wheels.samples import body, wheel
from tests.kinematics.wheels.samples import robot as wheeled

import andante as an
from andante.description import Collision, Inertia, Joint, JointType, Limits, Link, Sphere
from andante.errors import BadInput, UnknownName
from andante.geometry import SE3
from andante.navigation import Vehicle, convex_outline, rectangle, robot_outline, vehicle_of
from andante.navigation.vehicle import covering_discs, edge_distances

from .samples import BOX


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_outline_is_the_hull(seed):
    points = np.random.default_rng(seed).normal(size=(12, 2))
    outline = convex_outline(points)
    hull = ConvexHull(points)
    assert {tuple(p) for p in np.round(outline, 9)} == {tuple(p) for p in np.round(points[hull.vertices], 9)}
    x, y = outline.T
    assert 0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) == pytest.approx(hull.volume)  # counterclockwise


@given(st.integers(0, 10_000), st.floats(0.01, 0.06))
@settings(max_examples=8, deadline=None)
def test_discs_cover_the_outline_and_little_more(seed, tolerance):
    rng = np.random.default_rng(seed)
    outline = convex_outline(rng.uniform(-0.4, 0.4, size=(7, 2)))
    discs = covering_discs(outline, tolerance)
    weights = rng.dirichlet(np.ones(len(outline)) * 0.4, size=800)  # many near corners and edges
    inside = weights @ outline
    gaps = np.linalg.norm(inside[:, None] - discs[None, :, :2], axis=-1) - discs[None, :, 2]
    assert gaps.min(axis=1).max() <= 1e-9
    turns = np.linspace(0, 2 * np.pi, 60)
    rims = discs[:, None, :2] + discs[:, None, 2:] * np.stack([np.cos(turns), np.sin(turns)], axis=-1)[None]
    assert edge_distances(outline, rims.reshape(-1, 2)).min() >= -tolerance * 1.5 - 1e-9  # corners reach further


def test_radii_of_a_rectangle():
    assert pytest.approx(0.165, abs=1e-3) == BOX.inscribed
    assert pytest.approx(math.hypot(0.21, 0.165)) == BOX.circumscribed
    turned = BOX.outline_at((1.0, 2.0, math.pi / 2))
    np.testing.assert_allclose(turned.max(axis=0), [1.165, 2.21], atol=1e-12)


def test_rover_and_waffle():
    rover = vehicle_of(an.robot("rover"))
    assert rover.drive == "ackermann"
    assert rover.wheelbase == pytest.approx(0.33)
    assert rover.turning_radius == pytest.approx(0.808, abs=0.01)
    np.testing.assert_allclose(rover.footprint.min(axis=0), [-0.055, -0.1475], atol=1e-6)
    np.testing.assert_allclose(rover.footprint.max(axis=0), [0.385, 0.1475], atol=1e-6)
    waffle = vehicle_of(an.robot("waffle"), max_speed=0.2)
    assert (waffle.drive, waffle.max_speed, waffle.turning_radius) == ("differential", 0.2, 0.0)
    assert waffle.max_turn == pytest.approx(1.82)
    assert vehicle_of(an.robot("waffle")).max_speed == pytest.approx(0.26)


def test_outline_told_from_a_reference():
    ahead = robot_outline(an.robot("rover"), (0.1, 0.0, math.pi))
    np.testing.assert_allclose(ahead.max(axis=0), [0.155, 0.1475], atol=1e-6)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (
            lambda: Vehicle(rectangle(1, 1), "hover"),
            UnknownName,
            "no drive 'hover'; choices: differential",
        ),
        (lambda: Vehicle(rectangle(1, 1), "ackermann"), BadInput, "needs a turning_radius > 0"),
        (
            lambda: Vehicle(rectangle(1, 1), max_speed=math.nan),
            BadInput,
            "max_speed must be a finite number > 0",
        ),
        (lambda: Vehicle(rectangle(1, 1), max_reverse=-1.0), BadInput, "max_reverse"),
        (lambda: rectangle(0, 1), BadInput, "a length and a width > 0"),
        (lambda: convex_outline([[0, 0], [1, 1]]), BadInput, "three or more finite points"),
        (lambda: convex_outline([[0, 0], [1, 1], [2, 2]]), BadInput, "needs an area"),
        (lambda: convex_outline([[0, 0], [1, np.nan], [2, 0]]), BadInput, "finite points"),
        (lambda: vehicle_of(an.robot("nao")), BadInput, "has no wheels"),
    ],
)
def test_words(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_a_speed_that_nobody_names_is_one_from_which_it_stops_within_its_length():
    low, tall = (Inertia(5.0, (0, 0, h), (0.05, 0, 0, 0.08, 0, 0.1)) for h in (0.05, 1.2))
    pair = [wheel("l", 0, 0.12), wheel("r", 0, -0.12)]
    made = [vehicle_of(wheeled("b", pair, base=replace(body(), inertia=each))) for each in (low, tall)]
    assert made[0].max_speed == pytest.approx(math.sqrt(2 * 1.5 * 0.4))
    assert made[0].max_acceleration == 1.5
    height = (5 * 1.2 + 0.4 * 0.05) / 5.4
    assert made[1].max_acceleration == pytest.approx(0.5 * 9.81 * 0.2 / height, rel=1e-3)  # it would tip over
    assert made[1].max_lateral_acceleration == pytest.approx(0.5 * 9.81 * 0.12 / height, rel=1e-3)
    weak = [(link, replace(joint, limits=Limits(effort=0.05))) for link, joint in pair]
    assert vehicle_of(wheeled("b", weak)).max_acceleration == pytest.approx(0.5 * 2 * 0.05 / 0.05 / 5.4)


@pytest.mark.parametrize("ahead", [-0.02, -0.1])
def test_a_base_on_two_wheels_and_a_caster_brakes_by_its_stand(ahead):
    """Its nose hangs over the axle: it tips as soon as the push of its mass is before the wheels."""
    ball = Link("ball", collisions=(Collision(Sphere(0.02), SE3.from_xyz_rpy((-0.16, 0, 0.02))),))
    base = replace(body(), inertia=Inertia(5.0, (ahead, 0, 0.5), (0.05, 0, 0, 0.08, 0, 0.1)))
    made = wheeled("b", [wheel("l", 0, 0.12), wheel("r", 0, -0.12)], base=base)
    weld = Joint("weld", JointType.FIXED, "base", "ball")
    found = vehicle_of(replace(made, links=(*made.links, ball), joints=(*made.joints, weld)))
    center, height = 5 * ahead / 5.4, (5 * 0.5 + 0.4 * 0.05) / 5.4
    room = min(-center, 0.16 + center)
    assert found.max_acceleration == pytest.approx(min(1.5, 0.5 * 9.81 * room / height), rel=1e-3)


def test_discs_are_found_once_and_are_the_callers_own():
    vehicle = Vehicle(rectangle(0.42, 0.33))
    first = vehicle.discs(0.015, 0.01)
    first[:] = 0.0
    again = vehicle.discs(0.015, 0.01)
    assert again == pytest.approx(np.add(covering_discs(vehicle.footprint, 0.015), [0.0, 0.0, 0.01]))
