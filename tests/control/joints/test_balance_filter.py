"""The balance filter in a session: whoever commands joints, a robot that stands stays on its feet."""

import numpy as np
import pytest

from andante.control.joints.timed_moves import JointPoints
from andante.errors import BadInput, UnknownName
from andante.session import LiveSession

TIPPING = ["LAnklePitch", "RAnklePitch"], [0.35, 0.35]  # onto the heels


@pytest.fixture
def session():
    made = LiveSession("nao", "empty", nodes=[])
    made.lines = []
    made.stage.balance._log = made.lines.append
    made.run(0.7)
    yield made
    made.close()


def command(session, names, values, seconds=3.0):
    session.command_api.joint_angles(names, values, 0.5)
    for _ in range(round(seconds * 100)):
        session.step()
        if session.stage.supervisor.busy or session.stage.sim.fallen:
            return False
    return True


def test_a_command_that_would_tip_it_over_is_followed_as_far_as_it_stands(session):
    assert command(session, *TIPPING)
    balance = session.stage.balance
    assert balance.engaged
    assert "LAnklePitch" in balance.refused
    assert any("balance filter" in line and "LAnklePitch" in line for line in session.lines)
    assert len(session.lines) == 1  # once, not in every period


def test_without_the_filter_the_same_command_tips_it_over(session):
    session.stage.balance.on = False
    assert not command(session, *TIPPING)
    assert not session.lines


def test_motions_under_way_are_left_alone(session):
    session.command_api.play("Crouch")
    moved = False
    for _ in range(150):
        session.step()
        assert not session.stage.balance.engaged
        moved = moved or session.stage.activities.present.name == "pose"
    assert moved


def test_it_can_be_switched_while_joints_are_commanded(session):
    assert command(session, ["HeadYaw", "LKneePitch"], [0.3, 0.9], 1.0)
    balance = session.stage.balance
    assert balance.engaged
    balance.on = False
    session.step()
    assert not balance.engaged
    before = session.stage.activities.sent.copy()
    balance.on = True
    session.step()
    assert balance.engaged
    assert np.abs(session.stage.activities.sent - before).max() < 0.05


def test_what_it_held_back_comes_gently_when_it_lets_go(session):
    assert command(session, *TIPPING)
    stage = session.stage
    stage.balance.on = False
    before = stage.activities.sent.copy()
    session.step()
    assert not stage.balance.engaged
    assert np.abs(stage.activities.sent - before).max() < 0.01


def test_a_pose_right_after_it_was_switched_off_and_on_begins_at_rest(session):
    """The targets jump a little in that period; who took that for a speed went on with it and fell."""
    stage = session.stage
    session.command_api.play("Crouch")
    session.run(2.0)
    stand = {name: value for name, value in stage.robot.pose("StandInit").items() if "Hip" in name or "Knee" in name}
    stand |= {"LAnklePitch": -0.35, "RAnklePitch": -0.35, "LShoulderPitch": 0.1}
    stand.pop("RHipYawPitch")
    assert command(session, list(stand), list(stand.values()), 6.0)
    for on in (False, True):
        stage.balance.on = on
        session.step()
    assert stage.balance.engaged
    session.command_api.play("StandInit", 0.6)
    tops = np.array([stage.robot.joint(name).limits.velocity for name in stage.robot.joint_names])
    for _ in range(150):
        before = stage.activities.sent.copy()
        session.step()
        assert (np.abs(stage.activities.sent - before) < 0.01 * tops + 1e-9).all()
        assert not stage.supervisor.busy


def test_supports(session):
    with pytest.raises(BadInput, match="while joints are commanded"):
        session.stage.balance.rest_on("left")
    with pytest.raises(UnknownName, match="support"):
        session.stage.balance.rest_on("tail")


def test_a_robot_on_wheels_has_none():
    with LiveSession("waffle", "empty", nodes=[]) as session:
        with pytest.raises(BadInput, match="two legs"):
            session.stage.balance.on = True
        session.run(0.1)
        assert not session.stage.balance.engaged


def test_it_walks_on_from_what_was_commanded(session):
    assert command(session, ["LKneePitch", "RKneePitch", "LHipPitch", "RHipPitch"], [1.1, 1.1, -0.6, -0.6], 2.0)
    for _ in range(700):
        session.drive(0.05, 0.0, 0.0)
        session.step()
        assert not session.stage.supervisor.busy
    assert session.stage.activities.present.name == "drive"
    assert session.position[0] > 0.05


def test_a_timed_move_is_over_when_the_filter_has_let_the_joints_arrive(session):
    """Legs are let down more slowly than the curve asks: the move lasts until they are there."""
    names = ["LHipPitch", "LKneePitch", "LAnklePitch", "RHipPitch", "RKneePitch", "RAnklePitch"]
    ends = dict(zip(names, np.array([-0.35, 0.7, -0.35] * 2), strict=True))
    sent = dict(zip(session.stage.robot.joint_names, session.stage.activities.sent, strict=True))
    api = session.command_api
    move = api.interpolate({n: JointPoints((0.3,), (float(by),)) for n, by in ends.items()}, relative=True)
    session.run(0.6)
    assert session.stage.balance.lagging.any()
    assert not move.done
    lasted = 0.6
    while not move.done and lasted < 8.0:
        session.run(0.05)
        lasted += 0.05
    assert move.done
    assert not move.interrupted
    held = session.stage.balance.filter.positions
    for name, by in ends.items():
        assert held[session.stage.robot.joint_names.index(name)] == pytest.approx(sent[name] + by, abs=0.03)


def test_a_timed_move_that_is_refused_ends_too(session):
    move = session.command_api.interpolate({n: JointPoints((0.5,), (v,)) for n, v in zip(*TIPPING, strict=True)})
    session.run(6.0)
    assert session.stage.balance.refused
    assert move.done
    assert not move.interrupted
