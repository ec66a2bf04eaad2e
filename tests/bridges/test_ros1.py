"""The ROS 1 bridge against a real master and the real tools: rostopic, rosservice, rosparam, rosnode, rosbag."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from andante.bags import messages
from andante.bridges.encoding import Frame
from andante.bridges.ros1.bridge import Ros1Bridge, begins_with_header
from andante.bridges.ros1.ends import Kind, TcprosError, pack_header, unpack_header
from andante.bridges.ros1.package import write_package
from andante.bridges.ros1.xmlrpc import RpcError, address, call
from andante.errors import BadInput


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Ros:
    """A ROS 1 world of its own: master, environment, tools."""

    def __init__(self, folder, port=0, core=True):
        self.port, self.core = port or free_port(), core
        self.uri = f"http://127.0.0.1:{self.port}"
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
            "ROS_MASTER_URI": self.uri,
            "ROS_IP": "127.0.0.1",
            "ROS_HOME": str(folder),
            "PYTHONUNBUFFERED": "1",
            "PATH": os.pathsep.join(  # Python environments have a rosversion of their own, which knows no packages
                entry
                for entry in os.environ["PATH"].split(os.pathsep)
                if not (Path(entry).parent / "pyvenv.cfg").exists()
            ),
        }
        self.start()

    def start(self):
        command = ["roscore"] if self.core else ["rosmaster", "--core"]
        self.process = subprocess.Popen(
            [*command, "-p", str(self.port)],
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        end = time.monotonic() + 40
        while True:
            try:
                asyncio.run(call(self.uri, "getPid", "/test"))
                return
            except RpcError:
                assert time.monotonic() < end
                assert self.process.poll() is None
                time.sleep(0.1)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()

    def tool(self, *words, seconds=40, check=True):
        """What a tool prints."""
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=seconds, check=False)
        assert not check or done.returncode == 0, f"{words}: {done.stdout} {done.stderr}"
        return done.stdout + done.stderr

    def ask(self, method, *arguments):
        code, text, value = asyncio.run(call(self.uri, method, "/test", *arguments))
        assert code == 1, text
        return value

    def knows(self, what, name):
        """Whether the master lists our node for a topic (0: published, 1: heard) or a service (2)."""
        return any(entry == name and "/andante" in nodes for entry, nodes in self.ask("getSystemState")[what])


def missing(reason):
    pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)


@pytest.fixture(scope="module")
def ros(tmp_path_factory):
    if shutil.which("roscore") is None or shutil.which("rostopic") is None:
        missing("ROS 1 (roscore, rostopic) is not installed")
    world = Ros(tmp_path_factory.mktemp("ros"))
    yield world
    world.stop()


def start_bridge(session, uri, *more):
    return subprocess.Popen(
        [sys.executable, "-m", "andante", "bridge", "ros1", session.server.ws_url, "--master", uri, *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def end_bridge(process):
    """Exit code and what it printed, after SIGTERM."""
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=20)
    return process.returncode, out


def until(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture(scope="module")
def bridged(ros, session):
    process = start_bridge(session, ros.uri)
    until(lambda: ros.knows(0, "/joint_states") and ros.knows(1, "/cmd_vel") and ros.knows(2, "/pause"))
    yield ros
    code, out = end_bridge(process)
    assert code == 0, out
    assert "Traceback" not in out
    assert not ros.knows(0, "/joint_states")  # signed off
    assert not ros.knows(1, "/cmd_vel")
    assert not ros.knows(2, "/pause")


def test_rostopic_echo_prints_our_messages(bridged):
    text = bridged.tool("rostopic", "echo", "-n", "1", "/joint_states")
    printed = yaml.safe_load(text.split("---")[0])
    assert printed["name"] == ["a", "b"]
    assert printed["position"][0] == 0.25
    assert str(printed["position"][1]) == "nan"
    assert printed["header"]["frame_id"] == "base"


def test_a_latched_topic_reaches_every_late_comer(bridged):
    for _ in range(2):
        assert "<robot name='x'/>" in bridged.tool("rostopic", "echo", "-n", "1", "/robot_description")
    assert "<robot name='x'/>" in bridged.tool("rosparam", "get", "/robot_description")


def test_rostopic_pub_reaches_the_session_and_its_silence_stops_the_robot(bridged, session):
    session.heard.clear()
    bridged.tool("rostopic", "pub", "-1", "/cmd_vel", "geometry_msgs/Twist", "{linear: {x: 0.5}, angular: {z: -0.25}}")
    session.until(lambda: (0.5, -0.25) in session.heard)
    session.until(lambda: session.heard[-1] == (0.0, 0.0))


def test_rostopic_hz_sees_a_steady_stream(bridged):
    process = subprocess.Popen(
        ["rostopic", "hz", "--wall-time", "-w", "20", "/imu/data"],
        env=bridged.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    lines = []
    for line in process.stdout:
        lines.append(line)
        if "average rate" in line:
            break
    process.kill()
    process.wait()
    assert float(lines[-1].split(":")[1]) > 5.0


def test_rostopic_knows_types_and_ends(bridged):
    assert bridged.tool("rostopic", "type", "/imu/data").strip() == "sensor_msgs/Imu"
    info = bridged.tool("rostopic", "info", "/cmd_vel")
    assert "geometry_msgs/Twist" in info
    assert "/andante" in info


def test_services_answer_and_fail_in_the_words_of_ros(bridged, session):
    count = len(session.calls)
    assert 'message: "paused"' in bridged.tool("rosservice", "call", "/pause")
    assert len(session.calls) == count + 1
    assert "success: True" in bridged.tool("rosservice", "call", "/set", "data: true")
    failed = bridged.tool("rosservice", "call", "/broken", check=False)
    assert "ZeroDivisionError" in failed
    assert bridged.tool("rosservice", "type", "/set").strip() == "std_srvs/SetBool"


def test_services_of_our_own_types_are_called_by_rosservice(bridged, session, tmp_path, monkeypatch):
    asked = []

    def play(request):
        asked.append((request.name, request.speed))
        return {"success": True, "message": "as asked", "duration": 2.5}

    session.do(lambda: session.bus.provide("/play_own", "andante_msgs/srv/Play", play, node="robot"))
    until(lambda: bridged.knows(2, "/play_own"))
    words = ("rosservice", "call", "/play_own", "{name: Stand, speed: 0.5}")
    assert "Unable to load type" in bridged.tool(*words, check=False)  # where nobody told it of our types
    write_package(tmp_path)
    monkeypatch.setitem(bridged.environment, "ROS_PACKAGE_PATH", str(tmp_path))
    assert "duration: 2.5" in bridged.tool(*words)
    assert asked == [("Stand", 0.5)]
    assert "float64 duration" in bridged.tool("rossrv", "show", "andante_msgs/Play")


def test_a_folder_for_the_types_that_is_not_there_is_told(tmp_path):
    with pytest.raises(BadInput, match="does not exist; make it first"):
        write_package(tmp_path / "none")


def test_the_node_answers_the_node_tools(bridged):
    assert "xmlrpc reply" in bridged.tool("rosnode", "ping", "-c", "1", "/andante")
    info = bridged.tool("rosnode", "info", "/andante")
    assert "/joint_states [sensor_msgs/JointState]" in info
    assert "/cmd_vel" in info


def test_the_log_of_the_session_is_a_log_of_ros(bridged, session):
    session.do(lambda: session.bus.log("warn", "a word of warning", "robot"))
    text = bridged.tool("rostopic", "echo", "-n", "1", "--filter", "m.msg == 'a word of warning'", "/rosout")
    printed = yaml.safe_load(text.split("---")[0])
    assert (printed["level"], printed["name"]) == (4, "/robot")


def test_rosbag_record_makes_a_bag_of_our_messages(bridged, tmp_path):
    from rosbags.rosbag1 import Reader

    bag = tmp_path / "out.bag"
    told = bridged.tool("rosbag", "record", "-l", "5", "-O", str(bag), "/joint_states", check=False)
    if not bag.exists():
        missing(f"rosbag record does not work here: {told.strip()[:200]}")
    with Reader(bag) as reader:
        (connection,) = reader.connections
        assert connection.digest == messages.md5("sensor_msgs/msg/JointState")
        contents = [messages.from_ros1("sensor_msgs/msg/JointState", data) for _, _, data in reader.messages()]
    assert len(contents) == 5
    assert all(content.name == ["a", "b"] for content in contents)
    stamps = [messages.seconds(content.header.stamp) for content in contents]
    assert stamps == sorted(stamps)


def test_parameters_are_left_as_they_were(ros, make_session):
    session = make_session()
    session.do(lambda: session.bus.advertise("/clock", "rosgraph_msgs/msg/Clock", node="session"))
    ros.ask("setParam", "/robot_description", "mine")
    process = start_bridge(session, ros.uri, "--name", "/third", "--out", "/clock", "--out", "/robot_description")
    until(lambda: ros.ask("hasParam", "/use_sim_time") and ros.ask("getParam", "/robot_description") != "mine")
    assert ros.ask("getParam", "/use_sim_time") is True
    assert ros.ask("getParam", "/robot_description") == "<robot name='x'/>"
    code, out = end_bridge(process)
    assert code == 0, out
    assert not ros.ask("hasParam", "/use_sim_time")
    assert ros.ask("getParam", "/robot_description") == "mine"
    ros.ask("deleteParam", "/robot_description")


def test_rosnode_kill_ends_the_bridge(ros, session):
    process = start_bridge(session, ros.uri, "--name", "/second", "--out", "/imu/*", "--in", "/none")
    until(lambda: any("/second" in nodes for _, nodes in ros.ask("getSystemState")[0]))
    published = [topic for topic, nodes in ros.ask("getSystemState")[0] if "/second" in nodes]
    assert published == ["/imu/data"]
    ros.tool("rosnode", "kill", "/second")
    out, _ = process.communicate(timeout=20)
    assert process.returncode == 0, out
    assert "asked to shut down" in out
    assert not any("/second" in nodes for _, nodes in ros.ask("getSystemState")[0])


def test_a_master_that_comes_later_and_comes_back(session, tmp_path, ros):
    port = free_port()
    process = start_bridge(session, f"http://127.0.0.1:{port}")
    said = [process.stdout.readline()]
    assert "no ROS master" in said[0]
    world = Ros(tmp_path, port, core=False)
    try:
        until(lambda: world.knows(0, "/joint_states"))
        world.process.kill()
        world.process.wait()
        world.start()
        until(lambda: world.knows(0, "/joint_states") and world.knows(1, "/cmd_vel"))
        assert "name" in world.tool("rostopic", "echo", "-n", "1", "/joint_states")
        code, out = end_bridge(process)
        assert code == 0, out
        assert not world.knows(0, "/joint_states")
    finally:
        process.kill()
        process.communicate()
        world.stop()


def test_bad_ends_are_refused_in_words(bridged):
    uri = bridged.ask("lookupNode", "/andante")

    async def talk(fields):
        _, _, (_, host, port) = await call(uri, "requestTopic", "/test", "/joint_states", [["TCPROS"]])
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(pack_header(**fields))
        size = int.from_bytes(await reader.readexactly(4), "little")
        answer = unpack_header(await reader.readexactly(size))
        writer.close()
        return answer.get("error", "")

    assert "no topic /nope here" in asyncio.run(talk({"topic": "/nope", "md5sum": "*", "type": "*"}))
    assert "is not 3066dcd76a6cfaef579bd0f34173e9fd" in asyncio.run(
        talk({"topic": "/joint_states", "md5sum": "0" * 32, "type": "sensor_msgs/JointState"})
    )
    assert "no service /nope here" in asyncio.run(talk({"service": "/nope", "md5sum": "*"}))


def test_messages_are_numbered_on_their_topic():
    """In the header that comes first, the same number for every subscriber; others have none."""
    sent = {name: [] for name in ("a", "b")}
    bridge = Ros1Bridge(None)
    imu = messages.to_cdr(messages.make("sensor_msgs/msg/Imu"))
    frames = [Frame("/imu", "sensor_msgs/msg/Imu", 0.0, imu) for _ in range(3)]
    for frame in frames:
        for name, heard in sent.items():
            bridge._send("/imu", SimpleNamespace(send=heard.append, name=name), frame)
    assert [[int.from_bytes(data[4:8], "little") for data in heard] for heard in sent.values()] == [[1, 2, 3]] * 2
    plain = Frame("/n", "std_msgs/msg/UInt32", 0.0, messages.to_cdr(messages.make("std_msgs/msg/UInt32", data=7)))
    bridge._send("/n", SimpleNamespace(send=sent["a"].append), plain)
    assert int.from_bytes(sent["a"][-1][4:8], "little") == 7
    assert begins_with_header("nav_msgs/msg/Odometry")
    assert not begins_with_header("tf2_msgs/msg/TFMessage")


def test_headers_round_trip_and_refuse_nonsense():
    fields = {"callerid": "/x", "message_definition": "float64 x\nstring s=a=b", "empty": ""}
    assert unpack_header(pack_header(**fields)[4:]) == fields
    for data in (b"\x01", b"\x05\0\0\0ab", b"\x02\0\0\0ab"):
        with pytest.raises(TcprosError):
            unpack_header(data)


def test_kinds_tell_why_they_do_not_fit():
    kind = Kind("std_msgs/String", "992ce8a1687cec8c8bd883ec73ca41d1")
    assert kind.refusal({"md5sum": "*"}) == ""
    assert kind.refusal({"md5sum": kind.md5, "type": "std_msgs/String"}) == ""
    assert "type std_msgs/Bool is not" in kind.refusal({"md5sum": "*", "type": "std_msgs/Bool"})


@pytest.mark.parametrize("uri", ["", "http://", "http://host", "ftp://host:1", "http://[", "http://host:x"])
def test_addresses_that_are_none(uri):
    with pytest.raises(BadInput, match="should look like http://"):
        address(uri)
