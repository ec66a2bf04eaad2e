"""A session that runs in a thread: a bus with a little of everything, and its web server in a process of its own."""

import os
import queue
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from andante.bags import messages
from andante.bridges import start_server
from andante.bus import Bus

TWIST = "geometry_msgs/msg/Twist"


class Running:
    """A loop of 100 Hz with a bus. Only the loop's thread touches the bus; `do` has it do something."""

    def __init__(self, **options):
        self.bus = Bus()
        self.heard, self.logs, self.calls = [], [], []
        self.cycles = 0
        self._build()
        self.server = start_server(self.bus, **options)
        self._work = queue.Queue()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _build(self):
        bus = self.bus
        self.joints = bus.advertise("/joint_states", "sensor_msgs/msg/JointState", rate=50, node="robot", sensor=True)
        self.imu = bus.advertise("/imu/data", "sensor_msgs/msg/Imu", rate=100, node="robot", sensor=True)
        self.image = bus.advertise("/image", "sensor_msgs/msg/CompressedImage", node="camera")
        self.big = bus.advertise("/big", "std_msgs/msg/Float64MultiArray", node="camera")
        text = bus.advertise("/robot_description", "std_msgs/msg/String", latched=True, node="robot")
        text.publish(messages.make("std_msgs/msg/String", data="<robot name='x'/>"))
        bus.subscribe("/cmd_vel", TWIST, lambda m: self.heard.append((m.linear.x, m.angular.z)), node="base")
        bus.subscribe("/points", "std_msgs/msg/Float64MultiArray", lambda m: self.heard.append(m.data), node="base")
        bus.subscribe("/rosout", "rcl_interfaces/msg/Log", lambda m: self.logs.append(m.msg), node="log")
        bus.provide("/pause", "std_srvs/srv/Trigger", self._pause, node="session")
        bus.provide("/set", "std_srvs/srv/SetBool", lambda r: {"success": r.data, "message": "set"}, node="session")
        bus.provide("/broken", "std_srvs/srv/Trigger", lambda r: 1 / 0, node="session")
        bus.provide_action("/reach", "control_msgs/action/FollowJointTrajectory", self._reach, node="robot")
        bus.parameters.declare("/nao/pgain", 1.5, low=0.0, high=10.0)

    def _pause(self, _):
        self.calls.append("pause")
        return {"success": True, "message": "paused"}

    def _reach(self, goal):
        names = list(goal.trajectory.joint_names)
        for k in range(200 if "slow" in names else 3):
            yield {"joint_names": names, "desired": {"positions": [float(k)]}}
        return {"error_code": 0, "error_string": "there"}

    def _run(self):
        bus = self.bus
        while not self._ending.is_set():
            while not self._work.empty():
                self._work.get()()
            self.server.poll()
            if self.joints.wanted():
                self.joints.publish(
                    messages.make(
                        "sensor_msgs/msg/JointState",
                        header=messages.header(bus.clock.now, "base"),
                        name=["a", "b"],
                        position=[0.25, np.nan],
                    )
                )
            if self.imu.wanted():
                self.imu.publish(messages.make("sensor_msgs/msg/Imu", header=messages.header(bus.clock.now)))
            bus.spin()
            bus.clock.advance_to(bus.clock.now + 0.01)
            self.cycles += 1
            time.sleep(0.005)

    def do(self, work):
        """Have the loop do something and wait for the result."""
        done, out = threading.Event(), []

        def carried_out():
            try:
                out.append(work())
            finally:
                done.set()

        self._work.put(carried_out)
        assert done.wait(20.0)
        return out[0]

    def until(self, condition, seconds=20.0):
        """Wait until a condition holds."""
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"waited {seconds} s in vain; logs: {self.logs}"
            time.sleep(0.01)

    def stop(self):
        self._ending.set()
        self._thread.join(20.0)
        self.server.stop()


@pytest.fixture(scope="module")
def session():
    running = Running(allow=["/my/*"])
    yield running
    running.stop()


@pytest.fixture
def make_session():
    """Sessions with options of their own, stopped after the test."""
    made = []

    def make(**options):
        made.append(Running(**options))
        return made[-1]

    yield make
    for running in made:
        running.stop()


def give_up(reason):
    """Skip; with CI=true a missing part is a failure."""
    pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)


@pytest.fixture
def missing():
    """Called with the reason where a part of the machine is missing."""
    return give_up


@pytest.fixture(scope="module")
def node_folder():
    """Folder of the JavaScript client with its packages, installed once and kept."""
    source = Path(__file__).parent / "js"
    if shutil.which("node") is None or shutil.which("npm") is None:
        give_up("node and npm are not installed")
    installed, lock = source / "node_modules", source / "package-lock.json"
    stamp = installed / ".installed"
    if not stamp.is_file() or stamp.read_text() != lock.read_text():
        with tempfile.TemporaryDirectory(dir=source, prefix="node_modules.") as fresh:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(source / name, fresh)
            done = subprocess.run(
                ["npm", "ci", "--no-audit", "--no-fund"], cwd=fresh, capture_output=True, text=True, check=False
            )
            if done.returncode:
                give_up(f"npm ci failed, perhaps without network: {done.stderr.strip()[-300:]}")
            made = Path(fresh) / "node_modules"
            (made / ".installed").write_text(lock.read_text())
            shutil.rmtree(installed, ignore_errors=True)
            if not installed.exists():
                made.rename(installed)
    return source
