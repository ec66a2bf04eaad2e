"""The Foxglove server with a plain WebSocket client on its subprotocol."""

import json
import os
import re
import signal
import struct
import subprocess
import sys
import time

import pytest
from websockets.sync.client import connect

from andante.bags import messages
from andante.bridges.foxglove import FoxgloveBridge
from andante.errors import BadInput

if os.environ.get("CI") != "true":  # there a missing part is a failure
    pytest.importorskip("foxglove", reason="needs the extra `foxglove`")


class Bridge:
    def __init__(self, session, *more):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "andante", "bridge", "foxglove", session.server.ws_url, "--port", "0", *more],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        line = self.process.stdout.readline()
        self.url = re.search(r"ws://127\.0\.0\.1:\d+", line).group()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        out, _ = self.process.communicate(timeout=20)
        assert self.process.returncode == 0, out
        assert "Traceback" not in out


class Peer:
    """Speaks foxglove.sdk.v1 by hand."""

    def __init__(self, url):
        self.socket = connect(url, subprotocols=["foxglove.sdk.v1"], proxy=None, legacy=True, close_timeout=0.2)
        self.channels, self.services, self.heard = {}, {}, []

    def send(self, **message):
        self.socket.send(json.dumps(message))

    def pump(self, until, seconds=20.0):
        """Take messages until a condition holds."""
        end = time.monotonic() + seconds
        while not (found := until()):
            data = self.socket.recv(timeout=max(0.01, end - time.monotonic()))
            if isinstance(data, str):
                message = json.loads(data)
                if message["op"] == "advertise":
                    self.channels.update({channel["topic"]: channel for channel in message["channels"]})
                if message["op"] == "advertiseServices":
                    self.services.update({service["name"]: service for service in message["services"]})
                self.heard.append(message)
            elif data[0] == 1:
                number, stamp = struct.unpack_from("<IQ", data, 1)
                self.heard.append({"op": "data", "id": number, "stamp": stamp, "data": data[13:]})
            elif data[0] == 3:
                _, number, size = struct.unpack_from("<III", data, 1)
                self.heard.append({"op": "response", "call": number, "data": data[13 + size :]})
        return found

    def last(self, op, **fields):
        for message in reversed(self.heard):
            if message["op"] == op and all(message.get(name) == value for name, value in fields.items()):
                return message
        return None


@pytest.fixture(scope="module")
def driving(session):
    bridge = Bridge(session, "--drive")
    yield bridge
    bridge.stop()


def test_topics_are_advertised_and_sent_as_cdr(driving, session):
    peer = Peer(driving.url)
    channel = peer.pump(lambda: peer.channels.get("/joint_states"))
    assert (channel["encoding"], channel["schemaName"]) == ("cdr", "sensor_msgs/msg/JointState")
    assert channel["schemaEncoding"] == "ros2msg"
    assert channel["schema"] == messages.definition("sensor_msgs/msg/JointState")
    peer.send(op="subscribe", subscriptions=[{"id": 7, "channelId": channel["id"]}])
    got = peer.pump(lambda: peer.last("data", id=7))
    joints = messages.from_cdr("sensor_msgs/msg/JointState", got["data"])
    assert joints.name == ["a", "b"]
    assert got["stamp"] == pytest.approx(1e9 * messages.seconds(joints.header.stamp), abs=2e7)
    assert peer.pump(lambda: peer.last("serverInfo"))["name"] == "andante"
    peer.socket.close()

    def silent():
        return session.do(lambda: not session.bus.topic("/joint_states").subscriptions)

    session.until(silent)  # nothing is sent for nobody


def test_a_latched_message_reaches_every_client(driving):
    for _ in range(2):
        peer = Peer(driving.url)
        channel = peer.pump(lambda p=peer: p.channels.get("/robot_description"))
        peer.send(op="subscribe", subscriptions=[{"id": 1, "channelId": channel["id"]}])
        got = peer.pump(lambda p=peer: p.last("data", id=1))
        assert messages.from_cdr("std_msgs/msg/String", got["data"]).data == "<robot name='x'/>"
        peer.socket.close()


def test_clients_drive_and_their_silence_stops_the_robot(driving, session):
    session.heard.clear()
    peer = Peer(driving.url)
    offer = {"id": 3, "topic": "/cmd_vel", "encoding": "cdr", "schemaName": "geometry_msgs/msg/Twist"}
    text = {"id": 4, "topic": "/cmd_vel", "encoding": "json", "schemaName": "geometry_msgs/msg/Twist"}
    other = {"id": 5, "topic": "/joint_states", "encoding": "json", "schemaName": "x"}
    peer.send(op="advertise", channels=[offer, text, other])
    twist = messages.to_cdr(messages.make("geometry_msgs/msg/Twist", linear={"x": 0.3}))
    peer.socket.send(struct.pack("<BI", 1, 3) + twist)
    session.until(lambda: (0.3, 0.0) in session.heard)
    peer.socket.send(struct.pack("<BI", 1, 4) + json.dumps({"angular": {"z": 0.4}}).encode())
    session.until(lambda: (0.0, 0.4) in session.heard)
    session.until(lambda: session.heard[-1] == (0.0, 0.0))
    peer.socket.send(struct.pack("<BI", 1, 5) + b"{}")
    told = peer.pump(lambda: peer.last("status", level=2))
    assert "clients may not publish topic '/joint_states'" in told["message"]
    peer.socket.send(struct.pack("<BI", 1, 4) + b"{")
    peer.socket.close()


def test_services_and_parameters(driving, session):
    peer = Peer(driving.url)
    service = peer.pump(lambda: peer.services.get("/set"))
    assert service["type"] == "std_srvs/srv/SetBool"
    request = messages.to_cdr(messages.make("std_srvs/srv/SetBool_Request", data=True))
    peer.socket.send(struct.pack("<BIII", 2, service["id"], 9, 3) + b"cdr" + request)
    answer = peer.pump(lambda: peer.last("response", call=9))
    assert messages.from_cdr("std_srvs/srv/SetBool_Response", answer["data"]).message == "set"
    broken = peer.services["/broken"]
    peer.socket.send(struct.pack("<BIII", 2, broken["id"], 10, 3) + b"cdr" + request)
    failed = peer.pump(lambda: peer.last("serviceCallFailure", callId=10))
    assert "ZeroDivisionError" in failed["message"]
    peer.send(op="setParameters", parameters=[{"name": "/nao/pgain", "value": 2.75}], id="s")
    peer.pump(lambda: peer.last("parameterValues", id="s"))
    assert session.do(lambda: session.bus.parameters.get("/nao/pgain")) == 2.75
    peer.send(op="getParameters", parameterNames=["/nao/pgain"], id="g")
    (value,) = peer.pump(lambda: peer.last("parameterValues", id="g"))["parameters"]
    assert value["value"] == 2.75
    peer.socket.close()


def test_without_leave_clients_only_watch(session):
    bridge = Bridge(session, "--out", "/imu/*")
    peer = Peer(bridge.url)
    peer.pump(lambda: peer.channels)
    assert list(peer.channels) == ["/imu/data"]
    info = peer.last("serverInfo")
    assert set(info["capabilities"]) == {"time", "connectionGraph"}
    assert peer.services == {}
    session.heard.clear()
    twist = messages.to_cdr(messages.make("geometry_msgs/msg/Twist", linear={"x": 0.3}))
    offer = {"id": 3, "topic": "/cmd_vel", "encoding": "cdr", "schemaName": "geometry_msgs/msg/Twist"}
    peer.send(op="advertise", channels=[offer])
    peer.socket.send(struct.pack("<BI", 1, 3) + twist)
    told = peer.pump(lambda: peer.last("status", level=2))
    assert told
    assert session.heard == []
    peer.socket.close()
    bridge.stop()


def test_other_addresses_are_refused():
    with pytest.raises(BadInput, match="stays on the loopback"):
        FoxgloveBridge(None, host="0.0.0.0")
