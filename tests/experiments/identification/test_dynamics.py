"""The compiled replay against closed forms and against an engine."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from andante.experiments.identification import JointRecording
from andante.experiments.identification.dynamics import Limb, Servos, follow
from andante.experiments.identification.meter import Meter
from andante.experiments.identification.model import (
    Replay,
    ReplaySettings,
    _later,
    _means,
    _slew,
    encoder_count,
    held_limbs,
    rounded,
)
from andante.experiments.identification.stepping import _by_sweeps, _speeds
from andante.gravity import GRAVITY

LENGTH, MASS = 0.3, 0.8  # of the rods of the arm
INERTIA = MASS * LENGTH**2 / 3 + MASS * 0.04**2 / 12  # of a rod about its end


@pytest.fixture
def pendulum(arms):
    """One rod on a hinge about y, with servo values by name."""
    robot = arms.arm(1, armature=0.0)
    held = held_limbs(robot, recorded_still(robot), ["hinge0"])[0][0]

    def made(**servo: float) -> tuple[Limb, Servos]:
        return held.limb, replace(held.servos, **{name: np.array([value]) for name, value in servo.items()})

    return made


def recorded_still(robot):
    times, names = np.arange(300) * 0.01, robot.joint_names
    rows = np.zeros((300, len(names)))
    none = np.full_like(rows, np.nan)
    return JointRecording(names, times, rows, times, rows, none, none, none)


def test_a_free_pendulum_swings_with_its_period(pendulum):
    limb, servos = pendulum(kp=0.0, kd=0.0)
    positions, _ = follow(limb, servos, np.array([0.05]), np.zeros((4000, 1)), 0.001)
    crossings = np.flatnonzero(np.diff(np.sign(positions[:, 0])))
    period = 2 * math.pi * math.sqrt(INERTIA / (MASS * GRAVITY * LENGTH / 2))
    assert 2 * np.diff(crossings).mean() * 0.001 == pytest.approx(period, rel=2e-3)


def test_a_servo_bends_under_the_load(pendulum):
    limb, servos = pendulum(kp=20.0, kd=2.0)
    positions, efforts = follow(limb, servos, np.array([0.5]), np.full((4000, 1), 0.5), 0.001)
    q = positions[-1, 0]
    load = MASS * GRAVITY * LENGTH / 2 * math.sin(q)
    assert 20.0 * (0.5 - q) == pytest.approx(load, rel=1e-6)
    assert efforts[-1, 0] == pytest.approx(load, rel=1e-6)


def test_dry_friction_holds_what_it_can_and_no_more(pendulum):
    load = MASS * GRAVITY * LENGTH / 2 * math.sin(0.5)
    for friction, moves in ((1.05 * load, False), (0.95 * load, True)):
        limb, servos = pendulum(kp=0.0, kd=0.0, dry=friction)
        positions, _ = follow(limb, servos, np.array([0.5]), np.zeros((500, 1)), 0.001)
        assert (positions[-1, 0] < 0.499) == moves
        if not moves:
            assert np.ptp(positions) == 0.0


def test_play_leaves_a_joint_free_and_the_effort_limit_cuts(pendulum):
    limb, servos = pendulum(kp=1000.0, kd=2.0, play=0.02)
    positions, _ = follow(replace(limb, heavy=np.zeros(1)), servos, np.array([0.01]), np.zeros((500, 1)), 0.001)
    assert np.ptp(positions) == 0.0
    limb, servos = pendulum(kp=1000.0, kd=0.0, effort=0.5)
    still = replace(limb, heavy=np.zeros(1))
    positions, efforts = follow(still, servos, np.zeros(1), np.full((50, 1), 1.0), 0.001)
    assert positions[-1, 0] == pytest.approx(0.5 / INERTIA * 0.05**2 / 2, rel=1e-3)
    assert (efforts == 0.5).all()


def test_a_velocity_servo_lags_by_friction_over_its_gain(pendulum):
    limb, servos = pendulum(kd=0.5, dry=0.1, speed=True)
    free = replace(limb, heavy=np.zeros(1))
    positions, _ = follow(free, replace(servos, speed=np.array([True])), np.zeros(1), np.full((3000, 1), 2.0), 0.001)
    assert (positions[-1, 0] - positions[-2, 0]) / 0.001 == pytest.approx(2.0 - 0.1 / 0.5, rel=1e-6)


def test_the_replay_does_what_the_engine_does(arms):
    robot = arms.arm(2, friction=0.15, damping=0.05)
    told = arms.recorded(robot, 4.0, "mujoco", delay=0.02, backlash=0.006, noise=0.0)
    held = held_limbs(robot, told, robot.joint_names)[0]
    values = {("delay", n): 0.02 for n in robot.joint_names} | {("backlash", n): 0.006 for n in robot.joint_names}
    replay = Replay(held[0], told, ReplaySettings())
    q, _ = replay.simulate(values)
    assert np.sqrt(np.mean((q - replay.measured) ** 2)) < 8e-4
    assert np.abs(q - replay.measured).max() < 6e-3


def test_targets_are_held_and_delays_are_continuous():
    times, values = np.array([0.0, 0.015]), np.array([1.0, 3.0])
    assert _means(times, values, np.array([0.0, 0.01, 0.02, 0.03])) == pytest.approx([1.0, 2.0, 3.0])
    ramp = np.arange(10.0)

    def later(steps: float, from_rest: bool = False, first: float = 0.0) -> np.ndarray:
        return _later(first + ramp[:, None], np.array([steps]), np.array([from_rest]))[:, 0]

    assert later(2.5)[5:] == pytest.approx(ramp[5:] - 2.5)
    assert later(2.0, first=3.0)[:3] == pytest.approx([3.0, 3.0, 3.0])
    assert later(2.0, from_rest=True, first=3.0)[:3] == pytest.approx([0.0, 0.0, 3.0])
    assert later(-1.5)[:8] == pytest.approx(ramp[:8] + 1.5)


def test_the_implicit_euler_rule_damps_by_stiffness_times_step(pendulum):
    limb, servos = pendulum(kp=60.0, kd=1.0)
    free, start = replace(limb, heavy=np.zeros(1)), np.array([0.1])
    damped, _ = follow(free, servos, start, np.zeros((200, 1)), 0.0005, 1.0)
    more = replace(servos, kd=servos.kd + 0.0005 * servos.kp)
    exact, _ = follow(free, more, start, np.zeros((800, 1)), 0.000125)
    bare, _ = follow(free, servos, start, np.zeros((800, 1)), 0.000125)
    assert np.abs(damped - exact[::4])[100:].max() < 0.5 * np.abs(damped - bare[::4])[100:].max()


def test_counts_of_an_encoder_are_found_and_read_on_average():
    count, rng = 2 * math.pi / 4096, np.random.default_rng(3)
    q = 0.3 * np.sin(np.linspace(0, 20, 2000))
    told = 0.2e-3 + count * np.round((q + 3e-4 * rng.standard_normal(2000) - 0.2e-3) / count)
    found, offset = encoder_count(told)
    assert found == pytest.approx(count, rel=1e-6)
    assert (offset - 0.2e-3) / count == pytest.approx(round((offset - 0.2e-3) / count), abs=1e-3)
    assert encoder_count(q) == (0.0, 0.0)
    assert encoder_count(np.zeros(100)) == (0.0, 0.0)
    for angle in (0.0, 0.2 * count, 0.45 * count, 3.7 * count):
        noise = 0.25 * count * rng.standard_normal(200_000)
        mean = np.mean(count * np.round((angle + noise) / count))
        assert rounded(np.array([angle]), count, 0.0, 0.25)[0] == pytest.approx(mean, abs=0.01 * count)


def test_a_slewed_reference_is_the_same_at_any_step():
    """What a servo is told is the mean of its reference over the step, not where the step ends."""
    targets, fine = np.repeat([0.0, 0.3, 0.29, -0.2], 30), 20
    coarse, sharp = targets[:, None].copy(), np.repeat(targets, fine)[:, None]
    for rows, parts in ((coarse, 1), (sharp, fine)):
        _slew(rows, np.array([0.021 / parts]), np.zeros(1), np.array([False]), False)
    assert coarse[:, 0] == pytest.approx(sharp.reshape(-1, fine).mean(axis=1), abs=1e-12)


def test_steps_may_share_a_mass_matrix(arms):
    robot = arms.arm(2)
    held = held_limbs(robot, recorded_still(robot), robot.joint_names)[0][0]
    times = np.arange(8000) * 0.00025
    sine = np.stack([0.6 + 0.2 * np.sin(9 * times), 0.4 + 0.2 * np.sin(14 * times)], axis=1)
    start = np.array([0.6, 0.4])
    own, _ = follow(held.limb, held.servos, start, sine, 0.00025)
    held_on, _ = follow(held.limb, held.servos, start, sine, 0.00025, every=4)
    assert held_on == pytest.approx(own, abs=5e-5)  # the noise of a good encoder is 3e-4


def test_chosen_slips_and_cuts_give_the_speeds_that_sweeps_end_at():
    """Random masses, pulls, friction and limits: the factored system of the right choice against joint by joint."""
    rng, most = np.random.default_rng(7), 0
    for _ in range(300):
        n = int(rng.integers(1, 6))
        root = rng.normal(size=(n, n))
        A, b, b0 = root @ root.T + np.diag(rng.uniform(0.5, 2.0, n)), rng.normal(size=n), 3 * rng.normal(size=n)
        b1, effort, viscous = rng.uniform(0, 2, n), rng.uniform(0.3, 4, n), rng.uniform(0, 0.2, n)
        dry = np.where(rng.random(n) < 0.2, 0.0, rng.uniform(0, 2, n))
        swept, solved = np.zeros(n), np.zeros(n)
        _by_sweeps(A, b, b0, b1, effort, viscous, dry, swept)
        slip, cut = np.where(dry > 0, rng.integers(-1, 2, n), 1), rng.integers(-1, 2, n)
        _speeds(A, b, b0, b1, effort, viscous, dry, slip, cut, np.zeros(n), np.zeros((n, n)), False, solved)
        assert solved == pytest.approx(swept, abs=2e-5)
        most += int(((solved == 0) & (dry > 0)).any())
    assert most > 50  # some stick


def test_a_meter_tells_what_is_done_and_likely_to_come():
    told = list[tuple[float, float]]()
    meter = Meter(lambda done, total: told.append((done, total)))
    for steps in (100.0, 50.0):
        meter.expect(steps)
    meter.begin()
    meter.count(40.0)
    meter.begin()  # the first stage took less than was expected
    meter.count(70.0)
    meter.count(1.0)
    assert told == [(0.0, 150.0), (40.0, 90.0), (110.0, 110.0)]
