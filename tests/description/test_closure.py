"""Closed loops: closed by least squares, against closed forms; which joints follow, and what their motors feel."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from andante.description import Inertia, Joint, JointType, Limits, Link, Mimic, Robot, Transmission
from andante.description.check.report import check_robot
from andante.description.closure import Closure, _Linkage, close_loops, passive_joints, reflected_inertia
from andante.geometry import SE3
from andante.physics.checks import specimens
from andante.physics.checks.loops import freudenstein

Y = (0.0, 1.0, 0.0)
LENGTHS = specimens.CRANK_ROCKER


def five_bar(**limits: Limits) -> Robot:
    """Two hips on one axis, a thigh of 0.1 m to each side, two shins of 0.2 m that meet in a foot."""
    down = math.atan2(math.sqrt(0.2**2 - 0.1**2), 0.1)
    joints = []
    for side, sign in (("left", 1.0), ("right", -1.0)):
        to_foot = SE3.from_xyz_rpy((0.1 * sign, 0, 0), (0, math.pi / 2 + sign * (math.pi / 2 - (math.pi - down)), 0))
        free = {n: limits[n] for n in (f"{side}_hip", f"{side}_knee") if n in limits}
        hip = Joint(f"{side}_hip", JointType.CONTINUOUS, "body", f"{side}_thigh", axis=Y)
        knee = Joint(f"{side}_knee", JointType.CONTINUOUS, f"{side}_thigh", f"{side}_shin", to_foot, Y)
        joints += [replace(joint, limits=free.get(joint.name, Limits())) for joint in (hip, knee)]
    tip = SE3.from_xyz_rpy((0.2, 0, 0))
    foot = Joint("foot", JointType.BALL, "left_shin", "right_shin", tip, joint_from_child=tip.inverse())
    names = ("body", "left_thigh", "left_shin", "right_thigh", "right_shin")
    return Robot("five_bar", tuple(Link(name) for name in names), tuple(joints), (foot,))


def rod_and_plate() -> Robot:
    """A knee that a motor turns by way of a plate and a rod, which hangs on a ball and ends in another."""
    links = tuple(Link(name) for name in ("thigh", "shin", "plate", "rod"))
    at = SE3.from_xyz_rpy
    joints = (
        Joint("knee", JointType.REVOLUTE, "thigh", "shin", at((0, 0, -0.4)), Y, Limits(-2, 2)),
        Joint("motor", JointType.REVOLUTE, "thigh", "plate", at((0, 0, -0.1)), Y, Limits(-1, 1)),
        Joint("ball", JointType.BALL, "plate", "rod", at((-0.1, 0.05, 0))),
    )
    above, below = at((0, -0.05, -0.4)), at((-0.1, 0, -0.1))
    end = Joint("end", JointType.BALL, "rod", "shin", above, joint_from_child=below.inverse())
    return Robot("rod_and_plate", links, joints, (end,))


@pytest.mark.parametrize("crank", np.linspace(-3, 3, 7))
@pytest.mark.parametrize("kind", [JointType.CONTINUOUS, JointType.BALL])
def test_a_four_bar_closes_as_freudenstein_says(crank: float, kind: JointType) -> None:
    coupler, rocker = freudenstein(crank, LENGTHS)
    robot = specimens.crank_rocker(kind, coupler, rocker, crank)
    found = close_loops(robot, {joint.name: joint.initial for joint in robot.joints}, ["drive"])
    assert found.closed
    assert found.positions["drive"] == crank
    assert math.remainder(found.positions["pivot"] - rocker, math.tau) == pytest.approx(0, abs=1e-5)
    assert math.remainder(crank + found.positions["wrist"] - coupler, math.tau) == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize(
    "kind", [JointType.BALL, JointType.CONTINUOUS, JointType.FIXED, JointType.PRISMATIC, JointType.FLOATING]
)
def test_the_derivative_of_the_gap_is_that_of_finite_differences(kind: JointType) -> None:
    robot = rod_and_plate()
    slide = Joint("slide", JointType.PRISMATIC, "shin", "carriage", axis=(0, 0, 1.0), mimic=Mimic("motor", 0.1))
    loose = Joint("loose", JointType.FLOATING, "carriage", "weight", SE3.from_xyz_rpy((0.1, 0, 0), (0.2, 0, 0)))
    end = replace(robot.loops[0], type=kind, axis=(0, 0, 1.0), child="weight")
    links = (*robot.links, Link("carriage"), Link("weight"))
    linkage = _Linkage(replace(robot, links=links, joints=(*robot.joints, slide, loose), loops=(end,)))
    state = linkage.state(linkage.robot.complete({"knee": 0.1, "motor": -0.2}))
    if kind in (JointType.FIXED, JointType.PRISMATIC):  # whose turn is exact where little is left of it
        state = linkage.descend(state, linkage.names)
    jacobian = linkage.jacobian(state)
    assert linkage.size == 2 + 3 + 6
    for k in range(linkage.size):
        step = 1e-6 * np.eye(linkage.size)[k]
        ahead, back = (linkage.residual(linkage.moved(state, sign * step)) for sign in (1, -1))
        np.testing.assert_allclose(jacobian[:, k], (ahead - back) / 2e-6, atol=1e-7)


def test_motors_sit_at_the_hips_and_what_hangs_further_out_follows() -> None:
    robot = five_bar()
    assert robot.passive == {"left_knee", "right_knee"}
    assert close_loops(robot, {}).error < 1e-9  # as drawn
    moved = close_loops(robot, {"left_hip": 0.2, "right_hip": -0.2}, ["left_hip", "right_hip"])
    assert moved.closed
    assert moved.positions["left_hip"] == 0.2
    assert moved.positions["left_knee"] == pytest.approx(-moved.positions["right_knee"], abs=1e-6)


def test_what_the_file_says_of_motors_comes_first() -> None:
    drive = Transmission("t", "SimpleTransmission", ("left_knee",))
    assert passive_joints(replace(five_bar(), transmissions=(drive,))) == {"right_knee", "right_hip"}
    driven = replace(five_bar(), servos={"*_knee": {"kp": 10.0}})
    assert passive_joints(driven) == {"right_hip"}  # hips on one axis: one must hold, or the leg turns as a whole
    idle = Limits(effort=0.0)
    assert passive_joints(five_bar(left_hip=idle, left_knee=idle)) == {"left_hip", "left_knee"}
    assert passive_joints(replace(five_bar(), loops=())) == frozenset()


def test_a_rod_between_two_balls_is_redrawn_where_it_fits() -> None:
    robot = rod_and_plate()
    assert robot.passive == {"knee"}  # the motor stays one although the rod hangs on it
    found = close_loops(robot, {"motor": 0.4, "knee": 0.1}, ["motor", "knee"])
    assert isinstance(found, Closure)
    assert found.closed
    assert found.positions["motor"] == 0.4
    assert found.positions["knee"] == pytest.approx(0.352, abs=1e-3)
    poses = found.robot.link_poses(found.positions)
    (end,) = robot.loops
    gap = (poses["rod"] @ end.pose).translation - (poses["shin"] @ end.joint_from_child.inverse()).translation
    assert float(np.linalg.norm(gap)) < 1e-6


def test_joints_are_kept_inside_their_limits_and_a_gap_that_stays_is_told() -> None:
    robot = five_bar(left_knee=Limits(-0.1, 0.1), right_knee=Limits(-0.1, 0.1))
    apart = close_loops(robot, {"left_hip": 1.0}, ["left_hip"])
    assert all(abs(apart.positions[f"{side}_knee"]) <= 0.1 for side in ("left", "right"))
    assert apart.closed
    assert apart.positions["left_hip"] == 1.0  # the other motor moves before the loop stays open
    far = replace(robot.loops[0], pose=SE3.from_xyz_rpy((0.2, 0.03, 0)))
    told = [problem.message for problem in check_robot(replace(robot, loops=(far,))).problems]
    assert any("a gap of 30 mm is left" in message for message in told)


def test_a_motor_feels_what_it_moves_through_the_loop() -> None:
    """Of a parallelogram both cranks turn and the coupler shifts: I = 2 m l²/3 + M l²."""
    robot = specimens.four_bar(span=0.4, height=0.2)
    rods = {joint.child: link.inertia for joint in robot.joints for link in robot.links if link.name == joint.child}
    crank, coupler = rods["crank"], rods["coupler"]
    assert isinstance(crank, Inertia)
    assert isinstance(coupler, Inertia)
    about = crank.matrix[1, 1] + crank.mass * 0.1**2
    assert reflected_inertia(robot) == {"drive": pytest.approx(2 * about + coupler.mass * 0.2**2, rel=1e-9)}
    assert reflected_inertia(replace(robot, loops=())) == {}
