"""Getting up as a machine of states, fed by hand."""

import numpy as np
import pytest

from andante.errors import BadInput
from andante.locomotion import Command
from andante.locomotion.falls.get_up import GetUp, GetUpSettings, Phase, Posture, Track, posture_of
from andante.locomotion.io.fall_library import can_get_up, fall_motions
from andante.motion import transition

from .samples import DOWN, NAO, felt, positions

MOTIONS = fall_motions(NAO)
DT = 0.02


@pytest.mark.parametrize(
    ("up", "load", "over", "posture"),
    [
        ((0, 0, 1), 1.0, True, Posture.STANDING),
        ((0, 0, 1), float("nan"), True, Posture.STANDING),
        ((0, 0, 1), 0.3, True, Posture.SITTING),
        ((0.3, 0, 0.95), 1.0, False, Posture.SITTING),
        ((-1, 0, 0.1), 0.0, False, Posture.BELLY),
        ((0.9, 0.3, 0.1), 0.0, False, Posture.BACK),
        ((0, -1, 0), 0.0, False, Posture.LEFT),
        ((0.1, 0.9, -0.2), 0.0, False, Posture.RIGHT),
        ((0.1, 0, -0.99), 0.0, False, Posture.BACK),
    ],
)
def test_postures(up, load, over, posture):
    assert posture_of(np.array(up, dtype=float), load, over) is posture
    assert posture.lying is (posture not in (Posture.STANDING, Posture.SITTING))


def drive(robot, until, seconds, **reading):
    """Feed one reading until a phase is reached; whether it was."""
    for k in range(round(seconds / DT)):
        robot.update(felt(k * DT, **reading), Command(), DT)
        if robot.phase is until:
            return True
    return False


def lying(side):
    roll, pitch = DOWN[side]
    return {"roll": roll, "pitch": pitch, "load": 0.0}


SITTING = {"load": 0.1, "q": positions("Sit")}


def test_from_belly_over_sitting_to_a_stand():
    robot = GetUp(NAO, MOTIONS)
    assert robot.phase is Phase.RESTING
    assert (robot.stiffness < 0.1).all()
    assert drive(robot, Phase.MOVING, 1.0, **lying("belly"))
    assert robot.stage is Posture.BELLY
    assert (robot.stiffness == 1).all()
    drive(robot, Phase.SETTLING, 3.0, **lying("belly"))
    assert drive(robot, Phase.SETTLING, 15.0, **SITTING)
    assert drive(robot, Phase.MOVING, 1.0, **SITTING)
    assert robot.stage is Posture.SITTING
    assert drive(robot, Phase.SETTLING, 15.0)
    assert drive(robot, Phase.MOVING, 1.0)  # stands: into the standing pose
    assert drive(robot, Phase.DONE, 5.0)
    assert robot.done
    assert robot.failures == 0
    assert robot.story == ["belly", "sitting", "standing", "stands"]


@pytest.mark.parametrize("side", ["left", "right"])
def test_sides_are_rolled_off_first(side):
    robot = GetUp(NAO, MOTIONS)
    assert drive(robot, Phase.MOVING, 1.0, **lying(side))
    assert robot.stage == side
    assert drive(robot, Phase.SETTLING, 15.0, **lying(side))
    assert drive(robot, Phase.MOVING, 1.0, **lying("back"))
    assert robot.stage is Posture.BACK


def test_gives_up_after_three_tries_and_says_why():
    robot = GetUp(NAO, MOTIONS, GetUpSettings(tries=3))
    assert drive(robot, Phase.FAILED, 60.0, **lying("belly"))
    assert robot.failures == 3
    assert robot.story.count("came from belly to belly") == 3
    assert (robot.stiffness < 0.1).all()
    robot.start()
    assert robot.failures == 0
    assert robot.phase is Phase.RESTING


def test_tipping_over_in_a_stage_is_noticed_at_once():
    robot = GetUp(NAO, MOTIONS)
    drive(robot, Phase.MOVING, 1.0, **SITTING)
    drive(robot, Phase.DONE, 1.0, **SITTING)  # never done, just upright for a second
    assert robot.failures == 0
    assert drive(robot, Phase.RESTING, 3.0, **lying("back"))
    assert robot.story[-1] == "tipped over from sitting"


def test_targets_start_where_the_joints_are():
    robot = GetUp(NAO, MOTIONS)
    drive(robot, Phase.MOVING, 1.0, **lying("back"))
    roll, pitch = DOWN["back"]
    targets = robot.update(felt(0.0, roll, pitch), Command(), 1e-9)
    np.testing.assert_allclose(targets, positions(), atol=1e-6)


def test_track_follows_its_motion_at_a_pace():
    move = transition(NAO, "StandZero", "StandInit", 0.3)
    track = Track(move, NAO.joint_names, positions("StandZero"), pace=0.5)
    assert track.duration == pytest.approx(2 * move.duration)
    index = [NAO.joint_names.index(name) for name in move.names]
    for t in (-1.0, 0.0, 0.3, 0.77, 50.0):
        np.testing.assert_allclose(track.at(t)[index], move.evaluate(t / 2), atol=2e-3)


def test_library_and_settings_are_checked():
    import andante as an

    assert can_get_up(NAO)
    assert not can_get_up(an.robot("shell"))
    assert MOTIONS.can_get_up
    with pytest.raises(BadInput, match="get_up_belly"):
        fall_motions(an.robot("shell"))
    with pytest.raises(BadInput, match="one try"):
        GetUpSettings(tries=0)
    with pytest.raises(BadInput, match="pace"):
        GetUpSettings(pace=0.0)
