"""Wheels that slide stay on the ground, and turn a skid-steer base as Coulomb's law says."""

import numpy as np
import pytest
from tests.kinematics.wheels.samples import robot, wheel

import andante as an
from andante.description import Collision, Link, Robot, Sphere
from andante.physics import Mode

X, Y, RADIUS, SPEED = 0.13, 0.19, 0.1, 2.5
CORNERS = {"fl": (X, Y), "fr": (X, -Y), "rl": (-X, Y), "rr": (-X, -Y)}


def skid() -> Robot:
    pieces = []
    for name, (x, y) in CORNERS.items():
        link, joint = wheel(name, x, y, radius=RADIUS)
        pieces.append((Link(link.name, link.inertia, collisions=(Collision(Sphere(RADIUS)),)), joint))
    return robot("skid", pieces)


def spun(made: Robot, **more) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    sim = an.simulate(made, **more)
    order = [made.joint_names.index(name) for name in CORNERS]
    sim.engine.command(sim.model, [-SPEED if name[1] == "l" else SPEED for name in CORNERS], Mode.VELOCITY, order)
    sim.run(1.5)
    told = []
    for _ in range(50):
        sim.run(0.02)
        told.append([*sim.base_velocity, np.abs(sim.joints.velocity[order]).mean()])
    sim.close()
    told = np.array(told)
    return told[:, 5], told[:, 2], told[:, 6]


def test_a_base_turns_by_what_friction_leaves():
    turn, up, wheels = spun(skid())
    expected = wheels.mean() * RADIUS * Y / (X**2 + Y**2)  # equal loads: no moment is left, see `skid_factor`
    assert turn.mean() == pytest.approx(expected, rel=0.03)
    assert np.abs(up).max() < 1e-3


def test_pyramids_are_left_as_they_are():
    turn, up, wheels = spun(skid(), solver={"cone": "pyramidal"})
    assert turn.mean() < 0.5 * wheels.mean() * RADIUS * Y / (X**2 + Y**2)  # it hops: what the correction is for
    assert np.abs(up).max() > 5e-3


def test_only_scenes_with_scrubbing_wheels_are_changed():
    assert an.simulate(skid()).engine._sliding
    assert not an.simulate("waffle").engine._sliding
    assert not an.simulate("rover").engine._sliding
