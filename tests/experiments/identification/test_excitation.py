"""How joints are moved."""

from __future__ import annotations

import math

import numpy as np
import pytest

import andante as an
from andante.control.body import Body, BodyState, LinkState
from andante.errors import BadInput, Unsupported
from andante.experiments.identification import ExcitationSettings, ReplaySettings, excitation
from andante.physics.commands import default_gains, outboard_inertia

SETTINGS = ExcitationSettings()
SECONDS = 12.0
LENGTH = SECONDS - SETTINGS.approach


@pytest.fixture(scope="module")
def moved(arms):
    robot = arms.arm(1)
    return robot, excitation(robot, np.array([0.6]), (), SECONDS, 100.0)


@pytest.fixture(scope="module")
def quick(moved):
    first = 150 + round(SETTINGS.slow * LENGTH * 100)
    return moved[1].rows[first : first + round((SETTINGS.quick * LENGTH - SETTINGS.rest) * 100), 0] - 0.6


def bandwidth(robot):
    inertia = float(outboard_inertia(robot)[0]) + 0.004
    return math.sqrt(60.0 / inertia) / (2 * math.pi)


def test_the_quick_sweep_goes_beyond_the_bandwidth_and_comes_back(moved, quick):
    turns = np.flatnonzero(np.diff(np.sign(np.diff(quick))))
    fastest = 0.5 / (np.diff(turns).min() * moved[1].period)
    assert fastest > 2 * bandwidth(moved[0])
    half = len(quick) // 2
    assert np.abs(quick[half:]).max() == pytest.approx(SETTINGS.weaker * np.abs(quick[:half]).max(), rel=0.3)


def test_beyond_the_bandwidth_the_spring_takes_more_than_the_inertia_of_a_joint_that_follows(moved, quick):
    gains = default_gains(moved[0])
    middle = slice(round(0.4 * len(quick)), round(0.46 * len(quick)))  # before the end of the way up
    allowed = SETTINGS.effort_fraction * gains.effort[0]
    following = allowed / SETTINGS.bandwidths**2  # kp A with I w^2 A = allowed
    assert 2 * following < gains.kp[0] * np.abs(quick[middle]).max() <= allowed


def test_steps_do_not_take_the_servo_to_its_effort_limit(moved):
    robot, motion = moved
    gains = default_gains(robot)
    steps = motion.rows[-120:, 0] - 0.6
    assert 0 < gains.kp[0] * np.abs(steps).max() <= SETTINGS.effort_fraction * gains.effort[0] + 1e-9


def test_neighbors_move_all_the_time_in_another_order_and_from_rest(arms):
    robot = arms.arm(3)
    motion = excitation(robot, np.zeros(3), (), SECONDS, 100.0)
    after = motion.rows[150:]
    still = np.abs(np.diff(after, axis=0)) < 1e-9
    tenths = [part.all(axis=0) for part in np.array_split(still, 10)]
    assert np.sum(tenths, axis=0).max() <= 2  # steps hold for a while
    assert np.abs(motion.rows[150] - motion.rows[149]).max() <= SETTINGS.step + 1e-9
    assert np.abs(np.corrcoef(after.T) - np.eye(3)).max() < 0.5


def test_too_little_time_is_refused(arms):
    with pytest.raises(BadInput, match=r"3.5 s or more"):
        excitation(arms.arm(1), np.array([0.6]), (), 3.0, 100.0)


def test_the_step_of_the_engine_may_be_given(arms, tmp_path):
    made = an.experiment.excite(arms.arm(1), tmp_path / "fine.csv", seconds=3.6, dt=0.001)
    assert (tmp_path / "fine.csv").is_file()
    assert made.seconds == pytest.approx(3.6, abs=0.02)
    with pytest.raises(BadInput, match="a real robot has no step of an engine"):
        an.experiment.excite(arms.arm(1), tmp_path / "real.csv", body="ws://127.0.0.1:1", dt=0.001)
    assert not (tmp_path / "real.csv").exists()


def test_the_step_of_the_engine_that_recorded_is_that_of_the_replay():
    settings = ReplaySettings.recorded_on("mujoco", 0.0005)
    assert (settings.step, settings.roughly.step, settings.damped) == (0.0005, 0.0005, True)
    assert ReplaySettings().roughly.step == pytest.approx(0.001)
    with pytest.raises(BadInput, match="name the engine"):
        ReplaySettings.recorded_on("", 0.001)
    with pytest.raises(BadInput, match="recorded_dt is the step"):
        ReplaySettings.recorded_on("mujoco", math.nan)


def test_a_robot_that_tells_its_joints_too_rarely_is_not_excited(tmp_path):
    """`[start]` of the parameters says how far below the rate may be, as for everything that moves a real robot."""

    class Slow(Body):
        link = LinkState(rate=8.0)

        def __init__(self, robot):
            self.robot, self.moved = robot, False

        def read(self):
            return BodyState(0.0, np.zeros(len(self.joint_names)), np.zeros(len(self.joint_names)))

        def write(self, command):
            self.moved = True

        def advance(self, seconds):
            raise KeyboardInterrupt

        def stop(self):
            """It stands."""

        def close(self):
            """Nothing is held."""

    body = Slow(an.robot("nao"))
    with pytest.raises(Unsupported, match="tells its joints 8 times a second, an excitation needs 10"):
        an.experiment.excite("nao", tmp_path / "out.csv", joints=["HeadYaw"], body=body)
    assert not body.moved
    params = tmp_path / "params.toml"
    params.write_text("[start]\nrate_fraction = 0.5\n")
    with pytest.raises(KeyboardInterrupt):
        an.experiment.excite("nao", tmp_path / "out.csv", joints=["HeadYaw"], body=body, params=params)
    assert body.moved
