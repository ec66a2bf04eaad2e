"""Footsteps that a walk is given: seen from the standing foot, cut at what a step can do, walked in thought."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.description import load_robot
from andante.errors import BadInput
from andante.locomotion.behaviour import Command, Readings
from andante.locomotion.biped.footsteps import LEFT, RIGHT
from andante.locomotion.biped.step_plan import PlannedStep, StepLimits, StepPlan
from andante.locomotion.gaits import Request, prepare

LIMITS = StepLimits(back=0.05, ahead=0.1, narrowest=0.08, widest=0.16, turn=0.3)


@pytest.fixture(scope="module")
def walk():
    return prepare(load_robot("nao"), Request("walk")).walker


def test_steps_are_seen_from_the_standing_foot_and_cut():
    plan = StepPlan([PlannedStep("right", 0.3, -0.1, 0.0), PlannedStep("left", 0.3, 0.0, 0.1)], 0.1, LIMITS)
    steps = plan.coming((0.2, 0.0, 0.0), LEFT, 4)
    assert steps[0] == pytest.approx((0.1, -0.1, 0.0))
    assert steps[1] == pytest.approx((0.0, 0.1, 0.1))
    assert steps[2] == pytest.approx((0.0, -0.1, 0.0))  # after the last one it stands
    far = StepPlan([PlannedStep("right", 2.0, 0.5, 2.0)], 0.1, LIMITS).coming((0.0, 0.0, 0.0), LEFT, 1)[0]
    assert far == pytest.approx((0.1, -0.08, 0.3))


def test_the_wrong_foot_is_put_down_beside_first():
    plan = StepPlan([PlannedStep("left", 0.05, 0.1, 0.0)], 0.1, LIMITS)
    first, second = plan.coming((0.0, 0.1, 0.0), LEFT, 2)  # the left one stands although the plan moves it next
    assert first == pytest.approx((0.0, -0.1, 0.0))
    assert second == pytest.approx((0.05, 0.1, 0.0))
    plan.landed(RIGHT)
    assert plan
    plan.landed(LEFT)
    assert not plan


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        (lambda: PlannedStep("middle", 0, 0, 0), "left, right"),
        (lambda: PlannedStep("left", math.nan, 0, 0), "finite"),
        (lambda: StepPlan([PlannedStep("left", 0, 0, 0), PlannedStep("left", 0, 0, 0)], 0.1, LIMITS), "take turns"),
    ],
)
def test_bad_steps_are_refused(steps, words):
    with pytest.raises(BadInput, match=words):
        steps()


def test_a_walk_in_thought_puts_its_feet_where_the_plan_says(walk):
    thought, m = walk.ahead(), walk.measures
    foot, turn, x, y = "right", 0.0, 0.0, 0.0
    steps = []
    for n in range(10):
        turn += 0.08 if n < 8 else 0.0
        x, y = x + 0.05 * math.cos(turn), y + 0.05 * math.sin(turn)
        side = 0.5 * m.width if foot == "left" else -0.5 * m.width
        steps.append(PlannedStep(foot, x - side * math.sin(turn), y + side * math.cos(turn), turn))
        foot = "left" if foot == "right" else "right"
    thought.follow_footsteps(steps)
    readings, placed, stance = Readings(0.0, walk.body.stance, np.zeros(len(walk.body.names))), [], thought.stance
    for _ in range(1000):
        thought.update(readings, Command(), 0.01)
        if thought.phase == "walk" and thought.stance != stance and len(placed) < len(steps):
            placed.append(thought.odometry.foot)
        stance = thought.stance
        if thought.phase == "stand" and not thought.plan:
            break
    assert thought.phase == "stand"
    assert len(placed) == len(steps) or len(placed) == len(steps) - 1
    for step, foot in zip(steps, placed, strict=False):
        assert foot == pytest.approx((step.x, step.y, step.yaw), abs=0.02)


def test_a_velocity_ends_a_plan_and_no_steps_stop_it(walk):
    thought = walk.ahead()
    readings = Readings(0.0, walk.body.stance, np.zeros(len(walk.body.names)))
    thought.follow_footsteps([PlannedStep("right", 0.05, -0.05, 0.0)])
    thought.update(readings, Command(vx=0.05), 0.01)
    assert thought.plan is None
    thought.follow_footsteps([PlannedStep("right", 0.05, -0.05, 0.0)])
    thought.follow_footsteps(())
    assert thought.plan is None


def test_a_walk_ends_where_its_plan_ends(walk):
    """Long steps, then one beside the last: none of their speed is left, so the walk does not go on by itself."""
    thought, m = walk.ahead(), walk.measures
    length, steps, foot = 0.9 * m.max_speed * m.step_time, [], "right"
    for n in range(1, 8):
        side = 0.5 * m.width if foot == "left" else -0.5 * m.width
        steps.append(PlannedStep(foot, min(n, 6) * length, side, 0.0))
        foot = "left" if foot == "right" else "right"
    middle = float(thought.position[1])
    steps = [PlannedStep(step.foot, step.x, step.y + middle, 0.0) for step in steps]
    thought.follow_footsteps(steps)
    readings = Readings(0.0, walk.body.stance, np.zeros(len(walk.body.names)))
    landed = 0
    for _ in range(1000):
        stance = thought.stance
        thought.update(readings, Command(), 0.01)
        landed += thought.phase == "walk" and thought.stance != stance
        if thought.phase == "stand" and not thought.plan:
            break
    assert thought.phase == "stand"
    assert landed <= len(steps) + 1
    assert float(thought.position[0]) == pytest.approx(6 * length, abs=0.015)
