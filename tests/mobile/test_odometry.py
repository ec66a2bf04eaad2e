"""Odometry of wheels alone, and of wheels and gyro."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import andante as an
from andante.errors import AndanteError
from andante.geometry import SE3, se2
from andante.kinematics import find_drive
from andante.locomotion import Readings
from andante.mobile.odometry import BaseOdometry, WheelOdometry

WAFFLE = an.robot("waffle")
RADIUS = find_drive(WAFFLE).wheels[0].wheel.radius


@pytest.mark.parametrize(
    ("name", "twist"), [("waffle", (0.2, 0, 0.3)), ("rover", (0.4, 0, 0.15)), ("rover", (-0.3, 0, 0))]
)
def test_wheel_odometry_follows_the_robot_up_to_slip(name, twist):
    sim = an.simulate(name, sensors=True, start=(1.0, 2.0, 0.5))
    start, odometry = SE3.from_vector(sim.base_pose), WheelOdometry(sim.robot)
    sim.drive(twist)
    for _ in range(150):
        sim.run(0.02)
        odometry.update(sim.read())
    moved = start.inverse() @ SE3.from_vector(sim.base_pose)
    way = abs(twist[0]) * 3.0
    assert np.linalg.norm(odometry.pose[:2]) > 0.7 * way
    assert odometry.pose[:2] == pytest.approx(moved.translation[:2], abs=0.03 * way)
    assert se2.wrap(odometry.pose[2] - moved.rpy[2]) == pytest.approx(0.0, abs=0.05)
    assert odometry.twist[0] == pytest.approx(twist[0], rel=0.1)
    sim.close()


def test_wheel_odometry_starts_where_told_and_stands_still():
    sim = an.simulate("waffle", sensors=True)
    odometry = WheelOdometry(sim.robot, start=(1.0, 2.0, 0.3))
    assert not odometry.update(sim.read())  # nothing to compare with yet
    sim.run(0.1)
    assert odometry.update(sim.read())
    assert odometry.pose == pytest.approx([1.0, 2.0, 0.3])
    assert odometry.time == pytest.approx(0.1)


def felt(time, left, right, turn=0.0, measured_at=math.nan):
    positions = {"wheel_left_joint": left, "wheel_right_joint": right}
    position = np.array([positions[name] for name in WAFFLE.joint_names])
    return Readings(time, position, np.zeros(2), np.array([0.0, 0.0, turn]), measured_at=measured_at)


def test_wheels_count_at_the_time_they_were_measured():
    odometry = WheelOdometry(WAFFLE)
    assert not odometry.update(felt(0.0, 0.0, 0.0, measured_at=-0.01))
    assert odometry.update(felt(0.1, 1.0, 1.0, measured_at=0.09))
    assert odometry.twist == pytest.approx([RADIUS / 0.1, 0.0, 0.0])
    assert odometry.pose == pytest.approx([RADIUS, 0.0, 0.0])
    assert not odometry.update(felt(0.11, 1.0, 1.0, measured_at=0.09))  # nothing new
    assert odometry.twist[0] > 0
    assert odometry.update(felt(0.2, 1.0, 1.0))
    assert odometry.twist == pytest.approx([0.0, 0.0, 0.0])


def test_a_long_silence_and_missing_wheels_are_no_motion():
    odometry = WheelOdometry(WAFFLE)
    odometry.update(felt(0.0, 0.0, 0.0))
    assert not odometry.update(felt(5.0, 9.0, 9.0))  # who knows how they turned meanwhile
    assert odometry.update(felt(5.1, 9.0, 9.0))
    assert odometry.pose == pytest.approx([0.0, 0.0, 0.0])
    assert not odometry.update(felt(5.2, math.nan, math.nan))
    assert odometry.time == pytest.approx(5.1)


def test_wheel_odometry_needs_wheels():
    with pytest.raises(AndanteError, match="nao"):
        WheelOdometry(an.robot("nao"))


def test_the_gyro_tells_the_turn_that_slipping_wheels_do_not():
    odometry = BaseOdometry(WAFFLE, find_drive(WAFFLE))
    assert odometry.pose.tolist() == odometry.twist.tolist() == odometry.at(1.0).tolist() == [0.0, 0.0, 0.0]
    track = find_drive(WAFFLE).twist({"wheel_left_joint": -1.0, "wheel_right_joint": 1.0}, None).twist[2]
    for i in range(100):  # it stands, and the gyro shows its bias
        odometry.update(felt(0.01 * i, 0.0, 0.0))
    for i in range(201):
        angle = 0.5 / track * i * 0.01  # wheels that would turn it by 0.5 rad/s
        odometry.update(felt(1.0 + 0.01 * i, -angle, angle, turn=0.4))
    assert odometry.wheels.twist[2] == pytest.approx(0.5)
    assert odometry.twist[2] == pytest.approx(0.4, abs=0.01)
    assert odometry.pose[2] == pytest.approx(0.8, abs=0.03)


def test_the_near_past_is_kept_and_the_near_future_told():
    odometry = BaseOdometry(WAFFLE, find_drive(WAFFLE))
    for i in range(101):
        odometry.update(felt(0.01 * i, 0.03 * i, 0.03 * i))
    speed = 3.0 * RADIUS
    assert odometry.twist[0] == pytest.approx(speed, rel=0.01)
    x = odometry.pose[0]
    assert odometry.at(1.0)[0] == pytest.approx(x)
    assert odometry.at(0.805)[0] == pytest.approx(x - 0.195 * speed, abs=1e-3)
    assert odometry.at(1.05)[0] == pytest.approx(x + 0.05 * speed, abs=1e-3)
    assert odometry.at(9.0)[0] == pytest.approx(x + 0.1 * speed, abs=1e-3)  # no further than that
    assert odometry.at(-1.0)[0] == pytest.approx(0.0, abs=1e-3)


def test_all_gyros_count_each_in_its_own_axes():
    down = SE3.from_xyz_rpy(rpy=(math.pi, 0.0, 0.0))
    first = next(spec for spec in WAFFLE.sensors if spec.kind == "imu")
    robot = replace(WAFFLE, sensors=(*WAFFLE.sensors, replace(first, name="below", pose=down)))
    spin = {joint: float(value) for joint, (_, value) in find_drive(robot).joint_commands((0.0, 0.0, 0.6)).items()}
    both, last = (BaseOdometry(robot, find_drive(robot)) for _ in range(2))
    level, hung = np.array([0.0, 0.0, 0.5]), np.array([0.0, 0.0, -0.7])
    for step in range(300):
        time = 0.01 * step
        at = felt(time, spin["wheel_left_joint"] * time, spin["wheel_right_joint"] * time, turn=-0.7)
        both.update(replace(at, gyros={first.name: level, "below": hung}))
        last.update(at)  # a body that tells of one IMU only: the last
    assert both.twist[2] == pytest.approx(0.6, abs=0.03)  # between both gyros
    assert last.twist[2] > both.twist[2] + 0.01


def test_a_simulated_robot_tells_of_all_its_imus():
    first = next(spec for spec in WAFFLE.sensors if spec.kind == "imu")
    down = SE3.from_xyz_rpy(rpy=(math.pi, 0.0, 0.0))
    robot = replace(WAFFLE, sensors=(*WAFFLE.sensors, replace(first, name="below", pose=down)))
    sim = an.simulate(robot, sensors=True)
    sim.run(0.1)
    assert set(sim.read().gyros) == {first.name, "below"}
    assert sim.read().acceleration[2] > 9.0  # that of the first, whose mount walks and fall detectors know
    sim.close()
    assert not an.simulate(WAFFLE, sensors=True).read().gyros
