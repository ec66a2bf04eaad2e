"""What can be asked of the NAO: behaviours, gaits, motions in rounds, actions, trajectories, waves, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from andante.bags import messages
from andante.errors import AndanteError
from andante.session import LiveSession

HEAD = ["HeadYaw", "HeadPitch"]


def head(session: LiveSession) -> np.ndarray:
    """Targets of the head's joints [rad]."""
    names = session.stage.robot.joint_names
    return session.stage.targets[[names.index(name) for name in HEAD]]


def goal(session: LiveSession, action: str, **fields: Any) -> list[Any]:
    """Send a goal; the list that its end comes into."""
    ended: list[Any] = []
    session.bus.send_goal(action, fields, done=ended.append)
    return ended


def points(*rows: tuple[float, list[float]]) -> dict[str, Any]:
    """A trajectory of the head's joints."""
    return {
        "joint_names": HEAD,
        "points": [{"positions": q, "time_from_start": messages.duration(t)} for t, q in rows],
    }


def test_a_trajectory_is_followed_and_told(session: LiveSession) -> None:
    ended = goal(session, "/follow_joint_trajectory", trajectory=points((0.4, [0.3, 0.1]), (0.8, [0.1, 0.2])))
    session.run(1.2)
    assert [end.status.name for end in ended] == ["SUCCEEDED"]
    assert ended[0].result.error_code == 0
    np.testing.assert_allclose(head(session), [0.1, 0.2], atol=1e-6)


def test_a_trajectory_that_is_called_off_stops_where_it_is(session: LiveSession) -> None:
    ended: list[Any] = []
    sent = session.bus.send_goal(
        "/follow_joint_trajectory", {"trajectory": points((2.0, [0.8, 0.2]))}, done=ended.append
    )
    session.run(0.6)
    sent.cancel()
    session.run(0.5)
    assert ended[0].status.name == "CANCELED"
    there = head(session)
    assert 0.02 < there[0] < 0.7
    session.run(0.5)
    np.testing.assert_allclose(head(session), there, atol=1e-3)


def test_goals_end_with_their_scene(session: LiveSession) -> None:
    ended = goal(session, "/follow_joint_trajectory", trajectory=points((3.0, [0.5, 0.0])))
    session.run(0.3)
    session.reset()
    session.run(0.1)
    assert ended[0].status.name == "ABORTED"
    assert "rebuilt" in ended[0].text


def test_a_pose_at_a_fraction_of_the_speed(session: LiveSession) -> None:
    ended = goal(session, "/body_pose_with_speed", posture_name="StandZero", speed=0.4)
    for _ in range(60):
        session.run(0.1)
        if ended:
            break
    assert ended[0].status.name == "SUCCEEDED"
    wanted = session.stage.robot.pose("StandZero")
    names = session.stage.robot.joint_names
    np.testing.assert_allclose(session.stage.targets, [wanted.get(name, 0.0) for name in names], atol=0.02)


def test_motions_in_rounds_and_faster(session: LiveSession) -> None:
    once = session.command_api.play("wave_hand")
    session.reset()
    twice = session.command_api.play("wave_hand", rounds=2)
    session.reset()
    quick = session.command_api.play("wave_hand", speed=2.0)
    session.reset()
    assert session.command_api.play("wave_hand", rounds=-1) == 0.0  # without end
    assert once < twice
    assert quick == pytest.approx(once / 2, rel=0.01)


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda o: o.play("wave_hand", 9.0), "between 0.05 and 5"),
        (lambda o: o.play("wave_hand", float("nan")), "between 0.05 and 5"),
        (lambda o: o.behave("swim"), "no behaviour 'swim'"),
        (lambda o: o.set_gait("roll"), "no gait 'roll'"),
        (lambda o: o.button("shell"), "no button 'shell' in robot"),
        (lambda o: o.joint_angles(["Tail"], [0.0]), "Tail"),
    ],
)
def test_refusals_change_nothing(session: LiveSession, ask: Any, told: str) -> None:
    before = session.behaviour
    with pytest.raises(AndanteError, match=told):
        ask(session.command_api)
    session.run(0.1)
    assert session.behaviour == before


def test_all_joints_by_one_name(session: LiveSession) -> None:
    names = session.stage.robot.joint_names
    here = np.array(session.stage.targets)
    here[names.index("HeadYaw")] = 0.3
    session.command_api.joint_angles(["Body"], here.tolist(), 0.5)
    session.run(1.5)
    assert session.behaviour == "joints"
    np.testing.assert_allclose(session.stage.targets, here, atol=0.02)


def test_a_walk_by_waves_whose_kind_is_fixed_while_it_goes(session: LiveSession) -> None:
    session.command_api.set_wave({}, "exact")
    assert session.command_api.walker_gait().variant == "exact"
    session.command_api.set_wave({}, "smooth")
    session.command_api.behave("wave")
    session.run(2.0)
    assert session.behaviour == "wave"
    with pytest.raises(AndanteError, match="stop the walk before"):
        session.command_api.set_wave({}, "exact")
    session.command_api.stop_wave()
    session.run(3.0)
    assert session.behaviour == "balance"


def test_getting_up_is_asked_for_by_name(session: LiveSession) -> None:
    session.respawn(0.0, 0.0, 0.0, "LyingBelly")
    session.run(0.5)
    session.command_api.behave("get_up")
    session.run(0.5)
    assert session.behaviour == "get up"
    ended = goal(session, "/body_pose", pose_name="StandZero")
    for _ in range(300):
        session.run(0.1)
        if ended and not session.stage.sim.fallen:
            break
    assert not session.stage.sim.fallen
