"""A namespace: what a robot names lies below its own name; what all share stays."""

import pytest

from andante.bags import messages
from andante.bus import Bus, Namespace
from andante.errors import UnknownName


def test_topics_services_and_parameters_lie_below_the_name():
    bus = Bus()
    space = Namespace(bus, "waffle_2")
    heard = []
    bus.subscribe("/waffle_2/scan", "std_msgs/msg/String", lambda message: heard.append(message.data))
    space.advertise("scan", "std_msgs/msg/String", node="lidar").publish(messages.make("std_msgs/msg/String", data="a"))
    bus.spin()
    assert heard == ["a"]
    assert [node.name for node in bus.graph() if "/waffle_2/scan" in node.publishes] == ["waffle_2/lidar"]
    space.advertise("/tf", "tf2_msgs/msg/TFMessage")
    assert "/tf" in bus.topics()
    assert "/waffle_2/tf" not in bus.topics()
    space.parameters.declare("/speed", 60.0)
    assert bus.parameters.get("/waffle_2/speed") == 60.0
    assert "/speed" in space.parameters
    assert [parameter.name for parameter in space.parameters.list()] == ["/waffle_2/speed"]
    space.parameters.remove("/*")
    assert "/speed" not in space.parameters


def test_services_of_the_session_are_found_where_the_robot_has_none():
    bus = Bus()
    space = Namespace(bus, "waffle_2")
    bus.provide("/pause", "std_srvs/srv/Trigger", lambda _: {"success": True, "message": "all"})
    bus.provide("/stop", "std_srvs/srv/Trigger", lambda _: {"success": True, "message": "first"})
    space.provide("/stop", "std_srvs/srv/Trigger", lambda _: {"success": True, "message": "second"})
    assert space.call("/pause").message == "all"
    assert space.call("/stop").message == "second"
    assert bus.call("/stop").message == "first"
    with pytest.raises(UnknownName):
        space.call("/none")


def test_frames_have_the_name_before_them_and_go_with_it():
    bus = Bus()
    space = Namespace(bus, "waffle_2")
    assert space.frame("odom") == "waffle_2/odom"
    assert space.frame("map") == "map"
    assert bus.frame("odom") == "odom"
    for owner in (bus, space):
        bus.tf.set_pose("map", owner.frame("odom"), 1.0, (0, 0, 0, 0, 0, 0, 1))
        bus.tf.set_pose(owner.frame("odom"), owner.frame("base"), 1.0, (1, 0, 0, 0, 0, 0, 1), static=True)
    space.clear_frames()
    assert set(bus.tf.frames()) == {"map", "odom", "base"}
