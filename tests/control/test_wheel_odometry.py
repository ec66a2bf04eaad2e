"""Odometry of counted wheels: along arcs, over gaps, with wheels that are not heard."""

import math

import numpy as np
import pytest

import andante as an
from andante.control.wheel_odometry import LONGEST_GAP, WheelCounter, WheelOdometry
from andante.errors import AndanteError
from andante.kinematics import find_drive
from andante.locomotion import Command, Readings

WAFFLE = an.robot("waffle")


def wheels(twist, time, robot=WAFFLE, measured_at=math.nan):
    """Readings of a base whose reference point has gone with a twist since time 0 [s]."""
    drive = find_drive(robot)
    position = np.zeros(len(robot.joint_names))
    for joint, (_, speed) in drive.joint_commands(twist).items():
        position[robot.joint_names.index(joint)] = speed * time
    return Readings(time, position, np.zeros(len(position)), measured_at=measured_at)


def test_a_quarter_circle_is_followed_along_its_arc():
    odometry = WheelOdometry(WAFFLE)
    radius, turn = 0.5, 0.4
    twist = (radius * turn, 0.0, turn)
    for time in np.linspace(0.0, math.pi / 2 / turn, 9):  # coarse: the arc must not be cut
        odometry.update(wheels(twist, time))
    np.testing.assert_allclose(odometry.pose, [radius, radius, math.pi / 2], atol=2e-3)
    assert odometry.twist[2] == pytest.approx(turn, abs=1e-6)


def test_it_starts_anywhere_and_a_first_reading_moves_nothing():
    odometry = WheelOdometry(WAFFLE, start=(1.0, 2.0, math.pi / 2))
    assert not odometry.update(wheels((0.2, 0.0, 0.0), 7.0))  # the wheels have turned before
    np.testing.assert_array_equal(odometry.pose, [1.0, 2.0, math.pi / 2])
    assert odometry.update(wheels((0.2, 0.0, 0.0), 7.5))
    np.testing.assert_allclose(odometry.pose, [1.0, 2.1, math.pi / 2], atol=1e-9)


def test_the_same_reading_again_and_one_after_a_long_gap_tell_no_speed():
    odometry = WheelOdometry(WAFFLE)
    odometry.update(wheels((0.2, 0.0, 0.0), 0.0))
    odometry.update(wheels((0.2, 0.0, 0.0), 0.1))
    assert not odometry.update(wheels((0.2, 0.0, 0.0), 0.1))
    assert not odometry.update(wheels((0.2, 0.0, 0.0), 0.1 + 2 * LONGEST_GAP))
    assert odometry.pose[0] == pytest.approx(0.02)
    assert odometry.update(wheels((0.2, 0.0, 0.0), 0.2 + 2 * LONGEST_GAP))
    assert odometry.pose[0] == pytest.approx(0.04)


def test_the_time_of_the_measurement_counts_where_it_is_told():
    odometry = WheelOdometry(WAFFLE)
    odometry.update(wheels((0.2, 0.0, 0.0), 0.0, measured_at=10.0))
    odometry.update(wheels((0.2, 0.0, 0.0), 0.1, measured_at=10.2))  # half as fast as by the time of arrival
    assert odometry.twist[0] == pytest.approx(0.1)
    assert odometry.time == 10.2


def test_a_wheel_that_is_not_heard_is_left_out():
    odometry = WheelOdometry(WAFFLE)
    for time in (0.0, 0.1, 0.2):
        heard = wheels((0.2, 0.0, 0.0), time)
        if time > 0:
            heard.position[WAFFLE.joint_names.index("wheel_left_joint")] = math.nan
        odometry.update(heard)
    assert np.isfinite(odometry.pose).all()
    nothing = wheels((0.2, 0.0, 0.0), 0.3)
    nothing.position[:] = math.nan
    assert not odometry.update(nothing)
    assert odometry.time == 0.2


def test_a_steered_base_turns_by_its_measured_steering_angles():
    rover = an.robot("rover")
    drive, odometry = find_drive(rover), WheelOdometry(rover)
    twist = (0.4, 0.0, 0.4 / 1.5)
    commands = drive.joint_commands(twist)
    for time in (0.0, 0.2):
        position = np.zeros(len(rover.joint_names))
        for joint, (_, value) in commands.items():
            steered = joint in drive.steering_joints
            position[rover.joint_names.index(joint)] = value if steered else value * time
        odometry.update(Readings(time, position, np.zeros(len(position))))
    assert odometry.twist[0] == pytest.approx(0.4, abs=0.01)
    assert odometry.twist[2] == pytest.approx(0.4 / 1.5, abs=0.01)


def test_a_base_that_nobody_drives_only_counts():
    counter = WheelCounter(WAFFLE)
    for time in (0.0, 0.5):
        targets = counter.update(wheels((0.2, 0.0, 0.0), time), Command(vx=1.0), 0.5)
    assert not targets.any()
    assert counter.position[0] == pytest.approx(0.1)
    with pytest.raises(AndanteError, match="wheel"):
        WheelCounter(an.robot("nao"))
