"""Where the UWB frame lies on the map."""

import math

import numpy as np
import pytest

from andante.errors import BadInput
from andante.geometry import se2
from andante.localization.map_alignment import StandStill, align_by_driving

TRUE = np.array([1.5, -0.7, 0.6])  # map_from_uwb


def test_standing_still_finds_the_frame_and_tells_when_to_move():
    rng = np.random.default_rng(0)
    laser = np.array([0.4, 0.2, -0.3])
    tag = se2.compose(se2.inverse(TRUE), se2.compose(laser, [-0.13, 0, 0]))
    still = StandStill(laser)
    messages = []
    while not still.ready:
        messages.append(
            still.add([*(tag[:2] + 0.05 * rng.standard_normal(2)), 0.3], tag[2] + 0.05 * rng.standard_normal())
        )
    assert len(messages) == 50
    assert messages[0] == "keep the robot still: 1 of 50 samples"
    assert messages[-1].endswith("the robot may move now")
    found = still.result()
    np.testing.assert_allclose(found.map_from_uwb, TRUE, atol=0.05)
    assert found.rms == pytest.approx(0.07, abs=0.02)
    still.add([9, 9], 0.0)
    assert still.result() == found


def test_headings_around_pi_have_a_mean():
    still = StandStill(samples=4)
    for yaw in (3.1, -3.1, 3.12, -3.12):
        still.add([0.0, 0.0], yaw)
    assert abs(abs(still.result().map_from_uwb[2]) - math.pi) < 1e-9


def test_a_robot_that_moves_starts_over_and_wild_samples_are_left_out():
    still = StandStill(samples=6)
    for k in range(5):
        still.add([0.01 * k, 0.0], 0.0)
    still.add([40.0, 0.0], 0.0)
    still.add([math.nan, 0.0], 0.0)
    assert not still.ready
    still.add([0.0, 0.0], 0.0)
    assert still.ready
    moving = StandStill(samples=5)
    told = [moving.add([0.9 * k, 0.0], 0.0) for k in range(5)]
    assert told[-1].startswith("the robot moved")
    with pytest.raises(BadInput, match="not aligned yet: keep the robot still: 0 of 5"):
        moving.result()


def test_driving_finds_the_frame_in_spite_of_wild_positions():
    rng = np.random.default_rng(1)
    t = np.linspace(0, 6, 150)
    poses = np.column_stack([2 * np.cos(t), 1.5 * np.sin(t), t + np.pi / 2])
    lever = np.array([-0.2, 0.1])
    tags = se2.transform(se2.inverse(TRUE), se2.transform(poses, np.broadcast_to(lever, (150, 2))))
    tags += 0.05 * rng.standard_normal(tags.shape)
    tags[::10] += rng.uniform(1, 4, (15, 2))
    tags[3] = np.nan
    found = align_by_driving(tags, poses, lever)
    np.testing.assert_allclose(found.map_from_uwb, TRUE, atol=0.03)
    assert found.samples == 149


def test_bad_input():
    poses = np.zeros((10, 3))
    with pytest.raises(BadInput, match="drive further"):
        align_by_driving(np.zeros((10, 2)), poses)
    with pytest.raises(BadInput, match="at least 3"):
        align_by_driving(np.full((10, 2), np.nan), poses)
    with pytest.raises(BadInput, match="tag positions"):
        align_by_driving(np.zeros((9, 2)), poses)
    with pytest.raises(BadInput, match="laser's pose"):
        StandStill((0, 0))
    with pytest.raises(BadInput, match="at least one sample"):
        StandStill(samples=0)
    with pytest.raises(BadInput, match="tag position"):
        StandStill().add([1.0], 0.0)
