"""What a session offers to those who tell a robot where to go: curves of joints, a walk to a pose, fingers, lights."""

import math

import pytest

from andante.session import LiveSession


@pytest.fixture(scope="module")
def session():
    with LiveSession("nao", "empty") as made:
        made.run(0.3)
        yield made


def finished(session, action, goal, longest=30.0, meanwhile=lambda: None):
    done = []
    session.bus.send_goal(action, goal, done=done.append)
    end = session.time + longest
    while not done and session.time < end:
        session.run(0.05)
        meanwhile()
    return done[0]


def joint(session, name):
    return session.stage.state.position[session.stage.robot.joint_names.index(name)]


def points(**joints):
    times = [t for each in joints.values() for t, _ in each]
    places = [p for each in joints.values() for _, p in each]
    return {"joints": list(joints), "counts": [len(v) for v in joints.values()], "times": times, "positions": places}


def test_joints_beside_the_balance(session):
    goal = finished(session, "/interpolate_joints", points(HeadYaw=[(0.3, 0.4), (0.6, -0.2)], LElbowRoll=[(0.5, -0.8)]))
    assert goal.result.completed
    assert session.behaviour == "balance"
    assert joint(session, "HeadYaw") == pytest.approx(-0.2, abs=0.02)
    assert joint(session, "LElbowRoll") == pytest.approx(-0.8, abs=0.02)


def test_moves_run_side_by_side_and_the_later_takes_the_joint(session):
    done = []
    session.bus.send_goal("/interpolate_joints", points(HeadYaw=[(5.0, 1.0)]), done=done.append)
    session.bus.send_goal("/interpolate_joints", points(RElbowRoll=[(0.3, 0.9)]), done=done.append)
    session.run(0.2)
    assert not done
    session.run(0.3)
    assert [goal.status.name for goal in done] == ["SUCCEEDED"]
    last = finished(session, "/interpolate_joints", points(HeadYaw=[(0.3, 0.0)]))
    assert last.status.name == "SUCCEEDED"
    assert [(goal.status.name, goal.text) for goal in done[1:]] == [("ABORTED", "another command took the joints")]


def test_a_canceled_move_stops_where_it_is(session):
    done = []
    goal = session.bus.send_goal("/interpolate_joints", points(HeadYaw=[(4.0, 1.2)]), done=done.append)
    session.run(1.0)
    goal.cancel()
    session.run(1.0)
    assert done[0].status.name == "CANCELED"
    assert 0.02 < joint(session, "HeadYaw") < 0.8


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (points(Nose=[(1.0, 0.1)]), "no joint 'Nose'"),
        (points(HeadYaw=[(1.0, 0.1), (0.5, 0.2)]), "increase"),
        ({**points(HeadYaw=[(1.0, 0.1)]), "counts": [2]}, "2 points"),
        (points(HeadYaw=[(1.0, math.nan)]), "finite"),
    ],
)
def test_bad_curves_are_refused(session, goal, words):
    ended = finished(session, "/interpolate_joints", goal)
    assert ended.status.name == "ABORTED"
    assert words in ended.text


def test_a_walk_to_a_pose(session):
    x0, y0, *_ = session.stage.sim.base_pose
    goal = finished(session, "/walk_to", {"x": 0.1, "y": 0.03, "theta": 0.0, "vx": 0.1})
    x1, y1, *_ = session.stage.sim.base_pose
    assert goal.result.reached
    assert (x1 - x0, y1 - y0) == pytest.approx((0.1, 0.03), abs=0.03)


def test_a_velocity_takes_the_walk_over(session):
    meanwhile = lambda: session.drive(0.0, 0.0, 0.0) if session.behaviour == "drive" else None  # noqa: E731
    goal = finished(session, "/walk_to", {"x": 2.0}, meanwhile=meanwhile)
    assert (goal.status.name, goal.text) == ("ABORTED", "another command drives the robot")


def test_fingers_on_switches(session):
    heard = []
    session.bus.subscribe("/switches", "andante_msgs/msg/Switches", heard.append)
    assert session.bus.call("/press_switch", {"name": "Head/Touch/Front", "seconds": 0.2}).success
    session.run(0.1)
    assert [n for n, on in zip(heard[-1].names, heard[-1].pressed, strict=True) if on] == ["Head/Touch/Front"]
    session.run(0.3)
    assert not any(heard[-1].pressed)
    assert "no switch 'Nose'" in session.bus.call("/press_switch", {"name": "Nose", "seconds": 1.0}).message
    assert "0 to 60 s" in session.bus.call("/press_switch", {"name": "Head/Touch/Front", "seconds": 99.0}).message


def test_lights_fade_and_words_are_told(session):
    lights, words = [], []
    session.bus.subscribe("/leds", "andante_msgs/msg/Leds", lights.append)
    session.bus.subscribe("/speech/said", "std_msgs/msg/String", words.append)
    fade = session.bus.advertise("/fade_rgb", "naoqi_bridge_msgs/msg/FadeRGB", node="test")
    speech = session.bus.advertise("/speech", "std_msgs/msg/String", node="test")
    from andante.bags import messages

    color = {"r": 1.0, "g": 0.5, "b": 0.0, "a": 1.0}
    fields = {"led_name": "FaceLeds", "color": color, "fade_duration": messages.duration(0.4)}
    fade.publish(messages.make("naoqi_bridge_msgs/msg/FadeRGB", **fields))
    speech.publish(messages.make("std_msgs/msg/String", data="Hello"))
    session.run(0.2)
    assert 0.2 < lights[-1].colors[0].r < 0.8
    session.run(0.4)
    assert (lights[-1].colors[0].r, lights[-1].colors[0].g) == (1.0, 0.5)
    assert [word.data for word in words] == ["Hello"]


def test_a_named_pose(session):
    answer = session.bus.call("/get_pose", {"name": "StandInit"})
    assert dict(zip(answer.joints, answer.positions, strict=True))["LKneePitch"] == 0.7


def test_a_robot_at_rest_is_limp_and_takes_hold_where_it_is():
    with LiveSession("nao", "empty") as session:
        session.bus.call("/play", {"name": "Crouch", "speed": 1.5})
        session.run(2.0)
        session.bus.call("/set_stiffness", {"share": 0.0})
        session.run(1.0)
        assert session.stage.supervisor.limp
        assert session.stage.supervisor.state == "upright"
        here = session.stage.state.position.copy()
        session.bus.call("/set_stiffness", {"share": 1.0})
        session.run(0.1)
        assert abs(session.stage.targets - here).max() < 0.05
        assert not session.stage.supervisor.limp
        session.bus.call("/play", {"name": "StandInit", "speed": 1.5})
        session.run(2.5)
        assert not session.stage.sim.fallen
        assert session.stage.sim.base_pose[2] > 0.3
