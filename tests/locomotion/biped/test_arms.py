"""Hands that keep clear: how far arms swing, and that no hand touches legs or trunk in any walk."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from andante.control.loop import ControlLoop
from andante.description import Collision, Robot, load_robot
from andante.description.shapes import Box
from andante.geometry import SE3
from andante.locomotion import Command
from andante.locomotion.biped.arms import arm_links, clear_swing
from andante.locomotion.biped.walk import BipedWalk
from andante.locomotion.gaits import Request, prepare
from andante.motion.actions.check import SelfCollision
from andante.simulation.simulation import simulate

READY = prepare(load_robot("nao"), Request("walk"))
USUAL = 1.323 / READY.walker.measures.center


def with_plate(length: float) -> Robot:
    """The NAO with a plate on its left wrist toward the thigh."""
    robot = READY.robot
    plate = Collision(Box((0.02, 0.02, length)), SE3.from_parts(np.eye(3), np.array([0.03, 0.0, -0.5 * length])))
    links = tuple(
        replace(link, collisions=(*link.collisions, plate)) if link.name == "l_wrist" else link for link in robot.links
    )
    return replace(robot, links=links)


def walk_of(robot: Robot) -> BipedWalk:
    return BipedWalk(robot, READY.walker.body.rig)


def arm_touches(walk: BipedWalk) -> int:
    """Periods of a walk ahead at full speed in which an arm touches what is no arm."""
    sim = simulate(walk.body.robot, pose=walk.pose, sensors=True)
    arm = np.array([link.name in arm_links(walk) for link in sim.robot.links])
    loop = ControlLoop(sim, walk, command=Command(vx=walk.max_speed))
    count = 0
    for _ in range(250):
        loop.step()
        own = sim.engine.contacts_of(sim.model)
        both = own.model_b == sim.model
        count += bool((arm[own.link_a[both]] & ~arm[own.link_b[both]]).any())
    sim.close()
    return count


def test_arms_are_what_hangs_on_the_joints_that_swing() -> None:
    links = arm_links(READY.walker)
    assert {"LBicep", "l_gripper", "RForeArm"} <= links
    assert not links & {"torso", "Head", "LThigh", "r_ankle"}


def test_arms_that_are_clear_swing_as_usual() -> None:
    assert clear_swing(READY.walker) == READY.walker.measures.arms == pytest.approx(USUAL, rel=1e-3)


@pytest.mark.parametrize(("length", "part"), [(0.04, 1.0), (0.06, 0.25), (0.12, 0.0)])
def test_arms_with_less_room_swing_less(length: float, part: float) -> None:
    assert walk_of(with_plate(length)).measures.arms == pytest.approx(part * USUAL, rel=1e-3)


def test_what_would_touch_keeps_clear() -> None:
    walk = walk_of(with_plate(0.06))
    assert arm_touches(walk) == 0
    wide = walk_of(with_plate(0.06))
    wide.measures = replace(wide.measures, arms=USUAL)
    assert arm_touches(wide) > 0


def test_a_long_step_swings_no_further_than_the_fastest_walk() -> None:
    walk = walk_of(READY.robot)
    joint, _ = walk.body.arms[0]
    walk.swing.pose[0] = 2.0 * walk.measures.reach_ahead
    walk._targets(0.01)
    most = walk.measures.arms * walk.max_speed * walk.measures.step_time
    assert abs(walk._q[joint] - walk.body.stance[joint]) == pytest.approx(most)


def test_pairs_of_a_limb_alone_are_held_against_each_other() -> None:
    robot = with_plate(0.2)
    folded = {**READY.pose, "LShoulderRoll": -0.3, "LHipRoll": -0.3, "RHipRoll": 0.3}
    every, arms = SelfCollision(robot).at(folded), SelfCollision(robot, arm_links(READY.walker)).at(folded)
    assert {hit.links for hit in arms} < {hit.links for hit in every}
    assert arms
