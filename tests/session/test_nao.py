"""The NAO live: walking, poses, joints beside the walk, waves, a fall, actions."""

import math

import numpy as np
import pytest

from andante.bags import messages
from andante.errors import BadInput, UnknownName
from andante.session import LiveSession


class Watch:
    """Largest change of a joint target per control period while the robot is on its feet [rad]."""

    def __init__(self, session: LiveSession) -> None:
        self.session, self.most, self.names = session, 0.0, [session.behaviour]
        self._last = session.stage.targets

    def run(self, seconds: float, **velocity: float) -> None:
        for _ in range(round(seconds / 0.01)):
            if velocity:
                self.session.drive(**velocity)
            self.session.step()
            targets = self.session.stage.targets
            self.most = max(self.most, float(np.abs(targets - self._last).max()))
            self._last = targets
            if self.session.behaviour != self.names[-1]:
                self.names.append(self.session.behaviour)


def test_a_walking_robot_stops_before_a_pose_and_walks_on_after_it(session: LiveSession) -> None:
    watch = Watch(session)
    watch.run(2.0, vx=0.1)
    assert session.bus.call("/play", {"name": "crouch"}).success
    assert session.stage.activities.waiting == "motion Crouch"
    watch.run(3.0)
    crouch = session.stage.robot.pose("Crouch")
    there = dict(zip(session.stage.robot.joint_names, session.stage.targets, strict=True))
    assert there["LKneePitch"] == pytest.approx(crouch["LKneePitch"], abs=0.01)
    watch.run(3.0, vx=0.1)
    order = [name for name in watch.names if name != "balance"]
    assert order == ["drive", "pose", "hold", "preparing", "drive"]
    assert watch.most < 0.06  # the walk's own swing is the quickest thing in it
    assert not session.stage.sim.fallen
    assert session.position[0] == pytest.approx(session.stage.sim.base_pose[0], abs=0.04)


def test_the_head_moves_beside_the_walk_and_a_leg_ends_it(session: LiveSession) -> None:
    session.command_api.joint_angles(["HeadYaw"], [0.6], 0.3)
    watch = Watch(session)
    watch.run(2.0, vx=0.1)
    head = session.stage.robot.joint_names.index("HeadYaw")
    assert session.behaviour == "drive"
    assert session.stage.state.position[head] == pytest.approx(0.6, abs=0.02)
    session.command_api.joint_angles(["LShoulderPitch", "HeadYaw"], [0.5, 0.0], 0.3)
    session.command_api.joint_angles(["LHipPitch"], [-0.1], 0.2, relative=True)
    session.command_api.joint_angles(["RHipPitch"], [-0.1], 0.2, relative=True)
    watch.run(2.5)
    assert session.behaviour == "joints"
    assert not session.stage.sim.fallen
    goals, names = session.stage.activities.present.goals, session.stage.robot.joint_names
    knees = [goals[names.index(f"{s}HipPitch")] for s in "LR"]
    assert knees[0] == pytest.approx(knees[1], abs=0.02)  # both orders counted, though they came while it stopped


def test_body_pose_action_and_what_ends_it(session: LiveSession) -> None:
    ended = []
    session.bus.send_goal("/body_pose", {"pose_name": "StandZero"}, done=lambda goal: ended.append(goal))
    session.run(2.5)
    assert [goal.status.name for goal in ended] == ["SUCCEEDED"]
    session.bus.send_goal("/body_pose", {"pose_name": "Crouch"}, done=lambda goal: ended.append(goal))
    session.run(0.1)
    session.command_api.behave("hold")
    session.run(1.0)
    assert ended[-1].status.name == "ABORTED"
    session.bus.send_goal("/body_pose", {"pose_name": "Sit"}, done=lambda goal: ended.append(goal))
    session.run(0.1)
    assert "no standing pose" in ended[-1].text


def test_trajectory_topic_and_its_errors(session: LiveSession) -> None:
    lines: list[str] = []
    session.bus.subscribe("/rosout", None, lambda m: lines.append(m.msg), 1000)
    topic = session.bus.advertise("/joint_trajectory", "trajectory_msgs/msg/JointTrajectory")

    def send(points: list[tuple[float, list[float]]]) -> None:
        rows = [{"positions": q, "time_from_start": messages.duration(t)} for t, q in points]
        topic.publish(
            messages.make("trajectory_msgs/msg/JointTrajectory", joint_names=["HeadYaw", "HeadPitch"], points=rows)
        )

    send([(0.5, [0.4, 0.1]), (1.0, [0.0, 0.2])])
    session.run(1.5)
    names = session.stage.robot.joint_names
    assert session.stage.targets[names.index("HeadPitch")] == pytest.approx(0.2, abs=1e-6)
    send([(0.05, [2.0, 0.0])])
    send([(1.0, [0.0])])
    session.run(0.1)
    assert any("would move at" in line for line in lines)
    assert any("every point needs 2 positions" in line for line in lines)
    topic.close()


def test_the_wave_walker(session: LiveSession) -> None:
    assert not session.bus.call("/walker/get_statistics").success
    assert session.bus.call("/walker/start").success
    session.run(4.0)
    answer = session.bus.call("/walker/get_statistics")
    assert answer.walking
    assert answer.along > 0.3
    assert session.stage.position[0] > 0.3
    symbols = session.bus.call("/walker/set_parameters", {"parameters": {"symbols": ["A_h"], "values": [9.0]}})
    assert dict(zip(symbols.parameters.symbols, symbols.parameters.values, strict=True))["A_h"] == 9.0
    refused = session.bus.call("/walker/set_parameters", {"parameters": {"symbols": ["Q"], "values": [1.0]}})
    assert "no wave parameter 'Q'" in refused.message
    session.bus.call("/walker/stop")
    session.run(4.0)
    assert session.behaviour == "balance"
    assert not session.stage.sim.fallen


def test_pushed_over_it_gets_up_and_walks_again(session: LiveSession) -> None:
    session.push("", (-90.0, 0.0, 0.0), 0.25)
    states = []
    for _ in range(250):
        session.run(0.1)
        if not states or states[-1] != session.stage.supervisor.state:
            states.append(session.stage.supervisor.state)
        if states[-1] == "upright" and len(states) > 2:
            break
    assert states[-1] == "upright"
    assert {"falling", "fallen", "getting up"} <= set(states)
    watch = Watch(session)
    start = session.stage.sim.base_pose[:2].copy()
    watch.run(3.0, vx=0.1)
    assert np.linalg.norm(session.stage.sim.base_pose[:2] - start) > 0.1
    assert not session.stage.sim.fallen


def test_a_robot_that_lies_gets_up_before_it_walks(session: LiveSession) -> None:
    session.respawn(0.0, 0.0, 0.0, "LyingBack")
    session.run(1.0)
    assert session.stage.sim.fallen
    assert session.behaviour == "hold"  # it lies because it was put so: nobody calls that a fall
    names = []
    for _ in range(400):
        session.drive(vx=0.1)
        session.run(0.1)
        if session.behaviour not in names:
            names.append(session.behaviour)
        if session.behaviour == "drive":
            break
    assert names[0] == "get up"
    assert names[-1] == "drive"
    assert not session.stage.sim.fallen


@pytest.mark.parametrize(
    ("name", "fragment"),
    [
        ("moonwalk", "no pose or motion"),
        ("Sit", "no standing pose"),
        ("/etc/passwd", "no pose or motion"),
        ("a:b.toml", "no files"),
    ],
)
def test_play_refuses(session: LiveSession, name: str, fragment: str) -> None:
    with pytest.raises((BadInput, UnknownName), match=fragment):
        session.command_api.play(name)
    answer = session.bus.call("/play", {"name": name})
    assert not answer.success
    assert fragment in answer.message


def test_frames_hang_together(session: LiveSession) -> None:
    session.bus.subscribe("/tf", None, lambda message: None)
    session.run(0.1)
    x, y, z, *_ = session.bus.tf.lookup("world", "l_sole")
    truth = session.stage.sim.engine.link_poses(session.stage.sim.model)
    at = [link.name for link in session.stage.robot.links].index("l_sole")
    np.testing.assert_allclose([x, y, z], truth[at, :3], atol=0.012)
    assert session.bus.tf.can("map", "CameraTop_optical_frame")


def test_terminal(session: LiveSession) -> None:
    def say(line: str, complete: bool = False):
        return session.bus.call("/terminal", {"line": line, "complete": complete})

    assert "play NAME" in say("help").text
    assert say("keys").text.splitlines()[0].split() == ["w", "forwards"]
    assert say("play wave_h", True).completions == ["play wave_hand"]
    assert "gait " in say("ga", True).completions
    assert say("list poses").text.split()[0] == "Stand"
    assert say("drive 0.1 0 0 1.0").success
    session.run(1.2)
    assert session.stage.sim.base_pose[0] > 0.02
    assert say("set /nao/pgain/HeadYaw 31").success
    assert session.stage.sim.servos.gain("pgain", "HeadYaw") == 31.0
    assert say("get /nao/pgain/Head*").text.splitlines()[1] == "/nao/pgain/HeadYaw = 31.0"
    assert say("joint HeadYaw 0.2").success
    assert say("push 0.3 left").success
    assert say("status").text.startswith("nao in empty on mujoco")
    for line, fragment in (
        ("dance", "no command 'dance'"),
        ("play", "usage: play NAME"),
        ("drive fast", "'fast' is not a number"),
        ("walker T", "numbers like T=0.6"),
        ("set /nao/pgain x", "is not a number"),
        ("play 'open", "No closing quotation"),
        ("push 1 up_and_away", "no direction"),
        ("tf a b", "no frame"),
    ):
        answer = say(line)
        assert not answer.success
        assert fragment in answer.text
    assert say("   # a comment").success


def test_a_goal_by_odometry_alone(session: LiveSession) -> None:
    goals = []
    pose = {"position": {"x": 0.4, "y": 0.1}, "orientation": {"w": 1.0}}
    session.bus.send_goal("/navigate_to_pose", {"pose": {"pose": pose}}, done=lambda goal: goals.append(goal))
    for _ in range(200):
        session.run(0.1)
        if goals:
            break
    assert goals[0].status.name == "SUCCEEDED"
    assert math.hypot(session.stage.sim.base_pose[0] - 0.4, session.stage.sim.base_pose[1] - 0.1) < 0.2
