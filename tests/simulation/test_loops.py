"""Closed loops under physics: they start closed, motors drive them, and joints that follow are left alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import andante as an
from andante.control.start import first_positions, holds_still
from andante.description import JointType, load_robot
from andante.geometry import SE3
from andante.physics.checks import specimens
from andante.physics.solver import engine_notes
from andante.simulation import Simulation

ENGINES = ("mujoco", "bullet", "dart", "ode")
RODS = """<mujoco model="rods"><default><geom contype="0" conaffinity="0"/></default><worldbody>
  <body name="thigh" pos="0 0 1"><geom type="capsule" fromto="0 0 0 0 0 -.4" size=".02" mass="1"/>
    <body name="shin" pos="0 0 -.4"><joint name="knee" axis="0 1 0" range="-120 120"/>
      <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".02" mass=".5"/><site name="heel" pos="-.1 0 -.1"/></body>
    <body name="plate" pos="0 0 -.1"><joint name="motor" axis="0 1 0" range="-60 60"/>
      <geom type="box" size=".05 .01 .01" pos="-.05 0 0" mass=".1"/>
      <body name="rod" pos="-.1 .05 0"><joint type="ball"/>
        <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".008" mass=".1"/>
        <site name="end" pos="0 -.05 -.4"/></body></body></body></worldbody>
  <equality>{equality}</equality><actuator><position joint="motor" kp="100"/></actuator>
  <keyframe><key name="home" qpos=".1 .4 1 0 0 0"/></keyframe></mujoco>"""


def gap(sim: Simulation) -> float:
    """Largest distance of the two ends of a loop [m]."""
    placed = SE3.from_vector(sim.engine.link_poses(sim.model))
    poses = {link.name: placed[i] for i, link in enumerate(sim.robot.links)}
    ends = [(poses[j.parent] @ j.pose, poses[j.child] @ j.joint_from_child.inverse()) for j in sim.robot.loops]
    return max(float(np.linalg.norm(one.translation - two.translation)) for one, two in ends)


@pytest.mark.parametrize("engine", ENGINES)
def test_one_motor_drives_a_four_bar_and_the_rest_follows(engine: str) -> None:
    sim = an.simulate(specimens.four_bar(), engine=engine, pose={"drive": 0.3})
    assert sim.joints["pivot"] == pytest.approx(0.3, abs=1e-6)  # closed before the first step
    sim.target(np.array([0.6, 0.0, 0.0]))  # targets of all joints; those that follow have no motor to obey with
    sim.run(0.6)
    assert sim.joints["drive"] == pytest.approx(0.6, abs=0.02)
    assert sim.joints["pivot"] == pytest.approx(sim.joints["drive"], abs=1e-3)
    assert gap(sim) < 1e-3
    sim.close()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "equality", ['<connect body1="rod" body2="shin" anchor="0 -.05 -.4"/>', '<connect site1="end" site2="heel"/>']
)
def test_rods_on_balls_start_closed_in_the_keyframe(tmp_path: Path, engine: str, equality: str) -> None:
    file = tmp_path / "rods.xml"
    file.write_text(RODS.format(equality=equality))
    robot = load_robot(file)
    assert robot.passive == {"knee"}
    sim = an.simulate(robot, engine=engine, fixed=True)
    assert gap(sim) < 1e-6
    assert sim.joints["motor"] == pytest.approx(0.4, abs=1e-6)
    assert sim.joints["knee"] == pytest.approx(0.352, abs=1e-3)  # not the 0.1 that the keyframe says
    sim.run(0.2)
    assert gap(sim) < 1e-3
    assert sim.joints["knee"] == pytest.approx(0.352, abs=0.02)
    sim.close()


def test_motors_of_a_loop_that_turn_without_end_are_no_wheels() -> None:
    robot = specimens.four_bar()
    assert all(joint.type is JointType.CONTINUOUS for joint in robot.movable)
    assert holds_still(robot).all()
    assert first_positions(robot, {"drive": 0.2})["wrist"] == pytest.approx(-0.2, abs=1e-6)


def test_engines_that_cannot_close_a_loop_are_named() -> None:
    robot = specimens.four_bar()
    assert engine_notes(robot) == []
    slider = replace(robot, loops=(replace(robot.loops[0], type=JointType.PRISMATIC),))
    told = [problem.message for problem in engine_notes(slider)]
    assert [message.split("'")[1] for message in told] == ["mujoco", "bullet", "dart"]
    assert all("prismatic joint 'closure'" in message for message in told)
