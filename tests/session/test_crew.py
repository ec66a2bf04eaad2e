"""Several robots in one session: each lives by itself, they see each other, and come and go while all go on."""

import math

import numpy as np
import pytest

from andante.bags import messages, open_bag
from andante.errors import BadInput, UnknownName
from andante.session import LiveSession
from andante.session.choice import RobotChoice, robot_choice
from andante.session.overlap import overlap


@pytest.fixture
def pair(tmp_path):
    with LiveSession("waffle", "empty", seed=3, folder=tmp_path, robots=["waffle@1.5,0,180"]) as session:
        yield session


def test_text_names_robot_place_and_name():
    chosen = robot_choice("robots/my@home.urdf@1,-0.5,90:helper")
    assert chosen.robot == "robots/my@home.urdf"
    assert chosen.name == "helper"
    assert chosen.start == pytest.approx((1.0, -0.5, math.pi / 2))
    assert robot_choice("waffle@1,2") == RobotChoice("waffle", "", (1.0, 2.0, 0.0))
    for bad in ("waffle", "waffle@1", "@1,2", "waffle@1,2,3,4", "waffle@a,b", "waffle@nan,0"):
        with pytest.raises(BadInput):
            robot_choice(bad)


def test_every_robot_has_its_own_topics_frames_and_commands(pair):
    scans, status, frames = [], [], []
    pair.bus.subscribe("/waffle_2/scan", "sensor_msgs/msg/LaserScan", scans.append)
    pair.bus.subscribe("/waffle_2/status", "andante_msgs/msg/Status", status.append)
    pair.bus.subscribe("/tf", "tf2_msgs/msg/TFMessage", frames.append)
    drive = pair.bus.advertise("/waffle_2/cmd_vel", "geometry_msgs/msg/Twist")
    start = {name: robot.stage.sim.base_pose[:2].copy() for name, robot in pair.robots.items()}
    for _ in range(50):
        drive.publish(messages.make("geometry_msgs/msg/Twist", linear={"x": 0.2}))
        pair.step()
    moved = {name: robot.stage.sim.base_pose[:2] - start[name] for name, robot in pair.robots.items()}
    assert np.linalg.norm(moved["waffle"]) < 1e-3
    assert -0.12 < moved["waffle_2"][0] < -0.04
    assert abs(moved["waffle_2"][1]) < 0.01
    assert scans[-1].header.frame_id == "waffle_2/base_scan"
    assert status[-1].position.x > 0.03
    tree = pair.bus.tf.frames()
    assert tree["waffle_2/odom"] == tree["odom"] == "map"
    x, y, *_ = pair.bus.tf.lookup("map", "waffle_2/base_footprint")
    assert np.hypot(x - (1.5 + moved["waffle_2"][0]), y) < 0.02
    first = {t.child_frame_id for message in frames for t in message.transforms if "/" not in t.child_frame_id}
    assert first >= {"odom", "base_footprint", "wheel_left_link"}


def test_lidars_see_the_other_robot(pair):
    seen: dict[str, list] = {"/scan": [], "/waffle_2/scan": []}
    for topic, kept in seen.items():
        pair.bus.subscribe(topic, "sensor_msgs/msg/LaserScan", kept.append)
    pair.run(0.6)
    for kept in seen.values():  # both look at each other: 1.5 m between the roots, the lidar sits behind the middle
        ahead = np.asarray(kept[-1].ranges)[[0, 1, -1]]
        assert 1.2 < np.nanmin(ahead) < 1.65
        assert np.count_nonzero(np.isfinite(np.asarray(kept[-1].ranges))) < 60  # nothing else, not even themselves


def test_a_robot_that_comes_or_goes_does_not_stop_the_others(pair):
    pair.robots["waffle_2"].drive(0.2)
    pair.run(0.2)
    sim = pair.robots["waffle_2"].stage.sim
    before, speed, time = sim.base_pose.copy(), sim.base_velocity.copy(), pair.time
    assert pair.spawn("nao", "", 0.0, 2.0, 0.0) == "nao"
    assert np.allclose(sim.base_pose, before, atol=1e-9)
    assert np.allclose(sim.base_velocity, speed, atol=1e-6)
    assert pair.time == pytest.approx(time)
    pair.robots["waffle_2"].drive(0.2)
    pair.run(0.2)
    assert 0.015 < before[0] - sim.base_pose[0] < 0.05
    pair.robots["nao"].command_api.play("StandZero")
    pair.run(0.5)
    assert pair.robots["nao"].stage.upright
    assert not pair.robots["nao"].stage.sim.fallen
    assert pair.remove("nao") == ""
    place = sim.base_pose.copy()
    pair.run(0.1)
    assert set(pair.robots) == {"waffle", "waffle_2"}
    assert np.linalg.norm(sim.base_pose - place) < 0.05
    assert not [topic for topic in pair.bus.topics() if topic.startswith("/nao/")]
    assert not [frame for frame in pair.bus.tf.frames() if frame.startswith("nao/")]


def test_a_robot_with_a_goal_can_be_removed(pair):
    answer = pair.bus.call("/terminal", {"line": "on waffle_2 goto 1.5 2.0"})
    assert answer.success, answer.text
    pair.run(0.3)
    gone = pair.bus.call("/remove", {"name": "waffle_2"})
    assert gone.success
    assert "on its way to a goal" in gone.message
    pair.run(0.1)
    pair.reset()
    pair.run(0.05)
    assert set(pair.robots) == {"waffle"}


def test_robots_tell_each_other_where_they_mean_to_go(pair):
    told = []
    pair.bus.subscribe("/fleet/intent", "andante_msgs/msg/Intent", told.append)
    for name, line in (("waffle", "goto 0.5 1.0"), ("waffle_2", "on waffle_2 goto 1.0 -1.0")):
        answer = pair.bus.call("/terminal", {"line": line})
        assert answer.success, (name, answer.text)
    pair.run(0.6)
    assert {message.name for message in told} == {"waffle", "waffle_2"}
    assert {message.header.frame_id for message in told} == {"map"}
    assert len(told[-1].x) > 1  # the first ones come before the plan
    for robot in pair.robots.values():
        (navigation,) = (node for node in robot.nodes if node.name == "navigation")
        assert {*navigation.live.yielding._others} == {*pair.robots} - {robot.name}
    odd = messages.make("andante_msgs/msg/Intent", name="odd", x=[1.0], radius=math.nan)
    navigation._hear(odd)  # its numbers are none
    assert "odd" not in navigation.live.yielding._others


def test_a_reset_brings_all_back_to_their_starts(pair):
    pair.robots["waffle_2"].drive(0.2)
    pair.run(0.3)
    pair.reset()
    assert pair.robots["waffle_2"].stage.sim.base_pose[:2] == pytest.approx([1.5, 0.0], abs=1e-3)
    pair.run(0.1)
    assert pair.bus.parameters.get("/waffle_2/collision_monitor") is True


def test_what_cannot_stand_there_is_refused_in_words(pair, tmp_path):
    with pytest.raises(BadInput, match="'waffle_2' already"):
        pair.spawn("waffle", "waffle_2", 3.0, 3.0, 0.0)
    with pytest.raises(BadInput, match=r"helper would stand inside waffle_2: they overlap by 0\.09 m"):
        pair.spawn("waffle", "helper", 1.45, 0.05, 0.0)
    with pytest.raises(BadInput, match="first robot"):
        pair.remove("waffle")
    with pytest.raises(UnknownName, match="waffle_2"):
        pair.remove("waffel_2")
    assert set(pair.robots) == {"waffle", "waffle_2"}
    with pytest.raises(BadInput, match="two robots of the session are called 'a'"):
        LiveSession("waffle", "empty", folder=tmp_path, robots=["waffle@2,0:a", "waffle@4,0:a"])
    with pytest.raises(BadInput, match="called 'waffle'"):
        LiveSession("waffle", "empty", folder=tmp_path, robots=["waffle@2,0:waffle"])
    with pytest.raises(BadInput, match="waffle_3 would stand inside waffle_2"):
        LiveSession("waffle", "empty", folder=tmp_path, robots=["waffle@2,0", "waffle@2.1,0"])


def test_a_recording_holds_all_robots(pair):
    pair.bus.call("/record_start", {"name": "both"})
    pair.run(0.3)
    pair.bus.call("/record_stop", {})
    with open_bag(pair.folder / "both.mcap") as bag:
        names = {topic.name for topic in bag.topics}
    assert {"/scan", "/waffle_2/scan", "/waffle_2/odom", "/odom"} <= names
    assert "/waffle_2/particlecloud" not in names


def test_outlines_overlap_by_the_shortest_way_out():
    square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    assert overlap(square, square + np.array([0.8, 0.3])) == pytest.approx(0.2)
    assert overlap(square, square + np.array([1.2, 0.0])) == pytest.approx(-0.2)
