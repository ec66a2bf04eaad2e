"""Programs of other makes beside a bridge, in their default settings: Fast DDS in C++, and RTPS in TypeScript."""

import base64
import os
import shutil
import subprocess
from pathlib import Path

import pytest

if os.environ.get("CI") != "true":  # there a missing part is a failure
    pytest.importorskip("cyclonedds", reason="needs the extra `ros2`")

from andante.bags import messages
from andante.bridges.ros2.discovery import types

INFO = "rmw_dds_common/msg/ParticipantEntitiesInfo"


def heard_joints(cdr):
    joints = messages.from_cdr("sensor_msgs/msg/JointState", cdr)
    return list(joints.name), joints.position[0], joints.header.frame_id


@pytest.mark.drill  # compiles for a while
def test_fast_dds_hears_and_drives(session, bridged, report, missing, tmp_path):
    if shutil.which("g++") is None or not Path("/usr/include/fastrtps").is_dir():
        missing("g++ and libfastrtps-dev are not installed")
    source, program = Path(__file__).parent / "peers" / "fast.cpp", tmp_path / "fast"
    done = subprocess.run(
        ["g++", "-std=c++17", "-O0", "-o", program, source, "-lfastrtps", "-lfastcdr"],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = report(program, bridged)
    assert heard_joints(bytes.fromhex(seen["joints"])) == (["a", "b"], 0.25, "base")
    assert messages.from_cdr("std_msgs/msg/String", bytes.fromhex(seen["text"])).data == "<robot name='x'/>"
    assert {"rt/image", "rt/big", "rr/pauseReply", "ros_discovery_info"} <= {*seen["topics"]}
    session.until(lambda: (0.5, 0.25) in session.heard)
    assert session.heard.count((0.75, -1.5)) == 1  # two readers have got it
    session.until(lambda: session.heard[-1] == (0.0, 0.0))  # the peer has ended


def test_rtps_of_foxglove_finds_and_hears(session, bridged, report, node_folder):
    seen = report("node", node_folder / "rtps.mjs", bridged)
    found, heard = seen["found"], {name: base64.b64decode(data) for name, data in seen["heard"].items()}
    assert found["rt/joint_states"] == ["Reliable", "Volatile", 5]  # it takes only what is told
    assert found["rt/image"] == ["Reliable", "Volatile", 10]
    assert found["rt/robot_description"] == ["Reliable", "TransientLocal", 1]
    assert found["ros_discovery_info"] == ["Reliable", "TransientLocal", 1]
    assert sorted(seen["readers"]["rt/cmd_vel"]) == ["BestEffort", "Reliable"]
    assert seen["readers"]["rq/pauseRequest"] == ["Reliable"]
    assert heard_joints(heard["rt/joint_states"]) == (["a", "b"], 0.25, "base")
    assert messages.from_cdr("sensor_msgs/msg/Imu", heard["rt/imu/data"]).header.stamp.sec >= 0
    assert messages.from_cdr("std_msgs/msg/String", heard["rt/robot_description"]).data == "<robot name='x'/>"
    info = types(False).deserialize_cdr(heard["ros_discovery_info"], INFO)
    assert {"robot", "camera", "base", "session"} <= {node.node_name for node in info.node_entities_info_seq}
