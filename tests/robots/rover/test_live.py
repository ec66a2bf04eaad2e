"""The car in a live session: firmware in the loop, tags, alignment, AMCL, telemetry, waypoints, the source's names."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from andante.bags import messages
from andante.session import LiveSession
from andante.session.nodes.own import OwnNode


def car_of(session: LiveSession):
    return next(node for node in session.nodes if isinstance(node, OwnNode)).nodes[0]


def publish(session: LiveSession, topic: str, kind: str, **fields) -> None:
    publisher = session.bus.advertise(topic, kind)
    publisher.publish(messages.make(kind, **fields))
    publisher.close()


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory):
    """A car in the lab that has stood until it knows where it is, and what it told meanwhile."""
    with LiveSession("rover", world="lab", folder=Path(tmp_path_factory.mktemp("car")), seed=4) as session:
        told: dict[str, list] = {}
        names = ("/car/state", "/car/telemetry", "/uwb/tag0/position", "/uwb/tag1/position", "/uwb/tag0/filtered",
                 "/uwb/pose", "/ahrs/rpy", "/car/odometry", "/car/pose", "/rosout")  # fmt: skip
        for name in names:
            session.bus.subscribe(name, None, lambda message, name=name: told.setdefault(name, []).append(message))
        for _ in range(40):
            session.run(0.5)
            if car_of(session).computer.located:
                break
        yield session, told


def test_it_aligns_its_tags_and_finds_its_pose(ready) -> None:
    session, told = ready
    car = car_of(session)
    assert car.computer.located
    assert any("may move now" in message.msg for message in told["/rosout"])
    pose = car.computer.pose(car.car_time)
    assert math.hypot(*(pose[:2] - session.stage.sim.base_pose[:2])) < 0.05
    session.run(0.5)
    state = json.loads(told["/car/state"][-1].data)
    assert state["state"] == "ready"
    assert state["connected"]
    for name in ("/uwb/tag0/position", "/uwb/tag1/position", "/uwb/tag0/filtered", "/uwb/pose", "/ahrs/rpy"):
        assert len(told[name]) > 5, name
    place = told["/uwb/pose"][-1].pose.position
    assert math.hypot(place.x - pose[0], place.y - pose[1]) < 0.5
    frames = session.bus.tf.lookup("map", "frame_uwb")
    assert frames is not None


def test_keys_go_through_firmware_and_pulses(ready) -> None:
    session, told = ready
    began = session.stage.sim.base_pose[:2].copy()
    for _ in range(10):
        session.drive(0.4, 0.0, 0.0)
        session.run(0.1)
    newest = told["/car/telemetry"][-1]
    assert newest.state == "commanded"
    assert newest.throttle > 1550
    assert newest.voltage > 7.0
    assert math.hypot(*(session.stage.sim.base_pose[:2] - began)) > 0.2
    session.run(1.5)
    assert told["/car/telemetry"][-1].throttle == 1500
    assert np.abs(car_of(session).computer.twist).max() < 0.02


def test_a_waypoint_is_driven_to_by_the_firmware(ready) -> None:
    session, told = ready
    car = car_of(session)
    publish(session, "/car/waypoint", "geometry_msgs/msg/PointStamped", point={"x": 1.4, "y": 0.0})
    session.run(0.5)
    assert told["/car/telemetry"][-1].state == "driving"
    for _ in range(40):
        session.run(0.5)
        if car._guide is None:
            break
    assert any("the waypoint is reached" in message.msg for message in told["/rosout"])
    x, y = session.stage.sim.base_pose[:2]
    assert math.hypot(x - 1.4, y) < 0.12
    stopped = session.bus.call("/car/stop", {})
    assert stopped.success
    for _ in range(5):
        session.drive(-0.3, 0.0, 0.0)
        session.run(0.1)
    assert math.hypot(*(session.stage.sim.base_pose[:2] - (x, y))) < 0.03
    assert session.bus.call("/car/start", {}).success


def test_the_topics_of_the_source(ready) -> None:
    session, _ = ready
    heard: dict[str, list] = {}
    session.bus.parameters.set("/car/source_names", True)
    for name in ("/tag_pose0", "/tag_pose1", "/orientation", "/robot_pose", "/yaw", "/tf_tag2map"):
        session.bus.subscribe(name, None, lambda message, name=name: heard.setdefault(name, []).append(message))
    session.run(0.5)
    assert set(heard) == {"/tag_pose0", "/tag_pose1", "/orientation", "/robot_pose", "/yaw", "/tf_tag2map"}
    pose = car_of(session).computer.pose(car_of(session).car_time)
    assert (heard["/robot_pose"][-1].x, heard["/robot_pose"][-1].z) == pytest.approx((pose[0], pose[2]), abs=0.02)
    publish(session, "/start_and_stop", "std_msgs/msg/Float32", data=0.0)
    session.run(0.3)
    assert not car_of(session).car.running
    publish(session, "/start_and_stop", "std_msgs/msg/Float32", data=1.0)
    publish(session, "/waypoint_publisher", "geometry_msgs/msg/Point", x=0.5, y=0.0)
    session.run(0.3)
    assert car_of(session)._guide is not None
    session.bus.call("/car/stop", {})
    session.bus.parameters.set("/car/source_names", False)
    assert not session.bus.topic("/tag_pose0").publishers


def test_a_waypoint_before_it_knows_where_it_is_is_refused(tmp_path: Path) -> None:
    with LiveSession("rover", world="empty", folder=tmp_path) as session:
        said = []
        session.bus.subscribe("/rosout", None, lambda message: said.append(message.msg))
        session.run(0.3)
        publish(session, "/car/waypoint", "geometry_msgs/msg/PointStamped", point={"x": 1.0})
        session.run(0.1)
        assert any("does not know where it is: no map" in words for words in said)
