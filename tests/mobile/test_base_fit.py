"""What is learned of a base: by a drive of a known one, from scans, and kept in a file."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import andante as an
from andante.description.source import Source
from andante.errors import BadInput
from andante.geometry import se2
from andante.mobile.base_fit import fit_base
from andante.mobile.odometry import TurnGain
from andante.mobile.tuned import tuned, tuned_file, tuned_words
from andante.navigation import vehicle_of
from andante.tasks.tune import parts

WAFFLE = an.robot("waffle")


def drive(gain=1.0, latency=0.0, rate=20.0, bend=1.0):
    """A drive of a base that does `gain` of every turn, `latency` late: times, told twists, poses."""
    time = np.arange(0.0, 12.0, 1 / rate)
    told = np.zeros((len(time), 3))
    told[:, 0] = np.interp(time, [0, 1, 2, 2.4, 4, 5, 11, 11.3], [0, 0.9, 0.9, 0, 0, 0.6, 0.6, 0])
    told[:, 2] = bend * np.interp(time, [4, 5, 6, 7, 8, 9, 10], [0, 1, 1, 0, -1, -1, 0])
    fine = np.arange(0.0, 12.0, 0.001)
    done = np.column_stack([np.interp(fine - latency, time, told[:, axis]) for axis in range(3)])
    done[:, 2] *= gain
    poses, pose = [], np.zeros(3)
    for k, twist in enumerate(done):
        if k % round(1000 / rate) == 0:
            poses.append(pose)
        pose = se2.compose(pose, se2.exp(0.001 * twist))
    return time, told, np.array(poses)


@pytest.mark.parametrize(("gain", "latency"), [(1.0, 0.0), (0.74, 0.1), (0.5, 0.23)])
def test_gain_latency_and_slopes_of_a_known_base(gain, latency):
    fit = fit_base(*drive(gain, latency))
    assert fit.along.gain == pytest.approx(1.0, abs=0.02)
    assert fit.turn.gain == pytest.approx(gain, abs=0.02)
    assert fit.latency == pytest.approx(latency, abs=0.021)
    assert fit.deceleration == pytest.approx(0.9 / 0.4, rel=0.15)
    assert fit.acceleration == pytest.approx(0.9, rel=0.1)
    assert fit.turn_acceleration == pytest.approx(gain, rel=0.15)


def test_a_base_that_turns_less_strays_more():
    strays = [fit_base(*drive(gain, bend=2.0)).stray for gain in (1.0, 0.7, 0.4)]
    assert strays[0] == 0.04  # the least that is ever counted on
    assert strays[0] < strays[1] < strays[2]


def test_a_drive_straight_ahead_tells_nothing_of_turns():
    fit = fit_base(*drive(bend=0.0))
    assert math.isnan(fit.turn.gain)
    assert math.isnan(fit.turn_acceleration)
    assert fit.latency == pytest.approx(0.0, abs=0.011)


def test_bad_drives_are_refused():
    time, told, poses = drive()
    with pytest.raises(BadInput, match="40 moments"):
        fit_base(time[:10], told[:10], poses[:10])
    with pytest.raises(BadInput, match="rising times"):
        fit_base(time[::-1], told, poses)


@pytest.mark.parametrize("gain", [0.7, 1.0])
def test_scans_teach_the_turn_of_wheels(gain):
    rng, learned = np.random.default_rng(1), TurnGain()
    for wheels in 0.15 * np.sin(np.arange(80) / 5):
        learned.take(float(wheels), gain * float(wheels) + 0.003 * float(rng.standard_normal()))
    assert learned.gain == pytest.approx(gain, abs=0.03)


def test_small_turns_and_jumps_of_a_localizer_teach_nothing():
    learned = TurnGain()
    for _ in range(50):
        learned.take(0.01, 0.0)
        learned.take(0.1, 1.5)
    assert learned.gain == 1.0


def test_what_was_learned_is_kept_beside_the_file_for_its_base_only(tmp_path):
    robot = replace(WAFFLE, source=Source(str(tmp_path / "mine.urdf.xacro")))
    vehicle = vehicle_of(robot)
    learned = {
        "latency": 0.21, "max_acceleration": 0.7, "max_deceleration": 1.1, "max_turn_acceleration": 1.9, "stray": 0.1
    }  # fmt: skip
    file = tuned_file(robot)
    assert file == tmp_path / "mine.tune.toml"
    assert tuned(vehicle, robot) is vehicle
    file.write_text(tuned_words(robot, learned))
    slow = tuned(vehicle, robot)
    assert {name: getattr(slow, name) for name in learned} == pytest.approx(learned)
    other = replace(an.robot("rover"), source=robot.source)
    car = vehicle_of(other)
    assert tuned(car, other) is car
    assert tuned_file(WAFFLE).parent.name == ""  # not into the package


@pytest.mark.parametrize("text", ["latency = 1\n", "[vehicle]\nlatency = true\n", "[vehicle]\nmax_speed = 9\n"])
def test_a_file_that_is_none_is_refused_by_name(tmp_path, text):
    robot = replace(WAFFLE, source=Source(str(tmp_path / "mine.urdf")))
    tuned_file(robot).write_text(text)
    with pytest.raises(BadInput, match=r"mine\.tune\.toml"):
        tuned(vehicle_of(robot), robot)


@pytest.mark.parametrize("name", ["waffle", "rover"])
def test_the_drive_stays_within_its_room(name):
    vehicle, room = vehicle_of(an.robot(name)), 1.2
    pose, farthest = np.zeros(3), 0.0
    for twist, seconds in parts(vehicle, room):
        speed = 0.0
        for k in range(round(100 * (seconds + 3))):
            top = abs(twist[0]) if k < 100 * seconds else 0.0
            speed += float(np.clip(top - speed, -0.01 * vehicle.max_acceleration, 0.01 * vehicle.max_acceleration))
            part = speed / abs(twist[0]) if twist[0] else 0.0
            pose = se2.compose(pose, se2.exp(0.01 * part * np.array(twist)))
            farthest = max(farthest, float(np.hypot(*pose[:2])))
    assert 0.3 * room < farthest < 1.5 * room
