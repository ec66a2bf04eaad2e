"""Strokes of the ball's legs: tables against the robot's own kinematics, kept apart, and the compiled openings."""

from __future__ import annotations

import math

import numpy as np
import pytest

import andante as an
from andante.description import Robot, load_robot
from andante.errors import BadInput
from andante.geometry import Array, so3
from andante.robots.shell.kernels import HALF, LEGS, Strokes, stroke_openings
from andante.robots.shell.roller import strokes_of

from .reference import kept_apart, positions


@pytest.fixture(scope="module")
def shell() -> Robot:
    return load_robot("shell")


@pytest.fixture(scope="module")
def strokes(shell: Robot) -> Strokes:
    return strokes_of(shell)


def test_closed_legs_are_the_ball_and_figures_are_those_of_the_robot(shell: Robot, strokes: Strokes) -> None:
    pose = shell.pose("ball")
    np.testing.assert_allclose(positions(strokes, np.zeros(12)), [pose[name] for name in shell.joint_names])
    assert strokes.radius == pytest.approx(0.2, abs=0.002)
    assert strokes.lift == pytest.approx(2 * 3.8 * 9.81 * 0.019 / (3.8 + 0.056 / 0.04), rel=0.05)


def test_open_legs_keep_the_joint_limits(shell: Robot, strokes: Strokes) -> None:
    for opening in (np.ones(12), np.full(12, HALF)):
        q = positions(strokes, opening)
        for joint, value in zip(shell.movable, q, strict=True):
            assert joint.limits.lower <= value <= joint.limits.upper, joint.name


@pytest.mark.parametrize("leg", range(12))
def test_tables_follow_the_kinematics_of_every_leg(shell: Robot, strokes: Strokes, leg: int) -> None:
    """The furthest point of the leg along its own gore, from the table and from the link poses."""
    stroke = strokes.lower if leg < LEGS else strokes.upper
    link = f"lower_foot_{leg + 1}" if leg < LEGS else None
    opening = np.zeros(12)
    opening[leg] = stroke.openings[7]
    poses = shell.link_poses(dict(zip(shell.joint_names, positions(strokes, opening), strict=True)))
    turn = so3.from_rpy((0.0, 0.0, float(strokes.azimuth[leg])))
    cloud = stroke.points[7] @ turn.T
    if link is not None:
        assert np.linalg.norm(cloud - poses[link].translation, axis=1).min() < 1e-9
    else:
        tip = poses[f"upper_tip_{leg - LEGS + 1}"].translation
        assert np.linalg.norm(cloud - tip, axis=1).min() < 0.03


def test_no_neighbors_lift_their_hips_together(strokes: Strokes) -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        wish = rng.uniform(0, 1, 12) if rng.random() < 0.8 else np.ones(12)
        kept = kept_apart(wish)
        low = kept[:LEGS] > HALF
        assert not (low & np.roll(low, 1)).any()
        assert (kept <= wish).all()
        np.testing.assert_array_equal(kept[LEGS:], wish[LEGS:])


def test_a_leg_opens_in_the_ball_without_touching_anything(shell: Robot, strokes: Strokes) -> None:
    sim = an.simulate(shell, pose="ball", fixed=True, drop=1.0)
    try:
        for leg in (0, LEGS):
            for fraction in np.linspace(0, 1, 11):
                opening = np.zeros(12)
                opening[leg] = fraction
                sim.engine.set_joints(sim.model, positions(strokes, opening))
                sim.engine.step(1)
                assert len(sim.engine.contacts()) == 0, f"leg {leg} open by {fraction}"
    finally:
        sim.close()


# ---- the compiled openings against a plain version ------------------------------------------------
def plain(stroke, down: Array, back: Array, floor: float, nearest: float, full: float, depth: float) -> float:
    along = stroke.points @ down + stroke.radius
    best = along.argmax(axis=1)
    reach = along.max(axis=1)
    at = stroke.points[np.arange(len(best)), best] + stroke.radius[best][:, None] * down
    behind = at @ back
    touch = np.flatnonzero((reach > floor) & (behind > nearest))
    if not len(touch):
        return 0.0
    goal = floor + depth * min(1.0, (behind[touch[0]] - nearest) / (full - nearest))
    deep = np.flatnonzero(reach >= goal)
    if not len(deep):
        return float(stroke.openings[reach.argmax()])
    i = deep[0]
    return float(np.interp(goal, reach[i - 1 : i + 1], stroke.openings[i - 1 : i + 1])) if i else 0.0


def test_compiled_openings_agree_with_the_plain_ones(strokes: Strokes) -> None:
    rng = np.random.default_rng(5)
    opened = 0
    for _ in range(150):
        down = so3.exp(rng.normal(size=3) * 2)
        stroke = strokes.lower if rng.random() < 0.5 else strokes.upper
        floor, depth = strokes.radius, rng.uniform(0.01, 0.08)
        args = (floor, 0.01, 0.04, depth)
        got = stroke_openings(stroke, down[:1].copy(), down[1:2].copy(), *args)
        wanted = plain(stroke, down[0], down[1], *args)
        assert got[0] == pytest.approx(wanted, abs=1e-9)
        opened += wanted > 0
    assert opened > 10


def test_robots_that_do_not_fold_are_told(shell: Robot) -> None:
    with pytest.raises(BadInput, match="no pose 'ball'"):
        strokes_of(load_robot("nao"))
    assert math.isfinite(strokes_of(shell).lift)
