"""What a replayed log says of itself: jumps of the estimate beside the wheels."""

import numpy as np

from andante.localization.replay import BRIEF, between_jumps


def straight(count=200, step=1.0):
    """Poses (n, 3) along x, a step apart [m]."""
    return np.column_stack([step * np.arange(count), np.zeros(count), np.zeros(count)])


def test_an_excursion_is_doubted_from_its_jump_to_the_jump_back():
    wheels = straight()
    poses = wheels.copy()
    poses[80:96] += [100.0, 20.0, 0.0]
    assert np.flatnonzero(between_jumps(poses, wheels)).tolist() == list(range(80, 97))


def test_one_jump_to_stay_is_doubted_by_itself_and_drift_is_not():
    wheels = straight()
    poses = wheels.copy()
    poses[80:] += [3.0, 0.0, 0.0]
    poses[:, 1] += 0.1 * np.arange(200)  # the wheels drift against the map
    assert np.flatnonzero(between_jumps(poses, wheels)).tolist() == [80]
    far = wheels.copy()
    far[50:] += [0.0, 2.0, 0.0]
    far[50 + int(BRIEF) + 1 :] += [0.0, 2.0, 0.0]
    assert between_jumps(far, wheels).sum() == 2


def test_without_wheels_nothing_is_known_of_jumps():
    assert not between_jumps(straight(), np.full((200, 3), np.nan)).any()
