"""Goals of a real client over rosbridge: an initial pose, RViz's goal, `move_base` and Nav2's `navigate_to_pose`."""

import importlib.util
import json
import math
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.bridges.test_ros1 import Ros, end_bridge, missing

from andante.session import LiveSession
from andante.session.launch_file import ServerPlan
from andante.session.launch_run import plain_server

CLIENTS = Path(__file__).parents[1] / "bridges" / "python"
CLIENT = CLIENTS / "goals_client.py"
DEBIAN = "/usr/bin/python3"  # which has rospy and actionlib


@pytest.mark.drill
@pytest.mark.skipif(importlib.util.find_spec("roslibpy") is None, reason="roslibpy is not installed")
def test_a_client_sends_the_robot_about(tmp_path: Path) -> None:
    with LiveSession("waffle", world="lab", folder=tmp_path, seed=2) as session:
        server = plain_server(session, ServerPlan())
        words = [sys.executable, str(CLIENT), "127.0.0.1", str(server.port)]
        client = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 400
        try:
            while client.poll() is None and time.monotonic() < end:
                session.run(0.2, pace=2.0)
        finally:
            client.kill()
            server.stop()
        told, errors = client.communicate()
        assert told.strip(), errors
        seen = json.loads(told.splitlines()[-1])
        assert seen["placed"]
        assert seen["simple"]
        assert (seen["move_base"], seen["status"]) == (True, 3)
        assert seen["feedback"] > 3
        assert seen["nav2"]
        assert "SUCCEEDED" in str(seen["nav2_result"])
        assert seen["nav2_feedback"] > 3
        x, y = session.stage.sim.base_pose[:2]
        assert math.hypot(x - 0.3, y) < 0.2


@pytest.mark.drill
def test_a_move_base_client_of_actionlib_sends_the_robot_over_the_ros_1_bridge(tmp_path: Path) -> None:
    wanted = "import actionlib, rospy, move_base_msgs.msg"
    if shutil.which("roscore") is None or subprocess.run([DEBIAN, "-c", wanted], capture_output=True).returncode:
        missing("ROS 1's actionlib (python3-actionlib, python3-move-base-msgs) is not installed")
    ros = Ros(tmp_path / "ros", core=False)
    try:
        with LiveSession("waffle", world="lab", start=(0.0, -0.8, 0.0), folder=tmp_path, seed=2) as session:
            server = plain_server(session, ServerPlan())
            address = f"ws://127.0.0.1:{server.port}/rosbridge"
            words = [sys.executable, "-m", "andante", "bridge", "ros1", address, "--master", ros.uri]
            bridge = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            words = [DEBIAN, str(CLIENTS / "actionlib_client.py")]
            client = subprocess.Popen(
                words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ros.environment
            )
            end = time.monotonic() + 400
            try:
                while client.poll() is None and time.monotonic() < end:
                    session.run(0.2, pace=2.0)
            finally:
                client.kill()
                code, out = end_bridge(bridge)
                server.stop()
            told, errors = client.communicate()
            x = session.stage.sim.base_pose[0]
    finally:
        ros.stop()
    assert told.strip(), errors + out
    seen = json.loads(told.splitlines()[-1])
    assert seen["server"]
    assert seen["there"] == ["SUCCEEDED", "the goal is reached"]
    assert seen["feedback"] > 3
    assert seen["canceled"][0] == "PREEMPTED"
    assert seen["off_map"][0] == "ABORTED"
    assert "outside the map" in seen["off_map"][1]
    assert 0.6 < x < 1.7  # on from the first goal until it was canceled
    assert (code, "Traceback" in out) == (0, False), out
