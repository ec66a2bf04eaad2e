"""Robots, cables that are pulled out when their test is over, and a real ROS 1 master."""

import os
import shutil
import socket
import subprocess
import xmlrpc.client
from pathlib import Path

import pytest

from andante.description import load_robot

from .ros.samples import until
from .serial.lines import PTY, PtyCable


@pytest.fixture
def cable(tmp_path):
    if not PTY:
        pytest.skip("this system has no pseudo terminals (os.openpty)")
    cable = PtyCable(tmp_path)
    yield cable
    cable.close()


@pytest.fixture(scope="session")
def nao():
    return load_robot("nao")


@pytest.fixture(scope="session")
def waffle():
    return load_robot("waffle")


class Master:
    """A real master, and the environment for its tools."""

    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.uri = f"http://127.0.0.1:{self.port}"
        path = os.environ["PATH"].split(os.pathsep)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | {
            "ROS_MASTER_URI": self.uri, "ROS_IP": "127.0.0.1", "ROS_HOME": str(folder), "PYTHONUNBUFFERED": "1",
            "PATH": os.pathsep.join(entry for entry in path if not (Path(entry).parent / "pyvenv.cfg").exists()),
        }  # fmt: skip
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            ["rosmaster", "--core", "-p", str(self.port)],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        until(self._answers, 40)

    def _answers(self):
        assert self.process.poll() is None
        try:  # not by asyncio: the browser of other tests may have its loop in this thread
            return xmlrpc.client.ServerProxy(self.uri).getPid("/test")
        except OSError:
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def ros_master(tmp_path_factory):
    if shutil.which("rosmaster") is None or shutil.which("rostopic") is None:
        reason = "ROS 1 (rosmaster, rostopic) is not installed"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    running = Master(tmp_path_factory.mktemp("ros"))
    yield running
    running.kill()


@pytest.fixture
def started():
    """Start things that are ended after the test."""
    running = []

    def start(thing):
        running.append(thing)
        return thing

    yield start
    for thing in reversed(running):
        thing.close()
