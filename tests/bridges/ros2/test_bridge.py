"""ROS 2 over DDS: bytes, names, hashes and qualities of service, and two processes that talk."""

import asyncio
import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from andante.bags import messages
from andante.errors import BadInput

if os.environ.get("CI") != "true":  # there a missing part is a failure
    pytest.importorskip("cyclonedds", reason="needs the extra `ros2`")

from andante.bridges.client import Graph, ServiceInfo, TopicInfo
from andante.bridges.ros2 import Ros2Bridge, configuration, dds_topic, dds_type, qos, typed_class, user_data

PEERS = Path(__file__).parent / "peers"
FILLED = {
    "std_msgs/msg/String": {"data": "ärger"},
    "sensor_msgs/msg/JointState": {"name": ["a", "bcd"], "position": [1.5, -2.0, 3e300], "effort": [np.nan]},
    "tf2_msgs/msg/TFMessage": {"transforms": [{"child_frame_id": "foot", "transform": {"rotation": {"w": 1.0}}}] * 3},
    "nav_msgs/msg/OccupancyGrid": {"data": [-1, 0, 100], "info": {"width": 3, "height": 1, "resolution": 0.05}},
    "sensor_msgs/msg/CompressedImage": {"format": "jpeg", "data": [1, 2, 3]},
    "sensor_msgs/msg/Imu": {"orientation_covariance": [0.5] * 9},
    "std_msgs/msg/Bool": {"data": True},
    "geometry_msgs/msg/PoseWithCovarianceStamped": {"header": {"frame_id": "map"}},
    "andante_msgs/msg/LinkPoses": {"names": ["torso"], "poses": [1.0] * 7},
}


def built(type_name, value):
    """The sample of the IDL class with the same content, packed by `cyclonedds` itself."""

    def convert(kind, entry):
        number, what = kind
        if number == 1:
            return entry
        if number == 2:
            return built(what, entry)
        return [convert(what[0], item) for item in (entry.tolist() if hasattr(entry, "tolist") else entry)]

    fields = messages.store().fielddefs[type_name][1]
    return typed_class(type_name)(**{name: convert(kind, value[name]) for name, kind in fields})


@pytest.mark.parametrize("type_name", FILLED)
def test_cyclone_packs_the_same_bytes(type_name):
    message = messages.make(type_name, **FILLED[type_name])
    ours = messages.to_cdr(message)
    theirs = built(type_name, messages.to_dict(message)).serialize(use_version_2=False)
    assert theirs == ours


def test_names_are_those_of_ros2():
    assert dds_topic("/camera/image_raw") == "rt/camera/image_raw"
    assert dds_type("sensor_msgs/msg/JointState") == "sensor_msgs::msg::dds_::JointState_"
    # Published by ROS 2 for std_msgs/msg/String.
    known = "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"
    assert user_data("std_msgs/msg/String").decode() == f"typehash={known};"


def test_qualities_of_service():
    from cyclonedds.qos import Policy

    told = user_data("std_msgs/msg/String")
    plain = qos(told)
    assert plain[Policy.History].depth == 10
    assert plain[Policy.Durability] == Policy.Durability.Volatile
    sensor = qos(told, sensor=True)
    assert sensor[Policy.History].depth == 5
    assert sensor[Policy.Reliability] == Policy.Reliability.Reliable(0)  # suits every reader, waits for none
    assert qos(told, best_effort=True)[Policy.Reliability] == Policy.Reliability.BestEffort
    assert qos(told, latched=3)[Policy.Durability] == Policy.Durability.TransientLocal


def test_multicasts_stay_here_unless_an_interface_is_named():
    assert 'name="lo' in configuration() or 'address="127.0.0.1"' in configuration()
    assert "<MulticastTimeToLive>0<" in configuration()
    assert 'address="10.0.0.1"' in configuration("10.0.0.1")
    assert "TimeToLive" not in configuration("10.0.0.1")
    with pytest.raises(BadInput, match="network interface"):
        configuration('lo"/><x')


def test_a_default_peer_hears_and_drives(session, bridged, report):
    seen = report(sys.executable, PEERS / "cyclone.py", bridged)
    assert seen["joints"] == [["a", "b"], ["0.25", "nan"], "base"]
    assert seen["text"] == "<robot name='x'/>"
    assert seen["sensor"] == {
        "user_data": user_data("sensor_msgs/msg/JointState").decode(),
        "reliability": "Reliability.Reliable",
        "durability": "Durability.Volatile",
        "depth": 5,
    }
    assert seen["latched"]["durability"] == "Durability.TransientLocal"
    assert seen["latched"]["reliability"] == "Reliability.Reliable"
    assert {f"rt/{name}" for name in ("joint_states", "imu/data", "image", "big")} <= {*seen["topics"]}
    session.until(lambda: (0.5, 0.25) in session.heard)
    assert session.heard.count((0.75, -1.5)) == 1  # two readers have got it
    session.until(lambda: session.heard[-1] == (0.0, 0.0))  # the peer has ended


class FakeBus:
    """A session that is its graph alone."""

    now = 0.0

    def __init__(self, graph):
        self.graph, self.told = graph, None

    def on_graph(self, told):
        self.told = told
        return self

    def subscribe(self, *_):
        return self

    def close(self):
        pass


def test_ends_come_and_go_with_the_graph(domain):
    said = []
    state = TopicInfo("sensor_msgs/msg/JointState", publishers=("/robot",))
    drive = TopicInfo("geometry_msgs/msg/Twist", subscribers=("/base",))
    pause = ServiceInfo("std_srvs/srv/Trigger", "/session")
    full = Graph(
        {"/joint_states": state, "/cmd_vel": drive, "/odd": replace(state, type_name="my/msg/Own")},
        {"/pause": pause},
        {"/reach": ServiceInfo("control_msgs/action/FollowJointTrajectory", "/robot")},
    )

    async def look():
        bus = FakeBus(full)
        bridge = Ros2Bridge(bus, domain, say=said.append)
        task = asyncio.create_task(bridge.run())
        await asyncio.sleep(0)
        first = [[*ends] for ends in (bridge._writers, bridge._readers, bridge._services, bridge._actions)]
        bus.told(full)
        bus.told(Graph({"/cmd_vel": replace(drive, type_name="geometry_msgs/msg/TwistStamped")}, {}, {}))
        second = [[*ends] for ends in (bridge._writers, bridge._readers, bridge._services, bridge._actions)]
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return first, second, bridge._types["/cmd_vel"]

    first, second, kind = asyncio.run(look())
    assert first == [["/joint_states"], ["/cmd_vel"], ["/pause"], ["/reach"]]
    assert second == [[], ["/cmd_vel"], [], []]
    assert kind == "geometry_msgs/msg/TwistStamped"
    assert [text for text in said if "skipped" in text] == ["/odd is skipped: no type 'my/msg/Own' is known here"]
