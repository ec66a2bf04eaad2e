"""What a robot behind ROS has told of itself: its clock, its joints, its age, and what was missed."""

import math

import numpy as np
import pytest

import andante as an
from andante.bags import messages
from andante.errors import BadInput
from andante.hardware.ros.senses import RobotClock, RosSenses, yaw_of

from .samples import joint_state

NAO, WAFFLE = an.robot("nao"), an.robot("waffle")
YAW, PITCH = (NAO.joint_names.index(name) for name in ("HeadYaw", "HeadPitch"))


# ---- clocks --------------------------------------------------------------------------------------
def test_the_message_that_took_least_tells_how_far_the_clocks_are_apart():
    clock = RobotClock()
    for stamp, here in ((100.0, 10.2), (100.1, 10.15), (100.2, 10.5)):
        clock.note(stamp, here)
    assert clock.now(11.0) == pytest.approx(11.0 + 100.1 - 10.15)
    assert clock.pace == 1.0


def test_the_time_of_a_robot_never_goes_back_and_is_ours_without_stamps():
    clock = RobotClock()
    clock.note(0.0, 5.0)  # no stamp
    assert clock.now(7.0) == 7.0
    clock.note(3.0, 8.0)
    assert clock.now(8.0) == 7.0  # by the stamp it would be 3


def test_a_simulated_robot_has_the_time_of_its_clock_and_its_pace():
    clock = RobotClock()
    for k in range(50):
        clock.tick(0.05 * k, 0.1 * k)  # half as fast as the wall clock
    assert clock.simulated
    assert clock.now(99.0) == pytest.approx(0.05 * 49)
    assert clock.pace == pytest.approx(0.5)
    clock.tick(0.0, 5.0)  # started anew
    assert clock.now(5.0) == 0.0
    assert clock.pace == 1.0


# ---- joints --------------------------------------------------------------------------------------
def test_joints_come_in_several_messages_and_velocities_from_their_stamps():
    senses = RosSenses(NAO)
    assert senses.take_joints(joint_state(["HeadYaw", "tail"], [0.1, 9.0], stamp=1.0), 5.0) == ["tail"]
    senses.take_joints(joint_state(["HeadPitch"], [0.3], [0.7], stamp=1.0), 5.01)
    senses.take_joints(joint_state(["HeadYaw"], [0.2], stamp=1.1), 5.3)
    position, velocity, _ = senses.joints(5.3, timeout=0.5)
    assert (position[YAW], position[PITCH]) == (0.2, 0.3)
    assert velocity[YAW] == pytest.approx(1.0)  # 0.1 rad in 0.1 s of the robot's time
    assert velocity[PITCH] == 0.7
    assert np.isnan(position).sum() == len(position) - 2


def test_a_joint_that_falls_silent_is_not_known_any_more():
    senses = RosSenses(NAO)
    senses.take_joints(joint_state(["HeadYaw", "HeadPitch"], [0.1, 0.2], stamp=1.0), 1.0)
    senses.take_joints(joint_state(["HeadYaw"], [0.1], stamp=2.0), 2.0)
    assert senses.silent(2.0, 0.5) == [PITCH]
    assert math.isnan(senses.joints(2.0, 0.5)[0][PITCH])
    senses.forget()
    assert senses.silent(9.0, 0.5) == []  # those that never came are not silent


def test_a_torn_joint_state_is_refused_and_infinities_are_nothing():
    senses = RosSenses(NAO)
    with pytest.raises(BadInput, match="1 values of velocity for 2 names"):
        senses.take_joints(joint_state(["HeadYaw", "HeadPitch"], [0.1, 0.2], [0.3]), 1.0)
    senses.take_joints(joint_state(["HeadYaw"], [math.inf], stamp=1.0), 1.0)
    assert math.isnan(senses.joints(1.0, 0.5)[0][YAW])


# ---- the rest ------------------------------------------------------------------------------------
def imu(gyro=(0.0, 0.0, 0.0), force=(0.0, 0.0, 9.81), measured=True, yaw=None):
    vector = lambda v: dict(zip("xyz", v, strict=True))  # noqa: E731
    nothing = [-1.0, *[0.0] * 8]
    told = {} if yaw is None else {"orientation": {"z": math.sin(yaw / 2), "w": math.cos(yaw / 2)}}
    return messages.make(
        "sensor_msgs/msg/Imu",
        angular_velocity=vector(gyro),
        linear_acceleration=vector(force),
        angular_velocity_covariance=[0.0] * 9 if measured else nothing,
        orientation_covariance=nothing if yaw is None else [0.0] * 9,
        **told,
    )


def test_the_imu_is_the_mean_since_it_was_last_asked():
    senses = RosSenses(NAO)
    for rate in (1.0, 2.0, 6.0):
        senses.take_inertial(imu((rate, 0.0, 0.0)), 1.0)
    assert senses.inertial(1.0, 0.5)[0][0] == pytest.approx(3.0)
    senses.take_inertial(imu((5.0, 0.0, 0.0)), 1.1)
    assert senses.inertial(1.1, 0.5)[0][0] == pytest.approx(5.0)
    assert senses.inertial(1.2, 0.5)[0][0] == pytest.approx(5.0)  # nothing new: the last
    assert np.isnan(senses.inertial(2.0, 0.5)[0]).all()


def test_what_an_imu_does_not_measure_is_not_zero():
    senses = RosSenses(NAO)
    senses.take_inertial(imu(measured=False), 1.0)
    gyro, force = senses.inertial(1.0, 0.5)
    assert np.isnan(gyro).all()
    assert force[2] == 9.81


def test_the_heading_is_that_of_odometry_else_of_the_imu():
    senses = RosSenses(WAFFLE)
    assert math.isnan(senses.yaw(1.0, 0.5))
    senses.take_inertial(imu(yaw=0.4), 1.0)
    assert senses.yaw(1.0, 0.5) == pytest.approx(0.4)
    pose = {"position": {"x": 2.0}, "orientation": {"z": math.sin(0.5), "w": math.cos(0.5)}}
    senses.take_odometry(messages.make("nav_msgs/msg/Odometry", pose={"pose": pose}), 1.0)
    assert senses.yaw(1.0, 0.5) == pytest.approx(1.0)
    assert senses.odometry(1.0, 0.5).x == 2.0
    assert senses.odometry(2.0, 0.5) is None
    assert math.isnan(yaw_of(messages.make("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=0.0)))


def test_scans_sit_where_the_robots_file_puts_their_sensor():
    senses = RosSenses(WAFFLE)
    spec = next(spec for spec in WAFFLE.sensors if spec.kind == "lidar")
    for frame in (spec.link, f"/{spec.name}", "base_footprint"):
        header = messages.header(1.0, frame)
        senses.take_scan(messages.make("sensor_msgs/msg/LaserScan", header=header, ranges=[1.0, 2.0], range_max=5.0))
    mounted = WAFFLE.link_poses()[spec.link] @ spec.pose
    assert senses.scans[0].sensor[0] == pytest.approx(mounted.translation[0])
    assert senses.scans[1].sensor == senses.scans[0].sensor
    assert senses.scans[2].sensor[0] == pytest.approx(0.0)


def test_the_rate_of_life_and_what_did_not_come():
    senses = RosSenses(WAFFLE)
    assert senses.rate == 0.0
    for k in range(20):
        senses.note_life(0.02 * k)
    assert senses.rate == pytest.approx(50.0)
    assert senses.missed == 0
    senses.note_life(0.02 * 19 + 0.08)
    assert senses.missed == 3
