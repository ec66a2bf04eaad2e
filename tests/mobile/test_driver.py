"""Wheeled bases driven by twists: straight, turning, skidding, steering."""

from __future__ import annotations

import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import andante as an
from andante.control.loop import ControlLoop
from andante.description import ROBOTS
from andante.errors import AndanteError, BadInput
from andante.geometry import SE3
from andante.locomotion import Command, Readings
from andante.locomotion.gaits import check_walker
from andante.mobile.driver import BaseDriver, DriverSettings, base_driver
from andante.physics import Mode


def driven(name, command, seconds, seed=1, **options):
    sim = an.simulate(name, sensors=True, seed=seed)
    driver = BaseDriver(sim.robot, **options)
    loop = ControlLoop(sim, driver, command=Command())
    loop.run(0.5)
    begun = SE3.from_vector(sim.base_pose)
    loop.command = command
    loop.run(seconds)
    moved = begun.inverse() @ SE3.from_vector(sim.base_pose)
    return sim, driver, loop, moved


def planar(moved):
    return np.array([*moved.translation[:2], moved.rpy[2]])


@pytest.mark.parametrize("name", ["waffle", "rover"])
def test_straight_ahead(name):
    sim, driver, loop, moved = driven(name, Command(vx=0.25), 4.0)
    assert driver.twist == pytest.approx([0.25, 0.0, 0.0], abs=0.02)
    assert moved.translation[0] == pytest.approx(1.0, abs=0.06)
    assert abs(moved.translation[1]) < 0.02
    assert driver.position == pytest.approx(planar(moved), abs=0.03)
    assert not driver.standing
    assert driver.base_twist == pytest.approx((0.25, 0.0, 0.0))
    loop.command = Command()
    loop.run(1.0)
    assert driver.standing
    assert np.abs(sim.base_velocity).max() < 0.01
    sim.close()


def test_a_turn_on_the_spot():
    sim, driver, _, moved = driven("waffle", Command(wz=0.8), 2.0)
    assert driver.twist[2] == pytest.approx(0.8, abs=0.05)
    assert moved.rpy[2] == pytest.approx(1.5, abs=0.15)
    assert driver.position[2] == pytest.approx(moved.rpy[2], abs=0.03)
    sim.close()


def test_a_bend_is_driven_as_told():
    sim, driver, _, moved = driven("waffle", Command(vx=0.2, wz=0.4), 4.0)
    assert driver.twist == pytest.approx([0.2, 0.0, 0.4], abs=0.03)
    assert driver.position == pytest.approx(planar(moved), abs=0.03)
    sim.close()


def test_noise_of_wheels_and_gyro_does_not_shake_the_base():
    sim, _, loop, _ = driven("waffle", Command(vx=0.25, wz=0.4), 1.0, seed=2)
    turns, speeds = [], []
    for _ in range(200):
        loop.step()
        turns.append(sim.base_velocity[5])
        speeds.append(np.hypot(*sim.base_velocity[:2]))
    assert np.mean(turns) == pytest.approx(0.4, abs=0.02)
    assert np.mean(speeds) == pytest.approx(0.25, abs=0.01)
    assert np.std(turns) < 0.03
    assert np.std(speeds) < 0.005
    sim.close()


def test_the_reference_is_ramped_within_the_accelerations():
    robot = an.robot("waffle")
    driver, still = BaseDriver(robot), an.simulate(robot, sensors=True).read()
    most = 0.01 * np.array([driver.vehicle.max_acceleration] * 2 + [driver.vehicle.max_turn_acceleration])
    before = driver.reference
    for _ in range(10):
        driver.update(still, Command(vx=0.25, wz=-1.5), 0.01)
        assert (np.abs(driver.reference - before) <= most + 1e-12).all()
        before = driver.reference
    assert driver.reference[[0, 2]] == pytest.approx([10 * most[0], -10 * most[2]])
    for _ in range(200):  # more than the base can: the bend stays
        driver.update(still, Command(vx=9.0, wz=-18.0), 0.01)
    assert driver.reference[[0, 2]] == pytest.approx([driver.drive.max_speed, -2 * driver.drive.max_speed])
    assert driver.stopping_time == pytest.approx(driver.max_speed / driver.vehicle.max_acceleration)


def test_a_stop_is_braked_firmly_along_the_arc():
    robot = an.robot("waffle")
    vehicle = replace(BaseDriver(robot).vehicle, max_acceleration=1.0, max_deceleration=2.5, max_turn_acceleration=9.0)
    driver, still = BaseDriver(robot, vehicle=vehicle), an.simulate(robot, sensors=True).read()
    for _ in range(100):
        driver.update(still, Command(vx=0.2, wz=0.5), 0.01)
    assert driver.reference[[0, 2]] == pytest.approx([0.2, 0.5])
    speeds = []
    for _ in range(10):
        driver.update(still, Command(), 0.01)
        speeds.append(driver.reference[0])
        if speeds[-1] > 0:
            assert driver.reference[2] / driver.reference[0] == pytest.approx(2.5)
    assert speeds == pytest.approx(np.maximum(0.2 - 0.025 * np.arange(1, 11), 0.0), abs=1e-9)


def test_a_stop_ends_a_turn_as_firmly_as_the_way():
    """A base that turns gently would else roll on for as long as its turn takes, three times as far as it must."""
    robot = an.robot("waffle")
    vehicle = replace(BaseDriver(robot).vehicle, max_acceleration=1.5, max_deceleration=3.0, max_turn_acceleration=2.0)
    driver, still = BaseDriver(robot, vehicle=vehicle), an.simulate(robot, sensors=True).read()
    for _ in range(100):
        driver.update(still, Command(vx=0.2, wz=1.2), 0.01)
    assert driver.reference[[0, 2]] == pytest.approx([0.2, 1.2])
    for _ in range(30):
        driver.update(still, Command(), 0.01)
    assert np.abs(driver.reference).max() < 1e-9  # after 1.2 / 4 s


def skidding():
    """The waffle as it would be with wheels that scrub: half of every commanded turn comes out."""
    robot = an.robot("waffle")
    driver = BaseDriver(robot)
    driver.drive = replace(driver.drive, kind="skid_steer")
    return robot, driver


@pytest.mark.parametrize("fraction", [0.4, 0.7])
def test_the_scrub_of_a_skid_steered_base_is_learned(fraction):
    """A base that turns only a fraction of what its wheels say, until it turns as fast as told."""
    robot, driver = skidding()
    turned, heading = 0.0, 0.0
    names, joints = robot.joint_names, np.zeros(2)
    unit = driver.drive.twist({"wheel_left_joint": -1.0, "wheel_right_joint": 1.0}, None).twist[2]
    rates = []
    for i in range(700):  # it stands for a second, and the gyro shows its bias
        readings = Readings(0.01 * i, joints.copy(), np.zeros(2), np.array([0.0, 0.0, turned]))
        targets = driver.update(readings, Command(wz=0.6 if i > 100 else 0.0), 0.01)
        left, right = (targets[names.index(f"wheel_{side}_joint")] for side in ("left", "right"))
        joints += 0.01 * targets
        turned += 0.15 * (fraction * unit * (right - left) / 2 - turned)  # a little late
        heading += 0.01 * turned
        rates.append(turned)
    assert rates[-1] == pytest.approx(0.6, abs=0.03)
    assert driver._scrub == pytest.approx(fraction, abs=0.1)
    assert driver.position[2] == pytest.approx(heading, abs=0.1)


@pytest.mark.parametrize("fraction", [0.6, 0.8])
def test_a_base_that_scrubs_keeps_its_speed_at_its_greatest_turn(fraction):
    """Wheels are told more than the twist that the base is allowed: else the turn is never reached, the scrub is
    learned from what the wheels never did, and the speed goes down with it."""
    robot = an.robot("waffle")
    driver = BaseDriver(robot)
    driver.drive = replace(driver.drive, max_turn=1.0)
    driver._wheels = replace(driver._wheels, wheels=tuple(replace(w, max_speed=30.0) for w in driver.drive.wheels))
    names, joints, felt = robot.joint_names, np.zeros(2), np.zeros(3)
    for i in range(500):
        readings = Readings(0.01 * i, joints.copy(), np.zeros(2), np.array([0.0, 0.0, felt[2]]))
        targets = driver.update(readings, Command(vx=0.2, wz=1.0) if i > 100 else Command(), 0.01)
        joints += 0.01 * targets
        told = driver.drive.twist(dict(zip(names, targets, strict=True)), None).twist
        felt += 0.15 * (np.array([1.0, 1.0, fraction]) * told - felt)
    assert felt[[0, 2]] == pytest.approx([0.2, 1.0], abs=0.03)
    assert driver._scrub == pytest.approx(fraction, abs=0.1)


def test_scrub_is_learned_from_what_wheels_did_that_turn_as_fast_as_they_can():
    robot = an.robot("waffle")
    driver = BaseDriver(robot)
    driver._wheels = replace(driver._wheels, wheels=tuple(replace(w, max_speed=4.0) for w in driver.drive.wheels))
    names, joints, turned = robot.joint_names, np.zeros(2), 0.0
    for i in range(600):
        readings = Readings(0.01 * i, joints.copy(), np.zeros(2), np.array([0.0, 0.0, turned]))
        targets = driver.update(readings, Command(wz=1.5) if i > 100 else Command(), 0.01)
        assert np.abs(targets).max() <= 4.0 + 1e-9
        joints += 0.01 * targets
        told = driver.drive.twist(dict(zip(names, targets, strict=True)), None).twist[2]
        turned += 0.15 * (0.7 * told - turned)
    assert driver._scrub == pytest.approx(0.7, abs=0.05)  # wheels that cannot turn faster are no scrub


def test_a_skid_steered_base_begins_with_a_guess_and_keeps_bounds():
    waffle = BaseDriver(an.robot("waffle"))
    assert waffle._scrub == 1.0
    settings = DriverSettings(least_scrub=0.8)
    _, driver = skidding()
    driver.settings = settings
    driver._told = driver._turned = 1.0
    for _ in range(500):
        driver._told = 1.0
        driver._learn(0.1, 0.01)
    assert driver._scrub == pytest.approx(0.8)


def test_a_car_steers_at_rest_and_brakes_before_it_turns_back():
    robot = an.robot("rover")
    driver = BaseDriver(robot)
    still = an.simulate(robot, sensors=True).read()
    steering = [robot.joint_names.index(name) for name in driver.drive.steering_joints]
    wheels = np.flatnonzero(driver.modes == Mode.VELOCITY)
    targets = driver.update(still, Command(vx=0.4, wz=0.2), 1e-4)  # hardly any speed yet
    assert (targets[steering] > 0.1).all()
    assert (targets[wheels] == 0).all()
    for _ in range(100):
        driver.update(still, Command(vx=0.4, wz=0.2), 0.01)
    assert driver.reference == pytest.approx([0.4, 0.0, 0.2])
    driver.update(still, Command(vx=-0.4, wz=0.2), 0.01)
    assert driver.reference[0] > 0
    assert driver.reference[2] == pytest.approx(0.5 * driver.reference[0])  # still the old bend
    for _ in range(100):
        driver.update(still, Command(vx=-0.4, wz=0.2), 0.01)
    assert driver.reference == pytest.approx([-0.4, 0.0, 0.2])
    sharp = driver.update(still, Command(vx=-0.4, wz=90.0), 0.01)
    assert np.isfinite(sharp).all()
    assert driver.reference[2] == pytest.approx(0.4 / driver.vehicle.turning_radius, rel=1e-6)


def test_a_car_drives_the_bend_that_it_is_told():
    sim, driver, _, moved = driven("rover", Command(vx=0.4, wz=0.2), 3.0)
    assert driver.twist == pytest.approx([0.4, 0.0, 0.2], abs=0.05)
    assert moved.rpy[2] == pytest.approx(0.57, abs=0.08)
    sim.close()


def test_modes_hold_and_free_joints():
    robot = an.robot("rover")
    hold = np.arange(len(robot.joint_names), dtype=float)
    driver = BaseDriver(robot, hold)
    check_walker(driver, robot, "wheels")
    assert driver.least_rate <= 20.0
    wheels = {name for name, mode in zip(robot.joint_names, driver.modes, strict=True) if mode == Mode.VELOCITY}
    assert wheels == {"rear_left_wheel_joint", "rear_right_wheel_joint"}
    assert driver.free_joints.isdisjoint(wheels | set(driver.drive.steering_joints))
    with pytest.raises(AndanteError, match="nao"):
        BaseDriver(an.robot("nao"))


class Careful(BaseDriver):
    """A driver of a robot package of its own."""


@pytest.mark.parametrize("reference", ["", "own_driver:Careful", "own_driver:Robot", "own_driver:missing"])
def test_a_robot_package_names_its_own_driver(monkeypatch, reference):
    waffle = an.robot("waffle")
    monkeypatch.setitem(sys.modules, "own_driver", SimpleNamespace(Careful=Careful, Robot=type(waffle)))
    monkeypatch.setitem(ROBOTS._loaded, "waffle", replace(ROBOTS["waffle"], driver=reference))
    if reference in ("", "own_driver:Careful"):
        assert type(base_driver(waffle)) is (Careful if reference else BaseDriver)
    else:
        with pytest.raises(BadInput, match=r"must be a subclass of BaseDriver|cannot be loaded"):
            base_driver(waffle)
    assert type(base_driver(an.robot("rover"))) is BaseDriver
