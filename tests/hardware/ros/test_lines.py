"""A robot behind ROS over real lines: a live session in another process, another server, a real ROS 1 master."""

import asyncio
import json
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from andante.bags import messages
from andante.bridges.ros1.xmlrpc import call
from andante.errors import BadInput
from andante.hardware import BodyCommand, JointTarget, check_body
from andante.hardware.ros.body import RosBody
from andante.hardware.ros.link import Listener
from andante.hardware.ros.orders import BaseVelocity, JointAngles, JointTrajectory
from andante.hardware.ros.ros1 import Ros1Link

from .samples import JOINT_STATE, TRAJECTORY, TWIST, joint_state, until

# ---- a live session of ours in another process ---------------------------------------------------
ROBOT = """
import sys
from andante.bridges import start_server
from andante.session import LiveSession
from andante.session.nodes import CommandNode, RobotStateNode, SensorNode

nodes = [RobotStateNode, SensorNode, CommandNode]
with LiveSession(sys.argv[1], folder=sys.argv[2], nodes=nodes) as session, start_server(session.bus) as server:
    session.inbound.append(server.poll)
    print(server.ws_url, flush=True)
    session.run(pace=True)
"""


@pytest.fixture
def robot_process(tmp_path):
    """Start a live robot: its process and its rosbridge address."""
    started = []

    def start(name):
        process = subprocess.Popen(
            [sys.executable, "-c", ROBOT, name, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        started.append(process)
        return process, process.stdout.readline().strip()

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_live_waffle_is_driven_over_rosbridge(robot_process, waffle):
    process, url = robot_process("waffle")
    with RosBody(url, waffle).connect(60) as body:
        until(lambda: body.odometry is not None and not np.isnan(body.read().gyro).any())
        start = body.odometry.x
        while body.odometry.x < start + 0.15:
            body.write(BodyCommand(twist=(0.26, 0.0, 0.0)))
            time.sleep(0.05)
        state = body.read()
        assert state.health.ok, state.health.words
        assert (state.position > 1.0).all()  # 0.15 m on wheels of 0.033 m
        assert abs(state.yaw) < 0.2
        assert state.acceleration[2] == pytest.approx(9.8, abs=1.5)
        until(lambda: abs(body.odometry.vx) < 0.01)  # nobody repeats the twist
        until(lambda: any("the base is stopped: no twist received" in line for line in body.notes))
        assert [result for result in check_body(body, close=False) if not result.passed] == []
        process.send_signal(signal.SIGKILL)
        until(lambda: not body.read().health.ok)
        until(lambda: "no connection to ws://" in body.read().health.words)
        body.write(BodyCommand(twist=(0.1, 0.0, 0.0)))
        assert body.dropped == 1


def test_a_live_nao_moves_its_head_over_rosbridge(robot_process, nao):
    _, url = robot_process("nao")
    body = RosBody(url, nao, joints=JointAngles()).connect(60)
    yaw, pitch = (body.joint_names.index(name) for name in ("HeadYaw", "HeadPitch"))
    body.write(BodyCommand({"HeadYaw": JointTarget(0.5), "HeadPitch": JointTarget(9.0)}))
    most = nao.joint("HeadPitch").limits.upper
    until(lambda: np.allclose(body.read().position[[yaw, pitch]], [0.5, most], atol=0.03))
    assert np.isfinite(body.read().position).all()
    assert [result for result in check_body(body) if not result.passed] == []
    assert body.read().health.words == "the body is closed"


# ---- a foreign rosbridge server ------------------------------------------------------------------
class Foreign:
    """A rosbridge server in front of ROS 1: JSON, times as secs and nsecs, no service of ours."""

    def __init__(self, port=0, names=("wheel_left_joint", "wheel_right_joint")):
        self.got, self.port, self.names, self.open = [], port, names, []
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)
        self._thread.start()
        assert self._ready.wait(10)

    async def _run(self):
        from websockets.asyncio.server import serve

        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        async with serve(self._serve, "127.0.0.1", self.port, close_timeout=0.2) as server:
            self.port = server.sockets[0].getsockname()[1]
            self._ready.set()
            await self._end.wait()

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}"

    def stop(self):
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(5)

    async def _serve(self, line):
        telling = asyncio.create_task(self._tell(line))
        try:
            async for data in line:
                self.got.append(json.loads(data))
        finally:
            telling.cancel()

    async def _tell(self, line):
        await line.send("no JSON")
        await line.send(json.dumps({"op": "publish", "topic": "/odom", "msg": {"sideways": 1}}))
        while True:
            wanted = {m["topic"] for m in self.got if m["op"] == "subscribe"}
            if "/joint_states" in wanted and self.names:
                now = time.time()
                stamp = {"secs": int(now), "nsecs": int(now % 1 * 1e9)}
                state = {"header": {"seq": 1, "stamp": stamp, "frame_id": ""}, "name": list(self.names)}
                state |= {"position": [0.5] + [None] * (len(self.names) - 1), "velocity": [], "effort": []}
                await line.send(json.dumps({"op": "publish", "topic": "/joint_states", "msg": state}))
            await asyncio.sleep(0.02)

    def told(self, topic):
        return [m["msg"] for m in self.got if m["op"] == "publish" and m["topic"] == topic]


def test_a_ros_1_robot_behind_rosbridge_and_a_server_that_comes_back(waffle):
    server = Foreign()
    body = RosBody(server.url, waffle, velocity=BaseVelocity(stamped=True)).connect()
    try:
        assert body.read().position[0] == 0.5
        assert np.isnan(body.read().position[1])
        until(lambda: any("/odom: " in line and "sideways" in line for line in body.notes))
        assert any("not a rosbridge message" in line for line in body.notes)
        advertised = {m["topic"]: m["type"] for m in server.got if m["op"] == "advertise"}
        assert advertised == {"/cmd_vel": "geometry_msgs/TwistStamped"}
        body.write(BodyCommand(twist=(0.125, 0.0, 0.0)))
        until(lambda: server.told("/cmd_vel"))
        (message,) = server.told("/cmd_vel")[:1]
        assert message["twist"]["linear"]["x"] == 0.125
        assert abs(message["header"]["stamp"]["secs"] - time.time()) < 60
        stopping = threading.Thread(target=server.stop)
        stopping.start()
        while body.connected:
            body.write(BodyCommand(twist=(0.125, 0.0, 0.0)))
            time.sleep(0.02)
        stopping.join()
        assert any("is lost: " in line and line.endswith("; trying again") for line in body.notes)
        server = Foreign(server.port)
        until(lambda: body.connected and server.told("/cmd_vel"))
        assert server.told("/cmd_vel")[0]["twist"]["linear"]["x"] == 0.0
        body.write(BodyCommand(twist=(0.25, 0.0, 0.0)))
        until(lambda: any(m["twist"]["linear"]["x"] == 0.25 for m in server.told("/cmd_vel")))
        body.close()
        until(lambda: server.told("/cmd_vel")[-1]["twist"]["linear"]["x"] == 0.0)  # close stops
    finally:
        body.close()
        server.stop()


def test_a_server_without_a_robot(waffle):
    server = Foreign(names=())
    try:
        with (
            RosBody(server.url, waffle) as body,
            pytest.raises(BadInput, match=r"body 'waffle': no message on /joint_states .* driver running"),
        ):
            body.connect(0.5)
    finally:
        server.stop()
    with RosBody(server.url, waffle) as body, pytest.raises(BadInput, match=r"no connection to ws://127\.0\.0\.1"):
        body.connect(0.5)


def test_a_line_that_cannot_be_kept_says_why(waffle):
    link = Ros1Link("http://127.0.0.1:1", host="203.0.113.1")  # not an address of this computer
    with RosBody(link, waffle) as body:
        until(lambda: "OSError" in body.read().health.words)
        assert not body.read().health.words.endswith("trying again")
        assert any("the line has ended" in line for line in body.notes)


# ---- a real ROS 1 master -------------------------------------------------------------------------
def test_a_body_at_a_real_master_with_the_real_tools(ros_master, waffle):
    uri, environment = ros_master.uri, ros_master.environment
    state = "{name: [wheel_left_joint, wheel_right_joint, tail], position: [0.5, -0.25, 1.0]}"
    robot = subprocess.Popen(
        ["rostopic", "pub", "-r", "20", "/joint_states", "sensor_msgs/JointState", state],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    echo = subprocess.Popen(
        ["rostopic", "echo", "-p", "/cmd_vel/linear/x"], env=environment, stdout=subprocess.PIPE, text=True
    )
    values = []
    reading = threading.Thread(target=lambda: values.extend(iter(echo.stdout.readline, "")))
    reading.start()
    try:
        with RosBody(uri, waffle).connect(40) as body:
            assert body.read().position.tolist() == [0.5, -0.25]
            assert any("'tail'" in line for line in body.notes)
            body.write(BodyCommand(twist=(0.125, 0.0, 0.0)))
            until(lambda: any(",0.125" in line for line in values))
            until(lambda: values[-1].strip().endswith(",0.0"))  # the driver fell silent
            assert [result for result in check_body(body, close=False) if not result.passed] == []
            robot.kill()
            until(lambda: "no message on /joint_states for" in body.read().health.words)
    finally:
        for process in (robot, echo):
            process.kill()
            process.wait()
        reading.join(5)
        echo.stdout.close()


def test_trajectories_over_the_master_its_loss_and_the_end_of_the_node(ros_master, nao):
    uri = ros_master.uri
    got, robot = [], Ros1Link(uri, "/robot")
    nothing = lambda *_: None  # noqa: E731

    def tick():
        if robot.connected:
            robot.post("/joint_states", joint_state(["HeadYaw"], [0.25], stamp=time.time()))

    robot.open(
        {"/joint_trajectory": TRAJECTORY, "/cmd_vel": TWIST}, {"/joint_states": JOINT_STATE},
        Listener(lambda topic, message: got.append((topic, message)), nothing, nothing, tick, nothing),
    )  # fmt: skip
    link = Ros1Link(uri, "/body")
    body = RosBody(link, nao, joints=JointTrajectory())
    try:
        body.connect(40)
        assert any(line.startswith("/joint_states does not contain HeadPitch, ") for line in body.notes)
        body.write(BodyCommand({"HeadYaw": JointTarget(0.75)}))
        until(lambda: got)
        topic, message = got[0]
        assert (topic, message.joint_names, message.points[0].positions.tolist()) == (
            "/joint_trajectory", ["HeadYaw"], [0.75],
        )  # fmt: skip
        wanted = 0.5 / nao.joint("HeadYaw").limits.velocity
        assert messages.seconds(message.points[0].time_from_start) == pytest.approx(max(0.1, wanted), abs=1e-6)
        body.stop()
        until(lambda: got[-1][0] == "/joint_trajectory" and got[-1][1].points[0].positions.tolist() == [0.25])
        ros_master.kill()
        while body.connected:
            body.write(BodyCommand(twist=(0.125, 0.0, 0.0)))
            time.sleep(0.05)
        until(lambda: "the base is stopped: the connection to the ROS master is lost" in body.notes)
        until(lambda: got[-1][0] == "/cmd_vel" and got[-1][1].linear.x == 0.0)  # the nodes still hear one another
        assert any(topic == "/cmd_vel" and message.linear.x == 0.125 for topic, message in got)
        ros_master.start()
        until(lambda: body.connected)
        asyncio.run(call(link._node.uri, "shutdown", "/test", "enough"))
        until(lambda: body.read().health.words.endswith("a ROS tool shut down this node; make a new body"))
    finally:
        body.close()
        assert robot.close()
