"""ROS 2 over DDS: bytes, names, hashes and qualities of service, and two processes that talk."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from andante.bags import messages
from andante.errors import BadInput

if os.environ.get("CI") != "true":  # there a missing part is a failure
    pytest.importorskip("cyclonedds", reason="needs the extra `ros2`")

from andante.bridges.ros2 import configuration, dds_topic, dds_type, qos, typed_class, user_data

HERE = Path(__file__).parent
DOMAIN = 100 + os.getpid() % 100  # so that runs beside one another do not meet
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

    plain = qos("std_msgs/msg/String")
    assert plain[Policy.History].depth == 10
    assert plain[Policy.Durability] == Policy.Durability.Volatile
    sensor = qos("std_msgs/msg/String", sensor=True)
    assert sensor[Policy.History].depth == 5
    assert sensor[Policy.Reliability] == Policy.Reliability.BestEffort
    assert qos("std_msgs/msg/String", latched=3)[Policy.Durability] == Policy.Durability.TransientLocal


def test_the_network_is_the_loopback_unless_said_otherwise():
    assert 'name="lo' in configuration() or 'address="127.0.0.1"' in configuration()
    assert 'address="10.0.0.1"' in configuration("10.0.0.1")
    with pytest.raises(BadInput, match="network interface"):
        configuration('lo"/><x')


def test_a_peer_in_another_process_hears_and_drives(session):
    session.heard.clear()
    bridge = subprocess.Popen(
        [sys.executable, "-m", "andante", "bridge", "ros2", session.server.ws_url, "--domain", str(DOMAIN)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        peer = subprocess.run(
            [sys.executable, str(HERE / "python" / "dds_peer.py"), str(DOMAIN), configuration()],
            capture_output=True, text=True, timeout=90, check=False,
        )  # fmt: skip
        assert peer.returncode == 0, peer.stderr
        seen = json.loads(peer.stdout)
        assert seen["joints"] == [["a", "b"], ["0.25", "nan"], "base"]
        assert seen["text"] == "<robot name='x'/>"
        assert seen["sensor"] == {
            "user_data": user_data("sensor_msgs/msg/JointState").decode(),
            "reliability": "Reliability.BestEffort",
            "durability": "Durability.Volatile",
            "depth": 5,
        }
        assert seen["latched"]["durability"] == "Durability.TransientLocal"
        assert seen["latched"]["reliability"] == "Reliability.Reliable"
        session.until(lambda: (0.75, -1.5) in session.heard)
        session.until(lambda: session.heard[-1] == (0.0, 0.0))  # the peer has ended
    finally:
        bridge.send_signal(signal.SIGTERM)
        out, _ = bridge.communicate(timeout=20)
    assert bridge.returncode == 0, out
    assert "Traceback" not in out
